"""Maps that feed each other through a temporary become one map: one compute set, exchange and sync less for each."""

from __future__ import annotations

from typing import Any

from dace.properties import make_properties
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState
from dace.transformation.dataflow.map_fusion_vertical import MapFusionVertical
from dace.transformation.transformation import explicit_cf_compatible

from dace_ipu.lowering.queries import control_flow_reads

__all__ = ["FuseThroughTemporary", "fuse_maps"]


@make_properties
@explicit_cf_compatible
class FuseThroughTemporary(MapFusionVertical):  # type: ignore[type-var]  # the decorator is annotated for passes only
    """DaCe's fusion of two maps, where what lies between them is needed by nothing else.

    Fusing through an array that has to be written anyway would only move work into a map where its result needs an
    array
    of its own.
    """

    def can_be_applied(self, graph: SDFGState, expr_index: int, sdfg: SDFG, permissive: bool = False) -> bool:
        """Whether the maps can be fused and the array between them is a temporary with one consumer."""
        is_temporary = self.array.desc(sdfg).transient and graph.out_degree(self.array) == 1
        if not is_temporary or _steers(graph, self.first_map_exit, self.second_map_entry):
            return False
        return bool(super().can_be_applied(graph, expr_index, sdfg, permissive))


def _steers(state: SDFGState, producer: nodes.MapExit, consumer: nodes.MapEntry) -> bool:
    """Whether a nested SDFG in the second map reads what the first one writes in its control flow: DaCe's fusion would
    leave subscripts there that no longer fit.
    """
    names = {edge.dst.data for edge in state.out_edges(producer)}
    scope = state.scope_subgraph(consumer)
    return any(
        isinstance(edge.dst, nodes.NestedSDFG)
        and edge.data.data in names
        and edge.dst_conn in control_flow_reads(edge.dst.sdfg)
        for edge in scope.edges()
    )


def fuse_maps(sdfg: SDFG) -> None:
    """Fuse producer and consumer maps over the same range, in place. What is computed stays the same.

    Before: ``t = A + B`` in one map, ``C = 2 * t`` in another. After: one map, ``t`` a scalar in it. Maps are never
    fused if a consumer needs more than its own element (a stencil), because work would be repeated.
    """
    options: dict[str, Any] = {"validate": False}
    sdfg.apply_transformations_repeated(FuseThroughTemporary, **options)
    sdfg.simplify()
