"""Host data that is overwritten before anything reads it is not brought to the device."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.steps import touched
from dace_ipu.tile_graph.body import symbol
from dace_ipu.tile_graph.nodes import (
    Branch,
    Choice,
    ComputeSet,
    Copy,
    CopyIn,
    Direction,
    Field,
    Partition,
    Product,
    Range,
    Repeat,
    RepeatWhile,
    Step,
    TileGraph,
    Variable,
)

__all__ = ["DropCopies"]


@dataclass(frozen=True)
class DropCopies:
    """Drops copies from the host whose data nothing reads.

    Before: ``B = host B``, then a compute set whose blocks write all of ``B`` and read none of it. After: no copy.

    Needs the exact slices of the vertices, so it follows ``partition``. A copy stays where the writes may leave an
    element out: if the map may be empty while the array is not, if a block writes only a part, or if a loop may not
    turn.
    """

    name: str = "drop_copies"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph without the copies that could be dropped."""
        copied = [step.variable for step in graph.steps if isinstance(step, CopyIn)]
        useless = {name for name in copied if _is_overwritten(graph.variable(name), graph.steps, graph)}
        steps = tuple(s for s in graph.steps if not (isinstance(s, CopyIn) and s.variable in useless))
        return replace(graph, steps=steps)


def _is_overwritten(variable: Variable, steps: tuple[Step, ...], graph: TileGraph) -> bool:
    """Whether the first step that touches the variable, after its copy, writes all of it without reading."""
    first = next((s for s in steps if not isinstance(s, CopyIn) and variable.name in touched(s)), None)
    match first:
        case ComputeSet():
            return _set_covers(variable, first, graph)
        case Copy():
            return first.source_slice.variable != variable.name and _is_whole(first.target_slice.ranges, variable)
        case Product(target=target, adds=adds):
            return not adds and target.variable == variable.name and _is_whole(target.ranges, variable)
        case RepeatWhile(condition=condition):
            return _is_overwritten(variable, condition, graph)
        case Branch(predicate=predicate, then=then, orelse=orelse):
            return predicate != variable.name and all(_is_overwritten(variable, s, graph) for s in (then, orelse))
        case Choice(then=then, orelse=orelse):
            return all(_is_overwritten(variable, s, graph) for s in (then, orelse))
        case Repeat(count=count, body=body):
            return bool(count.is_Integer and count > 0) and _is_overwritten(variable, body, graph)
        case _:
            return False


def _set_covers(variable: Variable, compute_set: ComputeSet, graph: TileGraph) -> bool:
    edges = [edge for edge in compute_set.fields if edge.variable == variable.name]
    if len(edges) != 1 or edges[0].direction is not Direction.OUTPUT:
        return False
    if compute_set.partition is None:
        return _is_whole(edges[0].ranges, variable)
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


def _is_whole(ranges: tuple[Range, ...], variable: Variable) -> bool:
    return all(_is_full(interval, size) for interval, size in zip(ranges, variable.shape, strict=True))


def _is_full(interval: Range, size: sympy.Expr) -> bool:
    return interval.step == 1 and interval.begin == 0 and _equal(interval.end, size)


def _equal(a: sympy.Expr, b: sympy.Expr) -> bool:
    return bool(sympy.expand(a - b) == 0)
