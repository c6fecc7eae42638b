"""New variables and maps of a graph, with names that nothing else has."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import sympy

from dace_ipu.passes.domain import ONE, ZERO
from dace_ipu.passes.rewrite import claimed, defined_names, used_names
from dace_ipu.passes.steps import graph_names, walk_steps
from dace_ipu.tile_graph.body import Access, Code, DType, Expr, For, Statement, Store
from dace_ipu.tile_graph.nodes import (
    WORKERS_PER_TILE,
    Copy,
    Dimension,
    MapStep,
    Range,
    Slice,
    Source,
    TileGraph,
    Variable,
)

__all__ = ["INT", "NewSteps", "loop", "names_within", "reading", "row_copies", "store", "turned"]

INT = np.dtype(np.int32)


@dataclass
class NewSteps:
    """Makes steps for a graph. ``added`` are the variables that they need and the graph does not have yet."""

    graph: TileGraph
    added: list[Variable] = field(default_factory=list)
    source: Source = Source()
    taken: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.taken = names_within(self.graph)

    def name(self, hint: str) -> str:
        """A name of its own."""
        return claimed(hint, self.taken)

    def variable(self, hint: str, dtype: DType, *shape: Expr, bounds: tuple[Expr, Expr] | None = None) -> str:
        """A new variable."""
        name = self.name(hint)
        self.added.append(Variable(name, dtype, shape, source=self.source, bounds=bounds))
        return name

    def map(
        self, hint: str, domain: tuple[tuple[str, Expr], ...], *body: Statement, workers: int = WORKERS_PER_TILE
    ) -> MapStep:
        """A new map over dimensions with these names and extents; a tile is worth ``workers`` iterations."""
        dimensions = tuple(Dimension(name, extent) for name, extent in domain)
        return MapStep(self.name(hint), dimensions, body, self.source, workers=workers)


def names_within(graph: TileGraph) -> set[str]:
    """The names in a graph, those inside of its maps as well."""
    taken = graph_names(graph)
    for step in walk_steps(graph.steps):
        if isinstance(step, MapStep):
            taken |= {step.name, *(d.name for d in step.domain)} | defined_names(step.body) | used_names(step.body)
    return taken


def reading(text: str, **reads: tuple[str, tuple[Expr, ...]]) -> Code:
    """A computation that reads elements of variables: for each name in it, the variable and the indices."""
    return Code(text, tuple((name, Access(*read)) for name, read in reads.items()))


def store(data: str, indices: tuple[Expr, ...], value: Code | str) -> Store:
    """A plain store."""
    return Store(Access(data, indices), Code(value) if isinstance(value, str) else value)


def loop(variable: str, end: Expr, *body: Statement) -> For:
    """A loop from 0."""
    return For(variable, ZERO, end, ONE, body)


def row_copies(flat: str, rows: str, size: Expr, width: int) -> tuple[Copy, ...]:
    """Copies of ``size`` elements in a row to rows of ``width``, of which the last is not filled, or has none."""
    full = sympy.floor(size / width)
    end = sympy.expand(width * full)
    whole = Slice(rows, (Range(ZERO, full), Range(ZERO, sympy.Integer(width))))
    rest = Slice(rows, (Range(full, full + 1), Range(ZERO, sympy.expand(size - end))))
    return Copy(Slice(flat, (Range(ZERO, end),)), whole), Copy(Slice(flat, (Range(end, size),)), rest)


def turned(copies: tuple[Copy, ...]) -> tuple[Copy, ...]:
    """Copies the other way."""
    return tuple(Copy(copy.target_slice, copy.source_slice) for copy in copies)
