"""Poplar programs, built as their authors build them: a plain ``g++`` after ``eval "$(dace-ipu enable)"``.

Our own programs always run. Graphcore's tutorials run where the environment variable GRAPHCORE_EXAMPLES names a
checkout of github.com/graphcore/examples; what they must print is what their own tests ask for.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dace_ipu.simulator import enable

PROGRAMS = Path(__file__).parent / "programs"
_EXAMPLES = os.environ.get("GRAPHCORE_EXAMPLES")
TUTORIALS = Path(_EXAMPLES or "") / "tutorials" / "tutorials" / "poplar"
FEATURES = TUTORIALS.parents[1] / "feature_examples" / "poplar"

needs_tutorials = pytest.mark.skipif(_EXAMPLES is None, reason="GRAPHCORE_EXAMPLES names no checkout of the tutorials")

Shell = Callable[..., str]


@pytest.fixture(scope="module")
def variables() -> dict[str, str]:
    """The environment of an enabled shell; builds the simulator the first time."""
    return {**os.environ, **enable.environment()}


@pytest.fixture
def shell(variables: dict[str, str], tmp_path: Path) -> Shell:
    """Run a command in the test's folder and return what it prints, on both streams."""

    def run(command: str, folder: Path = tmp_path) -> str:
        result = subprocess.run(
            command, shell=True, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}"
        return result.stdout

    return run


def _fresh(source: Path, target: Path) -> Path:
    return Path(shutil.copytree(source, target / source.name))


def _printed(output: str, title: str) -> list[float]:
    """Return the numbers of a tensor that PrintTensor printed, whatever its shape."""
    tensor = re.search(rf"^{title}: ([-\[\]\s\d.]*\])", output, re.MULTILINE)
    assert tensor is not None, output
    return [float(number) for number in re.findall(r"-?[\d.]+", tensor[1])]


# ----------------------------------------------------------------------------------------------------------------------
# Our own programs


@pytest.mark.parametrize("standard", ["c++11", "c++20"])
def test_streams(shell: Shell, tmp_path: Path, standard: str) -> None:
    shutil.copy(PROGRAMS / "streams.cpp", tmp_path)
    shell(f"g++ --std={standard} streams.cpp -lpoplar -o streams")
    output = shell("./streams")
    assert _printed(output, "last row") == [1, 2, 3, 4]
    assert _printed(output, "weights") == [0.25, 4.5]
    assert output.splitlines()[-2:] == ["1 2 -1 -2 1 2 -1 -2 5 6 -3 -4 ", "1 2 -1 1 2 -1 "]


RACE = " is another if its workers run at the same time: one reads what another writes"
MISTAKES = (
    ("Pairs", 9, "5 reads element 9 of field 'in', which has 9 elements"),
    ("Pairs", 12, "5 reads element 9 of field 'in', which was never written"),
    ("Shifted", 7, "18 writes element 6 of field 'out', which has 6 elements"),
    ("Shifted", 6, ""),
    ("Divided", 6, "32 divides an integer by zero, or the least one by -1"),
    ("Summed", 6, "45 races: its workers 0 and 1 write different values to element 0 of field 'out'"),
    ("Marked", 6, "58 races: its workers 0 and 1 write different values to element 1 of field 'out'"),
    ("Passed", 6, f"72 races: element 1 of field 'out'{RACE}"),
)


def test_mistakes_of_codelets_are_named(shell: Shell, tmp_path: Path) -> None:
    for name in ("mistakes.cpp", "mistakes_codelets.cpp"):
        shutil.copy(PROGRAMS / name, tmp_path)
    shell("g++ mistakes.cpp -lpoplar -o mistakes")
    for vertex, inputs, finding in MISTAKES:
        who = f"vertex '{vertex}' (number 0 of compute set 'sums', tile 1), a codelet of mistakes_codelets.cpp:"
        expected = f"{who}{finding}" if finding else "no mistake"
        if vertex == "Divided" and platform.machine() != "x86_64":
            expected = "no mistake"  # other processors give a result
        assert shell(f"DACE_IPU_CHECK=1 ./mistakes {vertex} {inputs}") == expected + "\n"


def test_an_executable_runs_in_another_process(shell: Shell, tmp_path: Path) -> None:
    for name in ("executable.cpp", "norm_codelets.cpp"):
        shutil.copy(PROGRAMS / name, tmp_path)
    shell("g++ --std=c++14 executable.cpp -lpoplar -o executable")
    shell("./executable save file.exe")
    (tmp_path / "norm_codelets.cpp").unlink()
    nothing_to_compile_with = "DACE_IPU_POPC=false DACE_IPU_CODELET_CACHE=/nonexistent"
    assert shell(f"{nothing_to_compile_with} ./executable run file.exe") == "5 25 61 113 \n"
    shell("DACE_IPU_SIM_TILES=4 ./executable run file.exe 2>&1 | grep 'another target'")


def test_vertices_in_a_file_of_their_own(shell: Shell, tmp_path: Path) -> None:
    for name in ("norm.cpp", "norm_codelets.cpp"):
        shutil.copy(PROGRAMS / name, tmp_path)
    shell("g++ --std=c++11 norm.cpp -lpoplar -o norm")
    output = shell("./norm")
    assert _printed(output, "partial") == [5, 50, 149, 302]
    assert _printed(output, "total") == [759.5]  # 0.5 + 3 runs * 0.5 * 506
    assert "done" in output


def test_hardware_and_codelets_in_the_same_file(shell: Shell, tmp_path: Path) -> None:
    shutil.copy(PROGRAMS / "heat.cpp", tmp_path)
    shell("g++ --std=c++17 heat.cpp -lpoplar -lpoputil -o heat")
    for arguments in ("", "5000 10", "7 4"):
        assert shell(f"./heat {arguments}").splitlines() == ["same as the host", "cycles counted"]


def test_codelets_from_memory(shell: Shell, tmp_path: Path) -> None:
    shutil.copy(PROGRAMS / "text_codelet.cpp", tmp_path)
    shell("g++ --std=c++14 text_codelet.cpp -lpoplar -o text_codelet")
    output = shell("./text_codelet")
    assert "refused" in output and "done" in output
    assert _printed(output, "out") == [3, 5, 7, -4.5, -5.5, -6.5]


def test_popc_from_a_makefile(shell: Shell, tmp_path: Path) -> None:
    for name in ("norm.cpp", "norm_codelets.cpp"):
        shutil.copy(PROGRAMS / name, tmp_path)
    source = (tmp_path / "norm.cpp").read_text()
    (tmp_path / "norm.cpp").write_text(source.replace("norm_codelets.cpp", "norm.gp"))
    (tmp_path / "Makefile").write_text(
        "all: norm norm.gp\n"
        "norm: norm.cpp\n\tg++ -std=c++11 $< -lpoplar -o $@\n"
        "norm.gp: norm_codelets.cpp\n\tpopc -O2 -target=ipu2 $< -o $@\n"
    )
    shell(
        "make all"
        if shutil.which("make")
        else "popc -O2 -target=ipu2 norm_codelets.cpp -o norm.gp && g++ -std=c++11 norm.cpp -lpoplar -o norm"
    )
    (tmp_path / "norm_codelets.cpp").unlink()
    assert _printed(shell("./norm"), "total") == [759.5]


WHOLE = {
    "conjugate_gradient": ["solved", "in less steps than unknowns"],
    "lbm": ["same as the host", "mass is kept"],
    "matching": ["same as the host"],
    "monte_carlo": ["as the formula says", "the error is plausible"],
    "sort": ["same as the host"],
    "spmv": ["same as the host"],
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_applications(shell: Shell, tmp_path: Path, name: str) -> None:
    shutil.copy(PROGRAMS / f"{name}.cpp", tmp_path)
    shell(f"g++ -std=c++17 {name}.cpp -lpoplin -lpoprand -lpopops -lpoputil -lpoplar -o {name}")
    for variables in ("DACE_IPU_SIM_TILES=7", "DACE_IPU_SIM_TILES=4 DACE_IPU_CHECK=1"):
        assert shell(f"{variables} ./{name}").splitlines() == WHOLE[name]


def test_an_engine_gives_its_report(shell: Shell, tmp_path: Path) -> None:
    shutil.copy(PROGRAMS / "report_of_engine.cpp", tmp_path)
    shell("g++ -std=c++14 report_of_engine.cpp -lpva -lpoplar -o report")
    assert shell("./report") == "gather 3 1\nscatter 0 0\n4 2\n"


def test_a_report_is_read_by_libpva(shell: Shell, tmp_path: Path) -> None:
    for name in ("heat", "report"):
        shutil.copy(PROGRAMS / f"{name}.cpp", tmp_path)
    shell("g++ -std=c++17 heat.cpp -lpoplar -lpoputil -o heat && g++ -std=c++11 report.cpp -lpva -o report")
    with_profile = """POPLAR_ENGINE_OPTIONS='{"autoReport.all": "true"}' DACE_IPU_SIM_TILES=4"""
    shell(f"{with_profile} ./heat 200 6")
    profile = json.loads((tmp_path / "profile.json").read_text())
    memory = profile["memory"]
    assert shell("./report profile.pop").splitlines() == [
        "version 3 3 0",
        f"2 compute sets, 8 vertices, {profile['graph']['edges']} edges, {profile['graph']['variables']} variables",
        f"4 tiles of {profile['target']['bytesPerTile']} bytes, 1.33 GHz",
        f"tile 3: {memory['perTile'][3]} bytes, {memory['perTileExcludingGaps'][3]} without gaps",
        "step executed 3 times",
        "step executed 3 times",
        f"{profile['cycles']['total']} cycles",
    ]
    assert shell("./report nothing.pop") == "'nothing.json': cannot be read\n"
    (tmp_path / "broken.json").write_text('{"schema": [1, 2')
    assert shell("./report broken.json") == "'broken.json': expected ']' at position 16\n"


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake here")
def test_a_project_with_cmake(shell: Shell, tmp_path: Path) -> None:
    """Its codelets are compiled apart and joined, as PopLibs' own build does it."""
    for name in ("norm.cpp", "norm_codelets.cpp", "CMakeLists.txt"):
        shutil.copy(PROGRAMS / name, tmp_path)
    source = (tmp_path / "norm.cpp").read_text()
    (tmp_path / "norm.cpp").write_text(source.replace("norm_codelets.cpp", "codelets.gp"))
    (tmp_path / "more_codelets.cpp").write_text(
        "#include <poplar/Vertex.hpp>\nstruct More : poplar::Vertex { void compute() {} };\n"
    )
    shell("cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build")
    assert _printed(shell("./norm", tmp_path / "build"), "total") == [759.5]


# ----------------------------------------------------------------------------------------------------------------------
# Graphcore's tutorials


@needs_tutorials
@pytest.mark.parametrize(
    ("name", "greeting"), [("tut1_ipu_model_complete", []), ("tut1_ipu_hardware_complete", ["Attached to IPU"])]
)
def test_tutorial_1(shell: Shell, tmp_path: Path, name: str, greeting: list[str]) -> None:
    folder = _fresh(TUTORIALS / "tut1_variables" / "complete", tmp_path)
    shell(f"g++ --std=c++11 {name}.cpp -lpoplar -o {name}", folder)
    _check(
        shell(f"./{name}", folder),
        [
            *greeting,
            "Program complete",
            "h3 data:",
            "0 1 1.5 2",
            r"v4-1: \[10 11 12 13 14 15 16 17 18 19\]",
        ],
    )


@needs_tutorials
def test_tutorial_2(shell: Shell, tmp_path: Path) -> None:
    folder = _fresh(TUTORIALS / "tut2_operations", tmp_path)
    shell("make all", folder / "tests")
    _check(
        shell("./tut2_complete", folder / "tests"),
        [
            "Program complete",
            r"v3: \[\W+\[5.0000000 4.5000000\]\W+\[4.0000000 3.5000000]\W+\]",
            r"v4: \[\W+\[9.0000000 7.5000000\]\W+\[6.0000000 4.5000000]\W+\]",
            r"v5: \[\W+\[5.0000000 3.5000000\]\W+\[5.0000000 3.5000000]\W+\]",
        ],
    )


@needs_tutorials
def test_tutorial_3(shell: Shell, tmp_path: Path) -> None:
    folder = _fresh(TUTORIALS / "tut3_vertices" / "complete", tmp_path)
    shell("g++ --std=c++11 tut3_complete.cpp -lpoplar -o tut3_complete", folder)
    _check(shell("./tut3_complete", folder), ["Program complete", r"v2: \[7.0000000 6.0000000 4.5000000 2.5000000\]"])


@needs_tutorials
def test_tutorial_4(shell: Shell, tmp_path: Path) -> None:
    folder = _fresh(TUTORIALS / "tut4_profiling", tmp_path) / "tests"
    shell("make all", folder)
    _check(shell("./tut4_ipu_hardware", folder), ["Program complete", "Memory Usage:"])
    with_profile = """POPLAR_ENGINE_OPTIONS='{"autoReport.all": "true"}'"""
    _check(shell(f"{with_profile} ./tut4_ipu_model", folder), ["Program complete", "Memory Usage:"])
    _check(shell("./cpp_example", folder), ["Example information from profile", r"Number of tiles on target: \d+"])


@needs_tutorials
def test_tutorial_6(shell: Shell, tmp_path: Path) -> None:
    folder = _fresh(TUTORIALS / "tut6_matrix_vector_opt", tmp_path)
    shell("make all", folder)
    for device, cost in (("ipu", 53807), ("model-ipu1", 64373), ("model-ipu2", 53807)):
        _check(
            shell(f"./tut6 10000 1000 --device {device}", folder),
            [
                "Multiplying matrix of size 10000x1000 by vector of size 1000",
                f"Worst cost seen: {cost}",
                "Multiplication result OK",
            ],
        )


@needs_tutorials
def test_advanced_example(shell: Shell, tmp_path: Path) -> None:
    folder = _fresh(FEATURES / "advanced_example", tmp_path)
    shell("make", folder)
    _check(shell("./example --model", folder), ["Results match.", "Using IPU model"])
    _check(shell("./example", folder), ["Using HW device ID", "Results match."])
    shell("./example --exe-name saved --save-exe", folder)
    _check(shell("./example --exe-name saved --load-exe", folder), ["Results match."])


def _write_idx(path: Path, values: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
    """Write a file of the MNIST data set: a magic number and the sizes, big-endian, then the bytes."""
    header = np.array([0x800 + values.ndim, *values.shape], dtype=">u4")
    path.write_bytes(header.tobytes() + values.tobytes())


@needs_tutorials
def test_mnist(shell: Shell, tmp_path: Path) -> None:
    """On images of our own, each white in one of ten stripes: so the data set need not be fetched."""
    folder = _fresh(TUTORIALS.parents[1] / "simple_applications" / "poplar" / "mnist", tmp_path)
    shell("make all", folder)
    (folder / "data").mkdir()
    for name, count in (("train", 60000), ("t10k", 10000)):
        labels = np.arange(count, dtype=np.uint8) % 10
        stripes = np.repeat(np.eye(10, 28, dtype=np.uint8) * 255, 28, axis=0).reshape(10, 28, 28)
        _write_idx(folder / "data" / f"{name}-images-idx3-ubyte", stripes[labels])
        _write_idx(folder / "data" / f"{name}-labels-idx1-ubyte", labels)
    _check(shell("./regression-demo 1 1.0", folder), ["Using the IPU Model", "Epoch", "100%"])
    _check(shell("./regression-demo -IPU 1 1.0", folder), ["Using the IPU", "Epoch", "100%"])


@needs_tutorials
def test_prefetch(shell: Shell, tmp_path: Path) -> None:
    folder = _fresh(FEATURES / "prefetch", tmp_path)
    shell("make", folder)
    _check(shell("./prefetch", folder), ["Running", "complete", "prefetch"])


@needs_tutorials
@pytest.mark.parametrize("target", ["tut5", "tut5_ipu"])
def test_tutorial_5(shell: Shell, tmp_path: Path, target: str) -> None:
    folder = _fresh(TUTORIALS / "tut5_matrix_vector" / "complete", tmp_path)
    shell(f"make {target}", folder)
    _check(
        shell(f"./{target} 40 50", folder),
        ["Multiplying matrix of size 40x50 by vector of size 50", "Multiplication result OK"],
    )


def _check(output: str, patterns: list[str]) -> None:
    for pattern in patterns:
        assert re.search(pattern, output), f"'{pattern}' is not in:\n{output}"
