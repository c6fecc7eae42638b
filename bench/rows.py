"""A row of ``fidelity.py``, and the figures of a profile that rows are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dace_ipu.profile.schema import Profile, Step

__all__ = ["Figure", "Row", "average_compute", "milliseconds", "of_step", "pure_exchange", "vertices_only"]

Figure = Callable[[Profile], float]


@dataclass(frozen=True)
class Row:
    """``figure`` of the profile that ``program`` (with arguments) leaves, against the ``published`` one.

    With a ``pattern`` it is the number that this finds in what the program prints; with ``faster_than`` it is how often
    it goes into the same figure of that program. ``why`` says why they differ, if
    they do and it is known.
    """

    source: str
    what: str
    program: str
    figure: Figure
    published: float
    why: str = ""
    pattern: str = ""
    faster_than: str = ""


def of_step(name: str, figure: Callable[[Step], float]) -> Figure:
    """A figure of one execution of the step with that name."""

    def read(profile: Profile) -> float:
        step = next(step for step in profile.steps if step.name == name)
        return figure(step) / step.executions

    return read


def pure_exchange(step: Step) -> float:
    """Without the links between IPUs."""
    return step.exchange_cycles - step.global_exchange_cycles


def vertices_only(step: Step) -> float:
    """Compute without rearranging."""
    return step.compute_cycles - step.rearrange_cycles


def average_compute(profile: Profile) -> float:
    """Of all tiles, as the SDK prints it."""
    return sum(step.compute_cycles * step.balance for step in profile.steps)


def milliseconds(steps: int) -> Figure:
    """What ``steps`` steps like all of this run together take."""
    return lambda profile: profile.microseconds(profile.cycles.total) * steps / 1e3
