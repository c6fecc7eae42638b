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
from tests.simulator.leak_check import run_to_a_verdict

HERE = Path(__file__).parent
#: Headers that codelets include; they have their own tests.
CODELET_HEADERS = {
    "FieldTypes.hpp",
    "HalfFloat.hpp",
    "InOutTypes.hpp",
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
    env = {**os.environ, "DACE_IPU_THREADS": threads, "DACE_IPU_TEST_CODELETS": "./codelets_by_hand.gp"}
    result = run_to_a_verdict(["./tests", *arguments], build, env, timeout=300)
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


def _host_headers(include: Path) -> list[Path]:
    headers = [*include.glob("poplar/*.hpp"), *include.glob("poplar/extensions/*.hpp")]
    for library in include.iterdir():
        if library.name not in ("poplar", "arch"):
            headers.extend(path for path in library.rglob("*.hpp") if path.parent.name != "codelet")
    return sorted(header.relative_to(include) for header in headers if header.name not in CODELET_HEADERS)


def test_every_host_header_compiles_alone(libraries: Libraries, tmp_path: Path) -> None:
    sources = []
    for header in _host_headers(libraries.include_dir):
        sources.append(tmp_path / f"{header.parent.name}_{header.stem}.cpp")
        sources[-1].write_text(f"#include <{header}>\n")
    assert len(sources) > 40
    _compile(["-std=c++11", f"-I{libraries.include_dir}", "-fsyntax-only", *map(str, sources)])


def test_a_host_program_of_fifty_lines_compiles_in_two_seconds(libraries: Libraries, tmp_path: Path) -> None:
    """Processor time, which other programs on the machine hardly change."""
    source = HERE.parent / "programs" / "streams.cpp"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    include = f"-I{libraries.include_dir}"
    _compile(["-std=c++17", "-O0", include, "-c", str(source), "-o", f"{tmp_path}/streams.o"])
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 2


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++17", "c++20"])
def test_all_host_headers_compile_together_and_twice(libraries: Libraries, tmp_path: Path, standard: str) -> None:
    source = tmp_path / "all.cpp"
    source.write_text(2 * "".join(f"#include <{header}>\n" for header in _host_headers(libraries.include_dir)))
    _compile([f"-std={standard}", f"-I{libraries.include_dir}", "-fsyntax-only", str(source)])


# What public programs use without including it, because the headers of the SDK bring it along.
FORGOTTEN = """
#include <poplar/Graph.hpp>
int main() {
  std::vector<std::string> v = {"a"};
  std::map<std::string, std::unique_ptr<int>> m;
  std::function<double(double)> f = [](double x) { return std::sqrt(x); };
  std::tuple<int, std::array<int, 2>> t;
  std::set<int> s; std::unordered_map<int, int> u; std::unordered_set<int> w;
  std::stringstream text; std::ofstream file;
  assert(std::accumulate(v.begin(), v.end(), std::string()) == "a");
  std::sort(v.begin(), v.end());
  std::cout << std::numeric_limits<float>::max() << f(4) << std::get<0>(t) << s.size() << u.size() << w.size();
  std::printf("%zu %d\\n", m.size(), std::memcmp("a", "b", 1));
  if (v.empty()) throw std::runtime_error(text.str());
#if __cplusplus >= 201703L
  std::optional<poplar::Device> device;
  std::string_view view = "x"; std::variant<int, float> variant;
  (void)view; (void)variant; (void)device;
#endif
  return EXIT_SUCCESS;
}
"""


@pytest.mark.parametrize("options", ["-std=c++11", "-std=c++17", "-std=c++20 -D_GLIBCXX_USE_CXX11_ABI=0"])
def test_headers_bring_what_programs_forget_to_include(libraries: Libraries, tmp_path: Path, options: str) -> None:
    source = tmp_path / "forgotten.cpp"
    source.write_text(FORGOTTEN)
    _compile([*options.split(), f"-I{libraries.include_dir}", "-fsyntax-only", str(source)])
