"""New variables and maps of a graph, with names that nothing else has."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dace_ipu.passes.domain import ONE, ZERO
from dace_ipu.passes.rewrite import claimed, defined_names, used_names
from dace_ipu.passes.steps import graph_names, walk_steps
from dace_ipu.tile_graph.body import Access, Code, DType, Expr, For, Statement, Store
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Source, TileGraph, Variable

__all__ = ["INT", "NewSteps", "loop", "reading", "store"]

INT = np.dtype(np.int32)


@dataclass
class NewSteps:
    """Makes steps for a graph. ``added`` are the variables that they need and the graph does not have yet."""

    graph: TileGraph
    added: list[Variable] = field(default_factory=list)
    source: Source = Source()
    taken: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.taken = graph_names(self.graph)
        for step in walk_steps(self.graph.steps):
            if isinstance(step, MapStep):
                self.taken |= {step.name} | defined_names(step.body) | used_names(step.body)
                self.taken |= {d.name for d in step.domain}

    def name(self, hint: str) -> str:
        """A name of its own."""
        return claimed(hint, self.taken)

    def variable(self, hint: str, dtype: DType, *shape: Expr, bounds: tuple[Expr, Expr] | None = None) -> str:
        """A new variable."""
        name = self.name(hint)
        self.added.append(Variable(name, dtype, shape, source=self.source, bounds=bounds))
        return name

    def map(self, hint: str, domain: tuple[tuple[str, Expr], ...], *body: Statement) -> MapStep:
        """A new map over dimensions with these names and extents."""
        dimensions = tuple(Dimension(name, extent) for name, extent in domain)
        return MapStep(self.name(hint), dimensions, body, self.source)


def reading(text: str, **reads: tuple[str, tuple[Expr, ...]]) -> Code:
    """A computation that reads elements of variables: for each name in it, the variable and the indices."""
    return Code(text, tuple((name, Access(*read)) for name, read in reads.items()))


def store(data: str, indices: tuple[Expr, ...], value: Code | str) -> Store:
    """A plain store."""
    return Store(Access(data, indices), Code(value) if isinstance(value, str) else value)


def loop(variable: str, end: Expr, *body: Statement) -> For:
    """A loop from 0."""
    return For(variable, ZERO, end, ONE, body)
