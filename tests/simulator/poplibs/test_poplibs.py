"""The libraries on top of Poplar, tested in C++: a program for each folder here, made of the tests in it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from dace_ipu.simulator.build import Libraries, ensure_built
from dace_ipu.simulator.enable import codelet_environment
from dace_ipu.simulator.toolchain import find_compiler
from tests.simulator.leak_check import run_to_a_verdict

HERE = Path(__file__).parent
SANITIZER = "address,undefined"
FOLDERS = sorted(path.name for path in HERE.iterdir() if any(path.glob("test_*.cpp")))


@pytest.fixture(scope="module")
def libraries() -> Libraries:
    return ensure_built()


def _compile(libraries: Libraries, folder: str, program: Path, flags: Sequence[str] = ()) -> None:
    lib = str(libraries.lib_dir)
    sources = [*sorted((HERE / folder).glob("test_*.cpp")), HERE.parent / "cpp" / "main.cpp"]
    command = [
        *(*find_compiler().command, "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", *flags),
        *("-I", str(libraries.include_dir), "-I", str(HERE), *map(str, sources)),
        *("-L", lib, *(f"-l{name}" for name in reversed(libraries.names) if name != "dace_ipu")),
        *(f"-Wl,-rpath,{lib}", "-pthread", "-o", str(program)),
    ]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert result.returncode == 0, result.stdout


def _run(folder: str, program: Path) -> None:
    result = run_to_a_verdict([program], program.parent)
    assert result.returncode == 0, result.stdout
    tests = [re.findall(r"^TEST\(", file.read_text(), re.MULTILINE) for file in (HERE / folder).glob("test_*.cpp")]
    assert f"{sum(map(len, tests))} tests, 0 failures" in result.stdout


@pytest.fixture(autouse=True)
def codelets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in codelet_environment().items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("folder", FOLDERS)
def test_library(libraries: Libraries, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the checked mode, which finds what a vertex reads and writes that it must not."""
    _compile(libraries, folder, tmp_path / "tests")
    _run(folder, tmp_path / "tests")
    monkeypatch.setenv("DACE_IPU_CHECK", "1")
    _run(folder, tmp_path / "tests")


@pytest.mark.parametrize("folder", FOLDERS)
def test_library_is_clean_under_sanitizers(folder: str, tmp_path: Path) -> None:
    """Of the libraries; codelets have the checked mode for that."""
    _compile(ensure_built(sanitize=SANITIZER), folder, tmp_path / "tests", (f"-fsanitize={SANITIZER}",))
    _run(folder, tmp_path / "tests")
