"""The build of the simulator's libraries, tried on a simulator of a few small files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dace_ipu import cli
from dace_ipu.commands import doctor
from dace_ipu.simulator import build, progress, toolchain
from dace_ipu.simulator.build import BuildError, Libraries
from dace_ipu.simulator.objects import ObjectCache
from dace_ipu.simulator.popc.store import Store


@dataclass
class Tree:
    """A small simulator and its cache."""

    root: Path
    cache: Path

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1, 1))  # not while it is compiled

    def built(self, **options: bool) -> Libraries:
        """Build as a new process would."""
        build._ensure_built.cache_clear()
        return build.ensure_built(**options)

    def objects(self) -> set[str]:
        return {path.name for path in (self.cache / "simulator" / "objects").glob("*.o")}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    tree = Tree(tmp_path / "simulator", tmp_path / "cache")
    tree.write("include/poplar/value.hpp", "int value();\nint machine();\n")
    tree.write("src/poplar/api/value.cpp", "#include <poplar/value.hpp>\nint value() { return 40 + machine(); }\n")
    tree.write("src/machine/machine.cpp", "#include <poplar/value.hpp>\nint machine() { return 2; }\n")
    tree.write("src/poputil/twice.cpp", '#include <poplar/value.hpp>\nextern "C" int twice() { return 2 * value(); }\n')
    tree.write("runtime/src/program.cpp", "#include <poplar/value.hpp>\nint program() { return value(); }\n")
    monkeypatch.setenv("DACE_IPU_CACHE", str(tree.cache))
    monkeypatch.setattr(build, "_ROOT", tree.root / "simulator")  # whose parent holds the runtime, too
    monkeypatch.setattr(build, "_RUNTIME", tree.root / "runtime")
    monkeypatch.setattr(build, "RUNTIME_INCLUDE", tree.root / "runtime" / "include")
    monkeypatch.setattr(build, "INCLUDE", tree.root / "include")
    monkeypatch.setattr(build, "_SOURCES", tree.root / "src")
    build._ensure_built.cache_clear()
    return tree


def twice(libraries: Libraries) -> int:
    """Call the library, in a process of its own: a process loads one library of a name."""
    code = f"import ctypes; print(ctypes.CDLL({str(libraries.lib_dir / 'libpoputil.so')!r}).twice())"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def test_libraries(tree: Tree) -> None:
    libraries = tree.built()
    assert libraries.names == ("poplar", "poputil", "dace_ipu")
    assert libraries.lib_dir == tree.cache / "simulator" / libraries.key / "lib" == Path(libraries)
    assert libraries.include_dir == tree.root / "include"
    assert libraries.is_complete and libraries == build.planned()
    assert twice(libraries) == 84  # finds libpoplar beside it


def test_nothing_is_left_but_libraries_and_objects(tree: Tree) -> None:
    key = tree.built().key
    assert {path.name for path in (tree.cache / "simulator").iterdir()} <= {key, f"{key}.lock", "objects"}


def test_second_call_builds_nothing(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tree.built()
    monkeypatch.setattr(build, "_Build", lambda *_: pytest.fail("built again"))
    assert tree.built() == first
    monkeypatch.setattr(build, "planned", lambda *_: pytest.fail("looked again"))
    assert build.ensure_built() == first


def test_a_change_compiles_only_what_depends_on_it(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tree.built()
    before = tree.objects()
    assert len(before) == 4
    tree.write("src/machine/machine.cpp", "#include <poplar/value.hpp>\nint machine() { return 3; }\n")
    second = tree.built()
    assert second.key != first.key and first.is_complete
    assert len(tree.objects() - before) == 1
    assert twice(second) == 86
    tree.write("include/poplar/value.hpp", "int value();\nint machine();\nstruct Changed {};\n")
    compiled: list[str] = []
    compile_one = ObjectCache._compile

    def noted(cache: ObjectCache, store: Store, source: Path, command: str) -> Path | None:
        compiled.append(source.name)
        return compile_one(cache, store, source, command)

    monkeypatch.setattr(ObjectCache, "_compile", noted)
    tree.write("src/poplar/api/other.cpp", "int other() { return 0; }\n")
    tree.built()
    assert sorted(compiled) == ["machine.cpp", "other.cpp", "program.cpp", "twice.cpp", "value.cpp"]
    tree.write("src/poplar/api/other.cpp", "int other() { return 1; }\n")
    compiled.clear()
    tree.built()
    assert compiled == ["other.cpp"]


def test_a_header_that_changes_during_the_build(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled from the old text must not be found under the new one."""
    run = subprocess.run
    edits = iter([3])

    def edit_after_compiling(*args: Any, **options: Any) -> Any:
        result = run(*args, **options)
        if "-c" in args[0] and "machine.cpp" in str(args[0]):
            for number in edits:
                (tree.root / "src/machine/machine.cpp").write_text(f"int machine() {{ return {number}; }}\n")
        return result

    monkeypatch.setattr(subprocess, "run", edit_after_compiling)
    before = build.planned().key
    libraries = tree.built()
    assert libraries == build.planned() and libraries.key != before
    assert twice(libraries) == 86
    assert not (libraries.lib_dir.parents[1] / before).exists()


def test_sources_that_never_rest(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build._Build, "run", lambda self, is_current: None)
    with pytest.raises(BuildError, match="change all the time"):
        tree.built()


def test_lost_library_is_built_again(tree: Tree) -> None:
    libraries = tree.built()
    (libraries.lib_dir / "libpoplar.so").unlink()
    assert not libraries.is_complete
    assert tree.built() == libraries and libraries.is_complete


def test_builds_that_nobody_uses_are_removed(tree: Tree) -> None:
    old = tree.built()
    before = tree.objects()
    killed = tree.cache / "simulator" / ".key.killed"
    killed.mkdir()
    for path in (old.lib_dir.parent, killed, *(tree.cache / "simulator" / "objects").glob("*.o")):
        os.utime(path, (0, 0))
    assert tree.built() == old  # used: no longer old
    os.utime(old.lib_dir.parent, (0, 0))
    tree.write("src/machine/machine.cpp", "int machine() { return 3; }\n")
    new = tree.built()
    assert not old.lib_dir.exists() and not killed.exists() and new.is_complete
    assert len(tree.objects()) == 4 and len(tree.objects() & before) == 3


def test_error_of_the_compiler(tree: Tree) -> None:
    tree.write("src/poputil/twice.cpp", "int twice() {\n  return undeclared;\n}\n")
    with pytest.raises(BuildError, match="cannot compile .*twice.cpp:\n") as caught:
        tree.built()
    assert "twice.cpp:2:" in str(caught.value) and "undeclared" in str(caught.value)
    assert not build.planned().lib_dir.exists()


def test_undefined_symbol(tree: Tree) -> None:
    tree.write("src/poputil/twice.cpp", "int nowhere();\nint twice() { return nowhere(); }\n")
    with pytest.raises(BuildError, match=r"cannot link libpoputil.so:\n(.|\n)*nowhere"):
        tree.built()


def test_cache_that_cannot_be_written(tree: Tree) -> None:
    tree.cache.write_text("not a folder")
    with pytest.raises(
        BuildError, match="cannot write the cache folder '.*simulator': Not a directory\n.*DACE_IPU_CACHE"
    ):
        tree.built()


def test_threads_build_once(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[object] = []
    run = build._Build.run

    def counted(self: build._Build, is_current: Callable[[], bool]) -> None:
        runs.append(self)
        run(self, is_current)

    monkeypatch.setattr(build._Build, "run", counted)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: build.ensure_built(), range(2))
    assert first == second and first.is_complete and len(runs) == 1


def test_sanitized_libraries_are_others(tree: Tree) -> None:
    plain, sanitized = tree.built(), tree.built(sanitize="address,undefined")
    assert plain.key != sanitized.key
    symbols = subprocess.run(["nm", "-D", sanitized.files[0]], capture_output=True, text=True, check=True).stdout
    assert "__asan" in symbols and "__ubsan" in symbols


def test_progress_is_shown_for_long_work_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(patience: float, enabled: bool) -> str:
        monkeypatch.setattr(progress, "_PATIENCE", patience)
        shown = progress.Progress(enabled)
        with shown.started("compiling", 3):
            for _ in range(3):
                shown.advance()
                time.sleep(0.05)
        return capsys.readouterr().err

    assert work(60, True) == ""
    assert work(0, False) == ""
    assert work(0, True) == "dace_ipu: compiling (3 files)\n"


# ----------------------------------------------------------------------------------------------------------------------
# The compiler


@pytest.fixture
def find(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., toolchain.Compiler]:
    """Find the compiler with these environment variables and no others."""

    def run(**variables: str) -> toolchain.Compiler:
        for name in ("DACE_IPU_CXX", "CXX"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return toolchain.find_compiler.__wrapped__()

    return run


def _script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_compiler_on_the_path(find: Callable[..., toolchain.Compiler]) -> None:
    compiler = find()
    assert compiler.kind in ("gcc", "clang") and compiler.major > 0
    assert compiler.identity == find().identity


def test_variables_name_a_compiler(find: Callable[..., toolchain.Compiler], tmp_path: Path) -> None:
    clang = _script(tmp_path / "clang", "echo Ubuntu clang version 15.0.7")
    other = _script(tmp_path / "other", "echo 'g++ (GCC) 13.2.1'")
    assert find(CXX=other, DACE_IPU_CXX=f"{clang} -stdlib=libc++").command == (clang, "-stdlib=libc++")
    assert (find(DACE_IPU_CXX=clang).kind, find(DACE_IPU_CXX=clang).major) == ("clang", 15)
    assert (find(CXX=other).kind, find(CXX=other).major) == ("gcc", 13)


def test_identity_follows_the_executable(find: Callable[..., toolchain.Compiler], tmp_path: Path) -> None:
    path = _script(tmp_path / "c++", "echo 'g++ 13.2'")
    first = find(CXX=path).identity
    os.utime(path, (0, 0))
    assert find(CXX=path).identity != first


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"PATH": "/nowhere"}, "none of g++, c++, clang++ is on the PATH"),
        ({"DACE_IPU_CXX": "no-such-compiler -O2"}, "the environment variable DACE_IPU_CXX is 'no-such-compiler'"),
        ({"CXX": "false"}, "false --version' fails"),
    ],
)
def test_missing_compiler(find: Callable[..., toolchain.Compiler], variables: dict[str, str], reason: str) -> None:
    with pytest.raises(toolchain.MissingCompiler) as caught:
        find(**variables)
    assert reason in str(caught.value)
    for system in ("Debian", "Fedora", "conda", "macOS", "DACE_IPU_CXX"):
        assert system in str(caught.value)


# ----------------------------------------------------------------------------------------------------------------------
# The commands


def test_build_command(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["build"]) == 0
    assert capsys.readouterr().out == f"{build.planned().lib_dir}\n"
    tree.write("src/poputil/twice.cpp", "syntax error")
    build._ensure_built.cache_clear()
    assert cli.main(["build"]) == 1
    assert capsys.readouterr().err.startswith("dace-ipu build: cannot compile ")


def _report(capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    status = cli.main(["doctor"])
    return status, capsys.readouterr().out.splitlines()


def test_doctor(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = _report(capsys)
    assert status == 0
    assert [line.split(":")[0] for line in lines] == [
        "ok      Python",
        "ok      DaCe",
        "ok      C++ compiler",
        "ok      cache folder",
        "ok      simulator's libraries",
    ]
    assert "not built yet" in lines[-1]
    libraries = tree.built()
    assert _report(capsys)[1][-1] == f"ok      simulator's libraries: poplar, poputil, dace_ipu in {libraries.lib_dir}"


def test_doctor_finds_damage(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    tree.built().files[0].unlink()
    status, lines = _report(capsys)
    assert status == 1
    assert lines[-2].startswith("problem simulator's libraries: damaged: ")
    assert lines[-1] == "        run 'dace-ipu build'"


def test_doctor_without_compiler(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> toolchain.Compiler:
        raise toolchain.MissingCompiler("there is none")

    monkeypatch.setattr(doctor, "find_compiler", missing)
    monkeypatch.setattr(build, "find_compiler", missing)
    status, lines = _report(capsys)
    assert status == 1
    assert "problem C++ compiler: missing" in lines
    assert "        the simulator needs a C++17 compiler, but there is none" in lines
    assert lines[-2:] == ["problem simulator's libraries: not built", "        needs the compiler above"]


def test_doctor_with_an_old_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    old = toolchain.Compiler(("g++",), "gcc", "g++ (GCC) 4.8.5", "")
    monkeypatch.setattr(doctor, "find_compiler", lambda: old)
    assert str(doctor._compiler()) == (
        "problem C++ compiler: g++, g++ (GCC) 4.8.5\n        the simulator needs version 9 or newer"
    )


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["dance"])
    assert stop.value.code == 2
    assert "invalid choice: 'dance'" in capsys.readouterr().err


def test_popc_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["popc", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: popc ")
    assert cli.main(["popc", "-O3", "nowhere.cpp", "-o", "x.gp"]) == 1
    assert capsys.readouterr().err == "popc: error: no such file: 'nowhere.cpp'\n"


def test_module_runs_as_a_program() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "dace_ipu.cli", "--help"], capture_output=True, text=True, check=True
    )
    assert all(command in result.stdout for command in cli.COMMANDS)
