"""Which figure an engine takes for a vertex, and how often it counts: ``programs/code_cycles.cpp`` and its cycles."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from dace_ipu.simulator import enable
from dace_ipu.simulator.pricing.clang import find_clang

PROGRAM = Path(__file__).parent / "programs" / "code_cycles.cpp"

# A worker's start and end, what Scale does before and after its loop, and four slots an element: load, multiply, store,
# branch. Tiles have five vertices of 100 elements and one a sixth of 200: all workers run at the same time.
START = 5
LAUNCH = 37  # of a compute set on hardware


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("code_cycles") / "program"
    command = ["g++", "-std=c++17", str(PROGRAM), "-lpoplar", "-o", str(target)]
    subprocess.run(command, check=True, env={**os.environ, **enable.environment()})
    return target


def execute(program: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **enable.environment(), "DACE_IPU_SIM_TILES": "4", **variables}
    return subprocess.run([program], env=environment, capture_output=True, text=True, check=True)


def summaries(program: Path, **variables: str) -> dict[str, str]:
    """The printed profile of each run, by its title."""
    titles = r"^(hardware|model|hardware-estimates|model-code)$"
    parts = re.split(titles, execute(program, **variables).stderr, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def run(program: Path, **variables: str) -> dict[str, str]:
    result = execute(program, **variables)
    return dict(line.split(" ", 1) for line in result.stdout.splitlines() if not line.startswith("find")) | {
        " ".join(words[:2]): words[2] for line in result.stdout.splitlines() if len(words := line.split()) == 3
    }


@pytest.mark.skipif(find_clang() is None, reason="pricing needs clang, for example ziglang")
def test_code_comes_first_on_hardware_and_the_estimate_on_the_model(program: Path) -> None:
    lines = run(program)
    source, cycles = lines["hardware"].split()
    vertices = int(cycles) - 3 * LAUNCH
    outside, inside = divmod(vertices // (3 * 6) - START, 4)
    assert source == "code"
    assert vertices % 18 == 0
    assert 200 <= outside < 205 and inside < 4
    assert lines["model"] == "setPerfEstimate 18"
    assert lines["hardware-estimates"] == f"setPerfEstimate {18 + 3 * LAUNCH}"
    assert lines["model-code"] == f"code {vertices}"


@pytest.mark.skipif(find_clang() is None, reason="pricing needs clang, for example ziglang")
def test_what_depends_on_data_is_counted_every_time(program: Path) -> None:
    lines = run(program)
    ten, twenty, forty = (int(lines[f"find {zero}"]) for zero in (10, 20, 40))
    assert twenty > ten
    assert forty - twenty == 2 * (twenty - ten)


@pytest.mark.skipif(find_clang() is None, reason="pricing needs clang, for example ziglang")
def test_codelets_read_what_they_cost_so_far(program: Path) -> None:
    lines = run(program)
    measured = [[int(word) for word in lines[f"timed-{i}"].split()] for i in range(4)]
    assert measured[0] == measured[1] and measured[2] == measured[3]
    loop = measured[2][0] - measured[0][0]
    assert loop % (200 * 6) == 0 and 2 <= loop // (200 * 6) <= 6  # slots an element
    assert 0 < measured[0][1] == measured[2][1] < 60  # a store
    assert 0 <= measured[0][0] - loop // 2 < 120  # what is around the loop


def test_cycles_do_not_depend_on_threads(program: Path) -> None:
    assert run(program, DACE_IPU_THREADS="1") == run(program, DACE_IPU_THREADS="5")


def test_an_unknown_choice_is_refused(program: Path) -> None:
    text = "must be 'code' or 'estimates', not 'guess'"
    assert any(text in " ".join(line) for line in run(program).items())


@pytest.mark.skipif(find_clang() is None, reason="pricing needs clang, for example ziglang")
def test_the_summary_shows_both_figures_where_there_are_two(program: Path) -> None:
    shown = summaries(program)
    for title in ("hardware", "model"):
        line = next(line for line in shown[title].splitlines() if " Scale " in line and "instances" in line)
        code = re.search(r"mean by code (\d+\.\d+), by setPerfEstimate 1\.00\)", line)
        assert code and float(code[1]) > 400
    assert "from code, 4." in shown["hardware"]
    assert "from setPerfEstimate, 0.01 an element" in shown["model"]
    assert "pip install" not in "".join(shown.values())


def test_without_clang_estimates_stand_in_and_the_summary_says_so(program: Path) -> None:
    key = f"{enable.environment()['DACE_IPU_POPC_KEY']} without clang"
    without = {"DACE_IPU_PRICING_CLANG": "none", "DACE_IPU_POPC_KEY": key}
    assert run(program, **without)["hardware"] == f"setPerfEstimate {18 + 3 * LAUNCH}"
    shown = summaries(program, **without)
    note = "note: not counted from their code, but estimates: Scale. pip install 'dace-ipu[cycles]' brings"
    assert note in shown["hardware"]
    assert "pip install" not in shown["model"]
    assert "mean by code" not in shown["hardware"]
