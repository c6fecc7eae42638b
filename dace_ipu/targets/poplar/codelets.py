"""Codelets: one vertex class for each compute set, and those that combine partial results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dace_ipu.targets.poplar import combines
from dace_ipu.targets.poplar.helpers import helpers_text, needs_cmath, needs_vectors
from dace_ipu.targets.poplar.names import CODELET_NAMES, Names
from dace_ipu.targets.poplar.statements import BodyPrinter, mentions
from dace_ipu.targets.poplar.text import Lines, source_comment
from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import DType, Expr, For, walk
from dace_ipu.tile_graph.nodes import WORKER, Combine, ComputeSet, Field, Layout, TileGraph, walk_steps

__all__ = ["Codelet", "Codelets", "codelets_text", "print_codelets"]


@dataclass(frozen=True)
class Codelet:
    """A printed vertex class, as the host has to know it.

    ``fields`` maps the names of edges to their C++ names; ``values`` holds the plain fields: C++ name and expression.
    """

    name: str
    fields: Mapping[str, str]
    values: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True)
class Codelets:
    """All codelets of some graphs, by (name of the graph, name of the compute set), and the classes that combine."""

    text: str
    of: Mapping[tuple[str, str], Codelet]
    combining: Mapping[combines.Key, str]


def codelets_text(graph: TileGraph) -> str:
    """Return the self-contained codelet file of one level-2 graph."""
    return print_codelets((graph,)).text


def print_codelets(graphs: Iterable[TileGraph]) -> Codelets:
    """Print the codelet file of the graphs of one program.

    Raises :class:`~dace_ipu.targets.poplar.expressions.ExpressionError` for a computation that C++ cannot express and
    :class:`~dace_ipu.targets.poplar.types.UnsupportedTypeError` for an element type that the machine lacks.
    """
    printer = _Printer()
    for graph in graphs:
        for step in walk_steps(graph.steps):
            if isinstance(step, ComputeSet) and (graph.name, step.name) not in printer.of:
                printer.compute_set(graph, step)
            if isinstance(step, Combine):
                printer.combine(graph, step)
    return Codelets(printer.text(), printer.of, printer.combining)


class _Printer:
    def __init__(self) -> None:
        self.of: dict[tuple[str, str], Codelet] = {}
        self.combining: dict[combines.Key, str] = {}
        self._names = Names(CODELET_NAMES)
        self._classes: list[str] = []
        self._helpers: set[str] = set()
        self._cmath = False

    def text(self) -> str:
        headers = ["#include <poplar/Vertex.hpp>"]
        if self._cmath or needs_cmath(self._helpers):
            headers.append("#include <cmath>")
        if needs_vectors(self._helpers):
            headers.append("#include <ipu_vector_math>")
        helpers = [helpers_text(self._helpers)] if self._helpers else []
        return "\n".join(["".join(f"{h}\n" for h in headers), *helpers, *self._classes])

    def compute_set(self, graph: TileGraph, cs: ComputeSet) -> None:
        """Print the class of a compute set."""
        name = self._names.fresh(cs.name)
        dtypes = {f.name: graph.variable(f.variable).dtype for f in cs.fields}
        body = BodyPrinter(cs, dtypes, self._names.inner())
        statements = body.body()
        values = tuple((body.cpp[v.name], v.expr) for v in body.values.values())
        self.of[graph.name, cs.name] = Codelet(name, {f.name: body.cpp[f.name] for f in cs.fields}, values)
        self._helpers |= body.expressions.helpers
        self._cmath |= body.expressions.cmath
        self._classes.append(_class_text(name, cs, dtypes, body, statements))

    def combine(self, graph: TileGraph, step: Combine) -> None:
        """Print the classes of a Combine, unless another one had the same."""
        for key in combines.keys(graph, step):
            if key not in self.combining:
                name = self.combining[key] = self._names.fresh(combines.name_hint(key))
                printed = combines.print_class(key, name)
                self._helpers |= printed.helpers
                self._cmath |= printed.cmath
                self._classes.append(printed.text)


def _class_text(name: str, cs: ComputeSet, dtypes: Mapping[str, DType], body: BodyPrinter, statements: str) -> str:
    lines = Lines()
    lines.add(*source_comment(cs.source))
    base = "MultiVertex" if cs.workers else "Vertex"
    lines.add(f"class {name} : public poplar::{base} {{", "public:")
    for declared in cs.fields:
        lines.add(f"  {_edge_type(declared, dtypes[declared.name])} {body.cpp[declared.name]};")
    for value in body.values.values():
        lines.add(f"  {body.value_type(value)} {body.cpp[value.name]};")
    if cs.fields or body.values:
        lines.add("")
    lines.add(f"  bool compute({_worker_parameter(cs)}) {{")
    return f"{lines.text()}{statements}    return true;\n  }}\n}};\n"


def _worker_parameter(cs: ComputeSet) -> str:
    """The parameter of a MultiVertex, without a name if the body has no use for it."""
    if not cs.workers:
        return ""
    used = any(isinstance(s, For) and s.shared for s in walk(cs.body)) or mentions(cs, WORKER)
    return f"unsigned {WORKER}" if used else "unsigned"


def _edge_type(declared: Field, dtype: DType) -> str:
    """The type of an edge. Eight bytes of alignment let the compiler load two floats or four halves at once."""
    element = element_type(dtype)
    direction = declared.direction.value
    if declared.layout is Layout.SCALAR and element.components == 1:
        return f"poplar::{direction}<{element.field}>"
    vector = f"poplar::{direction}<poplar::Vector<{element.field}, poplar::VectorLayout::ONE_PTR, 8>>"
    return f"poplar::Vector<{vector}>" if declared.layout is Layout.ROWS else vector
