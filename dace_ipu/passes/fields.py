"""The fields of a vertex: one for each group of accesses that touch one box of a variable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import sympy

from dace_ipu.passes.domain import ONE, Domain
from dace_ipu.passes.footprints import Box, Interval, Scope, Site
from dace_ipu.passes.rewrite import claimed, fresh
from dace_ipu.tile_graph.body import Access, Expr, symbol
from dace_ipu.tile_graph.nodes import Direction, Field, Layout, Range, Value

NEAR = 32  # elements: reads that lie further apart than this get fields of their own instead of one that spans the gap
Group = tuple[Box, tuple[Access, ...]]


@dataclass(frozen=True)
class Edge:
    """A field, the accesses that go through it (in the coordinates of the variable), and where it begins.

    ``origin`` holds what the body subtracts from the indices: the begins of the ranges, or the names of ``values``
    where these are not simple sums.
    """

    field: Field
    accesses: tuple[Access, ...]
    origin: tuple[Expr, ...]
    values: tuple[Value, ...] = ()

    def local(self, indices: tuple[Expr, ...]) -> Access:
        """The element of the field for indices of the variable."""
        if self.field.layout is Layout.SCALAR:
            return Access(self.field.name, ())
        steps = (interval.step for interval in self.field.ranges)
        found = (sympy.expand((at - begin) / step) for at, begin, step in zip(indices, self.origin, steps, strict=True))
        return Access(self.field.name, tuple(found))


def edges_of(variable: str, domain: Domain, scope: Scope, taken: set[str]) -> tuple[Edge, ...]:
    """The edges of a variable for one block; the first is named as the variable. Names are added to ``taken``."""
    found: list[Edge] = []
    for box, accesses in groups(variable, domain, scope):
        name = fresh(variable, taken - {variable} if not found else taken | {variable})
        taken.add(name)
        ranges = tuple(interval.to_range() for interval in box)
        field = Field(
            name, variable, _direction(box, accesses, domain, scope), ranges, layout(ranges, domain.shape(variable))
        )
        found.append(_with_origin(Edge(field, accesses, ()), taken))
    return tuple(found)


def groups(variable: str, domain: Domain, scope: Scope) -> tuple[Group, ...]:
    """Accesses to a variable by the box they touch together: by what lies near, but all in one if it is written, unless
    the groups surely lie apart.
    """
    shape = domain.shape(variable)
    boxes: dict[Access, list[Box]] = {}
    for site in domain.of(variable):
        boxes.setdefault(site.access, []).append(scope.clamped(site, shape))
    hulls = {access: scope.hull(found) for access, found in boxes.items()}
    near = near_groups(hulls, scope)
    if variable in domain.written and not _lie_apart([box for box, _ in near], variable, domain, scope):
        return ((scope.hull(hulls.values()), tuple(hulls)),)
    return near


def _lie_apart(boxes: list[Box], variable: str, domain: Domain, scope: Scope) -> bool:
    """Whether boxes that a vertex touches surely have no element in common, nor a word."""
    if len(boxes) < 2:
        return True
    if domain.graph.variable(variable).dtype.itemsize < 4:
        return False
    facts = scope.facts.and_also(*_in_bounds(domain, scope))
    pairs = combinations(boxes, 2)
    return all(
        any(facts.at_most(x.high + 1, y.low) or facts.at_most(y.high + 1, x.low) for x, y in zip(a, b, strict=True))
        for a, b in pairs
    )


def _in_bounds(domain: Domain, scope: Scope) -> Iterator[Expr]:
    """What follows from accesses that every iteration makes: by the rules of DaCe they are in bounds."""
    for site in domain.sites:
        if not site.guarded and not site.loops:
            shape = domain.shape(site.access.data)
            for interval, size in zip(scope.box(site, shape), shape, strict=True):
                yield from (interval.low, sympy.expand(size - 1 - interval.high))


def near_groups(hulls: dict[Access, Box], scope: Scope) -> tuple[Group, ...]:
    """Groups accesses whose boxes differ by small constants, or lie one in the other."""
    found: list[Group] = []
    for access, box in hulls.items():
        place = next((k for k, (other, _) in enumerate(found) if _belong_together(box, other, scope)), None)
        if place is None:
            found.append((box, (access,)))
        else:
            found[place] = (scope.hull((found[place][0], box)), (*found[place][1], access))
    return tuple(found)


def _belong_together(a: Box, b: Box, scope: Scope) -> bool:
    return scope.contains(b, a) or scope.contains(a, b) or all(_near(x, y) for x, y in zip(a, b, strict=True))


def _near(a: Interval, b: Interval) -> bool:
    gaps = (sympy.expand(a.low - b.low), sympy.expand(a.high - b.high))
    return all(gap.is_Integer and abs(gap) <= NEAR for gap in gaps)


def layout(ranges: tuple[Range, ...], shape: tuple[Expr, ...]) -> Layout:
    """SCALAR for one element; VECTOR for one contiguous run or what varies in one dimension only; else ROWS."""
    wide = [k for k, interval in enumerate(ranges) if sympy.expand(interval.end - interval.begin) != 1]
    if not wide:
        return Layout.SCALAR
    contiguous = ranges[wide[0]].step == 1 and all(_whole(ranges[k], shape[k]) for k in range(wide[0] + 1, len(ranges)))
    return Layout.VECTOR if contiguous or len(wide) == 1 else Layout.ROWS


def _whole(interval: Range, size: Expr) -> bool:
    return interval.step == 1 and interval.begin == 0 and sympy.expand(interval.end - size) == 0


def _direction(box: Box, accesses: tuple[Access, ...], domain: Domain, scope: Scope) -> Direction:
    """OUTPUT only if plain stores surely fill the box before anything is read: else the old content must be there."""
    found = tuple(site for site in domain.sites if site.access in accesses)
    if not any(site.writes for site in found):
        return Direction.INPUT
    plain = all(site.writes and site.reduction is None for site in found)
    filling = found if plain else found[:1] if _stays_at_one_element(found) else ()
    return Direction.OUTPUT if any(_fills(site, box, domain, scope) for site in filling) else Direction.INOUT


def _stays_at_one_element(found: tuple[Site, ...]) -> bool:
    """Whether an iteration begins with a plain store and then touches nothing but that element."""
    first = found[0]
    starts = first.writes and first.reduction is None and not first.loops
    return starts and all(site.access == first.access for site in found)


def _fills(site: Site, box: Box, domain: Domain, scope: Scope) -> bool:
    """Whether a store writes every element of a box: each index is a constant, or runs with a variable of its own.

    What runs in no index has to turn at least once; what does may be empty, the box is empty then.
    """
    if site.guarded or scope.box(site, domain.shape(site.access.data)) != box:
        return False
    running = {symbol(name) for name in scope.spans}
    fixed = {symbol(name) for name in scope.parameters | scope.kept}
    for loop in site.loops:
        if not loop.begin.free_symbols | loop.end.free_symbols <= fixed or abs(loop.step) != 1:
            return False  # the box is that of all values the bounds may have
        running.add(symbol(loop.variable))
    used: set[Expr] = set()
    for index, interval in zip(site.access.indices, box, strict=True):
        movers = index.free_symbols & running
        known = index.free_symbols <= running | fixed
        if not known or movers & used or not _fills_interval(index, movers, interval):
            return False
        used |= movers
    return not scope.may_be_empty(site.loops, but={mover.name for mover in used})


def _fills_interval(index: Expr, movers: set[Expr], interval: Interval) -> bool:
    if not movers:
        return interval.is_point
    if len(movers) > 1:
        return False
    mover = next(iter(movers))
    factor = sympy.expand(index).coeff(mover)
    return mover not in sympy.expand(index - factor * mover).free_symbols and abs(factor) == interval.step


def _with_origin(edge: Edge, taken: set[str]) -> Edge:
    """Gives an edge its origin: a plain sum stands in the body, anything else becomes a value of the vertex."""
    origin, values = [], []
    for number, interval in enumerate(edge.field.ranges):
        begin = interval.begin
        if begin.has(sympy.Min, sympy.Max, sympy.floor, sympy.Mod) and edge.field.layout is not Layout.SCALAR:
            suffix = f"_{number}" if len(edge.field.ranges) > 1 else ""
            name = claimed(f"{edge.field.name}_begin{suffix}", taken)
            values.append(Value(name, begin, np.dtype(np.int32)))
            begin = symbol(name)
        origin.append(begin)
    return replace(edge, origin=tuple(origin), values=tuple(values))


def size_of(interval: Range) -> Expr:
    """The number of elements in a range, if it is not empty."""
    return sympy.expand(sympy.floor((interval.end - interval.begin - ONE) / interval.step) + 1)
