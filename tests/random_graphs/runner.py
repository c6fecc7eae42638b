"""Compiles driver.cpp, runs programs of model.py on it and compares what they read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from dace_ipu.simulator.build import Libraries
from dace_ipu.simulator.popc import driver as popc
from dace_ipu.simulator.toolchain import find_compiler
from tests.random_graphs.model import generate

__all__ = ["build_driver", "mismatches"]

HERE = Path(__file__).parent


def build_driver(libraries: Libraries, folder: Path, flags: tuple[str, ...] = ("-O0",)) -> tuple[str, str]:
    """Return the command: the compiled driver and its module of codelets."""
    program, module = folder / "driver", folder / "codelets.gp"
    link = (f"-L{libraries.lib_dir}", "-lpoplar", f"-Wl,-rpath,{libraries.lib_dir}", "-pthread")
    command = (*find_compiler().command, "-std=c++17", *flags, f"-I{libraries.include_dir}", str(HERE / "driver.cpp"))
    subprocess.run([*command, *link, "-o", str(program)], check=True)
    assert popc.main([str(HERE / "codelets.cpp"), "-o", str(module)]) == 0
    return str(program), str(module)


def mismatches(command: tuple[str, str], seeds: Iterable[int], threads: int = 2) -> list[str]:
    """Return a text for every seed whose program fails or reads other values than the model."""
    wanted = list(seeds)
    programs = [generate(seed) for seed in wanted]
    text = "\n".join(line for program in programs for line in program.lines) + "\n"
    environment = {**os.environ, "DACE_IPU_THREADS": str(threads)}
    result = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, env=environment)
    outputs = result.stdout.split("done\n")
    found = [] if result.returncode == 0 else [f"the driver ended with {result.returncode} after {len(outputs) - 1}"]
    for seed, program, output in zip(wanted, programs, outputs, strict=False):
        problem = _compare(output.splitlines(), program.expected)
        if problem:
            found.append(f"seed {seed}: {problem}\n" + "\n".join(program.lines))
    return found


def _compare(lines: list[str], expected: list[np.ndarray]) -> str:  # type: ignore[type-arg]
    errors = [line for line in lines if line.startswith("error")]
    if errors or len(lines) != len(expected):
        return errors[0] if errors else f"{len(lines)} lines instead of {len(expected)}"
    for number, (line, values) in enumerate(zip(lines, expected, strict=True)):
        got = np.array([float(word) for word in line.split()])
        if not np.array_equal(got, values.astype(float)):
            return f"read {number} gives {got}, expected {values}"
    return ""
