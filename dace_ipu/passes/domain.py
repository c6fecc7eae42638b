"""A map step with what is known about it: the questions that the partition asks about its accesses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import sympy

from dace_ipu.passes.facts import Facts
from dace_ipu.passes.footprints import Scope, Site, facts_of, sites
from dace_ipu.passes.rewrite import Rewrite
from dace_ipu.tile_graph.body import Code, Declare, Expr, For, LocalArray, Statement, symbol, walk
from dace_ipu.tile_graph.nodes import Dimension, MapStep, TileGraph

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


@dataclass(frozen=True)
class Domain:
    """A map step of a graph. ``extents`` are its dimensions by name, in order."""

    graph: TileGraph
    step: MapStep

    @cached_property
    def extents(self) -> dict[str, Expr]:
        """Number of iterations of each dimension."""
        return {dimension.name: dimension.extent for dimension in self.step.domain}

    @cached_property
    def parameters(self) -> frozenset[str]:
        """Names that are the same for all iterations."""
        return frozenset(name for name, _ in self.graph.symbols)

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """All accesses to variables."""
        return sites(self.step.body)

    def of(self, variable: str) -> tuple[Site, ...]:
        """The accesses to one variable."""
        return tuple(site for site in self.sites if site.access.data == variable)

    def shape(self, variable: str) -> tuple[Expr, ...]:
        """The shape of a variable, elements."""
        return self.graph.variable(variable).shape

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The variables that are written, in the order of their first write."""
        return tuple(dict.fromkeys(site.access.data for site in self.sites if site.writes))

    @cached_property
    def read(self) -> tuple[str, ...]:
        """All variables that are accessed, in the order of their first access."""
        return tuple(dict.fromkeys(site.access.data for site in self.sites))

    @cached_property
    def facts(self) -> Facts:
        """What holds for the program: symbols in shapes are >= 0."""
        symbols = {s for variable in self.graph.variables for size in variable.shape for s in size.free_symbols}
        return Facts().and_also(*sorted(symbols, key=lambda s: str(s.name)))

    @cached_property
    def iterating(self) -> Facts:
        """What holds where there is an iteration: no extent is 0, and scalars of the device are in their bounds."""
        spans = {**{name: (ZERO, extent - 1) for name, extent in self.extents.items()}, **self.runtime}
        known = [*(extent - 1 for extent in self.extents.values())]
        return self.facts.and_also(*known, *(fact for name, span in spans.items() for fact in facts_of(name, span)))

    @cached_property
    def runtime(self) -> dict[str, tuple[Expr, Expr]]:
        """The bounds of local scalars that hold a device scalar with known bounds, such as the counter of a loop."""
        found = {}
        own = {statement.name for statement in walk(self.step.body) if isinstance(statement, LocalArray)}
        for statement in walk(self.step.body):
            source = scalar_source(statement)
            if source is not None and source not in own and source not in self.written:
                bounds = self.graph.variable(source).bounds
                if bounds is not None:
                    assert isinstance(statement, Declare)
                    found[statement.name] = bounds
        return found

    def iterations(self, keep: str) -> Scope:
        """Footprints of all iterations with one value of dimension ``keep``, seen from one of them: no extent is 0."""
        spans = {name: (ZERO, extent - 1) for name, extent in self.extents.items() if name != keep}
        known = [*(extent - 1 for extent in self.extents.values()), *facts_of(keep, (ZERO, self.extents[keep] - 1))]
        return Scope(spans, self.parameters, frozenset((keep,)), self.facts.and_also(*known), self.runtime)

    def block(self, blocks: Mapping[str, tuple[str, str]]) -> Scope:
        """Footprints of one block: ``blocks`` names begin and size of the divided dimensions, others are whole."""
        spans, known = {}, []
        for name, extent in self.extents.items():
            begin, size = (symbol(part) for part in blocks[name]) if name in blocks else (ZERO, extent)
            spans[name] = (begin, sympy.expand(begin + size - 1))
            known += [begin, size - 1, extent - begin - size] if name in blocks else []
        names = frozenset(part for parts in blocks.values() for part in parts)
        return Scope(spans, self.parameters, names, self.facts.and_also(*known), self.runtime)

    def whole(self) -> Scope:
        """Footprints of all iterations together."""
        return self.block({})

    def separates(self, name: str, variable: str, accesses: tuple[Site, ...]) -> bool:
        """Whether different values of a dimension touch disjoint elements of a variable.

        That is so if, along some dimension of the array, the union interval of all accesses moves behind (or before)
        itself when ``name`` grows by one, whatever the other dimensions of the domain are.
        """
        scope = self.iterations(name)
        hull = scope.hull(scope.box(site, self.shape(variable)) for site in accesses)
        after = {symbol(name): symbol(name) + 1}
        return any(
            scope.facts.holds(interval.low.subs(after) - interval.high - 1)
            or scope.facts.holds(interval.low - interval.high.subs(after) - 1)
            for interval in hull
        )


def normalised(step: MapStep) -> MapStep:
    """The step without dimensions of extent one, and with those whose extent depends on others as loops of the body."""
    for dimension in step.domain:
        others = tuple(other for other in step.domain if other is not dimension)
        if dimension.extent == 1:
            body = Rewrite({dimension.name: ZERO}).body(step.body)
            return normalised(replace(step, domain=others, body=body))
    return _with_dependent_loops(step)


def _with_dependent_loops(step: MapStep) -> MapStep:
    """Moves dimensions whose extent depends on another one into the body, the innermost first."""
    names = {symbol(dimension.name) for dimension in step.domain}
    for dimension in reversed(step.domain):
        if dimension.extent.free_symbols & names:
            others = tuple(other for other in step.domain if other is not dimension)
            return _with_dependent_loops(replace(step, domain=others, body=(loop_over(dimension, step),)))
    return step


def scalar_source(statement: Statement) -> str | None:
    """The variable ``v`` of a statement ``const t = v[0]`` of a variable with one dimension; None for any other."""
    match statement:
        case Declare(value=Code(text=text, reads=((name, access),)), constant=True) if text.strip() == name:
            return access.data if access.indices == (ZERO,) else None
        case _:
            return None


def loop_over(dimension: Dimension, step: MapStep) -> For:
    """The body of a step in a loop over one of its dimensions."""
    return For(dimension.name, ZERO, dimension.extent, ONE, step.body)
