"""The simulator against published measurements.

Prints ours, published, and their ratio; the goal is 0.8 to 1.2. Every row is a program of ``bench/fidelity/``, run as a
user would run it, and a figure of its profile. To add a row, write ``bench/fidelity/<program>.cpp`` and add a line to
one of the ``*_rows.py``.

Why rows miss is said with them. No constant of the model is chosen for one row: ``machine/targets.cpp`` names where
they come from.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import re
import subprocess
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import matmul_rows
import stencil_rows
import vertex_rows
from rich.console import Console
from rich.table import Table
from rows import Row

from dace_ipu.profile import open_report
from dace_ipu.profile.schema import Profile
from dace_ipu.simulator import enable
from dace_ipu.simulator.build import ensure_built
from dace_ipu.simulator.toolchain import find_compiler

_COLUMNS = ("", "ours", "published", "ratio", "why")
_BEGIN, _END = "<!-- generated: python bench/fidelity.py --markdown docs/fidelity.md -->", "<!-- end -->"

SOURCES = Path(__file__).parent / "fidelity"

ROWS: list[Row] = [*stencil_rows.rows(), *vertex_rows.rows(), *matmul_rows.rows()]


# ---- running ---------------------------------------------------------------------------------------------------------


@functools.cache
def compiled(program: str) -> Path:
    """The program as an executable."""
    folder = Path(tempfile.mkdtemp(prefix="fidelity_"))
    define = f'-DFIDELITY_SOURCES="{SOURCES}"'
    command = (*find_compiler().command, "-std=c++17", "-O1", define, str(SOURCES / f"{program}.cpp"))
    libraries = [f"-l{library.stem.removeprefix('lib')}" for library in sorted(ensure_built().lib_dir.glob("lib*.so"))]
    subprocess.run((*command, *libraries, "-o", str(folder / program)), check=True, env=environment())
    return folder / program


@functools.cache
def environment() -> dict[str, str]:
    """Of a shell in which the simulator is enabled."""
    return {**os.environ, **enable.environment()}


@functools.cache
def run(command: str) -> tuple[str, Profile | None]:
    """What a program with arguments prints, and the profile that it leaves, if it does."""
    program, *arguments = command.split()
    file = compiled(program).parent / "profile.json"
    file.unlink(missing_ok=True)
    words = (str(compiled(program)), *arguments)
    variables = {**environment(), "DACE_IPU_PROFILE": str(file)}
    output = subprocess.run(words, check=True, env=variables, cwd=file.parent, capture_output=True, text=True).stdout
    return output, open_report(file).programs[0].profile if file.exists() else None


def value_of(row: Row) -> float:
    """What the simulator has for a row."""
    if row.faster_than:
        slower = replace(row, program=row.faster_than, faster_than="")
        return value_of(slower) / value_of(replace(row, faster_than=""))
    output, profile = run(row.program)
    if row.pattern:
        return max(float(number) for number in re.findall(row.pattern, output))
    assert profile is not None  # the simulator wrote it
    return row.figure(profile)


# ---- output ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """A row and what the simulator has for it."""

    row: Row
    ours: float

    @property
    def ratio(self) -> float:
        return self.ours / self.row.published

    @property
    def is_met(self) -> bool:
        return 0.8 <= self.ratio <= 1.2

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        why = "" if self.is_met else self.row.why or "not known"
        return self.row.what, _number(self.ours), _number(self.row.published), f"{self.ratio:.2f}", why


def by_source(results: Sequence[Result]) -> Iterator[tuple[str, list[Result]]]:
    """The results under the titles of their sources."""
    for source, group in itertools.groupby(results, key=lambda result: result.row.source):
        yield source, list(group)


def show(results: Sequence[Result]) -> None:
    """Print the table."""
    table = Table(title="fidelity", show_lines=False)
    for column in _COLUMNS:
        table.add_column(column, justify="right" if column in _COLUMNS[1:4] else "left")
    for source, group in by_source(results):
        table.add_row(f"[bold]{source}")
        for result in group:
            what, *others = result.cells
            table.add_row(f"  {what}", *others)
    Console(width=160).print(table)


def write_markdown(results: Sequence[Result], file: Path) -> None:
    """Put the table into a page, between its marks."""
    lines = [summary(results), ""]
    for source, group in by_source(results):
        lines += [f"### {source[0].upper()}{source[1:]}", "", f"| {' | '.join(_COLUMNS)} |", "|---|--:|--:|--:|---|"]
        lines += [f"| {' | '.join(result.cells)} |" for result in group] + [""]
    head, _, rest = file.read_text(encoding="utf-8").partition(_BEGIN)
    tail = rest.partition(_END)[2]
    file.write_text("\n".join([head + _BEGIN, *lines, _END]) + tail, encoding="utf-8")


def summary(results: Sequence[Result]) -> str:
    """How many rows are met."""
    met = sum(result.is_met for result in results)
    return f"{met} of {len(results)} figures are within 20 % of the published ones."


def draw(results: Sequence[Result], file: Path) -> None:
    """Draw the ratios as points, a line a source, over the band of 20 %."""
    from matplotlib.figure import Figure

    groups = list(by_source(results))
    figure = Figure(figsize=(9, 0.42 * len(groups) + 1.2), layout="constrained")
    axes = figure.subplots()
    axes.axvspan(0.8, 1.2, color="tab:green", alpha=0.15, lw=0)
    axes.axvline(1, color="tab:green", lw=1)
    for line, (_, group) in enumerate(groups):
        ratios = [result.ratio for result in group]
        axes.scatter(ratios, [line] * len(ratios), s=18, c=["k" if r.is_met else "tab:red" for r in group], alpha=0.7)
    axes.set_yticks(range(len(groups)), [textwrap.shorten(source, 60, placeholder="...") for source, _ in groups])
    axes.invert_yaxis()
    axes.set_xscale("log", base=2)
    axes.set_xticks([0.25, 0.5, 0.8, 1, 1.2, 2], ["1/4", "1/2", "0.8", "1", "1.2", "2"])
    axes.set_xlabel("ours / published")
    figure.savefig(file, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="words that a source or row must contain")
    parser.add_argument("--markdown", type=Path, help="a page to write the table into")
    parser.add_argument("--figure", type=Path, help="a picture of the ratios to write")
    arguments = parser.parse_args()
    rows = [row for row in ROWS if all(word in f"{row.source} {row.what}" for word in arguments.words)]
    results = [Result(row, value_of(row)) for row in rows]
    show(results)
    print(summary(results))
    if arguments.markdown:
        write_markdown(results, arguments.markdown)
    if arguments.figure:
        draw(results, arguments.figure)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
