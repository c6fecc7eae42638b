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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from matmul_rows import rows as matmul_rows
from rich.console import Console
from rich.table import Table

from dace_ipu.profile import open_report
from dace_ipu.profile.schema import Profile, Step
from dace_ipu.simulator import enable
from dace_ipu.simulator.build import ensure_built
from dace_ipu.simulator.toolchain import find_compiler

SOURCES = Path(__file__).parent / "fidelity"
Figure = Callable[[Profile], float]


@dataclass(frozen=True)
class Row:
    """``figure`` of the profile that ``program`` (with arguments) leaves, against the ``published`` one.

    ``why`` says why they differ, if they do and it is known.
    """

    source: str
    what: str
    program: str
    figure: Figure
    published: float
    why: str = ""


# ---- figures of a profile --------------------------------------------------------------------------------------------


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


# ---- rows ------------------------------------------------------------------------------------------------------------

_BLUR = "Gaussian blur, Mk1 hardware (lbm-graphcore)"
_CHEESE = "2200 1122"
_CUT = "the published cut into tiles has longer borders"
_COPIES = "both phases are modelled alike"
_HALO = "halo exchange, Mk1 model (lbm-graphcore)"
_MATVEC = "tutorial 6, Mk2 (graphcore/examples)"
_PI = "pi, one worker a tile, Bow hardware (UCL-RITS/pi_examples)"
_COUNTERS = 45  # two readings of the cycle counter
_SCALING = "stencil, 1000 iterations of two steps, Mk1 hardware, ms (lbm-graphcore)"


def blur_rows() -> Iterable[Row]:
    """The cycles of a step, by phase."""
    published = {  # exchange, between IPUs, before, after, sync, compute
        "half4 1": (637, 0, 5741, 4826, 64, 63531),
        "float2 1": (1173, 0, 8279, 6954, 117, 100257),
        "float 1": (1173, 0, 8279, 6954, 117, 210249),
        "half4 16": (263, 3043, 1611, 882, 501, 4446),
        "float2 16": (397, 4017, 1897, 954, 642, 7914),
        "float 16": (397, 4048, 1894, 954, 640, 13152),
    }
    figures: dict[str, tuple[Callable[[Step], float], str]] = {
        "exchange": (pure_exchange, _CUT),
        "exchange between IPUs": (lambda step: step.global_exchange_cycles, ""),
        "rearranging before": (lambda step: step.pre_arrange_cycles, ""),
        "rearranging after": (lambda step: step.post_arrange_cycles, _COPIES),
        "sync": (lambda step: step.sync_cycles, "64 and 117 published for one program in two types; the model has 83"),
        "compute": (vertices_only, ""),
    }
    for run, values in published.items():
        for (what, (figure, why)), value in zip(figures.items(), values, strict=True):
            if value:
                yield Row(_BLUR, f"{run}: {what}", f"blur {run} {_CHEESE}", of_step("blur", figure), value, why)


ROWS: list[Row] = [
    *blur_rows(),
    Row(_HALO, "compute", "halo", lambda p: p.cycles.compute, 12000),
    Row(_HALO, "exchange", "halo", lambda p: p.cycles.exchange, 5682),
    Row(_HALO, "sync", "halo", lambda p: p.cycles.sync, 3328),
    Row(_HALO, "total", "halo", lambda p: p.cycles.total, 21010),
    Row(_MATVEC, "model: compute", "matvec model", average_compute, 3801.8),
    Row(_MATVEC, "model: exchange", "matvec model", lambda p: p.cycles.exchange, 8697.4),
    Row(_MATVEC, "model: host", "matvec model", lambda p: p.cycles.host, 6663550.8),
    Row(_MATVEC, "model: sync", "matvec model", lambda p: p.cycles.sync, 1134.8),
    Row(_MATVEC, "model: total", "matvec model", lambda p: p.cycles.total, 6681766),
    Row(_MATVEC, "hardware: compute", "matvec hardware", average_compute, 28300.3),
    Row(_MATVEC, "hardware: exchange", "matvec hardware", lambda p: p.cycles.exchange, 8743.1),
    Row(_MATVEC, "hardware: host", "matvec hardware", lambda p: p.cycles.host, 2641488.4),
    Row(_PI, "1,000 slices", "pi 1000", lambda p: p.cycles.compute + p.cycles.sync + _COUNTERS, 90084),
    *(
        Row(_SCALING, f"float, {ipus} IPUs", f"blur float {ipus} {_CHEESE}", milliseconds(2000), published)
        for ipus, published in ((1, 284.24), (2, 162.5), (4, 83.15), (8, 52.26), (16, 30.3))
    ),
    *matmul_rows(Row),
]


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
