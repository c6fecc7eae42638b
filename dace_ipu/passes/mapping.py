"""Where variables live: owner computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import sympy

from dace_ipu.passes.coverage import is_whole
from dace_ipu.passes.rewrite import fresh
from dace_ipu.passes.steps import walk_steps
from dace_ipu.tile_graph.body import Expr, symbol
from dace_ipu.tile_graph.nodes import (
    BlockDimension,
    BlockMapping,
    ComputeSet,
    Direction,
    Field,
    Follow,
    LinearMapping,
    Mapping,
    OperandMapping,
    Partition,
    Product,
    Range,
    Repeat,
    RepeatWhile,
    Slice,
    Step,
    TileGraph,
    TileMapping,
    Variable,
    inner_steps,
)
from dace_ipu.tile_graph.products import Notation

_FLOAT = np.dtype(np.float32)
_TYPICAL = 1000  # what a symbol counts for when extents are compared


@dataclass(frozen=True)
class MapVariables:
    """Before: variables without a place. After: every variable has a mapping.

    A variable follows the compute set that touches most of it, in all turns of the loops around, where writing counts
    twice (the first of equals): an element lives on the tile of the block that touches it. What only single vertices
    touch, and scalars, live on tile 0; the rest is spread evenly. Reads that several blocks share (a row for all blocks
    of a row) decide nothing: their owner would hold what all need. What no compute set writes, and a matrix product
    takes as a whole, lies as that one wants it. A matrix that meets vectors from both sides lies in a grid of blocks, a
    partition of its own: these products need not move it. The pass changes no steps, and keeps mappings that are set.
    """

    name: str = "mapping"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with all mappings chosen."""
        variables = tuple(v if v.mapping else replace(v, mapping=_mapping(v, graph)) for v in graph.variables)
        grids = {v.name: _grid_of(v, graph) for v in variables if _lies_in_a_grid(v, graph)}
        variables = tuple(_on_grid(v, grids[v.name]) if v.name in grids else v for v in variables)
        return replace(graph, variables=variables, partitions=(*graph.partitions, *grids.values()))


def _mapping(variable: Variable, graph: TileGraph) -> Mapping:
    users = tuple(_users(variable.name, graph))
    if sympy.prod(variable.shape) == 1 or (users and all(compute_set.partition is None for compute_set, _ in users)):
        return TileMapping(0)
    is_written = any(edge.direction is not Direction.INPUT for _, edge in users)
    return (None if is_written else _as_operand(variable, graph)) or _leader(variable, graph) or LinearMapping()


def _as_operand(variable: Variable, graph: TileGraph) -> OperandMapping | None:
    """As the first of the products with the most multiplications wants the variable, if it takes all of it.

    None if others take it transposed: rearranging the layout for the one into that for the other costs several times as
    much as rearranging rows that are spread evenly.
    """
    uses = tuple(_operands(variable, graph))
    whole = [(product, side) for product, side, box in uses if is_whole(box.ranges, variable)]
    if variable.constant is not None or not whole or len({_roles(product, side) for product, side, _ in uses}) > 1:
        return None
    product, side = max(whole, key=lambda use: _multiplications(use[0]))
    return OperandMapping(product.name, side == "left")


def _lies_in_a_grid(variable: Variable, graph: TileGraph) -> bool:
    """Whether nothing but products with vectors, in both directions, would decide where a matrix lies."""
    uses = tuple(_operands(variable, graph))
    free = isinstance(variable.mapping, LinearMapping) and variable.constant is None and len(variable.shape) == 2
    both = len({_roles(product, side) for product, side, _ in uses}) > 1
    return free and both and variable.dtype == _FLOAT and all(_meets_vector(p, side) for p, side, _ in uses)


def _meets_vector(product: Product, side: str) -> bool:
    other = product.right if side == "left" else product.left
    return len(other.ranges) == 1


def _grid_of(variable: Variable, graph: TileGraph) -> Partition:
    taken = {partition.name for partition in graph.partitions}
    return Partition(fresh(f"{variable.name}_blocks", taken), variable.shape)


def _on_grid(variable: Variable, grid: Partition) -> Variable:
    follow = tuple(Follow(dimension, sympy.Integer(0), 1) for dimension in range(len(variable.shape)))
    return replace(variable, mapping=BlockMapping(grid.name, follow))


def _operands(variable: Variable, graph: TileGraph) -> Iterator[tuple[Product, str, Slice]]:
    for step in walk_steps(graph.steps):
        if isinstance(step, Product):
            sides = (("left", step.left), ("right", step.right))
            yield from ((step, side, box) for side, box in sides if box.variable == variable.name)


def _multiplications(product: Product) -> float:
    return _typical(sympy.prod([_length(at) for box in (product.left, product.right) for at in box.ranges]))


def _roles(product: Product, side: str) -> tuple[bool, ...]:
    """For each dimension of an operand whether the index that runs along it is summed over."""
    notation = Notation.of(product)
    runs = notation.left if side == "left" else notation.right
    return tuple(index not in notation.target for index in runs)


def _length(interval: Range) -> Expr:
    return sympy.expand(interval.end - interval.begin)


def _users(variable: str, graph: TileGraph) -> Iterator[tuple[ComputeSet, Field]]:
    yield from ((step, edge) for step, edge, _ in _users_in(graph.steps, variable, 1.0))


def _users_in(steps: tuple[Step, ...], variable: str, turns: float) -> Iterator[tuple[ComputeSet, Field, float]]:
    """The compute sets that touch a variable, and how often they run, symbols taken for typical sizes."""
    for step in steps:
        match step:
            case ComputeSet():
                yield from ((step, edge, turns) for edge in step.fields if edge.variable == variable)
            case Repeat(count=count):
                yield from _users_in(step.body, variable, turns * max(1.0, _typical(count)))
            case RepeatWhile():
                yield from _users_in((*step.condition, *step.body), variable, turns * _TYPICAL)
            case _:
                for part in inner_steps(step):
                    yield from _users_in(part, variable, turns)


def _leader(variable: Variable, graph: TileGraph) -> BlockMapping | None:
    """The mapping that follows the user that touches most elements, among those whose blocks touch different parts."""
    best: tuple[float, BlockMapping] | None = None
    for compute_set, edge, turns in _users_in(graph.steps, variable.name, 1.0):
        follow = follows(edge, compute_set.block)
        if compute_set.partition is None or not any(follow) or _is_shared(edge, follow, compute_set):
            continue
        extents = graph.partition(compute_set.partition).extents
        size = turns * _elements(edge, extents, follow) * (1 if edge.direction is Direction.INPUT else 2)
        if best is None or size > best[0]:
            best = (size, BlockMapping(compute_set.partition, follow))
    return None if best is None else best[1]


def _is_shared(edge: Field, follow: tuple[Follow | None, ...], compute_set: ComputeSet) -> bool:
    """Whether an operand is read by several blocks: it does not run with every dimension of the partition."""
    return edge.direction is Direction.INPUT and sum(entry is not None for entry in follow) < len(compute_set.block)


def _elements(edge: Field, extents: tuple[Expr, ...], follow: tuple[Follow | None, ...]) -> float:
    """How many elements all blocks touch: iterations along the dimensions that are followed, and whole ranges of others
    where these are written; of what is only read the device may choose one."""
    followed = {entry.dimension for entry in follow if entry is not None}
    others = [_length(at) for at, entry in zip(edge.ranges, follow, strict=True) if entry is None]
    written = others if edge.direction is not Direction.INPUT else []
    return _typical(sympy.prod([*(extents[dimension] for dimension in sorted(followed)), *written]))


def _typical(product: Expr) -> float:
    return float(product.subs(dict.fromkeys(product.free_symbols, _TYPICAL)))


def follows(edge: Field, blocks: tuple[BlockDimension, ...]) -> tuple[Follow | None, ...]:
    """For each dimension of a variable the block dimension it runs with; each block dimension is followed once."""
    taken: set[int] = set()
    names = {symbol(name) for block in blocks for name in (block.begin, block.size)}
    result = []
    for interval in edge.ranges:
        found = (_follow(interval, block) for block in blocks if block.index not in taken)
        own = (follow for follow in found if follow is not None and not follow.offset.free_symbols & names)
        entry = next(own, None)
        taken |= {entry.dimension} if entry is not None else set()
        result.append(entry)
    return tuple(result)


def _follow(interval: Range, block: BlockDimension) -> Follow | None:
    """``begin = stride*block.begin + offset``: iteration t touches ``stride*t + offset``, or around it.

    For a negative stride the range begins with what the last iteration of the block touches.
    """
    begin, size = symbol(block.begin), symbol(block.size)
    low, high = _unclamped(interval.begin, begin), _unclamped(interval.end, begin)
    stride = low.coeff(begin)
    if not stride.is_Integer or stride == 0:
        return None
    offset = sympy.expand(low - stride * (begin + size - 1 if stride < 0 else begin))
    if offset.free_symbols & {begin, size}:
        return None
    touched = sympy.expand(high - low - abs(stride) * (size - 1))  # by one iteration
    margin = (touched - 1) // 2 if touched.is_Integer and interval.step == 1 else 0
    return Follow(block.index, sympy.expand(offset + margin), int(stride))


def _unclamped(bound: Expr, begin: Expr) -> Expr:
    """A bound without the Min and Max that keep it inside the array."""
    while isinstance(bound, (sympy.Min, sympy.Max)):
        bound = next((argument for argument in bound.args if begin in argument.free_symbols), sympy.Integer(0))
    return sympy.expand(bound)
