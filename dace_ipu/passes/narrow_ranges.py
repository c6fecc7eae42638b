"""Loops over a range and a condition on it become loops over what is left of the range."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import sympy

from dace_ipu.passes.clean_up import assigned_in, with_inner
from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.footprints import facts_of, span_of
from dace_ipu.passes.literals import as_index, index_of
from dace_ipu.passes.rewrite import Body, claimed, defined_names, used_names
from dace_ipu.passes.types import WEAK_INT, Types
from dace_ipu.tile_graph.body import Access, Code, Declare, DType, Expr, For, If, Statement, Store, symbol, walk
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.nodes import TileGraph

__all__ = ["bound", "conjunction", "gap", "narrowed", "narrowed_in"]

INDEX = np.dtype(np.int32)

_ABOVE = {ast.Lt: 1, ast.LtE: 0}  # what is added to the smaller side so that it is at most the larger one
_BELOW = {ast.Gt: 1, ast.GtE: 0}


def narrowed_in(graph: TileGraph, body: Body, dimensions: frozenset[str] = frozenset()) -> Body:
    """The body of a step of a graph with narrow ranges; ``dimensions`` are those of its domain."""
    integers = frozenset(name for name, dtype in graph.symbols if dtype.kind in "iu") | dimensions
    arrays = {variable.name: variable.dtype for variable in graph.variables}
    shapes = {s for variable in graph.variables for size in variable.shape for s in size.free_symbols}
    facts = Facts().and_also(*sorted(shapes, key=lambda s: str(s.name)))
    taken = arrays.keys() | {name for name, _ in graph.symbols} | dimensions | defined_names(body) | used_names(body)
    return narrowed(with_late_bounds(body, arrays, set(taken)), integers, facts)


def narrowed(body: Body, known: frozenset[str], facts: Facts) -> Body:
    """The body with the conditions that bound the variable of a loop in its range.

    Before: ``for j in 0:N: if j <= i - 1: s += A[j]``. After: ``for j in 0:min(N, i): s += A[j]``, or ``0:i`` where
    ``i`` is known not to exceed N. ``known`` are the names of integers from outside, and ``facts`` what is known of
    them. Only conditions that are nothing but comparisons of integers that stay the same during the loop.
    """
    return _body(body, _constants(body, known), facts)


def _constants(body: Body, known: frozenset[str]) -> dict[str, Expr]:
    """Names of integers that do not change while they are in scope, and what they stand for: other such names, or
    themselves. Not those that several scopes define."""
    constants = {name: symbol(name) for name in known}
    constants |= {s.variable: symbol(s.variable) for s in walk(body) if isinstance(s, For)}
    declared = [s for s in walk(body) if isinstance(s, Declare)]
    counts, assigned = Counter(s.name for s in declared), assigned_in(body)
    for statement in declared:
        if counts[statement.name] == 1 and statement.name not in assigned and statement.dtype.kind == "i":
            constants[statement.name] = _value(statement, constants, assigned)
    return constants


def _value(declaration: Declare, constants: Mapping[str, Expr], assigned: set[str]) -> Expr:
    value = as_index(declaration, assigned)
    if value is None or not {s.name for s in value.free_symbols} <= constants.keys():
        return symbol(declaration.name)
    return value.subs({symbol(name): expr for name, expr in constants.items()})


def _body(body: Body, constants: Mapping[str, Expr], facts: Facts) -> Body:
    return tuple(_statement(statement, constants, facts) for statement in body)


def with_late_bounds(body: Body, arrays: Mapping[str, DType], taken: set[str]) -> Body:
    """The body with integers of their own for the ends of loops that are computed from what the device has read.

    Before: ``for j in 0:N: if j <= dace.int32(stop) - 1: s += A[j]``. After: ``const int32 j_last = dace.int32(stop) -
    1; for j in 0:N: if j <= j_last: s += A[j]``, which ``narrowed`` can use. ``arrays`` are the types of variables.
    """
    scalars = {s.name: s.dtype for s in walk(body) if isinstance(s, Declare)}
    scalars |= {s.variable: WEAK_INT for s in walk(body) if isinstance(s, For)}
    return _LateBounds(arrays, scalars, assigned_in(body), taken).body(body)


@dataclass(frozen=True)
class _LateBounds:
    arrays: Mapping[str, DType]
    scalars: Mapping[str, DType]
    assigned: set[str]
    taken: set[str]

    def body(self, body: Body) -> Body:
        """The statements, with declarations before the loops."""
        result: list[Statement] = []
        for statement in body:
            statement = with_inner(statement, self.body)
            last = self._last(statement) if isinstance(statement, For) else None
            if last is not None and isinstance(statement, For) and isinstance(statement.body[0], If):
                name = claimed(f"{statement.variable}_last", self.taken)
                test = replace(statement.body[0], condition=Code(f"{statement.variable} <= {name}"))
                result.append(Declare(name, INDEX, last))
                statement = replace(statement, body=(test,))
            result.append(statement)
        return tuple(result)

    def _last(self, loop: For) -> Code | None:
        """What a loop's variable must not exceed, if a condition says just that, in integers of 32 bits."""
        if len(loop.body) != 1 or not isinstance(loop.body[0], If) or loop.body[0].orelse:
            return None
        reads = loop.body[0].condition.reads
        match ast.parse(loop.body[0].condition.text.strip(), mode="eval").body:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.LtE()], comparators=[last]) if name == loop.variable:
                late = index_of(last) is None or reads
                fixed = self._is_fixed(ast.unparse(last), reads, loop)
                return Code(ast.unparse(last), reads) if late and fixed else None
            case _:
                return None

    def _is_fixed(self, text: str, reads: tuple[tuple[str, Access], ...], loop: For) -> bool:
        """Whether a computation of integers gives the same in all turns of a loop."""
        stored = {s.target.data for s in walk(loop.body) if isinstance(s, Store)}
        inside = defined_names(loop.body) | self.assigned | {loop.variable}
        scalar = all(read.indices == (ZERO,) and read.data not in stored for _, read in reads)
        types = Types({**self.scalars, **{name: self.arrays[read.data] for name, read in reads if scalar}})
        return scalar and not names(text) & inside and types.of_text(text) == INDEX


def _statement(statement: Statement, constants: Mapping[str, Expr], facts: Facts) -> Statement:
    if not isinstance(statement, For):
        return with_inner(statement, lambda inner: _body(inner, constants, facts))
    span = span_of(statement)
    inside = facts if span is None else facts.and_also(*facts_of(statement.variable, span), span[1] - span[0])
    return _loop(replace(statement, body=_body(statement.body, constants, inside)), constants, facts)


def _loop(loop: For, constants: Mapping[str, Expr], facts: Facts) -> Statement:
    """A loop with the bounds that a condition around its body asks for. The rest of the condition stays; where it has
    nothing to do with the loop, around it."""
    *before, test = loop.body or (None,)
    if not isinstance(test, If) or not all(isinstance(s, Declare) and s.value is None for s in before):
        return loop
    if loop.step != 1 or loop.shared or test.orelse or test.condition.reads:
        return loop
    low, high = [loop.begin], [loop.end]
    rest: list[ast.expr] = []
    for part in conjunction(ast.parse(test.condition.text.strip(), mode="eval").body):
        found = bound(part, loop.variable, constants)
        if found is None:
            rest.append(part)
        else:
            (low if found[0] else high).append(found[1])
    then: Body = (*before, *test.then)
    outside = [part for part in rest if _is_fixed(part, loop, constants)]
    inside = [part for part in rest if part not in outside]
    body = then if not inside else (*before, If(_all_of(inside), test.then))
    changed = replace(loop, begin=facts.largest(low), end=facts.smallest(high), body=body)
    return If(_all_of(outside), (changed,)) if outside else changed


def conjunction(node: ast.expr) -> Iterator[ast.expr]:
    """The comparisons that a condition is made of, one by one."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from conjunction(value)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for op, a, b in zip(ops, (left, *comparators), comparators, strict=False):
                yield ast.Compare(a, [op], [b])
        case _:
            yield node


def _all_of(parts: list[ast.expr]) -> Code:
    return Code(" and ".join(ast.unparse(part) if len(parts) == 1 else f"({ast.unparse(part)})" for part in parts))


def _is_fixed(part: ast.expr, loop: For, constants: Mapping[str, Expr]) -> bool:
    """Whether a comparison of integers is the same in all turns of a loop."""
    value = gap(part, constants)
    inside = defined_names(loop.body) | {loop.variable}
    return value is not None and not {s.name for s in value.free_symbols} & inside


def bound(part: ast.expr, variable: str, constants: Mapping[str, Expr]) -> tuple[bool, Expr] | None:
    """The least value (True) or the end (False) that a comparison asks of a variable; None for any other."""
    value = gap(part, constants)
    factor = sympy.Integer(0) if value is None else sympy.expand(value).coeff(symbol(variable))
    if value is None or factor not in (1, -1):
        return None
    rest = sympy.expand(value - factor * symbol(variable))
    if symbol(variable) in rest.free_symbols:
        return None
    return (True, -rest) if factor == 1 else (False, sympy.expand(rest + 1))


def gap(part: ast.expr, constants: Mapping[str, Expr]) -> Expr | None:
    """What must not be negative for a comparison of integers to be true."""
    match part:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _difference(op, _index(left, constants), _index(right, constants))
        case _:
            return None


def _difference(op: ast.cmpop, left: Expr | None, right: Expr | None) -> Expr | None:
    if left is None or right is None:
        return None
    if type(op) in _ABOVE:
        return right - left - _ABOVE[type(op)]
    return left - right - _BELOW[type(op)] if type(op) in _BELOW else None


def _index(node: ast.expr, constants: Mapping[str, Expr]) -> Expr | None:
    """An integer expression in what is known not to change."""
    value = index_of(node)
    if value is None or not {s.name for s in value.free_symbols} <= constants.keys():
        return None
    return value.subs({symbol(name): expr for name, expr in constants.items()})
