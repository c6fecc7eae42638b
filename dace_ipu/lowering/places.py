"""Where things stand in the user's program, for diagnostics and for the comments of generated code."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import contextmanager

from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ControlFlowBlock

from dace_ipu.errors import Diagnostic, Place
from dace_ipu.lowering.symbolic import Unsupported
from dace_ipu.tile_graph.nodes import Source

__all__ = ["Failure", "located", "source_of"]


class Failure(Exception):
    """One finding of lowering, with its place. Collected, so that the user sees all of them at once."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic

    @classmethod
    def at(
        cls,
        error: Unsupported,
        element: object,
        sdfg: SDFG,
        block: ControlFlowBlock | None,
    ) -> Failure:
        """A failure where ``element`` stands."""
        message = f"{error} cannot run on the IPU"
        return cls(Diagnostic(Place.of(element, sdfg, block), message, hints=error.hints))


@contextmanager
def located(element: object, sdfg: SDFG, block: ControlFlowBlock | None = None) -> Iterator[None]:
    """Give an Unsupported raised inside the place of ``element``; one that has a place already keeps it."""
    try:
        yield
    except Unsupported as error:
        raise Failure.at(error, element, sdfg, block) from error


def source_of(element: object, sdfg: SDFG, block: ControlFlowBlock | None = None) -> Source:
    """File, line and text of the source line of a DaCe element, as far as known."""
    place = Place.of(element, sdfg, block)
    if place.file is None or place.line is None:
        return Source()
    return Source(place.file, place.line, linecache.getline(place.file, place.line).strip())
