"""Maps in maps become maps of more dimensions."""

from __future__ import annotations

from dace.sdfg.sdfg import SDFG
from dace.transformation.dataflow.map_collapse import MapCollapse
from dace.transformation.dataflow.trivial_map_elimination import TrivialMapElimination

__all__ = ["collapse_maps"]


def collapse_maps(sdfg: SDFG) -> None:
    """Remove maps of one iteration and collapse nested maps, in place: more dimensions that the tiles can share.

    Before: a map over ``i`` that holds nothing but a map over ``j``. After: a map over ``i, j``. A map whose range
    depends on the outer one stays where it is, and so does a map with anything beside it in the outer one.
    """
    for transformation in (TrivialMapElimination, MapCollapse):
        sdfg.apply_transformations_repeated(transformation, validate=False, validate_all=False)
