"""Loops whose turns carry values only from an element to itself run inside of the map, in each iteration."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import sympy

from dace_ipu.passes.classify import Kind, classify
from dace_ipu.passes.device_loops import DeviceLoop, counted_loops
from dace_ipu.passes.domain import Domain, normalised, scalar_source
from dace_ipu.passes.fuse_maps import fused, in_loops
from dace_ipu.passes.loop_code import LoopCode
from dace_ipu.passes.plan import Plan, alternative, plan_of, shared_elements
from dace_ipu.passes.rewrite import defined_names, used_names
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import graph_names, touched, uses
from dace_ipu.tile_graph.body import If, While, walk
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Step, TileGraph, with_inner_steps

__all__ = ["LoopsIntoMaps"]


@dataclass(frozen=True)
class LoopsIntoMaps:
    """Before: ``n[0] = 0; repeat T times { for i in 0:N { if Z[i] < 2 { Z[i] = Z[i] ** 2 + C[i]; last[i] = n[0] } };
    n[0] = n[0] + 1 }``: two compute sets a turn, each with a sync and a launch.

    After: ``for i in 0:N { for n in 0:T { if Z[i] < 2 { Z[i] = Z[i] ** 2 + C[i]; last[i] = n } } }``: one set in all.

    Only loops of maps that become one, none of whose iterations ever touches what another one writes in any turn: then
    nothing passes between vertices. What all iterations read must not grow: a vertex that runs all turns holds what all
    turns read. Rows of floats without a branch stay in maps of their own, which run in pairs along rows.
    """

    name: str = "loops_into_maps"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with such loops inside of their maps."""
        steps = _Work(graph).changed(graph.steps)
        left = uses(steps)
        variables = tuple(v for v in graph.variables if left[v.name] or v.persistent)
        return replace(graph, steps=steps, variables=variables)


@dataclass
class _Work:
    graph: TileGraph
    taken: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.used = uses(self.graph.steps)

    def changed(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The steps of one list, inner loops first."""
        steps = tuple(with_inner_steps(step, self.changed) for step in steps)
        loops = counted_loops(steps, {}, self.graph, self.used)
        maps = {place: step for place, loop in loops.items() if (step := self._as_map(loop)) is not None}
        gone = {loops[place].start for place in maps}
        return tuple(maps.get(place, step) for place, step in enumerate(steps) if place not in gone)

    def _as_map(self, loop: DeviceLoop) -> MapStep | None:
        """The map whose iterations run all turns; None if there is none, or nothing is gained."""
        turn = fused(loop.body, self.graph)
        if len(turn) != 1 or not isinstance(turn[0], MapStep) or not self._is_worth_it(turn[0]):
            return None
        domain = Domain(self.graph, normalised(turn[0]))
        plan = plan_of(domain)
        if not plan.divided or plan.lanes:
            return None
        step = self._with_turns(loop, domain, plan)
        return step if self._stays_divided(step, domain, plan) else None

    def _is_worth_it(self, step: MapStep) -> bool:
        """Whether a map has branches, or elements that do not go in pairs."""
        branches = any(isinstance(statement, (If, While)) for statement in walk(step.body))
        kinds = {self.graph.variable(name).dtype.name for name in touched(step)}
        return branches or kinds != {"float32"}

    def _with_turns(self, loop: DeviceLoop, domain: Domain, plan: Plan) -> MapStep:
        """The map with the loop in its body, behind the scalars that do not depend on the turn."""
        prelude, rest = prelude_of(in_loops(domain, plan))
        first = tuple(s for s in prelude if scalar_source(s) != loop.counter)
        inside = (*(s for s in prelude if s not in first), *rest)
        taken = graph_names(self.graph) | set(plan.divided) | defined_names(first) | used_names(inside)
        code = LoopCode(self.graph, taken)
        turns = code.loop(replace(loop, body=(replace(domain.step, domain=(), body=inside),)), {})
        dimensions = tuple(Dimension(name, domain.extents[name]) for name in plan.divided)
        return replace(domain.step, domain=dimensions, body=(*first, turns))

    def _stays_divided(self, step: MapStep, before: Domain, plan: Plan) -> bool:
        """Whether iterations of all turns are apart, and share no more than those of one turn."""
        domain = Domain(self.graph, step)
        apart = all(verdict.kind is Kind.PARALLEL for verdict in classify(domain).values())
        new = plan_of(domain)
        more = sympy.expand(shared_elements(new, domain) - shared_elements(plan, before))
        grows = not more.is_Integer or more > 0
        return apart and set(new.divided) == set(plan.divided) and alternative(new, domain) is None and not grows
