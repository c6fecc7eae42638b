"""The tile graph: variables spread over tiles, families of vertices, and the program that runs them.

A tile graph has two levels. Lowering makes *map steps* (``MapStep``): a domain of iterations and a body in the
coordinates of the variables. The passes turn each into *compute sets* (``ComputeSet``): a partition of the domain in
blocks, one vertex a block, with the exact slice of every variable that a block touches. Everything is immutable;
``dataclasses.replace`` makes changed copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from dace_ipu.tile_graph.body import Boolean, DType, Expr, Reduction, Statement

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True)
class Source:
    """Where in the user's program something comes from: file, line (1-based) and the text of that line, as far as
    known."""

    file: str = ""
    line: int = 0
    text: str = ""


# ---- data ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Follow:
    """Dimension of a tensor that follows a dimension of a partition: iteration t touches ``offset + stride*t``."""

    dimension: int  # of the partition
    offset: Expr
    stride: int


@dataclass(frozen=True)
class LinearMapping:
    """Consecutive elements in equal shares over the tiles (``poputil::mapTensorLinearly``)."""


@dataclass(frozen=True)
class TileMapping:
    """Everything on one tile."""

    tile: int


@dataclass(frozen=True)
class BlockMapping:
    """Each element lives on the tile of the block that touches it; what lies before (behind) all blocks belongs to the
    first (last).

    ``follow`` has one entry a dimension of the tensor, None for one that is not divided. A partition dimension that no
    tensor dimension follows contributes its first block only. So every element has exactly one tile.
    """

    partition: str
    follow: tuple[Follow | None, ...]


@dataclass(frozen=True)
class LaneMapping:
    """Row r of the first dimension lives on the tile of block ``r // lanes_per_block`` of the partition (partial
    results)."""

    partition: str
    lanes_per_block: int


@dataclass(frozen=True)
class OperandMapping:
    """As the plan of a matrix product wants its left or right operand, so that it is not rearranged before."""

    product: str
    is_left: bool


Mapping = LinearMapping | TileMapping | BlockMapping | LaneMapping | OperandMapping


@dataclass(frozen=True)
class Variable:
    """A tensor on the device. ``shape`` is in elements, row-major; a scalar has shape (1,).

    ``persistent`` ones keep their content from one call of the program to the next. ``constant`` holds the row-major
    values of a compile-time constant. ``mapping`` is None until the mapping pass has chosen one. ``lanes_of`` names the
    partition (and the factor) whose number of blocks multiplies the first dimension of partial results: the real shape
    is (blocks * factor, *shape[1:]). ``bounds`` are the least and the greatest value that an integer of one element has
    where it is read (the counter of a loop), in the symbols of the program; None if nothing is known.
    """

    name: str
    dtype: DType
    shape: tuple[Expr, ...]
    persistent: bool = False
    constant: tuple[complex | float | int | bool, ...] | None = None
    mapping: Mapping | None = None
    lanes_of: tuple[str, int] | None = None
    source: Source = Source()
    bounds: tuple[Expr, Expr] | None = None


@dataclass(frozen=True)
class HostArray:
    """An array of the caller: its C++ name in the frame, element type, shape, strides and offset of the first element
    (elements)."""

    name: str
    dtype: DType
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    offset: Expr
    scalar: bool = False  # passed by value in the frame


@dataclass(frozen=True)
class Range:
    """``begin, begin+step, ...`` below ``end`` (``step`` > 0), or above ``end`` (``step`` < 0: a reversed read)."""

    begin: Expr
    end: Expr
    step: int = 1

    def __post_init__(self) -> None:
        if self.step == 0:
            raise ValueError("a range has a step")


@dataclass(frozen=True)
class Slice:
    """A box of a variable, one range a dimension; its elements are taken in row-major order of the ranges."""

    variable: str
    ranges: tuple[Range, ...]


WORKERS_PER_TILE = 6  # of every IPU so far

# ---- level 1: maps ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dimension:
    """One dimension of a domain: ``name`` runs over 0, 1, ... ``extent`` - 1 (none if ``extent`` <= 0).

    ``extent`` may depend on the dimensions before it.
    """

    name: str
    extent: Expr


@dataclass(frozen=True)
class MapStep:
    """Runs ``body`` for every point of the domain, in any order. Accesses name variables, in their coordinates.

    ``note`` says why there is no domain, where a parallel form was looked for. A tile is worth ``workers`` iterations:
    one, if an iteration receives so much that more tiles are better.
    """

    name: str
    domain: tuple[Dimension, ...]
    body: tuple[Statement, ...]
    source: Source = Source()
    note: str = ""
    workers: int = WORKERS_PER_TILE


# ---- level 2: vertices -----------------------------------------------------------------------------------------------


class Direction(Enum):
    """Poplar's kinds of edges."""

    INPUT = "Input"
    OUTPUT = "Output"
    INOUT = "InOut"


class Layout(Enum):
    """How a slice reaches the codelet: one element, one contiguous run, or a list of its rows (the runs of the last
    dimension)."""

    SCALAR = "scalar"
    VECTOR = "vector"
    ROWS = "rows"


@dataclass(frozen=True)
class Field:
    """An edge of a vertex. ``ranges`` are in the symbols of the block and of the program; accesses in the body count
    from their begin.

    A SCALAR is accessed with no indices, others with one index a dimension of the variable.
    """

    name: str
    variable: str
    direction: Direction
    ranges: tuple[Range, ...]
    layout: Layout


@dataclass(frozen=True)
class Partition:
    """Blocks of a domain, dealt to the tiles when the graph is built. A tile is worth ``workers`` iterations.

    ``of_rows``: cut as stencils like it (``blocks.py``).
    """

    name: str
    extents: tuple[Expr, ...]
    workers: int = WORKERS_PER_TILE
    of_rows: bool = False


@dataclass(frozen=True)
class BlockDimension:
    """Dimension ``index`` of the partition inside a vertex: ``begin`` and ``size`` are the names of the block's own
    values."""

    index: int
    begin: str
    size: str


@dataclass(frozen=True)
class Value:
    """A plain field of the vertex, set when the graph is built. ``expr`` is in the symbols of the block and of the
    program."""

    name: str
    expr: Expr
    dtype: DType


@dataclass(frozen=True)
class ComputeSet:
    """A family of vertices, one a block of ``partition`` (one vertex on tile 0 if there is none).

    ``workers``: the vertex is a MultiVertex and its body holds at most one shared loop; ``WORKER`` names the worker's
    number in bodies. ``note`` says why the set does not run on all tiles, if so. ``slots`` estimates the issue slots of
    one vertex, all workers added.
    """

    name: str
    partition: str | None
    block: tuple[BlockDimension, ...]
    fields: tuple[Field, ...]
    values: tuple[Value, ...]
    body: tuple[Statement, ...]
    workers: bool
    slots: Expr
    note: str = ""
    source: Source = Source()


WORKER = "worker"
BLOCK = "block"  # in ranges and values of a compute set: the number of the vertex's block, row-major over the grid


# ---- programs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Copy:
    """Device to device. Both slices have the same number of elements and the same type; all is read before anything is
    written."""

    source_slice: Slice
    target_slice: Slice
    source: Source = Source()


@dataclass(frozen=True)
class Move:
    """What a box of a variable gets: another box with as many elements in each dimension, one element for all, or one
    number for all.
    """

    target: Slice
    value: Slice | float | int


@dataclass(frozen=True)
class Moves:
    """Copies and constants at once, on the device: no element is written twice, and none that is read is written. Of
    several none is empty."""

    moves: tuple[Move, ...]
    source: Source = Source()


@dataclass(frozen=True)
class CopyIn:
    """Host to device: all of ``host`` into all of ``variable``, converted to its type on the way."""

    host: str
    variable: str


@dataclass(frozen=True)
class CopyOut:
    """Device to host: all of ``variable`` into all of ``host``, converted to its type on the way."""

    variable: str
    host: str


@dataclass(frozen=True)
class Combine:
    """``target = op(target, partial[0], partial[1], ...)`` over the lanes (first dimension) of partial results, as a
    tree.

    ``partial`` has one dimension more than ``target`` has elements' shape: (lanes, *sizes of target's ranges). If it
    ``overwrites``, the identity of the reduction takes the place of the old target.
    """

    partial: str
    target: Slice
    reduction: Reduction
    source: Source = Source()
    overwrites: bool = False


@dataclass(frozen=True)
class Product:
    """``target = left * right``, a matrix product, or ``target += left * right`` if it ``adds``.

    ``notation`` names the index that runs along each dimension, '.' along one with a single element, as in
    ``ik,kj->ij`` (``numpy.einsum``): an index that the target lacks is summed over, in any order. It stands in both
    operands then; every other one stands in the target and in at least one operand.
    """

    name: str
    target: Slice
    left: Slice
    right: Slice
    notation: str
    adds: bool
    source: Source = Source()


@dataclass(frozen=True)
class Repeat:
    """Runs ``body`` ``count`` times (not at all if ``count`` <= 0)."""

    count: Expr
    body: tuple[Step, ...]
    source: Source = Source()


@dataclass(frozen=True)
class RepeatWhile:
    """Runs ``condition``, then, as long as the only element of ``predicate`` (a bool) is true, ``body`` and
    ``condition`` again (Poplar's RepeatWhileTrue). A loop that tests behind its body has all of it in ``condition``."""

    condition: tuple[Step, ...]
    predicate: str
    body: tuple[Step, ...]
    source: Source = Source()


@dataclass(frozen=True)
class Branch:
    """Runs ``then`` if the only element of ``predicate`` (a bool variable) is true, else ``orelse``."""

    predicate: str
    then: tuple[Step, ...]
    orelse: tuple[Step, ...] = ()
    source: Source = Source()


@dataclass(frozen=True)
class Choice:
    """``then`` or ``orelse``, chosen when the graph is built: ``condition`` is made of comparisons of integer
    expressions in the symbols of the program. What is not chosen is no part of the graph."""

    condition: Boolean
    then: tuple[Step, ...]
    orelse: tuple[Step, ...] = ()
    source: Source = Source()


Control = Repeat | RepeatWhile | Branch | Choice
Step = MapStep | ComputeSet | Copy | Moves | CopyIn | CopyOut | Combine | Product | Control


def inner_steps(step: Step) -> tuple[tuple[Step, ...], ...]:
    """The lists of steps inside a step, in the order in which they run first."""
    match step:
        case Repeat():
            return (step.body,)
        case RepeatWhile():
            return (step.condition, step.body)
        case Branch() | Choice():
            return (step.then, step.orelse)
        case _:
            return ()


def with_inner_steps(step: Step, change: Callable[[tuple[Step, ...]], tuple[Step, ...]]) -> Step:
    """The step with each list of steps inside it replaced by what ``change`` makes of it."""
    match step:
        case Repeat():
            return replace(step, body=change(step.body))
        case RepeatWhile():
            return replace(step, condition=change(step.condition), body=change(step.body))
        case Branch() | Choice():
            return replace(step, then=change(step.then), orelse=change(step.orelse))
        case _:
            return step


def walk_steps(steps: tuple[Step, ...]) -> Iterator[Step]:
    """All steps, also those inside of others, outer before inner, in order."""
    for step in steps:
        yield step
        for part in inner_steps(step):
            yield from walk_steps(part)


@dataclass(frozen=True)
class TileGraph:
    """One device program. ``symbols`` are its parameters: names and types of the integers (or floats) that the caller
    gives.

    ``notes`` say in sentences where a scope runs and why, for the report.
    """

    name: str
    symbols: tuple[tuple[str, DType], ...]
    hosts: tuple[HostArray, ...]
    variables: tuple[Variable, ...]
    steps: tuple[Step, ...]
    partitions: tuple[Partition, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def variable(self, name: str) -> Variable:
        """The variable of that name; KeyError if there is none."""
        return {v.name: v for v in self.variables}[name]

    def partition(self, name: str) -> Partition:
        """The partition of that name; KeyError if there is none."""
        return {p.name: p for p in self.partitions}[name]

    def to_networkx(self) -> networkx.MultiDiGraph:
        """The dependences of steps and variables as a networkx graph (``draw.to_networkx``)."""
        from dace_ipu.tile_graph.draw import to_networkx

        return to_networkx(self)
