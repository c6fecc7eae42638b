"""Runs an SDFG in the interpreter of the tile graph: as exact as the simulator and without a compiler."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np

import dace_ipu
from dace_ipu import passes
from dace_ipu.lowering import HOST_VALUE_SUFFIX, lower
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.nodes import TileGraph
from dace_ipu.transformations.checks import device_scopes

__all__ = ["interpret", "tile_graph"]


def tile_graph(sdfg: dace.SDFG, **options: Any) -> TileGraph:
    """The tile graph behind all passes. ``sdfg`` is offloaded."""
    (scope,) = device_scopes(dace_ipu.to_ipu(sdfg, **options))
    return passes.run(lower(scope, sdfg.name))


def interpret(sdfg: dace.SDFG, times: int = 1, **arguments: Any) -> None:
    """Offload and run ``times`` times; arrays among the arguments are updated. The others are scalars and symbols."""
    graph = tile_graph(sdfg)
    arrays = {host.name: np.atleast_1d(arguments[host.name]) for host in graph.hosts}
    symbols = {name: int(arguments[name.removesuffix(HOST_VALUE_SUFFIX)]) for name, _ in graph.symbols}
    for _ in range(times):
        interpreter.run(graph, symbols, arrays, tiles=5)
