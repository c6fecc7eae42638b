"""Generated host programs compile with a precompiled header of their own, and without one."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import dace
import numpy as np
import pytest

import dace_ipu
from dace_ipu import compat
from dace_ipu.simulator import host_programs
from dace_ipu.targets.poplar import headers

N = dace.symbol("N")


@pytest.fixture(autouse=True)
def few_tiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DACE_compiler_ipu_tiles", "4")
    monkeypatch.setenv("DACE_default_build_folder", str(tmp_path))


def run(name: str) -> Path:
    """Build and run a program; return its build folder."""

    @dace.program
    def twice(x: dace.float32[N]):
        x[:] = 2 * x

    sdfg = twice.to_sdfg()
    sdfg.name = name
    dace_ipu.to_ipu(sdfg)
    x = np.arange(7, dtype=np.float32)
    sdfg(x=x, N=7)
    assert x.tolist() == [0, 2, 4, 6, 8, 10, 12]
    return Path(sdfg.build_folder)


def commands(folder: Path) -> dict[str, str]:
    """The command of each generated file."""
    entries = json.loads((folder / "build" / "compile_commands.json").read_text())
    return {Path(entry["file"]).name: entry["command"] for entry in entries}


def precompiled_headers_used(folder: Path, command: str) -> list[str]:
    """What the compiler says it read: a '!' stands before a precompiled header that fits, an 'x' before another."""
    done = subprocess.run(f"{command} -H", shell=True, cwd=folder / "build", capture_output=True, text=True, check=True)
    return re.findall(r"^([!x] .*)$", done.stderr, re.MULTILINE)


def test_the_header_holds_what_host_programs_include() -> None:
    assert set(headers.HEADERS) <= set(host_programs.HEADERS)


@pytest.mark.skipif(compat.precompiling() is None, reason="DaCe does not precompile headers here")
def test_the_precompiled_header_fits() -> None:
    folder = run("precompiled_host")
    command = commands(folder)["precompiled_host_ipu.cpp"]
    (used,) = precompiled_headers_used(folder, command)
    assert used.startswith("! ") and used.endswith("/dace_ipu_host.hpp.gch")
    assert " -include " not in commands(folder)["precompiled_host_ipu_embedded.cpp"]
    assert "dace_prewarm.h" in commands(folder)["precompiled_host.cpp"]


def test_a_program_needs_no_precompiled_header() -> None:
    with dace.config.set_temporary("compiler", "precompiled_header", value=False):
        assert host_programs.cmake_files() == []
        folder = run("plain_host")
    assert all(" -include " not in command for command in commands(folder).values())


def test_a_compiler_that_fails_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = compat.Precompiling("/usr/bin/c++", ("--no-such-flag",), Path(dace.__file__).parent / "runtime" / "include")
    monkeypatch.setattr(compat, "precompiling", lambda: setup)
    assert host_programs.cmake_files() == []


def test_a_missing_compiler_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    setup = compat.Precompiling(str(tmp_path / "c++"), (), tmp_path)
    monkeypatch.setattr(compat, "precompiling", lambda: setup)
    assert host_programs.cmake_files() == []
