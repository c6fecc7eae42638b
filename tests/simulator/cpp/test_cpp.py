"""The host library of the simulator, tested in C++: this builds and runs the tests beside it.

Each ``test_*.cpp`` holds tests for ``check.hpp``; ``codelets_by_hand.cpp`` is a codelet module made without popc.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dace_ipu.simulator.build import Libraries, ensure_built
from dace_ipu.simulator.toolchain import find_compiler

HERE = Path(__file__).parent
#: Headers that codelets include; they have their own tests.
CODELET_HEADERS = {
    "FieldTypes.hpp",
    "HalfFloat.hpp",
    "Loops.hpp",
    "Quarter.hpp",
    "StackSizeDefs.hpp",
    "TileConstants.hpp",
    "VectorListTypes.hpp",
    "VectorTypes.hpp",
    "Vertex.hpp",
}


def _compile(arguments: Sequence[str]) -> None:
    command = (*find_compiler().command, "-Wall", "-Wextra", "-Werror", *arguments)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}"


@pytest.fixture(scope="module")
def libraries() -> Libraries:
    return ensure_built()


def _build(libraries: Libraries, folder: Path, flags: Sequence[str]) -> Path:
    """Put the test program ``tests`` and the module ``codelets_by_hand.gp`` into a folder.

    The module is never sanitised: it makes mistakes on purpose, which the simulator is to find.
    """
    include = f"-I{libraries.include_dir}"
    sources = [*HERE.glob("test_*.cpp"), HERE / "main.cpp"]

    def compile_source(source: Path) -> str:
        target = str(folder / f"{source.stem}.o")
        _compile(["-std=c++17", "-O0", *flags, include, "-c", str(source), "-o", target])
        return target

    with ThreadPoolExecutor(max_workers=2) as pool:
        objects = list(pool.map(compile_source, sources))
    lib = str(libraries.lib_dir)
    link = [f"-L{lib}", "-lpoputil", "-lpoplar", f"-Wl,-rpath,{lib}", "-pthread"]
    _compile([*flags, *objects, *link, "-o", f"{folder}/tests"])
    module = ["-std=c++17", "-O1", "-fPIC", "-shared", include, str(HERE / "codelets_by_hand.cpp")]
    _compile([*module, "-o", f"{folder}/codelets_by_hand.gp"])
    return folder


@pytest.fixture(scope="module")
def build(libraries: Libraries, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(libraries, tmp_path_factory.mktemp("cpp"), ())


def _run(build: Path, threads: str, *arguments: str) -> str:
    result = subprocess.run(
        ["./tests", *arguments],
        cwd=build,
        env={**os.environ, "DACE_IPU_THREADS": threads, "DACE_IPU_TEST_CODELETS": "./codelets_by_hand.gp"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def _written() -> int:
    return sum(len(re.findall(r"^TEST\(", file.read_text(), re.MULTILINE)) for file in HERE.glob("test_*.cpp"))


@pytest.mark.parametrize("threads", ["1", "3"])
def test_host_library(build: Path, threads: str) -> None:
    assert f"{_written()} tests, 0 failures" in _run(build, threads)


@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
def test_host_library_is_clean_under_sanitizers(sanitizer: str, tmp_path: Path) -> None:
    """A finding ends the program with another exit code than 0."""
    flags = (f"-fsanitize={sanitizer}", "-fno-sanitize-recover=undefined")
    folder = _build(ensure_built(sanitize=sanitizer), tmp_path, flags)
    assert f"{_written()} tests, 0 failures" in _run(folder, "3")


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++17", "c++20"])
def test_calls_compile_as_public_programs_write_them(libraries: Libraries, standard: str) -> None:
    unused = ("-Wno-unused-variable", "-Wno-unused-but-set-variable")
    source = str(HERE / "call_styles.cpp")
    _compile([f"-std={standard}", *unused, f"-I{libraries.include_dir}", "-fsyntax-only", source])


def test_every_host_header_compiles_alone(libraries: Libraries, tmp_path: Path) -> None:
    include = libraries.include_dir
    headers = [*include.glob("poplar/*.hpp"), *include.glob("poplar/extensions/*.hpp")]
    for library in ("poputil", "popops", "poprand", "poplin", "popnn", "popsparse", "gcl"):
        headers.extend(include.glob(f"{library}/**/*.hpp"))
    sources = []
    for header in sorted(headers):
        if header.name not in CODELET_HEADERS:
            sources.append(tmp_path / f"{header.parent.name}_{header.stem}.cpp")
            sources[-1].write_text(f"#include <{header.relative_to(include)}>\n")
    assert len(sources) > 40
    _compile(["-std=c++11", f"-I{include}", "-fsyntax-only", *map(str, sources)])


def test_a_host_program_of_fifty_lines_compiles_in_two_seconds(libraries: Libraries, tmp_path: Path) -> None:
    """Processor time, which other programs on the machine hardly change."""
    source = HERE.parent / "programs" / "streams.cpp"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    _compile(["-std=c++17", "-O0", f"-I{libraries.include_dir}", "-c", str(source), "-o", f"{tmp_path}/streams.o"])
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 2
