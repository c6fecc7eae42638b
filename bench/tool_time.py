"""Code generation and compilation against DaCe's CPU backend: python bench/tool_time.py

Goal: at most twice the CPU backend's. Each program is compiled for both in this process, with caches of compiled
codelets empty.
"""

from __future__ import annotations

import os
import tempfile
import time

from programs import PROGRAMS, Program
from table import show

import dace_ipu


def seconds(program: Program, target: str, run: int) -> float:
    """From the SDFG to the loaded library; for the IPU with the codelets compiled as well (a first call on a small
    problem).
    """
    sdfg = program.sdfg(f"{target}_{run}")
    start = time.perf_counter()
    if target == "ipu":
        dace_ipu.to_ipu(sdfg)
    compiled = sdfg.compile()
    compiled(**program.arguments(16))
    return time.perf_counter() - start


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DACE_default_build_folder"] = folder
        seconds(PROGRAMS["axpy"], "cpu", 99)  # precompiled header and CMake's own caches
        seconds(PROGRAMS["axpy"], "ipu", 99)
        for name, program in PROGRAMS.items():
            cpu, ipu = (min(seconds(program, target, run) for run in range(2)) for target in ("cpu", "ipu"))
            rows.append((name, cpu, ipu, ipu / cpu))
    show("code generation + compilation + first call", ("program", "CPU s", "IPU s", "ratio"), rows)


if __name__ == "__main__":
    main()
