"""Boxes of indices under assumptions: where they overlap, and what is left of one without another.

What cannot be proven of the sizes of a program is taken to be as it is for large ones, and becomes a condition.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy

from dace_ipu.passes.facts import Facts
from dace_ipu.tile_graph.body import Boolean, Expr
from dace_ipu.tile_graph.nodes import Range

__all__ = ["Assumed", "Box", "overlap", "shifted", "without"]

Box = tuple[Range, ...]
_LARGE = 1000  # what a symbol counts for when there is nothing to prove


@dataclass(frozen=True)
class Assumed:
    """Answers questions about indices. ``needed`` holds what has to be >= 0 for the answers to be right."""

    facts: Facts
    needed: dict[Expr, None] = field(default_factory=dict)

    def at_most(self, low: Expr, high: Expr) -> bool:
        """Whether ``low <= high``."""
        gap = sympy.expand(high - low)
        answer = _is_likely(gap)
        need = gap if answer else -gap - 1
        if not self.facts.holds(need):
            self.needed[sympy.expand(need)] = None
        return answer

    def condition(self) -> Boolean:
        """What has to be tested when the graph is built, without what follows from the rest."""
        kept = list(self.needed)
        for need in self.needed:
            others = [other for other in kept if other != need]
            if self.facts.and_also(*others).holds(need):
                kept = others
        return sympy.And(*(_comparison(need) for need in kept))


def overlap(a: Box, b: Box, assumed: Assumed) -> Box | None:
    """What two boxes of one variable have in common; None if nothing."""
    for x, y in zip(a, b, strict=True):
        for first, second in ((x, y), (y, x)):
            if _is_likely(second.begin - first.end) and assumed.at_most(first.end, second.begin):
                return None
    spans = []
    for x, y in zip(a, b, strict=True):
        begin = y.begin if assumed.at_most(x.begin, y.begin) else x.begin
        end = x.end if assumed.at_most(x.end, y.end) else y.end
        assumed.at_most(begin + 1, end)
        spans.append(Range(begin, end))
    return tuple(spans)


def without(box: Box, hole: Box, assumed: Assumed) -> tuple[Box, ...]:
    """What is left of a box without a part of it, in disjoint boxes."""
    left = []
    for d, (at, inner) in enumerate(zip(box, hole, strict=True)):
        before, behind = Range(at.begin, inner.begin), Range(inner.end, at.end)
        for rest in (before, behind):
            if not assumed.at_most(rest.end, rest.begin):
                left.append((*hole[:d], rest, *box[d + 1 :]))
    return tuple(left)


def shifted(box: Box, old: Box, new: Box) -> Box:
    """A box inside of ``old`` where it lies in ``new``."""
    offsets = [there.begin - here.begin for here, there in zip(old, new, strict=True)]
    pairs = zip(box, offsets, strict=True)
    return tuple(Range(sympy.expand(at.begin + by), sympy.expand(at.end + by)) for at, by in pairs)


def _is_likely(gap: Expr) -> bool:
    return bool(gap.subs(dict.fromkeys(gap.free_symbols, _LARGE)) >= 0)


def _comparison(need: Expr) -> Boolean:
    """``need >= 0``, as one writes it: ``N >= 3``."""
    constant, rest = need.as_coeff_Add()
    return sympy.GreaterThan(rest, -constant)
