"""The simulator against published measurements: python bench/fidelity.py [words that a source or row must contain]

Prints ours, published, and their ratio; the goal is 0.8 to 1.2. Every row is a program of ``bench/fidelity/``, run as a
user would run it, and a figure of its profile. To add a row, write ``bench/fidelity/<program>.cpp`` and add a line to
``ROWS``.

Why rows miss is said with them. No constant of the model is chosen for one row: ``machine/targets.cpp`` names where
they come from.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
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
def profile_of(command: str) -> Profile:
    """The profile that a program with arguments leaves."""
    program, *arguments = command.split()
    file = compiled(program).parent / "profile.json"
    run = (str(compiled(program)), *arguments)
    subprocess.run(run, check=True, env={**environment(), "DACE_IPU_PROFILE": str(file)}, cwd=file.parent)
    profile = open_report(file).programs[0].profile
    assert profile is not None  # the simulator wrote it
    return profile


def main() -> None:
    words = sys.argv[1:]
    table = Table(title="fidelity", show_lines=False)
    for column in ("", "ours", "published", "ratio", ""):
        table.add_column(column, justify="right" if column in ("ours", "published", "ratio") else "left")
    source = ""
    for row in ROWS:
        if not all(word in f"{row.source} {row.what}" for word in words):
            continue
        if row.source != source:
            table.add_row(f"[bold]{row.source}")
        source = row.source
        ours = row.figure(profile_of(row.program))
        ratio = ours / row.published
        why = "" if 0.8 <= ratio <= 1.2 else row.why or "not known"
        table.add_row(f"  {row.what}", _number(ours), _number(row.published), f"{ratio:.2f}", why)
    Console(width=160).print(table)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
