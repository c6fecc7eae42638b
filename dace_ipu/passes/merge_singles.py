"""Steps of a single vertex that follow each other become one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dace_ipu.passes.rewrite import Body, defined_names, fresh, rename_locals, used_names
from dace_ipu.passes.runtime_scalars import without_known
from dace_ipu.passes.steps import graph_names
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph, with_inner_steps

__all__ = ["MergeSingles"]


@dataclass(frozen=True)
class MergeSingles:
    """One compute set for a run of scalar computations: an exchange and a sync less for each.

    Before: three maps without dimensions, ``t[0] = N``, ``u[0] = total[0] / t[0]``, ``result[0] = u[0]``.
    After: one with the three statements (``localise`` makes ``t`` and ``u`` local scalars).

    Only neighbours are merged, in their order; equal names of local scalars are told apart.
    """

    name: str = "merge_singles"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer, longer single steps."""
        taken = graph_names(graph)
        return replace(graph, steps=_merged(graph.steps, taken))


def _merged(steps: tuple[Step, ...], taken: set[str]) -> tuple[Step, ...]:
    result: list[Step] = []
    for step in steps:
        step = with_inner_steps(step, lambda inner: _merged(inner, taken))
        last = result[-1] if result else None
        if isinstance(last, MapStep) and isinstance(step, MapStep) and not last.domain and not step.domain:
            result[-1] = replace(step, body=last.body + _behind(last, step, taken), note=last.note or step.note)
        else:
            result.append(step)
    return tuple(result)


def _behind(first: MapStep, second: MapStep, outside: set[str]) -> Body:
    """The body of the second step, with names of its own for what it defines."""
    body = without_known(second.body, first.body)
    taken = outside | defined_names(first.body) | used_names(first.body) | used_names(body) | defined_names(body)
    clashes = defined_names(body) & (defined_names(first.body) | used_names(first.body))
    new: dict[str, str] = {}
    for name in sorted(clashes):
        new[name] = fresh(name, taken | set(new.values()))
    return rename_locals(body, new) if new else body
