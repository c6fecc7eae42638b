"""What a variable's mapping means: the tile of each element. ``runtime/include/dace_ipu/mapping.hpp`` does the same.

* ``LinearMapping``: the rule of ``poputil::mapTensorLinearly(graph, tensor)`` (PopLibs, poputil/TileMapping.cpp), with
  the grain of the target's vector width and at least 128 bytes a tile.
* ``TileMapping``: one tile.
* ``BlockMapping``: along a dimension that follows dimension d of the partition, the element at index x belongs to
  iteration ``t = floor((x - offset) / stride)``, limited to 0 .. extent - 1; so elements between two iterations belong
  to the one before, and what lies before (behind) all belongs to the first (last). A dimension of the partition that
  nothing follows counts as its first part. The element lives on the tile of the block of these iterations, row-major
  over the grid; on tile 0 if there are no blocks.
* ``LaneMapping``: row r lives on the tile of block ``r // lanes_per_block``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from dace_ipu.tile_graph.blocks import grid
from dace_ipu.tile_graph.body import DType
from dace_ipu.tile_graph.indices import evaluate
from dace_ipu.tile_graph.nodes import (
    BlockMapping,
    Follow,
    LaneMapping,
    LinearMapping,
    TileGraph,
    TileMapping,
    Variable,
)

__all__ = ["mapping_tiles", "variable_shape"]

Tiles = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

_LEAST_BYTES = 128
_VECTOR_BYTES = 8  # of the data path of a worker: two floats, four halves


def variable_shape(variable: Variable, graph: TileGraph, symbols: Mapping[str, int], tiles: int) -> tuple[int, ...]:
    """The shape in elements, with the lanes of partial results."""
    shape = tuple(evaluate(size, symbols) for size in variable.shape)
    if variable.lanes_of is None:
        return shape
    partition, factor = variable.lanes_of
    parts = grid(_extents(partition, graph, symbols), tiles)
    return (shape[0] * factor * (math.prod(parts) if parts else 0), *shape[1:])


def mapping_tiles(variable: Variable, graph: TileGraph, symbols: Mapping[str, int], tiles: int) -> Tiles:
    """The tile of each element of a variable, in an array of the variable's shape.

    Raises ValueError if the variable has no mapping, or one of a tile that does not exist.
    """
    shape = variable_shape(variable, graph, symbols, tiles)
    match variable.mapping:
        case LinearMapping():
            return _linear(math.prod(shape), variable.dtype, tiles).reshape(shape)
        case TileMapping(tile=tile):
            if not 0 <= tile < tiles:
                raise ValueError(f"'{variable.name}' lives on tile {tile} of {tiles}")
            return np.full(shape, tile)
        case BlockMapping() as mapping:
            return _blocks(mapping, shape, _extents(mapping.partition, graph, symbols), symbols, tiles)
        case LaneMapping(lanes_per_block=lanes):
            rows = np.arange(shape[0]) // lanes
            return np.broadcast_to(rows.reshape(-1, *[1] * (len(shape) - 1)), shape).copy()
        case _:
            raise ValueError(f"'{variable.name}' has no mapping")


def _extents(partition: str, graph: TileGraph, symbols: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(evaluate(extent, symbols) for extent in graph.partition(partition).extents)


def _linear(count: int, dtype: DType, tiles: int) -> Tiles:
    """A complex number is two floats, which lie together."""
    if count == 0:
        return np.zeros(0, np.int64)
    floats = 2 if dtype.kind == "c" else 1
    width = dtype.itemsize // floats
    grain, least = max(1, _VECTOR_BYTES // width), _ceil(_LEAST_BYTES, width)
    elements = count * floats
    grains = _ceil(elements, grain)
    each = max(_ceil(grains, tiles), _ceil(grains, max(1, grains // _ceil(least, grain))))
    used = _ceil(grains, each)
    starts = np.array([tile * grains // used * grain for tile in range(used)])
    return np.searchsorted(starts, np.arange(count) * floats, side="right") - 1


def _blocks(
    mapping: BlockMapping, shape: tuple[int, ...], extents: tuple[int, ...], symbols: Mapping[str, int], tiles: int
) -> Tiles:
    parts = grid(extents, tiles)
    result = np.zeros(shape, np.int64)
    if parts is None:
        return result
    for axis, (size, follow) in enumerate(zip(shape, mapping.follow, strict=True)):
        if follow is not None:
            part = _part(follow, size, extents[follow.dimension], parts[follow.dimension], symbols)
            weight = math.prod(parts[follow.dimension + 1 :])
            result += (part * weight).reshape(-1, *[1] * (len(shape) - axis - 1))
    return result


def _part(follow: Follow, size: int, extent: int, parts: int, symbols: Mapping[str, int]) -> Tiles:
    """The number of the part that each index of a dimension belongs to."""
    iterations = (np.arange(size) - evaluate(follow.offset, symbols)) // follow.stride
    begins = np.array([extent * k // parts for k in range(parts)])
    return np.searchsorted(begins, np.clip(iterations, 0, extent - 1), side="right") - 1


def _ceil(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)
