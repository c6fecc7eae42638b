"""Maps that feed each other through a temporary become one map: one compute set, exchange and sync less for each."""

from __future__ import annotations

from dace.properties import make_properties
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState
from dace.transformation.dataflow.map_fusion_vertical import MapFusionVertical
from dace.transformation.transformation import explicit_cf_compatible

from dace_ipu.lowering.queries import control_flow_reads

Match = dict[str, nodes.Node]

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
    fused = [_fuse_all(state) for nested in sdfg.all_sdfgs_recursive() for state in nested.states()]
    if any(fused):
        sdfg.simplify()


def _fuse_all(state: SDFGState) -> bool:
    """Fuse maps of a state until no two can be; whether any were. (DaCe's search for patterns begins anew in the whole
    program after each match, which takes minutes where this takes seconds.)
    """
    fused = False
    while any(_fuse(match, state) for match in _matches(state)):
        fused = True
    return fused


def _matches(state: SDFGState) -> list[Match]:
    """The temporaries between two maps, with the maps."""
    return [
        {"first_map_exit": producer, "array": array, "second_map_entry": consumer}
        for array in state.data_nodes()
        for producer in state.predecessors(array)
        if isinstance(producer, nodes.MapExit)
        for consumer in state.successors(array)
        if isinstance(consumer, nodes.MapEntry)
    ]


def _fuse(match: Match, state: SDFGState) -> bool:
    if not FuseThroughTemporary.can_be_applied_to(state.sdfg, **match):
        return False
    FuseThroughTemporary.apply_to(state.sdfg, verify=False, annotate=False, save=False, **match)
    return True
