"""Indices that are numbers in mixed radix: ``R*(W*a + b) + c`` with 0 <= c < R and 0 <= b < W."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sympy

from dace_ipu.passes.conditions import conjuncts
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.literals import index_of
from dace_ipu.passes.rewrite import Body
from dace_ipu.tile_graph.body import Expr, If, Store, symbol
from dace_ipu.tile_graph.indices import quotient
from dace_ipu.tile_graph.nodes import MapStep

__all__ = ["Digit", "conditions_around", "digits_of"]


@dataclass(frozen=True)
class Digit:
    """``place * runner``: ``width`` is how many values the runner has, at most; None for the first digit."""

    runner: str
    place: Expr
    width: Expr | None

    def of(self, number: Expr) -> Expr:
        """The value of the runner in a number without offset."""
        value = number if self.place == 1 else quotient(number, self.place)
        return value if self.width is None else sympy.Mod(value, self.width)

    def is_below(self, extent: Expr, size: Expr | None, facts: Facts) -> bool:
        """Whether the digit of any number below ``size``, or of any at all, is less than ``extent``."""
        if self.width is not None:
            return facts.at_most(self.width, extent)
        return size is not None and _same(self.place * extent, size)

    def implies(self, condition: str) -> bool:
        """Whether being a digit, at least 0 and less than its width, is all that a condition asks of the runner."""
        match ast.parse(condition, mode="eval").body:
            case ast.Compare(left=left, ops=[ast.LtE()], comparators=[ast.Name(id=name)]) if name == self.runner:
                least = index_of(left, powers=True)
                return least is not None and bool(least.is_Integer and least <= 0)
            case _:
                return self.width is not None and any(_same(w, self.width) for w in _limits(self.runner, (condition,)))


def digits_of(index: Expr, step: MapStep, conditions: tuple[str, ...]) -> tuple[Digit, ...] | None:
    """The digits of an index, the last one first, whose runners are the dimensions of a map that are in the index.

    ``conditions`` hold wherever the index is used. None if different values of the runners may give the same index, or
    if the last place is not 1. The places are at least 1 wherever there is an iteration, being products of the widths.
    """
    extents = {d.name: d.extent for d in step.domain if symbol(d.name) in index.free_symbols}
    left = {name: _place(index, name) for name in extents}
    running = {symbol(d.name) for d in step.domain}
    if any(place is None or place.free_symbols & running for place in left.values()):
        return None
    widths = {name: (*_limits(name, conditions), extent) for name, extent in extents.items()}
    widths = {name: tuple(w for w in found if not w.free_symbols & running) for name, found in widths.items()}
    return _from(sympy.Integer(1), left, widths)


def _from(
    place: Expr, left: Mapping[str, Expr | None], widths: Mapping[str, tuple[Expr, ...]]
) -> tuple[Digit, ...] | None:
    """The digits from a place on: of all ways to go on, the first that leads to the end."""
    for name in [name for name, other in left.items() if other is not None and _same(other, place)]:
        others = {other: at for other, at in left.items() if other != name}
        if not others:
            return (Digit(name, place, None),)
        for width in widths[name]:
            rest = _from(_tidy(place * width), others, widths)
            if rest is not None:
                return (Digit(name, place, width), *rest)
    return None


def conditions_around(store: Store, body: Body) -> tuple[str, ...]:
    """The comparisons, without elements of arrays, that hold wherever a store of a body is made."""
    for statement in body:
        if statement is store:
            return ()
        if isinstance(statement, If) and _holds(statement.then, store):
            own = () if statement.condition.reads else tuple(map(ast.unparse, conjuncts(statement.condition.text)))
            return (*own, *conditions_around(store, statement.then))
    return ()


def _holds(body: Body, store: Store) -> bool:
    return any(s is store or (isinstance(s, If) and _holds(s.then, store)) for s in body)


def _limits(name: str, conditions: tuple[str, ...]) -> Iterator[Expr]:
    """What a name is less than."""
    for condition in conditions:
        match ast.parse(condition, mode="eval").body:
            case ast.Compare(left=ast.Name(id=left), ops=[ast.Lt() | ast.LtE() as op], comparators=[right]):
                limit = index_of(right, powers=True) if left == name else None
                if limit is not None:
                    yield limit if isinstance(op, ast.Lt) else sympy.expand(limit + 1)


def _place(index: Expr, name: str) -> Expr | None:
    """``c`` if the index is ``c * name`` and something without the name."""
    expanded, runner = sympy.expand(index), symbol(name)
    place = expanded.coeff(runner)
    return _tidy(place) if runner not in sympy.expand(expanded - place * runner).free_symbols else None


def _tidy(place: Expr) -> Expr:
    return sympy.powsimp(sympy.expand(place))


def _same(one: Expr, other: Expr) -> bool:
    """Whether two products of powers are the same."""
    return bool(_tidy(one - other) == 0 or sympy.powsimp(sympy.expand(one / other)) == 1)
