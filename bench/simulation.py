"""Run time on the simulator against DaCe's CPU backend, same kernel, 16 M elements: python bench/simulation.py

Goal: at most three times the CPU backend's for axpy and the stencil.
"""

from __future__ import annotations

from functools import partial

from programs import PROGRAMS
from table import median_seconds, show

import dace_ipu

SIZES = {"axpy": 16 * 2**20, "stencil": 4096, "jacobi": 1024, "total": 16 * 2**20}


def main() -> None:
    rows = []
    for name, size in SIZES.items():
        program = PROGRAMS[name]
        arguments = program.arguments(size)
        cpu = program.sdfg("cpu_run").compile()
        ipu = dace_ipu.to_ipu(program.sdfg("ipu_run")).compile()
        seconds = [median_seconds(partial(run, **arguments), 5) for run in (cpu, ipu)]
        rows.append((name, size, *seconds, seconds[1] / seconds[0]))
    show("one call", ("program", "n", "CPU s", "simulated IPU s", "ratio"), rows)


if __name__ == "__main__":
    main()
