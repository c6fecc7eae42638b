"""What a variable's mapping means: the tile of each element. ``runtime/src/mapping.cpp`` does the same.

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

__all__ = ["linear_bounds", "mapping_tiles", "variable_shape"]

Tiles = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

_LEAST_BYTES = 128
_VECTOR_WIDTH = {np.dtype(np.float32): 2, np.dtype(np.float16): 4}  # 1 for all others


def variable_shape(variable: Variable, graph: TileGraph, symbols: Mapping[str, int], tiles: int) -> tuple[int, ...]:
    """The shape in elements, with the lanes of partial results."""
    shape = tuple(evaluate(size, symbols) for size in variable.shape)
    if variable.lanes_of is None:
        return shape
    partition, factor = variable.lanes_of
    return (shape[0] * factor * _block_count(partition, graph, symbols, tiles), *shape[1:])


def mapping_tiles(variable: Variable, graph: TileGraph, symbols: Mapping[str, int], tiles: int) -> Tiles:
    """The tile of each element of a variable, in an array of the variable's shape.

    Raises ValueError if the variable has no mapping, or one of a tile that does not exist; KeyError if a symbol has no
    value.
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
            return _blocks(mapping, shape, graph, symbols, tiles)
        case LaneMapping(partition=partition, lanes_per_block=lanes):
            return _lanes(lanes, _block_count(partition, graph, symbols, tiles), shape)
        case _:
            raise ValueError(f"'{variable.name}' has no mapping")


def linear_bounds(count: int, dtype: DType, tiles: int) -> list[tuple[int, int]]:
    """The elements ``begin <= e < end`` that ``mapTensorLinearly`` gives to tile 0, tile 1, ...

    ``dtype`` is one that Poplar has: not a complex one.
    """
    if count == 0:
        return []
    grain, least = _VECTOR_WIDTH.get(dtype, 1), _ceil(_LEAST_BYTES, dtype.itemsize)
    grains = _ceil(count, grain)
    each = max(_ceil(grains, tiles), _ceil(grains, max(1, grains // _ceil(least, grain))))
    used = _ceil(grains, each)
    borders = [min(tile * grains // used * grain, count) for tile in range(used + 1)]
    return list(zip(borders, borders[1:], strict=False))


def _block_count(partition: str, graph: TileGraph, symbols: Mapping[str, int], tiles: int) -> int:
    parts = _parts(partition, graph, symbols, tiles)
    return 0 if parts is None else math.prod(parts)


def _lanes(lanes: int, block_count: int, shape: tuple[int, ...]) -> Tiles:
    if shape[0] != lanes * block_count:
        raise ValueError(f"{shape[0]} rows of partial results for {block_count} blocks of {lanes}")
    rows = np.arange(shape[0]) // lanes
    return np.broadcast_to(rows.reshape(-1, *[1] * (len(shape) - 1)), shape).copy()


def _parts(partition: str, graph: TileGraph, symbols: Mapping[str, int], tiles: int) -> tuple[int, ...] | None:
    found = graph.partition(partition)
    return grid(_extents(partition, graph, symbols), tiles, found.workers, found.of_rows)


def _extents(partition: str, graph: TileGraph, symbols: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(evaluate(extent, symbols) for extent in graph.partition(partition).extents)


def _linear(count: int, dtype: DType, tiles: int) -> Tiles:
    """A complex number is two floats, which lie together."""
    if dtype.kind == "c":
        return _linear(2 * count, np.dtype(np.float32), tiles)[::2]
    sizes = [end - begin for begin, end in linear_bounds(count, dtype, tiles)]
    return np.repeat(np.arange(len(sizes)), sizes)


def _blocks(
    mapping: BlockMapping, shape: tuple[int, ...], graph: TileGraph, symbols: Mapping[str, int], tiles: int
) -> Tiles:
    extents, parts = _extents(mapping.partition, graph, symbols), _parts(mapping.partition, graph, symbols, tiles)
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
