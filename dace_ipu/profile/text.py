"""A report as plain text, of at most 60 lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dace_ipu.profile.advice import advice
from dace_ipu.profile.codelets import codelet_rows, not_priced
from dace_ipu.profile.schema import Build, Memory, Profile, ProgramReport, Step

if TYPE_CHECKING:
    from dace_ipu.profile.report import Report

__all__ = ["report_text"]

_WIDTH = 100
_DETAILED = 2  # programs with a section of their own
_STEPS = 6  # of these together
_CODELETS = 3
_NOTES = 5  # lines of notes
_BUILDS = 2
_CATEGORIES = 4
_VARIABLES = 3


def report_text(report: Report) -> str:
    """The whole text, without a trailing newline."""
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield f"IPU report of '{report.name}'"
    profile = next((p.profile for p in report.programs if p.profile is not None), None)
    if profile is not None:
        yield f"  {_machine(profile)}"
    detailed = report.programs[:_DETAILED]
    for program in detailed:
        yield ""
        yield from _program_lines(program, len(detailed))
    others = [_title(program) for program in report.programs[_DETAILED:]]
    yield from (f"{line.strip()}, not shown" for line in _first(others, 1))
    notes = not_priced(program.profile for program in detailed if program.profile is not None)
    yield from (f"  {line}" for note in notes for line in textwrap.wrap(note, _WIDTH))
    yield from _note_lines(report)
    yield from _build_lines(report.builds)


def _machine(profile: Profile) -> str:
    target = profile.target
    ipus = "1 IPU" if target.num_ipus == 1 else f"{target.num_ipus} IPUs"
    tiles = f"{target.num_tiles:,} tiles of {target.bytes_per_tile:,} bytes"
    return f"{target.name} ({target.arch}, simulated): {ipus}, {tiles}, {target.clock / 1e6:,.0f} MHz"


def _title(program: ProgramReport) -> str:
    return f"{program.program}{f' with {program.symbols}' if program.symbols else ''}, {_times(program.runs, 'run')}"


def _program_lines(program: ProgramReport, shared: int) -> Iterator[str]:
    """The section of one of ``shared`` programs."""
    yield _title(program)
    if program.profile is None:
        yield "  no profile: it ran on hardware, where Graphcore's PopVision tools show one"
        return
    yield from _cycle_lines(program.profile)
    yield from _tile_lines(program.profile)
    yield from _memory_lines(program.profile)
    yield from _step_lines(program.profile, _STEPS // shared)
    yield from _codelet_lines(program.profile, _CODELETS // shared)
    yield from (f"  hint: {line}" for line in advice(program.profile))


def _cycle_lines(profile: Profile) -> Iterator[str]:
    runs = max(profile.runs, 1)
    rows = []
    for phase, value in _phases(profile):
        us = profile.microseconds(value / runs)
        rows.append((phase, f"{value:,}", _share(value, profile.cycles.total), f"{us:,.2f}"))
    yield from _table(("cycles, all runs", "", "", "us a run"), rows)


def _phases(profile: Profile) -> Iterator[tuple[str, int]]:
    cycles = profile.cycles
    yield "compute", cycles.compute
    if cycles.rearrange:
        yield "  of it rearranging", cycles.rearrange
    yield "exchange", cycles.exchange
    if cycles.global_exchange:
        yield "  of it between IPUs", cycles.global_exchange
    yield from (("sync", cycles.sync), ("host", cycles.host), ("total", cycles.total))


def _tile_lines(profile: Profile) -> Iterator[str]:
    computing = [step for step in profile.steps if step.vertices]
    if not computing:
        yield "  tiles: no step computes"
        return
    used = max(step.tiles_used for step in computing)
    weight = sum(step.compute_cycles for step in computing)
    balance = sum(step.balance * step.compute_cycles for step in computing) / weight if weight else 1.0
    yield f"  tiles: {used:,} of {profile.target.num_tiles:,} compute, balance {balance:.0%} (mean load / largest load)"


def _memory_lines(profile: Profile) -> Iterator[str]:
    memory, available = profile.memory, profile.target.bytes_per_tile
    over = sum(beyond > 0 for beyond in memory.per_tile_overflowed)
    yield (
        f"  memory: tile {memory.max_tile} is the fullest, {memory.max_bytes:,} of {available:,} bytes "
        f"({_share(memory.max_bytes, available)}); all tiles {memory.total_bytes:,}"
    )
    if over:
        yield f"    {_times(over, 'tile')} OUT OF MEMORY"
    yield f"    of these: {_contents(memory)}"
    variables = _first([f"{v.name} {v.bytes:,}" for v in memory.largest_variables_of_max_tile], _VARIABLES)
    yield f"    largest variables: {', '.join(variables) or 'none'}"


def _contents(memory: Memory) -> str:
    largest = sorted(memory.by_category_of_max_tile.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {used:,}" for name, used in largest[:_CATEGORIES] if used) or "nothing"


def _step_lines(profile: Profile, count: int) -> Iterator[str]:
    steps = sorted((step for step in profile.steps if step.cycles), key=lambda step: -step.cycles)
    rows = [_step_row(step, profile) for step in steps[:count]]
    if rows:
        yield from _table(("steps that take longest", "cycles", "", "times", "tiles", "balance"), rows)
    if len(steps) > count:
        yield f"    and {len(steps) - count} more"


def _step_row(step: Step, profile: Profile) -> tuple[str, ...]:
    name = textwrap.shorten(f"{step.name} ({step.kind})", 48, placeholder="...")
    tiles = (f"{step.tiles_used:,}", f"{step.balance:.0%}") if step.vertices else ("", "")
    return name, f"{step.cycles:,}", _share(step.cycles, profile.cycles.total), f"{step.executions:,}", *tiles


def _codelet_lines(profile: Profile, count: int) -> Iterator[str]:
    rows = [(textwrap.shorten(row[0], 48, placeholder="..."), *row[1:]) for row in codelet_rows(profile, count)]
    if rows:
        yield from _table(("codelets that cost most", "vertices", "slots an element", "from"), rows)


def _note_lines(report: Report) -> Iterator[str]:
    notes = list(dict.fromkeys(note for program in report.programs for note in program.notes))
    wrapper = textwrap.TextWrapper(_WIDTH, initial_indent="  ", subsequent_indent="    ")
    lines = [line for note in notes for line in wrapper.wrap(note)]
    if lines:
        yield from ("", "where scopes run", *_first(lines, _NOTES))


def _build_lines(builds: Sequence[Build]) -> Iterator[str]:
    if not builds:
        return
    yield from ("", f"{_times(len(builds), 'graph')} built, the last first")
    lines = [f"  {build.program}: {build.reason} ({build.seconds:.2f} s)" for build in reversed(builds)]
    yield from _first(lines, _BUILDS)


# ---- layout ----------------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The first column to the left, the others to the right."""
    table = [("  " + head[0], *head[1:]), *(("    " + row[0], *row[1:]) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for first, *others in table:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()


def _first(items: Sequence[str], count: int) -> Iterator[str]:
    """The first few, and how many there are besides."""
    yield from items[:count]
    if len(items) > count:
        yield f"  and {len(items) - count} more"


def _share(part: int, total: int) -> str:
    return f"{part / total if total else 0:.1%}"


def _times(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
