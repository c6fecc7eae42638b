"""A loop in one vertex as a map over its turns, if these do not depend on each other."""

from __future__ import annotations

from dataclasses import replace

from dace_ipu.passes.domain import Domain, normalised
from dace_ipu.passes.localise import LocaliseTemporaries
from dace_ipu.passes.loops_to_dimensions import LoopsToDimensions
from dace_ipu.passes.narrow_ranges import narrowed_in
from dace_ipu.passes.plan import plan_of
from dace_ipu.passes.simplify_bodies import SimplifyBodies
from dace_ipu.tile_graph.nodes import MapStep, TileGraph, Variable

__all__ = ["as_map"]


def as_map(step: MapStep, graph: TileGraph, own: tuple[Variable, ...]) -> MapStep | None:
    """The map, divided among vertices, whose iterations run one turn each; None if that is not the same.

    ``own`` are scalars that nothing else uses: they must become local to a turn. A loop over rows whose ranges the
    device reads (compressed sparse rows) is of this kind: each turn has ranges and sums of its own.
    """
    others = tuple(replace(variable, persistent=True) for variable in graph.variables)
    alone = replace(graph, steps=(step,), variables=(*others, *own))
    alone = SimplifyBodies().apply(LocaliseTemporaries().apply(alone))
    alone = SimplifyBodies().apply(LoopsToDimensions().apply(alone))
    if len(alone.steps) != 1 or not isinstance(alone.steps[0], MapStep):
        return None
    result = alone.steps[0]
    body = narrowed_in(alone, result.body, frozenset(dimension.name for dimension in result.domain))
    result = replace(result, body=body)
    divided = result.domain and plan_of(Domain(graph, normalised(result))).divided
    return replace(result, note="") if divided and not _kept(alone, own) else None


def _kept(graph: TileGraph, own: tuple[Variable, ...]) -> bool:
    """Whether a scalar is still a variable."""
    return bool({variable.name for variable in graph.variables} & {variable.name for variable in own})
