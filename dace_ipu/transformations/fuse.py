"""Maps that feed each other become one map: one compute set, exchange and sync less for each."""

from __future__ import annotations

from dace.sdfg.sdfg import SDFG
from dace.transformation.dataflow import MapFusionVertical

__all__ = ["fuse_maps"]


def fuse_maps(sdfg: SDFG) -> None:
    """Fuse producer and consumer maps over the same range, in place. What is computed stays the same.

    Before: ``t = A + B`` in one map, ``C = 2 * t`` in another. After: one map, ``t`` a scalar in it. Maps are never fused if a consumer
    needs more than its own element (a stencil), because work would be repeated.
    """
    sdfg.apply_transformations_repeated(MapFusionVertical, validate=False)
    sdfg.simplify()
