"""Steps of a single vertex that follow each other become one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dace_ipu.passes.rewrite import defined_names, used_names
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph, with_inner_steps

__all__ = ["MergeSingles"]


@dataclass(frozen=True)
class MergeSingles:
    """One compute set for a run of scalar computations: an exchange and a sync less for each.

    Before: three maps without dimensions, ``t[0] = N``, ``u[0] = total[0] / t[0]``, ``result[0] = u[0]``.
    After: one with the three statements (``localise`` makes ``t`` and ``u`` local scalars).

    Only neighbours are merged, in their order.
    """

    name: str = "merge_singles"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer, longer single steps."""
        return replace(graph, steps=_merged(graph.steps))


def _merged(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    result: list[Step] = []
    for step in steps:
        step = with_inner_steps(step, _merged)
        last = result[-1] if result else None
        if isinstance(last, MapStep) and isinstance(step, MapStep) and _can_merge(last, step):
            result[-1] = replace(step, body=last.body + step.body, note=last.note or step.note)
        else:
            result.append(step)
    return tuple(result)


def _can_merge(first: MapStep, second: MapStep) -> bool:
    clash = defined_names(first.body) & (defined_names(second.body) | used_names(second.body))
    return (
        not first.domain and not second.domain and not clash and not defined_names(second.body) & used_names(first.body)
    )
