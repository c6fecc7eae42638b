"""Maps that feed each other through a temporary become one map: one compute set, exchange and sync less for each."""

from __future__ import annotations

from typing import Any

from dace.properties import make_properties
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState
from dace.transformation.dataflow.map_fusion_vertical import MapFusionVertical
from dace.transformation.transformation import explicit_cf_compatible

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
        return is_temporary and bool(super().can_be_applied(graph, expr_index, sdfg, permissive))


def fuse_maps(sdfg: SDFG) -> None:
    """Fuse producer and consumer maps over the same range, in place. What is computed stays the same.

    Before: ``t = A + B`` in one map, ``C = 2 * t`` in another. After: one map, ``t`` a scalar in it. Maps are never
    fused if a consumer needs more than its own element (a stencil), because work would be repeated.
    """
    options: dict[str, Any] = {"validate": False}
    sdfg.apply_transformations_repeated(FuseThroughTemporary, **options)
    sdfg.simplify()
