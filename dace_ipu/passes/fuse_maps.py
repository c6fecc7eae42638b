"""Maps over the same domain that follow each other become one: an exchange and a sync less."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.domain import ONE, ZERO, Domain, normalised
from dace_ipu.passes.plan import MOST_SHARED, Plan, alternative, plan_of
from dace_ipu.passes.rewrite import Body, Rewrite, defined_names, fresh, rename_locals, used_names
from dace_ipu.passes.runtime_scalars import prelude_of, without_known
from dace_ipu.tile_graph.body import Declare, For, symbol, walk
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Step, TileGraph, with_inner_steps

__all__ = ["FuseMaps", "fused", "in_loops"]

LONGEST = 100  # statements: a codelet that is longer than this is no pleasure to read


@dataclass(frozen=True)
class FuseMaps:
    """Before: ``init: for i, j: C[i, j] = 0``, then ``mm: for i, j, k: C[i, j] += A[i, k] * B[k, j]``.

    After: ``mm: for i, j: C[i, j] = 0; for k in 0:K: C[i, j] += A[i, k] * B[k, j]``. Only neighbours whose divided
    dimensions have equal extents are fused, and only if the fused map is divided along all of them: then no iteration
    touches what another one writes, and the order between the two maps does not matter. A map whose division depends on
    the sizes of its operands stays alone, and so do maps that choose elements of different arrays by data: a tile
    fetches such an array as a whole, and should not have to hold several at a time.
    """

    name: str = "fuse_maps"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer, longer maps."""
        return replace(graph, steps=fused(graph.steps, graph))


def fused(steps: Iterable[Step], graph: TileGraph) -> tuple[Step, ...]:
    """The steps of a list, with neighbours fused that may be."""
    result: list[Step] = []
    for step in steps:
        step = with_inner_steps(step, lambda inner: fused(inner, graph))
        last = result[-1] if result else None
        both = _together(last, step, graph) if isinstance(last, MapStep) and isinstance(step, MapStep) else None
        if both is None:
            result.append(step)
        else:
            result[-1] = both
    return tuple(result)


def _together(first: MapStep, second: MapStep, graph: TileGraph) -> MapStep | None:
    """One map for two; None if that would divide the work less than the two are."""
    domains = (Domain(graph, normalised(first)), Domain(graph, normalised(second)))
    plans = (plan_of(domains[0]), plan_of(domains[1]))
    extents = [tuple(d.extents[name] for name in plan.divided) for d, plan in zip(domains, plans, strict=True)]
    if not extents[0] or extents[0] != extents[1] or _length(first) + _length(second) > LONGEST:
        return None
    if any(alternative(plan, domain) for plan, domain in zip(plans, domains, strict=True)):
        return None
    if _fetch_more_together(domains):
        return None
    fused = _joined(domains, plans)
    plan = plan_of(Domain(graph, fused))
    lanes = plans[0].lanes or plans[1].lanes
    return fused if set(plan.divided) == set(plans[0].divided) and plan.lanes == lanes else None


def _fetch_more_together(domains: tuple[Domain, Domain]) -> bool:
    """Whether each map fetches arrays that the other does not, and both together more than a tile should hold."""
    first, second = (_chosen_by_data(domain) for domain in domains)
    sizes = sympy.Add(*(sympy.prod(domains[0].shape(name)) for name in sorted(first | second)))
    return bool(first - second and second - first) and not (sizes.is_Integer and sizes <= MOST_SHARED)


def _chosen_by_data(domain: Domain) -> frozenset[str]:
    """The arrays of which each iteration reads another element that is not known before. What a scalar of the device
    chooses is one slice for all, which is fetched alone.
    """
    scalars = {s.name for s in prelude_of(domain.step.body)[0] if isinstance(s, Declare)}
    known = domain.extents.keys() | domain.parameters | scalars
    found = set()
    for site in domain.sites:
        names = {s.name for index in site.access.indices for s in index.free_symbols}
        if not site.writes and names - known - {loop.variable for loop in site.loops}:
            found.add(site.access.data)
    return frozenset(found)


def _joined(domains: tuple[Domain, Domain], plans: tuple[Plan, Plan]) -> MapStep:
    """The bodies one after the other, in a map over the divided dimensions of the first; the others become loops."""
    first, second = domains[0].step, domains[1].step
    bodies = [in_loops(domain, plan) for domain, plan in zip(domains, plans, strict=True)]
    bodies[1] = without_known(bodies[1], bodies[0])
    taken = set(domains[0].extents) | defined_names(bodies[0]) | used_names(bodies[0]) | domains[0].parameters
    taken |= {variable.name for variable in domains[0].graph.variables}
    later = _without_clashes(bodies[1], plans, taken)
    domain = tuple(Dimension(name, domains[0].extents[name]) for name in plans[0].divided)
    larger = max((second, first), key=lambda step: (_length(step), len(step.domain)))
    return replace(larger, domain=domain, body=(*bodies[0], *later), note="")


def _length(step: MapStep) -> int:
    return sum(1 for _ in walk(step.body))


def in_loops(domain: Domain, plan: Plan) -> Body:
    """The body in loops over the dimensions that are not divided."""
    prelude, body = prelude_of(domain.step.body)
    for name in reversed([name for name in domain.extents if name not in plan.divided]):
        body = (For(name, ZERO, domain.extents[name], ONE, body),)
    return (*prelude, *body)


def _without_clashes(body: Body, plans: tuple[Plan, Plan], taken: set[str]) -> Body:
    """The second body with names of its own for its scalars, arrays and loops, and the first's for the dimensions."""
    new: dict[str, str] = {}
    for name in sorted(defined_names(body)):
        new[name] = fresh(name, taken | set(new.values()) | set(plans[1].divided))
    body = rename_locals(body, new)
    pairs = zip(plans[1].divided, plans[0].divided, strict=True)
    return Rewrite({old: symbol(name) for old, name in pairs}).body(body)
