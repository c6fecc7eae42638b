"""Walking and changing the steps of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from dace_ipu.tile_graph.nodes import Repeat, Step


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
