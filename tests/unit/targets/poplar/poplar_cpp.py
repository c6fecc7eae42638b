"""Compiles pieces of C++ for tests."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from dace_ipu.environment import RUNTIME_INCLUDE, RUNTIME_SOURCES, SIMULATOR_INCLUDE
from dace_ipu.simulator.build import ensure_built

COMPILER = shutil.which("g++") or shutil.which("c++")

# What generated codelets see of poplar/Vertex.hpp, with fields that are plain pointers.
VERTEX_HEADER = """\
#pragma once
#include <cstddef>
using half = _Float16;
namespace poplar {
enum class VectorLayout { ONE_PTR };
template <typename T, VectorLayout = VectorLayout::ONE_PTR, unsigned = 0> struct Vector {
  T *data;
  T &operator[](std::size_t i) { return data[i]; }
};
template <typename T> struct Edge {
  T *data;
  T &operator*() { return *data; }
};
template <typename T, VectorLayout L, unsigned A> struct Edge<Vector<T, L, A>> : Vector<T, L, A> {};
template <typename T> struct Input : Edge<T> {};
template <typename T> struct Output : Edge<T> {};
template <typename T> struct InOut : Edge<T> {};
class Vertex {};
class MultiVertex {
public:
  static constexpr unsigned numWorkers() { return 6; }
};
}
"""


def compile_library(folder: Path, source: str, name: str = "library", *flags: str) -> ctypes.CDLL:
    """Compile a C++ source, which may include <poplar/Vertex.hpp>, to a shared library and load it."""
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    (folder / "poplar").mkdir(exist_ok=True)
    (folder / "poplar" / "Vertex.hpp").write_text(VERTEX_HEADER)
    return ctypes.CDLL(str(_run(folder, source, name, "-shared", "-fPIC", "-O1", f"-I{folder}", *flags)))


def run_with_runtime(folder: Path, source: str) -> str:
    """Compile and run a program that uses the runtime; return what it prints."""
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    built = ensure_built(progress=False)
    flags = ["-O1", f"-I{RUNTIME_INCLUDE}", f"-I{RUNTIME_SOURCES}", f"-I{SIMULATOR_INCLUDE}"]
    libraries = [f"-L{built.lib_dir}", f"-Wl,-rpath,{built.lib_dir}", *(f"-l{name}" for name in built.names)]
    program = _run(folder, source, "program", *flags, libraries=libraries)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def _run(folder: Path, source: str, name: str, *flags: str, libraries: Sequence[str] = ()) -> Path:
    file, output = folder / f"{name}.cpp", folder / name
    file.write_text(source)
    command = [str(COMPILER), "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", *flags, str(file), *libraries]
    done = subprocess.run([*command, "-o", str(output)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output
