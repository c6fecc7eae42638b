"""Draws a report with matplotlib."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from dace_ipu.profile.schema import Profile, ReportError, Step

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dace_ipu.profile.report import Report

__all__ = ["figure", "png"]

_SIZE = (9.0, 4.5)  # inches
_LABELLED = 0.06  # steps with a smaller share of the cycles have no room for a name

#: The phases in the order in which a step goes through them, with colours that differ in lightness too.
_PHASES = {"sync": "#bbbbbb", "exchange": "#ee9933", "rearrange": "#77bbcc", "compute": "#3366aa", "host": "#773355"}


def figure(report: Report, program: int) -> Figure:
    """See ``Report.figure``."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ReportError("a figure needs matplotlib: pip install 'dace-ipu[report]'") from error
    profile = _profile(report, program)
    drawing = Figure(figsize=_SIZE, layout="constrained")
    steps, tiles = drawing.subplots(2, 1, height_ratios=(1, 2))
    _draw_steps(steps, profile)
    _draw_memory(tiles, profile)
    drawing.suptitle(f"{report.programs[program].program} {report.programs[program].symbols}".strip())
    return drawing


def png(report: Report) -> bytes | None:
    """The figure of the first program as a PNG, None if that is not possible."""
    buffer = io.BytesIO()
    try:
        figure(report, 0).savefig(buffer, format="png")
    except ReportError:
        return None
    return buffer.getvalue()


def _profile(report: Report, program: int) -> Profile:
    if not 0 <= program < len(report.programs):
        raise ReportError(f"the report of '{report.name}' has {len(report.programs)} programs, no number {program}")
    profile = report.programs[program].profile
    if profile is None:
        raise ReportError(f"'{report.name}' did not run on the simulator: there is no profile to draw")
    return profile


def _draw_steps(axes: Any, profile: Profile) -> None:
    """One strip: every step as long as it takes, in the order of the program, divided into phases."""
    begin = 0.0
    for step in profile.steps:
        _draw_step(axes, step, begin, profile)
        begin += profile.microseconds(step.cycles)
    for phase, colour in _PHASES.items():
        axes.barh(0, 0, color=colour, label=phase)
    axes.legend(ncols=len(_PHASES), loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    axes.set(xlabel="µs, all runs", yticks=[], xlim=(0, begin or 1))


def _draw_step(axes: Any, step: Step, begin: float, profile: Profile) -> None:
    middle = begin + profile.microseconds(step.cycles) / 2
    for phase, colour in _PHASES.items():
        length = profile.microseconds(_cycles(step, phase))
        axes.barh(0, length, left=begin, color=colour, edgecolor="white", linewidth=0.3)
        begin += length
    if step.cycles > _LABELLED * profile.cycles.total:
        axes.text(middle, 0, step.name, ha="center", va="center", color="white", fontsize="small", clip_on=True)


def _cycles(step: Step, phase: str) -> int:
    """Cycles of a step in one phase; rearranging is a part of compute, and drawn apart."""
    cycles: int = getattr(step, f"{phase}_cycles")
    return cycles - step.rearrange_cycles if phase == "compute" else cycles


def _draw_memory(axes: Any, profile: Profile) -> None:
    memory = profile.memory
    axes.fill_between(range(len(memory.per_tile)), memory.per_tile, step="mid", color=_PHASES["compute"])
    if memory.max_bytes > profile.target.bytes_per_tile / 2:
        axes.axhline(profile.target.bytes_per_tile, color="black", linewidth=0.8, label="available")
        axes.legend(frameon=False)
    axes.set(xlabel="tile", ylabel="bytes", ylim=(0, None))
