"""The passes: tile graph → tile graph, from maps to vertices with a place for everything."""

from __future__ import annotations

import importlib
from typing import Protocol

from dace_ipu.passes.accumulate import Accumulate
from dace_ipu.passes.double_buffer import DoubleBuffer
from dace_ipu.passes.mapping import MapVariables
from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.passes.simplify_bodies import SimplifyBodies
from dace_ipu.tile_graph.nodes import TileGraph

__all__ = ["PIPELINE", "Pass", "run"]


class Pass(Protocol):
    """One step from maps to vertices. ``name`` names its dump."""

    @property
    def name(self) -> str:
        """The name of the pass."""

    def apply(self, graph: TileGraph) -> TileGraph:
        """The changed graph; the argument stays as it is."""


PIPELINE: tuple[Pass, ...] = (
    SimplifyBodies(),
    DoubleBuffer(),
    PartitionMaps(),
    Accumulate(),
    MapVariables(),
)
