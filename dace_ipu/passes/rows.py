"""The turn of a loop as one iteration of a map, where the maps of the turn run over what a row of data says."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.classify import Kind, classify
from dace_ipu.passes.codelets import changed_names
from dace_ipu.passes.domain import ONE, Domain, loop_over
from dace_ipu.passes.localise import localised
from dace_ipu.passes.rewrite import (
    Body,
    Rewrite,
    accesses,
    defined_names,
    fresh,
    rename_locals,
    used_names,
)
from dace_ipu.passes.simplify_bodies import simplified
from dace_ipu.passes.steps import graph_names, touched, written
from dace_ipu.passes.types import WEAK_INT, Types, is_weak
from dace_ipu.tile_graph.body import (
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    DType,
    For,
    If,
    Statement,
    Store,
    symbol,
    walk,
)
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.nodes import MapStep, TileGraph

__all__ = ["row_of"]

LONGEST = 64  # turns of a loop of constant length that a worker may run alone


def row_of(steps: tuple[MapStep, ...], used: Counter[str], graph: TileGraph) -> MapStep | None:
    """One map for the maps of a loop's turn, whose first dimension is the turn.

    Before: ``for i: stop[0] = r[i + 1]``, ``for i for k in 0:n: if k < stop[0]: t[k] = v[k]``, ``for i for k in 0:n: if
    k < stop[0]: s[i] += t[k]``. After: ``for i: stop = r[i + 1]; for k in 0:min(n, stop): s[i] += v[k]``.

    None unless the turns are independent, each needs nothing but scalars to itself, and how long its loops are is
    known to the turn alone, or they are short: other maps are better divided as they are. ``used`` counts the steps of
    the program that touch each variable.
    """
    inside = Counter(name for step in steps for name in touched(step))
    own = {v.name: v for v in graph.variables if not v.persistent and v.constant is None}
    own = {name: variable for name, variable in own.items() if inside[name] and inside[name] == used[name]}
    taken = graph_names(graph)
    types = _Types.of(graph)
    row = localised(_merged(steps, taken), own, taken)
    row = replace(row, body=_together(types.simplified(row)))
    row = localised(row, own, taken)
    row = replace(row, body=types.late(types.simplified(row), row))
    if written(row) & own.keys() or not _is_short(row):
        return None
    verdicts = classify(Domain(graph, row))
    return row if all(verdict.kind is not Kind.SEQUENTIAL for verdict in verdicts.values()) else None


def _merged(steps: tuple[MapStep, ...], taken: set[str]) -> MapStep:
    """The bodies one after the other, the dimensions that are not the turn as loops."""
    turn = steps[0].domain[0]
    body: Body = ()
    for step in steps:
        inner = step.body
        for dimension in reversed(step.domain[1:]):
            inner = (loop_over(dimension, replace(step, body=inner)),)
        known = taken | defined_names(body) | used_names(body) | used_names(inner) | {turn.name}
        new: dict[str, str] = {}
        for name in sorted(defined_names(inner)):
            new[name] = fresh(name, (known - {name} if name not in defined_names(body) else known) | set(new.values()))
        body = (*body, *rename_locals(inner, new))
    largest = max(steps, key=lambda step: (len(step.domain), len(step.body)))
    return MapStep(largest.name, (turn,), body, largest.source)


# ---- loops that belong together --------------------------------------------------------------------------------------


def _together(body: Body) -> Body:
    """Loops over one range that follow each other become one, and so do conditions that are the same."""
    result: list[Statement] = []
    for statement in _loops_last(body):
        last = result[-1] if result else None
        both = _both_loops(last, statement) or _both_conditions(last, statement)
        if both is None:
            result.append(statement)
        else:
            result[-1] = both
    return tuple(result)


def _loops_last(body: Body) -> Body:
    """The statements between two loops before the first of them, where that changes nothing."""
    result: list[Statement] = []
    for statement in body:
        place = len(result)
        while (place and not isinstance(statement, For) and isinstance(result[place - 1], For)) and _are_independent(
            result[place - 1], statement
        ):
            place -= 1
        result.insert(place, statement)
    return tuple(result)


def _are_independent(first: Statement, second: Statement) -> bool:
    sets, reads = zip(*((_sets((s,)), _reads((s,))) for s in (first, second)), strict=True)
    return not (sets[0] & (sets[1] | reads[1]) or sets[1] & reads[0])


def _sets(body: Body) -> set[str]:
    stored = {s.target.data for s in walk(body) if isinstance(s, Store)}
    return stored | changed_names(body)


def _reads(body: Body) -> set[str]:
    return used_names(body) | {access.data for s in walk(body) for access in accesses(s)}


def _both_loops(first: Statement | None, second: Statement) -> For | None:
    if not isinstance(first, For) or not isinstance(second, For) or _leaves((first, second)):
        return None
    if (first.begin, first.end, first.step) != (second.begin, second.end, second.step):
        return None
    later = Rewrite({second.variable: symbol(first.variable)}).body(second.body)
    shared = (
        (_sets(first.body) & _reads(later)) | (_sets(later) & _reads(first.body)) | (_sets(first.body) & _sets(later))
    )
    if not all(_is_one_element(name, (*first.body, *later), first.variable) for name in shared):
        return None
    return replace(first, body=_together((*first.body, *later)))


def _leaves(body: Body) -> bool:
    return any(isinstance(statement, (Break, Continue)) for statement in walk(body))


def _is_one_element(name: str, body: Body, turn: str) -> bool:
    """Whether a name is an array of which a turn touches one element, that no other turn touches."""
    found = {access.indices for s in walk(body) for access in accesses(s) if access.data == name}
    return len(found) == 1 and symbol(turn) in next(iter(found)) and name not in defined_names(body) | used_names(body)


def _both_conditions(first: Statement | None, second: Statement) -> If | None:
    if not isinstance(first, If) or not isinstance(second, If) or first.condition != second.condition:
        return None
    needed = names(first.condition.text) | {access.data for _, access in first.condition.reads}
    if _sets(first.then) & needed or _sets(first.orelse) & needed:
        return None
    return If(first.condition, (*first.then, *second.then), (*first.orelse, *second.orelse))


# ---- ranges ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Types:
    arrays: Mapping[str, DType]
    symbols: Mapping[str, DType]
    taken: frozenset[str]

    @classmethod
    def of(cls, graph: TileGraph) -> _Types:
        arrays = {variable.name: variable.dtype for variable in graph.variables}
        return cls(arrays, dict(graph.symbols), frozenset((*arrays, *dict(graph.symbols))))

    def simplified(self, step: MapStep) -> Body:
        scalars = {**self.symbols, **{dimension.name: WEAK_INT for dimension in step.domain}}
        return simplified(step.body, self.arrays, scalars)

    def late(self, body: Body, step: MapStep) -> Body:
        """Loops around nothing but a condition on how far they go end there."""
        result: list[Statement] = []
        scalars = {s.name: s.dtype for s in walk(body) if isinstance(s, Declare)}
        types = Types({**self.symbols, **scalars, **{dimension.name: WEAK_INT for dimension in step.domain}})
        for statement in body:
            end = _end(statement, types) if isinstance(statement, For) else None
            if end is None or not isinstance(statement, For) or not isinstance(statement.body[0], If):
                result.append(statement)
                continue
            name = fresh("stop", self.taken | defined_names((*body, *result)) | used_names(body))
            result.append(Declare(name, end[1], Code(end[0])))
            limit = sympy.Min(statement.end, symbol(name))
            result.append(replace(statement, end=limit, body=statement.body[0].then))
        return tuple(result)


def _end(loop: For, types: Types) -> tuple[str, DType] | None:
    """The end of a loop whose body is ``if variable < end``, and its type; None for other ones."""
    if loop.step != ONE or len(loop.body) != 1 or not isinstance(loop.body[0], If) or loop.body[0].orelse:
        return None
    condition = loop.body[0].condition
    found = _upper_bound(condition.text, loop.variable)
    inside = {loop.variable} | defined_names(loop.body) | {s.name for s in walk(loop.body) if isinstance(s, Assign)}
    if found is None or condition.reads or names(found) & inside:
        return None
    dtype = types.of_text(found)
    return None if dtype is None or is_weak(dtype) or dtype.kind != "i" or dtype.itemsize < 4 else (found, dtype)


def _upper_bound(condition: str, variable: str) -> str | None:
    """The text of ``end`` in ``variable < end`` or ``variable <= end - 1``."""
    match ast.parse(condition.strip(), mode="eval").body:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt()], comparators=[end]) if name == variable:
            return ast.unparse(end)
        case ast.Compare(left=ast.Name(id=name), ops=[ast.LtE()], comparators=[last]) if name == variable:
            match last:
                case ast.BinOp(left=end, op=ast.Sub(), right=ast.Constant(value=1)):
                    return ast.unparse(end)
                case _:
                    return f"{ast.unparse(last)} + 1"
        case _:
            return None


def _is_short(row: MapStep) -> bool:
    """Whether all loops, and at least one, end where the turn has found in the data, or are short and constant."""
    own = set(map(symbol, _from_data(row.body)))
    loops = [s for s in walk(row.body) if isinstance(s, For)]
    late = [bool((loop.begin.free_symbols | loop.end.free_symbols) & own) for loop in loops]
    lengths = [sympy.expand(loop.end - loop.begin) for loop in loops]
    return any(late) and all(
        is_late or (length.is_Integer and length <= LONGEST) for is_late, length in zip(late, lengths, strict=True)
    )


def _from_data(body: Body) -> set[str]:
    """The scalars that elements of arrays decide."""
    found: set[str] = set()
    for s in walk(body):
        if isinstance(s, Declare) and s.value is not None and (s.value.reads or names(s.value.text) & found):
            found.add(s.name)
    return found
