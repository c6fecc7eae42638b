"""Loops that carry nothing but counters, and what they store there, become prefix sums and movements over all tiles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import sympy

from dace_ipu.passes.domain import ONE
from dace_ipu.passes.fuse_turns import fused_turns
from dace_ipu.passes.new_steps import NewSteps
from dace_ipu.passes.rewrite import accesses, local_arrays
from dace_ipu.passes.running_sums import with_counters
from dace_ipu.passes.scan_steps import ScanSteps
from dace_ipu.passes.steps import uses
from dace_ipu.passes.turn_loops import TurnLoop, turn_loop
from dace_ipu.passes.turn_stores import At, Counts, stores_of
from dace_ipu.passes.vertex_loops import VertexLoop
from dace_ipu.tile_graph.body import Boolean, Expr, For, walk
from dace_ipu.tile_graph.nodes import Choice, MapStep, Repeat, RepeatWhile, Step, TileGraph, Variable, with_inner_steps

__all__ = ["LoopsToScans"]

FEW = 256  # turns: fewer take less in one vertex, or in their compute sets, than some fifteen compute sets do
NOTE = "runs on one tile, whole in one vertex, where turns are few: movement between tiles is estimated to take longer"
MANY = 1 << 24  # turns: more than fit anyway, and few enough for 32 bits in all that is counted


@dataclass(frozen=True)
class LoopsToScans:
    """Before: ``n[0] = 0; for j in 0:N { if mask[j] { out[n[0]] = x[j]; n[0] = n[0] + 1 } }``, a turn at a time.

    After: ``for j in 0:N { chosen[j] = 0; if mask[j] { chosen[j] = 1; x_chosen[j] = x[j] } }``; the prefix sums of
    ``chosen`` (``prefix_sums``); ``x_chosen`` moved to its place, in three steps (``compaction``); ``for r in 0:N { if
    r < total[0] { out[n[0] + r] = x_compact[r] } }; n[0] = n[0] + total[0]``.

    A counter is an integer of the device that turns add integers to, whether they do or not being no matter of a
    counter. What turns store may be at a counter that they advance by one, which compacts; at their own place, with
    any use of counters (cumulative sums, numbers of what was chosen); or where data says, ``A[row[j], column[j]] =
    x[j]``: what is chosen is compacted, and who owns the elements goes through it in order (``ordered_stores``).
    Sums of floats stay as they are, as another order rounds otherwise.

    Only where each array is stored to in one place, and turns read none of what others store: at its own place, an
    array that is compacted in place may be read, before the store, if the counter starts at or below the first turn.
    """

    name: str = "loops_to_scans"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with maps for such loops, or a choice where their turns may be few."""
        work = _Work(graph)
        steps = work.changed(graph.steps)
        left = uses(steps)
        variables = (*graph.variables, *work.added)
        return replace(graph, steps=steps, variables=tuple(v for v in variables if left[v.name] or v.persistent))


@dataclass
class _Work:
    graph: TileGraph
    added: list[Variable] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.new = NewSteps(self.graph, self.added)
        self.used: Counter[str] = uses(self.graph.steps)

    def changed(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The steps of one list, outer loops first."""
        result: dict[int, tuple[Step, ...]] = {}
        done: set[int] = set()  # loops that run together with one before, and what sets their counters
        for place, step in enumerate(steps):
            result[place] = () if place in done else (step,)
            if place in done:
                continue
            if isinstance(step, MapStep):
                result[place] = self._taken_out(step, steps[:place])
                continue
            found = self._loops(steps, place)
            if found is None:
                result[place] = (with_inner_steps(step, self.changed),)
                continue
            loop, members, scans = found
            if scans is not None:
                done |= members
                few = self._in_one_vertex(loop, scans.turns) or tuple(steps[k] for k in sorted(members))
                result |= dict.fromkeys(members, ())
                result[place] = _chosen(scans, few)
        return tuple(step for place in range(len(steps)) for step in result[place])

    def _loops(self, steps: tuple[Step, ...], place: int) -> tuple[TurnLoop, set[int], ScanSteps | None] | None:
        """The loop at a place, together with those right behind it that run over the same turns; the positions of all
        their steps; and what becomes of them. None if it is no loop whose turns are plain.
        """
        loop = self._turns(steps, place)
        counts = None if loop is None else stores_of(loop.body, loop.turn, self.graph)
        if loop is None:
            return None
        if counts is None:
            sums = self._counted(loop, steps[:place])
            return None if sums is None else (loop, {loop.start, place}, sums)
        alone = (loop, {loop.start, place}, self._scans(loop, counts, steps[:place]))
        found, last, members = alone, place, {loop.start, place}
        while found[2] is not None:
            behind = next((k for k in range(last + 1, len(steps)) if isinstance(steps[k], Repeat | RepeatWhile)), None)
            second = None if behind is None else self._turns(steps, behind)
            if behind is None or second is None or {*range(last + 1, behind)} - {second.start}:
                break
            both = fused_turns(found[0], second, self.new.taken)
            counts = None if both is None else stores_of(both.body, both.turn, self.graph)
            if both is None or counts is None:
                break
            last, members = behind, {*members, second.start, behind}
            found = (both, members, self._scans(both, counts, steps[:place]))
        return found if found[2] is not None else alone

    def _counted(self, loop: TurnLoop, before: tuple[Step, ...]) -> ScanSteps | None:
        """What a loop becomes, if need be with counters for its running sums."""
        kept = len(self.added)
        counting, first = with_counters(loop, self._work(), self.new)
        counts = stores_of(counting.body, counting.turn, self._work())
        scans = None if counts is None else self._scans(counting, counts, (*before, *first))
        if scans is None:
            del self.added[kept:]
            return None
        return replace(scans, steps=(*first, *scans.steps))

    def _work(self) -> TileGraph:
        """The graph with the variables that it has got so far."""
        return replace(self.graph, variables=(*self.graph.variables, *self.added))

    def _turns(self, steps: tuple[Step, ...], place: int) -> TurnLoop | None:
        return turn_loop(steps, place, self.graph, self.used, self.new.taken)

    def _in_one_vertex(self, loop: TurnLoop, turns: Expr) -> tuple[Step, ...]:
        """The loop on one tile, for few turns; empty if an array may have more elements than there are turns."""
        body = (*loop.prelude, For(loop.turn, loop.begin, loop.end, ONE, loop.body))
        local = local_arrays(body)
        names = {access.data for s in walk(body) for access in accesses(s)} - local
        sizes = [sympy.expand(sympy.prod(self.graph.variable(name).shape)) for name in sorted(names)]
        if not all(size == turns or (size.is_Integer and size <= FEW) for size in sizes):
            return ()
        self.new.source = loop.source
        return (replace(self.new.map(f"loop_{loop.turn}", (), *body), note=NOTE),)

    def _taken_out(self, step: MapStep, before: tuple[Step, ...]) -> tuple[Step, ...]:
        """What a map becomes that is one loop in one vertex."""
        kept = len(self.added)
        vertex = VertexLoop.of(step, self.graph, self.used, self.new)
        scans = None if vertex is None else self._counted(vertex.loop, (*before, *vertex.first))
        if vertex is None or scans is None:
            del self.added[kept:]
            return (step,)
        return _chosen(replace(scans, steps=(*vertex.first, *scans.steps, *vertex.then)), (step,))

    def _scans(self, loop: TurnLoop, counts: Counts, before: tuple[Step, ...]) -> ScanSteps | None:
        """What a loop becomes; None if its turns are independent as they are, or too few or too many."""
        if not counts.stores or not (counts.advances or any(each.at is At.DATA for each in counts.stores)):
            return None
        kept = len(self.added)
        scans = ScanSteps.of(loop, counts, before, self._work(), self.new)
        if scans is None or _is_better(scans) == sympy.false:
            del self.added[kept:]
            return None
        return scans


def _chosen(scans: ScanSteps, loop: tuple[Step, ...]) -> tuple[Step, ...]:
    condition = _is_better(scans)
    return scans.steps if condition == sympy.true else (Choice(condition, scans.steps, loop),)


def _is_better(scans: ScanSteps) -> Boolean:
    return sympy.And(scans.turns > FEW, scans.turns <= MANY)
