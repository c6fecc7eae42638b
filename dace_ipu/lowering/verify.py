"""Programs whose tile graph breaks a rule: a form of DaCe program that lowering does not know, found before it runs."""

from __future__ import annotations

import re

from dace_ipu.errors import Diagnostic, DiagnosticError, Place
from dace_ipu.tile_graph.nodes import MapStep, Source, TileGraph, walk_steps
from dace_ipu.tile_graph.spec import SpecError, check

__all__ = ["as_diagnostics", "verified"]


def verified(graph: TileGraph) -> TileGraph:
    """The graph itself. Raises DiagnosticError with a finding for each rule that it breaks."""
    try:
        check(graph, level=1)
    except SpecError as error:
        raise as_diagnostics(error, graph) from error
    return graph


def as_diagnostics(error: SpecError, graph: TileGraph) -> DiagnosticError:
    """The faults of a graph, or of what passes made of it, with the places of its steps and variables."""
    return DiagnosticError(_finding(fault, graph) for fault in error.faults)


def _finding(fault: str, graph: TileGraph) -> Diagnostic:
    sources = _sources(graph)
    names = re.findall(r"(?:map|compute set|variable) '(\w+)'", fault)
    source = next((sources[name] for name in names if name in sources), Source())
    place = Place(source.file or None, source.line or None, graph.name)
    return Diagnostic(place, f"{' '.join(fault.split())}: this cannot run on the IPU")


def _sources(graph: TileGraph) -> dict[str, Source]:
    variables = {variable.name: variable.source for variable in graph.variables}
    return variables | {step.name: step.source for step in walk_steps(graph.steps) if isinstance(step, MapStep)}
