"""The environment for Poplar programs, with libraries that are not there: what is set, and that it does not add up."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from dace_ipu import cli
from dace_ipu.simulator import build, enable
from dace_ipu.simulator.build import BuildError, Libraries
from dace_ipu.simulator.popc.identity import POPLAR_VERSION

VARIABLES = {
    "POPLAR_SDK_ENABLED",
    "CMAKE_PREFIX_PATH",
    "PATH",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CPLUS_INCLUDE_PATH",
    "DACE_IPU_POPC",
    "DACE_IPU_CODELET_CACHE",
    "DACE_IPU_POPC_KEY",
}


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Libraries:
    monkeypatch.setenv("DACE_IPU_CACHE", str(tmp_path / "a cache"))  # blanks must survive the shell
    libraries = Libraries(build.INCLUDE, tmp_path / "a cache" / "simulator" / "key" / "lib", ("poplar",), "key")
    monkeypatch.setattr(enable, "ensure_built", lambda: libraries)
    return libraries


def test_environment(libraries: Libraries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRARY_PATH", "/elsewhere")
    monkeypatch.delenv("CPLUS_INCLUDE_PATH", raising=False)
    variables = enable.environment()
    assert set(variables) == VARIABLES
    sdk = Path(variables["POPLAR_SDK_ENABLED"])
    assert variables["LIBRARY_PATH"] == f"{sdk}/lib:/elsewhere"
    assert variables["LD_LIBRARY_PATH"].split(":")[0] == str(libraries.lib_dir)
    assert variables["CPLUS_INCLUDE_PATH"] == str(libraries.include_dir)  # no empty entry: it would mean '.'
    assert variables["DACE_IPU_CODELET_CACHE"] == str(tmp_path / "a cache" / "codelets")
    assert variables["PATH"].split(":")[0] == f"{sdk}/bin"
    assert variables["CMAKE_PREFIX_PATH"].split(":")[0] == str(sdk)
    assert len(variables["DACE_IPU_POPC_KEY"]) == 16


def test_the_folder_is_laid_out_as_an_sdk(libraries: Libraries) -> None:
    variables = enable.environment()
    sdk = Path(variables["POPLAR_SDK_ENABLED"])
    assert (sdk / "include" / "poplar" / "Graph.hpp").is_file()
    assert os.readlink(sdk / "lib" / "libpoplar.so") == str(libraries.lib_dir / "libpoplar.so")
    assert [os.readlink(sdk / "bin" / "popc")] == shlex.split(variables["DACE_IPU_POPC"])
    assert f'"{POPLAR_VERSION} ' in (Path(build.INCLUDE).parent / "src/poplar/api/graph.cpp").read_text()


def test_a_folder_that_cannot_be_written(libraries: Libraries) -> None:
    libraries.lib_dir.parents[1].parent.mkdir()
    libraries.lib_dir.parents[1].write_text("in the way")
    with pytest.raises(BuildError, match="cannot write the folder '.*/sdk/"):
        enable.environment()


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake here")
def test_cmake_finds_the_packages(libraries: Libraries, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    script = f"{enable.exports()}\ncmake -S . -B build"
    result = subprocess.run(["sh", "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    found = dict(re.findall(r"-- (\w+)=(.*)", result.stdout))
    sdk = os.path.realpath(enable.environment()["POPLAR_SDK_ENABLED"])
    assert found == {
        "version": POPLAR_VERSION,
        "popc": f"{sdk}/bin/popc",
        "poplar": f"{sdk}/lib/libpoplar.so",
        "old": f"{sdk}/lib/libgcl_ct.so",
        "include": f"{sdk}/include",
    }


CMAKE = """\
cmake_minimum_required(VERSION 3.10)
project(host NONE)
find_package(poplar 2.5 REQUIRED)
find_package(poplibs REQUIRED)
find_package(gcl REQUIRED)
message(STATUS "version=${poplar_VERSION}")
get_target_property(popc popc_bin LOCATION)
get_target_property(poplar poplar LOCATION)
get_target_property(old gcl_ct LOCATION)
get_target_property(include poplar INTERFACE_INCLUDE_DIRECTORIES)
foreach(name popc poplar old include)
  message(STATUS "${name}=${${name}}")
endforeach()
"""


def test_enabling_twice_changes_nothing(libraries: Libraries, monkeypatch: pytest.MonkeyPatch) -> None:
    once = enable.environment()
    for name, value in once.items():
        monkeypatch.setenv(name, value)
    assert enable.environment() == once


def test_shell_evaluates_the_output(libraries: Libraries, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["enable"]) == 0
    commands = capsys.readouterr().out
    assert all(line.startswith("export ") for line in commands.splitlines())
    (tmp_path / "a.cpp").write_text("#include <poplar/Vertex.hpp>\nstruct A : poplar::Vertex { void compute() {} };\n")
    script = f"{commands}\nset -e; command -v popc; popc a.cpp -o a.gp; "
    script += 'eval "$DACE_IPU_POPC" --version; echo "$LIBRARY_PATH"'
    result = subprocess.run(["sh", "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == f"{enable.environment()['POPLAR_SDK_ENABLED']}/bin/popc"
    assert lines[1].startswith(f"POPLAR version {POPLAR_VERSION} (")
    assert lines[-1].split(":")[0] == f"{enable.environment()['POPLAR_SDK_ENABLED']}/lib"
    assert (tmp_path / "a.gp").is_file()


def test_failure_reaches_the_shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> Libraries:
        raise BuildError("cannot compile x.cpp")

    monkeypatch.setattr(enable, "ensure_built", fail)
    assert cli.main(["enable"]) == 1
    output = capsys.readouterr()
    assert output.err == "dace-ipu enable: cannot compile x.cpp\n"
    assert subprocess.run(["sh", "-c", f"eval '{output.out}'"]).returncode == 1


def test_activate_sets_what_libpoplar_reads(libraries: Libraries, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DACE_IPU_POPC", "DACE_IPU_CODELET_CACHE", "DACE_IPU_POPC_KEY"):
        monkeypatch.setenv(name, "other")  # restored afterwards
    enable.activate()
    assert {name: os.environ[name] for name in enable.codelet_environment()} == enable.codelet_environment()
    assert os.access(shlex.split(os.environ["DACE_IPU_POPC"])[0], os.X_OK)
