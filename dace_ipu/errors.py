"""Diagnostics: where, what, why, and what to do about it; and the exceptions that carry them.

A pass that checks something reports every finding to a :class:`DiagnosticCollector`, which raises once, so that a user
sees all that is wrong with a program at the same time. :func:`render` is the only place that turns findings into text::

    prog.py:12: error: 'y' is float64, which does not exist on the IPU
        y[:] = a * x + y
        in SDFG 'axpy', state 'compute', node 'y'
      note: the machine computes in float32 and float16
      hint: OffloadToIPU(float64='float32') converts on the way in and out

This module does not import DaCe.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from dace.sdfg.sdfg import SDFG
    from dace.sdfg.state import ControlFlowBlock

__all__ = [
    "Diagnostic",
    "DiagnosticCollector",
    "DiagnosticError",
    "HostPartWarning",
    "IPURuntimeError",
    "Place",
    "Severity",
    "render",
]

Severity = Literal["error", "note"]


@dataclass(frozen=True)
class Place:
    """Where in the user's program something was found. Every part may be unknown.

    ``file`` and ``line`` (counted from 1) point into the source; ``sdfg``, ``state`` and ``node`` are names in the
    graph, for programs that were built without source.
    """

    file: str | None = None
    line: int | None = None
    sdfg: str | None = None
    state: str | None = None
    node: str | None = None

    @classmethod
    def of(cls, element: object, sdfg: SDFG | None = None, state: ControlFlowBlock | None = None) -> Place:
        """Return the place of a DaCe element: an SDFG, a control-flow block, a node, an edge, a memlet or a container.

        The line is the element's own, or the nearest one known: of its map, memlet or neighbours, of what its state
        contains, and at last of the SDFG. Lines inside DaCe or this package (elements made by transformations) do not
        count. ``sdfg`` and ``state`` are taken from the element where it knows them.
        """
        block = state if state is not None else _block_of(element)
        graph = sdfg if sdfg is not None else _sdfg_of(element, block)
        file, line = _first_line(element, block, graph)
        is_part = element is not graph and element is not block
        return cls(file, line, _name(graph), _name(block), _name(element) if is_part else None)

    def __str__(self) -> str:
        """``prog.py:12``, or ``<unknown place>`` if no source line is known."""
        if self.file is None:
            return "<unknown place>"
        return _short(self.file) if self.line is None else f"{_short(self.file)}:{self.line}"

    @property
    def in_graph(self) -> str:
        """``SDFG 'axpy', state 'compute', node 'y'``, as far as known; empty if nothing is."""
        parts = (("SDFG", self.sdfg), ("state", self.state), ("node", self.node))
        return ", ".join(f"{kind} '{name}'" for kind, name in parts if name is not None)


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    ``message`` says what is the matter in one line, ``notes`` why, ``hints`` what the user can do. ``severity`` is
    'error' for what cannot be done and 'note' for what was done in another way than one would expect.
    """

    place: Place
    message: str
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    severity: Severity = "error"

    def __post_init__(self) -> None:
        if not self.message or "\n" in self.message:
            raise ValueError(f"the message of a diagnostic is one line of text, not {self.message!r}")

    def __str__(self) -> str:
        return render([self])


class DiagnosticError(Exception):
    """A program cannot be taken to the IPU. ``diagnostics`` holds every finding, in the order of the source."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = _in_source_order(diagnostics)
        if not any(diagnostic.severity == "error" for diagnostic in self.diagnostics):
            raise ValueError("DiagnosticError needs at least one error")
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return render(self.diagnostics)


class HostPartWarning(UserWarning):
    """Parts of a program stay on the host, as the user allowed. The text has a diagnostic for each."""


class IPURuntimeError(Exception):
    """A running program reported an error, for instance that it does not fit into the tiles' memory.

    It is not derived from RuntimeError, TypeError, KeyError or ReferenceError on purpose: on those DaCe unloads the
    program's library and keeps pointers to its functions, so that the next call would crash.
    """

    def __init__(self, message: str, program: str | None = None) -> None:
        super().__init__(message, program)
        self.message = message
        self.program = program

    def __str__(self) -> str:
        return self.message if self.program is None else f"program '{self.program}': {self.message}"


@dataclass
class DiagnosticCollector:
    """Gathers findings, so that a pass can look at the whole program before it gives up."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def error(self, place: Place, message: str, notes: Iterable[str] = (), hints: Iterable[str] = ()) -> None:
        """Record something that cannot be done."""
        self.add(Diagnostic(place, message, tuple(notes), tuple(hints)))

    def note(self, place: Place, message: str, notes: Iterable[str] = (), hints: Iterable[str] = ()) -> None:
        """Record something that was done in another way than one would expect."""
        self.add(Diagnostic(place, message, tuple(notes), tuple(hints), "note"))

    def add(self, diagnostic: Diagnostic) -> None:
        """Record a finding, once."""
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Record several findings."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    @property
    def has_errors(self) -> bool:
        """Whether :meth:`raise_if_errors` would raise."""
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    def raise_if_errors(self) -> None:
        """Raise :class:`DiagnosticError` with everything recorded (notes too) if any of it is an error."""
        if self.has_errors:
            raise DiagnosticError(self.diagnostics)


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the findings as text, in the order given, without a trailing newline.

    Paths are relative to the working directory where they lie below it. The source line is quoted if it can be read.
    """
    return "\n".join(line for diagnostic in diagnostics for line in _lines(diagnostic))


def _lines(diagnostic: Diagnostic) -> Iterator[str]:
    place = diagnostic.place
    yield f"{place}: {diagnostic.severity}: {diagnostic.message}"
    source = _source_line(place)
    if source:
        yield f"    {source}"
    if place.in_graph:
        yield f"    in {place.in_graph}"
    for kind, texts in (("note", diagnostic.notes), ("hint", diagnostic.hints)):
        for text in texts:
            yield f"  {kind}: " + text.replace("\n", "\n        ")


def _source_line(place: Place) -> str:
    if place.file is None or place.line is None:
        return ""
    linecache.checkcache(place.file)  # the file may have been edited since it was last quoted
    return linecache.getline(place.file, place.line).strip()


def _short(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def _in_source_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort by file and line, what has no place last. Findings on one line keep the order they were made in."""
    return tuple(sorted(diagnostics, key=lambda d: (d.place.file is None, d.place.file or "", d.place.line or 0)))


# ----------------------------------------------------------------------------------------------------------------------
# Places from DaCe's elements. Attributes are looked up by name: the element may be one of some twenty classes, of which
# only some carry a line.


def _block_of(element: object) -> object | None:
    """Return the control-flow block that an element is: a state or a region, but not a whole SDFG."""
    is_block = hasattr(element, "parent_graph") and not hasattr(element, "arrays")
    return element if is_block else None


def _sdfg_of(element: object, block: object | None) -> object | None:
    if hasattr(element, "arrays") and hasattr(element, "nodes"):
        return element
    return getattr(block, "sdfg", None)


def _name(element: object | None) -> str | None:
    """Return the name a user knows an element by."""
    if element is None:
        return None
    for attribute in ("label", "data"):
        name = getattr(element, attribute, None)
        if isinstance(name, str):
            return name
    memlet = getattr(element, "data", None)  # an edge
    container = getattr(memlet, "data", None)
    return container if isinstance(container, str) else None


def _first_line(element: object, block: object | None, graph: object | None) -> tuple[str | None, int | None]:
    for candidate in _line_bearers(element, block, graph):
        info = getattr(candidate, "debuginfo", None)
        file = getattr(info, "filename", None)
        if file and not _is_internal(file):
            return file, getattr(info, "start_line", None)
    return None, None


def _line_bearers(element: object, block: object | None, graph: object | None) -> Iterator[object]:
    """Yield what may know the line of ``element``, the nearest first."""
    yield element
    for attribute in ("map", "data", "src", "dst"):  # of a map's entry and exit; of an edge
        yield getattr(element, attribute, None)
    yield getattr(graph, "arrays", {}).get(getattr(element, "data", None))  # an access node's container
    if block is not None:
        yield from _contents(block)
    yield graph


def _contents(block: object) -> Iterator[object]:
    """Yield the nodes in a block, in nested blocks too, in the order they were added."""
    for node in block.nodes() if hasattr(block, "nodes") else ():
        yield node
        if hasattr(node, "parent_graph"):
            yield from _contents(node)


def _is_internal(file: str) -> bool:
    return any(Path(file).is_relative_to(folder) for folder in _package_folders())


def _package_folders() -> Iterator[Path]:
    for package in ("dace", "dace_ipu"):
        file = getattr(sys.modules.get(package), "__file__", None)
        if file is not None:
            yield Path(os.path.dirname(file))
