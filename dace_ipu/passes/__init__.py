"""The passes: tile graph → tile graph, from maps to vertices with a place for everything."""

from __future__ import annotations

from typing import Protocol

from dace_ipu.passes.accumulate import Accumulate
from dace_ipu.passes.align_ranges import AlignRanges
from dace_ipu.passes.anchor_writes import AnchorWrites
from dace_ipu.passes.double_buffer import DoubleBuffer
from dace_ipu.passes.drop_copies import DropCopies
from dace_ipu.passes.fetch_slices import FetchSlices
from dace_ipu.passes.fold_starts import FoldStarts
from dace_ipu.passes.forward_copies import ForwardCopies
from dace_ipu.passes.fuse_maps import FuseMaps
from dace_ipu.passes.gather_in_turns import GatherInTurns
from dace_ipu.passes.hoist_reads import HoistReads
from dace_ipu.passes.hoist_singles import HoistSingles
from dace_ipu.passes.inline_operands import InlineOperands
from dace_ipu.passes.inline_singles import InlineSingles
from dace_ipu.passes.keep_elements import KeepElements
from dace_ipu.passes.localise import LocaliseTemporaries
from dace_ipu.passes.loops_into_maps import LoopsIntoMaps
from dace_ipu.passes.loops_to_dimensions import LoopsToDimensions
from dace_ipu.passes.loops_to_scans import LoopsToScans
from dace_ipu.passes.loops_to_vertices import LoopsToVertices
from dace_ipu.passes.mapping import MapVariables
from dace_ipu.passes.match_products import MatchProducts
from dace_ipu.passes.merge_moves import MergeMoves
from dace_ipu.passes.merge_singles import MergeSingles
from dace_ipu.passes.narrow_counts import NarrowCounts
from dace_ipu.passes.notes import WriteNotes
from dace_ipu.passes.pair_lanes import PairLanes
from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.passes.read_through import ReadThrough
from dace_ipu.passes.recompute import Recompute
from dace_ipu.passes.reshape_reads import ReshapeReads
from dace_ipu.passes.scale_products import ScaleProducts
from dace_ipu.passes.simplify_bodies import SimplifyBodies
from dace_ipu.passes.split_guards import SplitGuards
from dace_ipu.passes.split_scalars import SplitScalars
from dace_ipu.passes.spread_fetches import SpreadFetches
from dace_ipu.passes.steps import walk_steps
from dace_ipu.passes.straighten import Straighten
from dace_ipu.tile_graph.dump import dump
from dace_ipu.tile_graph.nodes import MapStep, TileGraph
from dace_ipu.tile_graph.printer import to_text
from dace_ipu.tile_graph.spec import check

__all__ = ["PIPELINE", "Pass", "run"]


class Pass(Protocol):
    """One step on the way from maps to vertices. ``name`` names its dump."""

    @property
    def name(self) -> str:
        """The name of the pass."""

    def apply(self, graph: TileGraph) -> TileGraph:
        """The changed graph; the argument stays as it is."""


PIPELINE: tuple[Pass, ...] = (
    ForwardCopies(),
    SimplifyBodies(),
    Recompute(),
    InlineOperands(),
    LoopsToDimensions(),
    SimplifyBodies(),
    ReadThrough(),
    SplitScalars(),
    LoopsToScans(),
    LoopsToVertices(),
    AlignRanges(),
    InlineSingles(),
    AnchorWrites(),
    FetchSlices(),
    ReshapeReads(),
    Straighten(),
    SplitGuards(),
    MatchProducts(),
    ScaleProducts(),
    HoistSingles(),
    LoopsIntoMaps(),  # before merge_singles: what sets a counter stands alone
    MergeSingles(),
    MergeMoves(),  # before fuse_maps, which joins the maps that fill borders
    DoubleBuffer(),
    FuseMaps(),  # after double_buffer: inner loops run in order, dimensions of maps do not
    LocaliseTemporaries(),
    SimplifyBodies(),
    GatherInTurns(),
    PartitionMaps(),
    FoldStarts(),
    NarrowCounts(),
    DropCopies(),
    MapVariables(),
    SpreadFetches(),
    Accumulate(),
    KeepElements(),
    HoistReads(),
    PairLanes(),
    WriteNotes(),
)


def run(graph: TileGraph) -> TileGraph:
    """A graph of compute sets for a graph of maps.

    Every stage is checked against the specification (SpecError says that a pass is wrong) and dumped, if dumps are
    wanted. Raises DiagnosticError, with all findings, for programs that no pass can save.
    """
    _inspect(graph, "lowered")
    for step in PIPELINE:
        graph = step.apply(graph)
        _inspect(graph, step.name)
    return graph


def _inspect(graph: TileGraph, stage: str) -> None:
    """Checks and dumps a stage. Variables of maps that were just divided have no place yet: nothing is checked then."""
    level = 1 if any(isinstance(step, MapStep) for step in walk_steps(graph.steps)) else 2
    if level == 1 or all(variable.mapping for variable in graph.variables):
        check(graph, level)
    dump(graph.name, stage, lambda: to_text(graph))
