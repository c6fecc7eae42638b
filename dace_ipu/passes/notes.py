"""Says, for the report, what does not run on all tiles, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath

from dace_ipu.passes.steps import walk_steps
from dace_ipu.tile_graph.nodes import Combine, ComputeSet, Product, Source, TileGraph

__all__ = ["WriteNotes"]


@dataclass(frozen=True)
class WriteNotes:
    """What runs where, in sentences.

    Before: notes at compute sets. After: ``update_y (prog.py:12) runs on one tile: ...`` among the notes of the graph.
    Compute sets with blocks on all tiles need no words. The pass changes nothing else.
    """

    name: str = "notes"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with its notes."""
        found = [note for step in walk_steps(graph.steps) if (note := _note(step))]
        return replace(graph, notes=tuple(dict.fromkeys(found)))


def _note(step: object) -> str:
    match step:
        case ComputeSet(note=note) if note:
            return f"{step.name}{_place(step.source)} {note}"
        case ComputeSet(partition=None):
            return f"{step.name}{_place(step.source)} runs on one tile: it is a single computation"
        case Combine():
            target = step.target.variable
            place = _place(step.source)
            return f"the reduction into {target}{place} leaves partial results on all tiles, which a tree combines"
        case Product():
            place = _place(step.source)
            return f"{step.name}{place} is a matrix product: poplin divides it among the tiles, for the matrix unit"
        case _:
            return ""


def _place(source: Source) -> str:
    return f" ({PurePath(source.file).name}:{source.line})" if source.file else ""
