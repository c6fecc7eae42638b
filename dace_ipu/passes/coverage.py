"""Whether slices make up a whole variable."""

from __future__ import annotations

import sympy

from dace_ipu.tile_graph.body import symbol
from dace_ipu.tile_graph.nodes import ComputeSet, Direction, Field, Partition, Range, TileGraph, Variable

__all__ = ["is_whole", "set_covers"]


def set_covers(variable: Variable, compute_set: ComputeSet, graph: TileGraph) -> bool:
    """Whether the vertices of a compute set write all of the variable and read nothing of it."""
    edges = [edge for edge in compute_set.fields if edge.variable == variable.name]
    if len(edges) != 1 or edges[0].direction is not Direction.OUTPUT:
        return False
    if compute_set.partition is None:
        return is_whole(edges[0].ranges, variable)
    return _blocks_cover(variable, edges[0], compute_set, graph.partition(compute_set.partition))


def _blocks_cover(variable: Variable, edge: Field, compute_set: ComputeSet, partition: Partition) -> bool:
    """Whether the slices of all blocks make up the variable: each dimension is whole, or runs with one of theirs."""
    open_dimensions = {block.index: block for block in compute_set.block}
    for interval, size in zip(edge.ranges, variable.shape, strict=True):
        if _is_full(interval, size):
            continue
        found = next(
            (
                index
                for index, block in open_dimensions.items()
                if interval == Range(symbol(block.begin), symbol(block.begin) + symbol(block.size))
                and _equal(partition.extents[index], size)
            ),
            None,
        )
        if found is None:
            return False
        del open_dimensions[found]
    return not open_dimensions


def is_whole(ranges: tuple[Range, ...], variable: Variable) -> bool:
    """Whether a slice is all of the variable."""
    return all(_is_full(interval, size) for interval, size in zip(ranges, variable.shape, strict=True))


def _is_full(interval: Range, size: sympy.Expr) -> bool:
    return interval.step == 1 and interval.begin == 0 and _equal(interval.end, size)


def _equal(a: sympy.Expr, b: sympy.Expr) -> bool:
    return bool(sympy.expand(a - b) == 0)
