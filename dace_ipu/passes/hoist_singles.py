"""Scalar computations leave loops that do not change them, and stand together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from dace_ipu.passes.rewrite import accesses
from dace_ipu.passes.steps import touched, uses, written
from dace_ipu.tile_graph.body import Declare, Store, codes
from dace_ipu.tile_graph.nodes import MapStep, Repeat, RepeatWhile, Step, TileGraph, with_inner_steps

__all__ = ["HoistSingles"]


@dataclass(frozen=True)
class HoistSingles:
    """Before: ``repeat T times { d[0] = dx[0] ** 2; A[i] = A[i] / d[0]; e[0] = 2 * dx[0]; A[i] = A[i] * e[0] }``.

    After: ``d[0] = dx[0] ** 2; e[0] = 2 * dx[0]; repeat T times { A[i] = A[i] / d[0]; A[i] = A[i] * e[0] }``:
    ``merge_singles`` makes one compute set of the two scalars, and the maps are neighbours, which may be fused.

    A computation leaves a loop if nothing in the loop changes what it reads, nothing else in it writes the result, and
    nobody outside of the loop asks for it: it is now made even if the loop never turns. For the same reason what it
    reads must have been written before, and it must not divide integers. In a list of steps a computation moves up to
    the one before it, unless it depends on a step in between.
    """

    name: str = "hoist_singles"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with the same steps in another order."""
        kept = {variable.name for variable in graph.variables if variable.persistent}
        return replace(graph, steps=_arranged(graph.steps, frozenset(), uses(graph.steps), kept))


def _arranged(
    steps: tuple[Step, ...], defined: frozenset[str], users: Counter[str], kept: set[str]
) -> tuple[Step, ...]:
    """The steps of one list. ``defined`` are the variables that have been written before."""
    result: list[Step] = []
    for step in steps:
        before = defined
        step = with_inner_steps(step, lambda inner, before=before: _arranged(inner, before, users, kept))  # type: ignore[misc]
        for part in _out_of_loop(step, defined, users, kept):
            _append(result, part)
        defined |= written(step)
    return tuple(result)


def _append(steps: list[Step], step: Step) -> None:
    """Behind the last single computation if it may stand there, else at the end."""
    place = len(steps)
    if _is_simple(step):
        for index in range(len(steps) - 1, -1, -1):
            if _is_single(steps[index]):
                place = index + 1
                break
            if not _commute(steps[index], step):
                break
    steps.insert(place, step)


def _commute(first: Step, second: Step) -> bool:
    return not (written(first) & touched(second) or written(second) & touched(first))


def _out_of_loop(step: Step, defined: frozenset[str], users: Counter[str], kept: set[str]) -> tuple[Step, ...]:
    """What can leave a loop, and the loop without it; other steps as they are."""
    if not isinstance(step, (Repeat, RepeatWhile)):
        return (step,)
    hoisted: list[Step] = []
    for inner in step.body:
        rest = replace(step, body=tuple(s for s in step.body if s not in hoisted))
        if _may_leave(inner, rest, defined, users, kept):
            hoisted.append(inner)
            defined |= written(inner)
    body = tuple(s for s in step.body if s not in hoisted)
    return (*hoisted, replace(step, body=body))


def _may_leave(
    step: Step, loop: Repeat | RepeatWhile, defined: frozenset[str], users: Counter[str], kept: set[str]
) -> bool:
    if not isinstance(step, MapStep) or not _is_simple(step) or not _is_harmless(step):
        return False
    targets, others = written(step), tuple(s for s in loop.body if s is not step)
    reads = {read.data for statement in step.body for code in codes(statement) for _, read in code.reads}
    changed = written(replace(loop, body=others))
    if reads - defined or reads & (changed | targets) or targets & (changed | kept):
        return False
    earlier = loop.body[: loop.body.index(step)] + (loop.condition if isinstance(loop, RepeatWhile) else ())
    if any(targets & touched(other) for other in earlier):
        return False
    inside = uses((loop,))
    return all(users[name] == inside[name] for name in targets)


def _is_single(step: Step) -> bool:
    return isinstance(step, MapStep) and not step.domain


def _is_simple(step: Step) -> bool:
    """Whether a step only computes scalars and stores them: no loops, no branches."""
    if not isinstance(step, MapStep) or step.domain or step.note:
        return False
    return all(isinstance(s, Declare) or (isinstance(s, Store) and s.reduction is None) for s in step.body)


def _is_harmless(step: MapStep) -> bool:
    """Whether a step can run where it did not before: all it stores to are scalars, and nothing divides integers."""
    texts = [code.text for statement in step.body for code in codes(statement)]
    stores = [s.target for s in step.body if isinstance(s, Store)]
    constant = all(not index.free_symbols for s in step.body for access in accesses(s) for index in access.indices)
    return constant and all(len(s.indices) == 1 for s in stores) and not any("//" in t or "%" in t for t in texts)
