"""A tile graph with numbers for its symbols and tiles: real shapes and blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dace_ipu.tile_graph.blocks import Block, blocks
from dace_ipu.tile_graph.body import Expr
from dace_ipu.tile_graph.indices import evaluate
from dace_ipu.tile_graph.nodes import ComputeSet, TileGraph, Variable

__all__ = ["Instance"]


@dataclass
class Instance:
    """``graph`` for the given values of its symbols on a machine of ``tiles`` tiles.

    Raises ValueError if a symbol has no value.
    """

    graph: TileGraph
    symbols: Mapping[str, Any]
    tiles: int
    _blocks: dict[str, tuple[Block, ...]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        missing = [name for name, _ in self.graph.symbols if name not in self.symbols]
        if missing:
            raise ValueError(f"{self.graph.name} needs values for the symbols {', '.join(missing)}")

    def integers(self, expressions: tuple[Expr, ...]) -> tuple[int, ...]:
        """The values of integer expressions in the symbols of the program."""
        return tuple(evaluate(expression, self.symbols) for expression in expressions)

    def blocks(self, partition: str) -> tuple[Block, ...]:
        """The blocks of a partition."""
        if partition not in self._blocks:
            extents = self.integers(self.graph.partition(partition).extents)
            self._blocks[partition] = blocks(extents, self.tiles)
        return self._blocks[partition]

    def shape(self, variable: Variable) -> tuple[int, ...]:
        """The real shape of a variable in elements, that of partial results included."""
        if variable.lanes_of is None:
            return self.integers(variable.shape)
        partition, factor = variable.lanes_of
        return (len(self.blocks(partition)) * factor, *self.integers(variable.shape[1:]))

    def vertices(self, step: ComputeSet) -> tuple[Block, ...]:
        """The blocks of a compute set, one a vertex: those of its partition, or an empty one on tile 0."""
        return (Block(0, (), ()),) if step.partition is None else self.blocks(step.partition)
