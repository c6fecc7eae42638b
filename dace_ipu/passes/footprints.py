"""Footprints: which box of an array an access touches while loop variables and domain dimensions run over their ranges.

Everything is computed from the accesses in bodies, never from annotations. A variable is eliminated from an index by
its extreme values where the index is monotone in it; what cannot be bounded is the whole dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache

import sympy

from dace_ipu.passes.facts import Facts
from dace_ipu.passes.rewrite import Body, local_arrays
from dace_ipu.tile_graph.body import (
    Access,
    Break,
    Continue,
    Expr,
    For,
    If,
    Reduction,
    Statement,
    Store,
    While,
    codes,
    symbol,
    walk,
)
from dace_ipu.tile_graph.nodes import Range


@dataclass(frozen=True)
class Site:
    """One access in a body: what it does, the loops around it (outer first), and whether it may be skipped.

    ``position`` orders the sites of a body as they are executed. ``value`` is the statement that stores, for a write.
    """

    access: Access
    store: Store | None
    loops: tuple[For, ...]
    guarded: bool
    position: int

    @property
    def writes(self) -> bool:
        """Whether the element is written."""
        return self.store is not None

    @property
    def reduction(self) -> Reduction | None:
        """How the element is combined with the new value; None for a read and for a plain store."""
        return None if self.store is None else self.store.reduction


def sites(body: Body) -> tuple[Site, ...]:
    """All accesses of a body to arrays that do not live in it."""
    local = local_arrays(body)
    found = [site for site in _sites(body, (), False) if site.access.data not in local]
    return tuple(replace(site, position=position) for position, site in enumerate(found))


def _sites(body: Body, loops: tuple[For, ...], guarded: bool) -> Iterator[Site]:
    guarded = guarded or any(isinstance(statement, (Break, Continue)) for statement in walk(body))
    for statement in body:
        yield from (Site(read, None, loops, guarded, 0) for code in codes(statement) for _, read in code.reads)
        if isinstance(statement, Store):
            yield Site(statement.target, statement, loops, guarded, 0)
        yield from _sites_inside(statement, loops, guarded)


def _sites_inside(statement: Statement, loops: tuple[For, ...], guarded: bool) -> Iterator[Site]:
    match statement:
        case For():
            yield from _sites(statement.body, (*loops, statement), guarded)
        case While():
            yield from _sites(statement.body, loops, True)
        case If():
            yield from _sites(statement.then, loops, True)
            yield from _sites(statement.orelse, loops, True)


@dataclass(frozen=True)
class Interval:
    """``low, low + step, ..., high``, inclusive; empty if ``high < low``. ``step`` is 1 if it is not exact."""

    low: Expr
    high: Expr
    step: int = 1

    def to_range(self) -> Range:
        """The same as a half-open range."""
        return Range(self.low, sympy.expand(self.high + 1), self.step)

    @property
    def is_point(self) -> bool:
        """Whether it is one element, whatever the symbols are."""
        return bool(sympy.expand(self.high - self.low) == 0)


Box = tuple[Interval, ...]


@dataclass(frozen=True)
class Scope:
    """What the dimensions of a domain run over while a footprint is taken.

    ``spans`` gives inclusive bounds for each dimension that is to be eliminated, innermost last. ``parameters`` are
    the names of the program that may stay in the result, ``kept`` those of a block or of dimensions that are not
    eliminated. ``runtime`` gives the bounds of scalars that are computed on the device, the same for all iterations;
    they are eliminated as well. ``facts`` holds what is known of them all.
    """

    spans: Mapping[str, tuple[Expr, Expr]]
    parameters: frozenset[str]
    kept: frozenset[str]
    facts: Facts
    runtime: Mapping[str, tuple[Expr, Expr]] = field(default_factory=dict)

    def box(self, site: Site, shape: tuple[Expr, ...]) -> Box:
        """The box that an access touches, not clamped to the shape of the array."""
        return tuple(self._interval(index, site, size) for index, size in zip(site.access.indices, shape, strict=True))

    def clamped(self, site: Site, shape: tuple[Expr, ...]) -> Box:
        """The box that an access touches; inside the array even where the access is skipped.

        An access that is always executed is in bounds by the rules of DaCe, so nothing is clamped for it.
        """
        box = self.box(site, shape)
        late = self._depends_on_runtime(site)
        if not site.guarded and not late and not self.may_be_empty(site.loops):
            return box
        skipped = site.guarded or late or not self._rectangular(site.loops)
        return tuple(self._clamp(interval, size, skipped) for interval, size in zip(box, shape, strict=True))

    def hull(self, boxes: Iterable[Box]) -> Box:
        """The smallest box around boxes."""
        return tuple(self._around(intervals) for intervals in zip(*boxes, strict=True))

    def contains(self, outer: Box, inner: Box) -> bool:
        """Whether a box surely lies in another one."""
        pairs = tuple(zip(outer, inner, strict=True))
        steps = all(big.step in (1, small.step) for big, small in pairs)
        ends = (
            self.facts.at_most(big.low, small.low) and self.facts.at_most(small.high, big.high) for big, small in pairs
        )
        return steps and all(ends)

    def _depends_on_runtime(self, site: Site) -> bool:
        """Whether the bounds of an access are those of values that are known on the device only: not always exact."""
        found = {s.name for index in site.access.indices for s in index.free_symbols}
        found |= {s.name for loop in site.loops for bound in (loop.begin, loop.end) for s in bound.free_symbols}
        return bool(found & self.runtime.keys())

    def _around(self, intervals: tuple[Interval, ...]) -> Interval:
        if len(set(intervals)) == 1:
            return intervals[0]
        low = self.facts.smallest(interval.low for interval in intervals)
        return Interval(low, self.facts.largest(interval.high for interval in intervals))

    def _interval(self, index: Expr, site: Site, size: Expr) -> Interval:
        low, high = self._extreme(index, site.loops, -1), self._extreme(index, site.loops, +1)
        if low is None or high is None:
            return Interval(sympy.Integer(0), sympy.expand(size - 1))
        return Interval(low, high, self._step(index, site.loops))

    def _extreme(self, index: Expr, loops: tuple[For, ...], sense: int) -> Expr | None:
        """The least (sense -1) or greatest (+1) value of an index, None if it depends on data or is not understood."""
        value: Expr | None = index
        spans = [*self.runtime.items(), *self._ranges(loops)]
        moves = not index.free_symbols.isdisjoint(symbol(name) for name, _ in spans)
        known = (fact for name, span in spans if span and moves for fact in facts_of(name, span))
        facts = self.facts.and_also(*known) if moves else self.facts
        for name, span in reversed(spans):
            if value is not None and symbol(name) in value.free_symbols:
                value = None if span is None else extreme(value, name, span, sense, facts)
        if value is None or {s.name for s in value.free_symbols} - self.parameters - self.kept:
            return None
        return self.facts.tidy(value)

    def _step(self, index: Expr, loops: tuple[For, ...]) -> int:
        """c for an index ``c*t + offset`` with a constant c > 1, where only the dimension t runs."""
        running = [name for name in self.spans if symbol(name) in index.free_symbols]
        if len(running) != 1 or any(symbol(loop.variable) in index.free_symbols for loop in loops):
            return 1
        factor = sympy.expand(index).coeff(symbol(running[0]))
        rest = sympy.expand(index - factor * symbol(running[0]))
        linear = factor.is_Integer and factor > 1 and symbol(running[0]) not in rest.free_symbols
        return int(factor) if linear else 1

    def may_be_empty(self, loops: tuple[For, ...], but: Set[str] = frozenset()) -> bool:
        """Whether a dimension or a loop, other than those named in ``but``, may have no iterations."""
        facts = self.facts
        for name, span in self._ranges(loops):
            if span is None or (name not in but and not facts.at_most(*span)):
                return True
            facts = facts.and_also(*facts_of(name, span))
        return False

    def _ranges(self, loops: tuple[For, ...]) -> Iterator[tuple[str, tuple[Expr, Expr] | None]]:
        """What runs around an access, outer first, and over which values."""
        yield from self.spans.items()
        yield from ((loop.variable, span_of(loop)) for loop in loops)

    def _rectangular(self, loops: tuple[For, ...]) -> bool:
        """Whether no range of a loop depends on what else runs: then the loops run to their extremes, or not at all."""
        running = {symbol(name) for name in (*self.spans, *(loop.variable for loop in loops))}
        return not any((loop.begin.free_symbols | loop.end.free_symbols) & running for loop in loops)

    def _clamp(self, interval: Interval, size: Expr, skipped: bool) -> Interval:
        """An interval that is inside the array. ``skipped``: it may lie outside even if the loops around it turn."""
        low, high, facts = interval.low, interval.high, self.facts
        inside = facts.at_most(high + 1, size) or not skipped
        if (interval.is_point and not skipped) or (inside and self._is_sound(interval, size)):
            return interval
        if not {s.name for s in low.free_symbols | high.free_symbols} & self.kept:
            return Interval(sympy.Integer(0), sympy.expand(size - 1))
        low = low if facts.holds(low) else facts.largest((sympy.Integer(0), low))
        low = low if facts.at_most(low, size) else facts.smallest((size, low))
        high = high if inside else facts.smallest((size - 1, high))
        high = high if facts.at_most(low, high + 1) else facts.largest((low - 1, high))
        return Interval(sympy.expand(low), sympy.expand(high))

    def _is_sound(self, interval: Interval, size: Expr) -> bool:
        """Whether the interval begins inside the array and does not end before it begins."""
        low, facts = interval.low, self.facts
        return facts.holds(low) and facts.at_most(low, size) and facts.at_most(low, interval.high + 1)


def facts_inside(loop: For, facts: Facts) -> Facts:
    """What holds in the body of a loop: what holds around it, and the span of its variable."""
    span = span_of(loop)
    return facts.and_also(*facts_of(loop.variable, span)) if span else facts


def span_of(loop: For) -> tuple[Expr, Expr] | None:
    """The least and greatest value of a loop variable; None if the direction is unknown."""
    if not loop.step.is_Integer:
        return None
    turns = loop.end - loop.begin - 1 if loop.step > 0 else loop.end - loop.begin + 1
    exact = abs(loop.step) != 1 and turns.is_Integer  # else the bound itself, which the loop may not quite reach
    last = loop.begin + (loop.step * sympy.floor(turns / loop.step) if exact else turns)
    return (loop.begin, last) if loop.step > 0 else (last, loop.begin)


@lru_cache(maxsize=10_000)
def facts_of(name: str, span: tuple[Expr, Expr]) -> tuple[Expr, Expr]:
    """What is known of a variable that runs over a span, both ends included."""
    return (symbol(name) - span[0], span[1] - symbol(name))


@lru_cache(maxsize=10_000)
def extreme(expr: Expr, name: str, span: tuple[Expr, Expr], sense: int, facts: Facts) -> Expr | None:
    """A bound of ``expr`` from above (sense +1) or below (-1) while ``name`` runs over ``span``; exact if monotone.

    None if the expression is not understood.
    """
    if symbol(name) not in expr.free_symbols:
        return expr
    slope = _slope(expr, name, facts)
    if slope is not None:
        return expr.subs(symbol(name), span[1] if slope * sense > 0 else span[0])
    return _by_parts(expr, name, span, sense, facts)


def _by_parts(expr: Expr, name: str, span: tuple[Expr, Expr], sense: int, facts: Facts) -> Expr | None:
    """Bounds what is not monotone as a whole by its parts."""
    if isinstance(expr, sympy.Mod):
        return _of_remainder(expr, name, span, sense, facts)
    if expr.is_Mul:
        factor, rest = expr.as_coeff_Mul()
        inner = extreme(rest, name, span, sense if factor > 0 else -sense, facts) if factor != 1 else None
        return None if inner is None else factor * inner
    if expr.is_Add or isinstance(expr, (sympy.floor, sympy.Min, sympy.Max)):
        parts = [extreme(part, name, span, sense, facts) for part in expr.args]
        return None if any(part is None for part in parts) else expr.func(*parts)
    return None


def _of_remainder(expr: Expr, name: str, span: tuple[Expr, Expr], sense: int, facts: Facts) -> Expr | None:
    """Mod(x, c) is x itself where 0 <= x < c, else anything from 0 to c - 1."""
    dividend, divisor = expr.args
    if symbol(name) in divisor.free_symbols or not facts.holds(divisor - 1):
        return None
    if facts.holds(dividend) and facts.at_most(dividend, divisor - 1):
        return extreme(dividend, name, span, sense, facts)
    return divisor - 1 if sense > 0 else sympy.Integer(0)


def _slope(expr: Expr, name: str, facts: Facts) -> int | None:
    """+1 if the expression never falls as ``name`` grows, -1 if it never rises, None if neither is known."""
    step = sympy.expand(expr.subs(symbol(name), symbol(name) + 1) - expr)
    if facts.holds(step):
        return 1
    return -1 if facts.holds(-step) else None
