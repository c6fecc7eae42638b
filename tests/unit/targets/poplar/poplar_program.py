"""Whole programs for tests: printed, compiled, linked with the simulator, called as DaCe's frame would."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dace_ipu.environment import RUNTIME_INCLUDE
from dace_ipu.simulator.build import ensure_built
from dace_ipu.simulator.enable import activate
from dace_ipu.targets.poplar.program import Options, run_name, texts
from dace_ipu.tile_graph.nodes import TileGraph

# What DaCe's file header brings along, as far as the host program needs it.
HEADER = """\
#include <cstdint>
#include <dace_ipu/forward.hpp>
#define DACE_EXPORTED
namespace dace {
struct float16 { unsigned short bits; };
struct complex64 { float re, im; };
struct complex128 { double re, im; };
}
struct state_t { dace_ipu::Programs *ipu_programs; };
"""


class State(ctypes.Structure):
    """The state struct of a program."""

    _fields_ = (("ipu_programs", ctypes.c_void_p),)


class Program:
    """A compiled program and its state."""

    def __init__(self, library: ctypes.CDLL, graphs: Sequence[TileGraph]) -> None:
        self._library = library
        self._graphs = {graph.name: graph for graph in graphs}
        self.state = State()
        for name in ("last_error", "report"):
            getattr(library, f"__dace_ipu_{name}").restype = ctypes.c_char_p
        assert self._call("__dace_init_ipu") == 0

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._call("__dace_exit_ipu") == 0
        assert self.state.ipu_programs is None

    def _call(self, name: str, *arguments: Any) -> Any:
        return getattr(self._library, name)(ctypes.byref(self.state), *arguments)

    def run_unchecked(self, name: str, *arguments: Any) -> None:
        """Call a device program: arrays, scalars of NumPy, and integers."""
        converted = [a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else _scalar(a) for a in arguments]
        self._call(run_name(self._graphs[name]), *converted)

    def run(self, name: str, *arguments: Any) -> None:
        """The same; an error fails the test."""
        self.run_unchecked(name, *arguments)
        assert self.error() is None

    def error(self) -> str | None:
        """Take the error."""
        text = self._call("__dace_ipu_last_error")
        return None if text is None else text.decode()

    def report(self) -> Any:
        """The report."""
        return json.loads(self._call("__dace_ipu_report").decode())

    def reasons(self) -> list[str]:
        """Why graphs were built."""
        return [build["reason"] for build in self.report()["builds"]]


def _scalar(value: Any) -> Any:
    return ctypes.c_float(value) if isinstance(value, (float, np.floating)) else ctypes.c_int(value)


def build_program(
    folder: Path, graphs: Sequence[TileGraph], name: str = "demo", options: Options | None = None
) -> Program:
    """Print, compile and load the device programs of an SDFG called ``name``."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    built = ensure_built(progress=False)
    activate()
    printed = texts(graphs, name, "state_t", "", HEADER, options)
    files = {"host.cpp": printed.host, "embedded.cpp": printed.embedded}
    for file, text in files.items():
        (folder / file).write_text(text)
    (folder / "codelets.cpp").write_text(printed.codelets)
    library = folder / f"lib{name}.so"
    command = [compiler, "-std=c++17", "-O0", "-shared", "-fPIC"]
    command += ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    command += [f"-I{RUNTIME_INCLUDE}", f"-I{built.include_dir}", *(str(folder / file) for file in files)]
    command += [f"-L{built.lib_dir}", f"-Wl,-rpath,{built.lib_dir}", *(f"-l{n}" for n in built.names)]
    command += ["-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Program(ctypes.CDLL(str(library)), graphs)
