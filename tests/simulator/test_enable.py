"""The environment for Poplar programs, with libraries that are not there: what is set, and that it does not add up."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from dace_ipu import cli
from dace_ipu.simulator import build, enable
from dace_ipu.simulator.build import BuildError, Libraries

VARIABLES = {
    "POPLAR_SDK_ENABLED",
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
    assert variables["POPLAR_SDK_ENABLED"] == str(libraries.lib_dir.parent)
    assert variables["LIBRARY_PATH"] == f"{libraries.lib_dir}:/elsewhere"
    assert variables["CPLUS_INCLUDE_PATH"] == str(libraries.include_dir)  # no empty entry: it would mean '.'
    assert variables["DACE_IPU_CODELET_CACHE"] == str(tmp_path / "a cache" / "codelets")
    assert variables["PATH"].split(":")[0] == str(Path(shlex.split(variables["DACE_IPU_POPC"])[0]).parent)
    assert len(variables["DACE_IPU_POPC_KEY"]) == 16


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
    assert [lines[0]] == shlex.split(enable.codelet_environment()["DACE_IPU_POPC"])
    assert lines[1].startswith("popc of the dace_ipu simulator")
    assert lines[2].split(":")[0] == str(libraries.lib_dir)
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
