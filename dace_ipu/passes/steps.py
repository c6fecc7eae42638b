"""Walking and changing the steps of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from dace_ipu.passes.rewrite import accesses
from dace_ipu.tile_graph.body import Store, walk
from dace_ipu.tile_graph.nodes import Combine, ComputeSet, Copy, CopyIn, CopyOut, Direction, MapStep, Repeat, Step


def map_steps(steps: tuple[Step, ...], change: Callable[[Step], tuple[Step, ...]]) -> tuple[Step, ...]:
    """The program with every step but Repeats replaced by what ``change`` makes of it."""
    result: list[Step] = []
    for step in steps:
        if isinstance(step, Repeat):
            result.append(replace(step, body=map_steps(step.body, change)))
        else:
            result.extend(change(step))
    return tuple(result)


def walk_steps(steps: tuple[Step, ...]) -> Iterator[Step]:
    """All steps, also those in Repeats, in order."""
    for step in steps:
        yield step
        if isinstance(step, Repeat):
            yield from walk_steps(step.body)


def touched(step: Step) -> frozenset[str]:
    """The variables that a step (or anything inside a Repeat) reads or writes."""
    match step:
        case MapStep():
            return frozenset(access.data for s in walk(step.body) for access in accesses(s))
        case ComputeSet():
            return frozenset(edge.variable for edge in step.fields)
        case Copy():
            return frozenset((step.source_slice.variable, step.target_slice.variable))
        case CopyIn() | CopyOut():
            return frozenset((step.variable,))
        case Combine():
            return frozenset((step.partial, step.target.variable))
        case Repeat():
            return frozenset().union(*(touched(inner) for inner in step.body))


def written(step: Step) -> frozenset[str]:
    """The variables that a step (or anything inside a Repeat) writes."""
    match step:
        case MapStep():
            return frozenset(s.target.data for s in walk(step.body) if isinstance(s, Store))
        case ComputeSet():
            return frozenset(edge.variable for edge in step.fields if edge.direction is not Direction.INPUT)
        case Copy():
            return frozenset((step.target_slice.variable,))
        case CopyIn():
            return frozenset((step.variable,))
        case CopyOut():
            return frozenset()
        case Combine():
            return frozenset((step.target.variable,))
        case Repeat():
            return frozenset().union(*(written(inner) for inner in step.body))
