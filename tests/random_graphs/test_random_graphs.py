from __future__ import annotations

import pytest

from dace_ipu.simulator.build import ensure_built
from tests.random_graphs.model import generate
from tests.random_graphs.runner import build_driver, mismatches

# python bench/fuzz.py runs others, and many more.
SEEDS = range(250)


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return build_driver(ensure_built(), tmp_path_factory.mktemp("random_graphs"))


@pytest.mark.parametrize("threads", [1, 3])
def test_random_graphs_agree_with_numpy(command: tuple[str, str], threads: int) -> None:
    found = mismatches(command, SEEDS, threads)
    assert not found, found[0]


def test_a_wrong_value_and_an_error_are_noticed(command: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    program = generate(3)
    program.expected[0] = program.expected[0] + 1
    monkeypatch.setattr("tests.random_graphs.runner.generate", lambda seed: program)
    assert "expected" in mismatches(command, [3])[0]
    program.lines.insert(-1, "slice 0 0 5 4")
    assert "error at 'slice" in mismatches(command, [3])[0]


def test_the_programs_are_worth_running() -> None:
    text = "\n".join(line for seed in SEEDS for line in generate(seed).lines)
    for word in ("copy", "repeat", "Add ", "Next ", "AddRows ", "concat", "broadcast", "upsample", "sample", "reverse"):
        assert text.count(word) > 50, word
