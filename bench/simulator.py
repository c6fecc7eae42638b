"""Time and memory of the simulator itself, and how they grow: python bench/simulator.py

Goals: 100,000 vertices with four fields built and compiled in 1.5 s; axpy on 64 IPUs in 20 s and 4 GB; a matrix-vector
product with 70,000 vertices in 5 s; growth linear in vertices, tiles and steps.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from table import show

from dace_ipu.simulator.build import ensure_built
from dace_ipu.simulator.enable import environment
from dace_ipu.simulator.toolchain import find_compiler

HERE = Path(__file__).parent

CASES = (
    ("100,000 vertices x 4 fields", ("axpy", 12, 1472, 2), "build + compile < 1.5 s"),
    ("64 IPUs, axpy", ("axpy", 64, 1472, 64), "all < 20 s, < 4 GB"),
    ("matrix-vector, 70,000 rows", ("matvec", 70000, 1000), "all < 5 s"),
)
GROWTH = (
    *((f"{6 * n * 1472:,} vertices, {n} IPUs", ("axpy", n, 1472, 2), 6 * n * 1472) for n in (2, 4, 8, 16)),
    *((f"{n:,} tiles, 6 vertices each", ("axpy", 1, n, 16), n) for n in (2000, 4000, 8000, 16000)),
    *((f"{n:,} control-program steps", ("steps", n), n) for n in (2000, 4000, 8000, 16000)),
)


def compiled(folder: Path) -> Path:
    """Compile the measured program."""
    libraries = ensure_built()
    program = folder / "simulator"
    flags = (
        "-std=c++17",
        "-O1",
        f"-I{libraries.include_dir}",
        f"-L{libraries.lib_dir}",
        f"-Wl,-rpath,{libraries.lib_dir}",
    )
    command = (*find_compiler().command, *flags, str(HERE / "simulator.cpp"), "-lpoplar", "-o", str(program))
    subprocess.run(command, check=True)
    return program


def measure(program: Path, arguments: tuple[object, ...]) -> list[float]:
    """Seconds of building, compiling and running, and peak memory in GB."""
    command = [str(program), *map(str, arguments)]
    result = subprocess.run(
        command, cwd=HERE, env={**os.environ, **environment()}, check=True, text=True, stdout=subprocess.PIPE
    )
    return [float(word) for word in result.stdout.split()]


def main() -> None:
    columns = ("case", "build s", "compile s", "run s", "all s", "peak GB")
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        rows = []
        for name, arguments, goal in CASES:
            build, compile_, run, memory = measure(program, arguments)
            rows.append((name, build, compile_, run, build + compile_ + run, memory, goal))
        show("the simulator", (*columns, "goal"), rows)
        growth = []
        for name, arguments, count in GROWTH:
            build, compile_, run, memory = measure(program, arguments)
            seconds = build + compile_ + run
            growth.append((name, build, compile_, run, seconds, memory, seconds / count * 1e6))
        show("growth", (*columns, "us each"), growth)


if __name__ == "__main__":
    main()
