"""Which turns of a loop depend on each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import sympy

from dace_ipu.passes.digits import conditions_around, digits_of
from dace_ipu.passes.domain import ONE, ZERO, Domain, scalar_source
from dace_ipu.passes.footprints import Box, Scope, Site, facts_of
from dace_ipu.passes.rewrite import fresh
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import written
from dace_ipu.tile_graph.body import Declare, Expr, symbol
from dace_ipu.tile_graph.nodes import MapStep, TileGraph

__all__ = ["Turns"]

MOST_PAIRS = 600  # accesses to one variable that are compared: more would take long, and loops of that size are rare


@dataclass(frozen=True)
class Turns:
    """The maps of a loop's body, in order; ``counter`` is the dimension of their domains that stands for the turn."""

    graph: TileGraph
    steps: tuple[MapStep, ...]
    counter: str

    def carried(self) -> tuple[str, ...]:
        """The variables through which a turn may depend on another one. Reductions of one kind do not count: their
        order does not matter.
        """
        writes = frozenset().union(*(written(step) for step in self.steps))
        return tuple(name for name in sorted(writes) if not self._is_reduced(name) and not self._is_free(name))

    def _is_free(self, variable: str) -> bool:
        return self._is_apart(variable) or self._is_spelled(variable)

    @cached_property
    def is_consistent(self) -> bool:
        """Whether scalars of the device have one name in all steps, and keep their values from turn to turn."""
        known: dict[str, str | None] = {}
        writes = frozenset().union(*(written(step) for step in self.steps))
        for step in self.steps:
            for statement in prelude_of(step.body)[0]:
                source = scalar_source(statement)
                if source in writes or not isinstance(statement, Declare):
                    return False
                if known.setdefault(statement.name, source) != source:
                    return False
        return True

    @cached_property
    def _scopes(self) -> tuple[tuple[Domain, Scope], ...]:
        return tuple((domain, _scope(domain, self.counter)) for domain in (Domain(self.graph, s) for s in self.steps))

    def _accesses(self, variable: str) -> Iterator[tuple[Site, Scope]]:
        for domain, scope in self._scopes:
            yield from ((site, scope) for site in domain.of(variable))

    def _is_reduced(self, variable: str) -> bool:
        found = {site.reduction for site, _ in self._accesses(variable)}
        first = next(iter(found))
        return len(found) == 1 and first is not None and first.associative

    def _is_apart(self, variable: str) -> bool:
        """Whether no turn touches an element that a later one touches too, where one of them writes it."""
        accesses = tuple(self._accesses(variable))
        pairs = [(a, b) for a, b in product(accesses, accesses) if a[0].writes or b[0].writes]
        shape = self.graph.variable(variable).shape
        return len(pairs) <= MOST_PAIRS and all(self._never_meet(a, b, shape) for a, b in pairs)

    def _is_spelled(self, variable: str) -> bool:
        """Whether one store alone touches a variable, at an index of which the turn is a digit."""
        found = [(site, domain.step) for domain, _ in self._scopes for site in domain.of(variable)]
        site, step = found[0]
        if len(found) != 1 or site.store is None or site.loops:
            return False
        fixed = {s.name for s in prelude_of(step.body)[0] if isinstance(s, Declare)} | dict(self.graph.symbols).keys()
        conditions = conditions_around(site.store, step.body)
        for index in site.access.indices:
            digits = digits_of(index, step, conditions) if symbol(self.counter) in index.free_symbols else None
            others = {s.name for s in index.free_symbols} - {digit.runner for digit in digits or ()}
            if digits is not None and others <= fixed:
                return True
        return False

    def _never_meet(self, now: tuple[Site, Scope], later: tuple[Site, Scope], shape: tuple[Expr, ...]) -> bool:
        """Whether an access of a turn and one of any later turn touch different elements: along some dimension one
        interval lies before the other.
        """
        gap = symbol(fresh("gap", {s.name for fact in now[1].facts.nonnegative for s in fact.free_symbols}))
        after = {symbol(self.counter): symbol(self.counter) + ONE + gap}
        facts = now[1].facts.and_also(gap, *(fact.subs(after) for fact in later[1].facts.nonnegative))
        first = now[1].box(now[0], shape)
        second: Box = later[1].box(later[0], shape)
        return any(
            facts.holds(b.low.subs(after) - a.high - 1) or facts.holds(a.low - b.high.subs(after) - 1)
            for a, b in zip(first, second, strict=True)
        )


def _scope(domain: Domain, counter: str) -> Scope:
    """Footprints of one turn. Scalars of the device are the same in all turns: they stay in the result."""
    spans = {name: (ZERO, extent - 1) for name, extent in domain.extents.items() if name != counter}
    late = {s.name for s in prelude_of(domain.step.body)[0] if isinstance(s, Declare)}
    known: list[Expr] = [*(extent - 1 for extent in domain.extents.values())]
    known += facts_of(counter, (ZERO, domain.extents[counter] - 1))
    for name, span in domain.runtime.items():
        known += facts_of(name, span)
    kept = frozenset((counter, *late))
    return Scope(spans, domain.parameters, kept, domain.facts.and_also(*map(sympy.expand, known)))
