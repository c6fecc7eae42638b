"""What only moves data is spread over more tiles than what computes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from dace_ipu.passes.mapping import follows
from dace_ipu.passes.rewrite import fresh
from dace_ipu.passes.steps import map_steps, walk_steps
from dace_ipu.tile_graph.body import Declare, For, Statement, Store, walk
from dace_ipu.tile_graph.nodes import (
    BlockMapping,
    ComputeSet,
    Direction,
    Field,
    LaneMapping,
    Layout,
    Mapping,
    Partition,
    Step,
    TileGraph,
    Variable,
)

__all__ = ["SpreadFetches"]

WORKERS = 1  # iterations that a tile is worth: each receives all that its element might be, a row or a column


@dataclass(frozen=True)
class SpreadFetches:
    """Before: ``fetch_A`` over blocks of six iterations or more, one a worker; each tile receives six columns of ``A``,
    in which the device chooses a row.

    After: over blocks of one iteration or more, on six times as many tiles that receive a sixth as much each.

    Only for compute sets that do nothing but copy elements, and that own nothing of what they read: what is in place
    stays there. Targets that lie on the same blocks move with them. The same elements are copied.
    """

    name: str = "spread_fetches"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with more blocks for fetches, and without partitions that nothing uses any more."""
        work = _Work(graph)
        steps = map_steps(graph.steps, work.spread)
        variables = tuple(replace(v, mapping=work.moved.get(v.name, v.mapping)) for v in graph.variables)
        used = {step.partition for step in walk_steps(steps) if isinstance(step, ComputeSet)}
        used |= {v.mapping.partition for v in variables if isinstance(v.mapping, BlockMapping | LaneMapping)}
        used |= {v.lanes_of[0] for v in variables if v.lanes_of}
        partitions = (p for p in (*graph.partitions, *work.partitions.values()) if p.name in used)
        return replace(graph, steps=steps, variables=variables, partitions=tuple(partitions))


@dataclass
class _Work:
    graph: TileGraph
    partitions: dict[str, Partition] = field(default_factory=dict)
    moved: dict[str, Mapping] = field(default_factory=dict)

    def spread(self, step: Step) -> tuple[Step, ...]:
        """A step, on more tiles if it is a fetch."""
        if not isinstance(step, ComputeSet) or step.partition is None or not _only_copies(step):
            return (step,)
        sources = [
            edge for edge in step.fields if edge.direction is Direction.INPUT and edge.layout is not Layout.SCALAR
        ]
        targets = [edge for edge in step.fields if edge.direction is not Direction.INPUT]
        outputs = all(edge.direction is Direction.OUTPUT for edge in targets)
        if not sources or not outputs or any(self._is_in_place(edge, step) for edge in sources):
            return (step,)
        partition = self._finer(self.graph.partition(step.partition))
        for edge in targets:
            if self._is_in_place(edge, step):
                mapping = self._variable(edge).mapping
                assert isinstance(mapping, BlockMapping)
                self.moved[edge.variable] = replace(mapping, partition=partition)
        return (replace(step, partition=partition),)

    def _variable(self, edge: Field) -> Variable:
        return self.graph.variable(edge.variable)

    def _is_in_place(self, edge: Field, step: ComputeSet) -> bool:
        """Whether a block owns what it touches."""
        mapping = self._variable(edge).mapping
        same = isinstance(mapping, BlockMapping) and mapping.partition == step.partition
        return same and isinstance(mapping, BlockMapping) and mapping.follow == follows(edge, step.block)

    def _finer(self, partition: Partition) -> str:
        if partition.name not in self.partitions:
            taken = {p.name for p in (*self.graph.partitions, *self.partitions.values())}
            name = fresh(f"{partition.name.removesuffix('_blocks')}_singles", taken)
            self.partitions[partition.name] = Partition(name, partition.extents, WORKERS)
        return self.partitions[partition.name].name


def _only_copies(step: ComputeSet) -> bool:
    """Whether the body only reads scalars, and stores elements of arrays as they are."""
    stores = [s for s in walk(step.body) if isinstance(s, Store)]
    return all(_copies(s) for s in walk(step.body)) and any(
        any(index.free_symbols for index in read.indices) for s in stores for _, read in s.value.reads
    )


def _copies(statement: Statement) -> bool:
    match statement:
        case Store(value=value, reduction=None):
            return len(value.reads) == 1 and value.text.strip() == value.reads[0][0]
        case For():
            return True
        case Declare(value=value):
            return value is not None and all(not read.indices for _, read in value.reads)
        case _:
            return False
