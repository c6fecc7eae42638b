"""One program called again and again: sizes that change, errors between calls, threads, data that outlives a call."""

from __future__ import annotations

import threading

import dace
import numpy as np
import pytest

import dace_ipu
from tests.runtime import programs
from tests.runtime.programs import floats

N = dace.symbol("N")
TOO_MUCH = 8 * 200 * 1024  # elements of each of two arrays; 8 tiles of 624 KiB hold 1.2 million in all


def added_one(program, size: int) -> bool:
    A, B = np.arange(size, dtype=np.float32), np.zeros(size, np.float32)
    program(A=A, B=B, N=size)
    return bool((B == A + 1).all())


def builds() -> list[str]:
    return [build.reason for build in dace_ipu.last_report().builds]


def test_what_does_not_fit_names_tile_bytes_categories_and_variables_and_says_what_to_try(increment):
    with pytest.raises(dace_ipu.IPURuntimeError) as error:
        added_one(increment, TOO_MUCH)
    text = str(error.value)
    assert f"with N={TOO_MUCH}: poplar::graph_memory_allocation_error: Out of memory on tile 0: " in text
    assert "bytes used but tiles only have 638976 bytes of memory (8 of 8 tiles are out of memory)" in text
    assert "Largest categories: variables 1638400, " in text
    assert "Largest variables: 'A' 819200, 'B' 819200" in text
    assert text.splitlines()[1:] == [
        "  hint: smaller arrays, or fewer of them at a time; float16 in place of float32",
        "  hint: more tiles: compiler.ipu.tiles is 8, 0 means all",
        "  hint: more IPUs: compiler.ipu.ipus is 1",
    ]
    assert added_one(increment, 10)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (-3, "std::out_of_range: a dimension of a tensor is negative: -3"),
        (-(2**63), "std::out_of_range: a dimension of a tensor is negative: -9223372036854775808"),
        (2**32, "poplar::graph_memory_allocation_error: Out of memory on tile 0: "),
        (2**40, "std::length_error: the elements of a tensor are more than any machine can hold, with 1099511627776"),
        (2**62, "std::length_error: the iterations of a map are more than any machine can hold"),
        (2**63 - 1, "std::length_error: the iterations of a map are more than any machine can hold"),
    ],
)
def test_impossible_sizes_are_errors_and_the_next_call_is_right(twice, size, text):
    A, B = floats(1, 2, 3), floats(0, 0, 0)
    with pytest.raises(dace_ipu.IPURuntimeError) as error:
        twice(A=A, B=B, L=size)
    assert f" with L={size}: {text}" in str(error.value)
    np.testing.assert_array_equal(B, 0)
    twice(A=A, B=B, L=3)
    np.testing.assert_array_equal(B, [2, 4, 6])


def test_sizes_change_without_another_build_of_the_library(increment):
    library = increment._lib._library_filename
    with open(library, "rb") as file:
        before = file.read()
    assert all(added_one(increment, size) for size in (21, 22, 21, 22, 21))
    with open(library, "rb") as file:
        assert file.read() == before
    assert builds()[-1] == "N changed 21 → 22"
    assert "21" in builds()[-2]


def test_the_least_recently_used_graph_is_dropped(increment, monkeypatch):
    monkeypatch.setenv("DACE_compiler_ipu_graph_cache_size", "2")
    for size in (31, 32, 31, 33):  # 33 drops 32
        assert added_one(increment, size)
    count = len(builds())
    assert added_one(increment, 31)
    assert len(builds()) == count
    assert added_one(increment, 32)
    assert builds()[-1] == "N=32 was evicted from the cache (compiler.ipu.graph_cache_size)"
    assert {program.symbols for program in dace_ipu.last_report().programs} == {"N=31", "N=32"}


def test_a_wrong_setting_is_an_error_of_the_call(increment, monkeypatch):
    for value in ("0", "-1", "many", ""):
        monkeypatch.setenv("DACE_compiler_ipu_graph_cache_size", value)
        with pytest.raises(dace_ipu.IPURuntimeError, match=f"DACE_compiler_ipu_graph_cache_size is '{value}', not a"):
            added_one(increment, 71)
    monkeypatch.delenv("DACE_compiler_ipu_graph_cache_size")
    assert added_one(increment, 71)


def test_a_program_that_failed_reports_the_calls_that_worked(increment):
    assert added_one(increment, 41)
    with pytest.raises(dace_ipu.IPURuntimeError):
        added_one(increment, TOO_MUCH)
    assert "N=41" in {program.symbols for program in dace_ipu.last_report().programs}


def _repeat(program, function, symbol: str, sizes, failures: list[str]) -> None:
    try:
        for shift in range(50):
            for size in sizes:
                A, B = np.arange(size, dtype=np.float32) + shift, np.zeros(size, np.float32)
                program(A=A, B=B, **{symbol: size})
                if not (function(A) == B).all():
                    failures.append(f"wrong for {symbol}={size}")
    except Exception as error:
        failures.append(repr(error))


def _all_at_once(*work) -> list[str]:
    failures: list[str] = []
    threads = [threading.Thread(target=_repeat, args=(*arguments, failures)) for arguments in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def test_two_programs_in_two_threads(increment, twice):
    work = ((increment, lambda A: A + 1, "N", (3, 50)), (twice, lambda A: 2 * A, "L", (4, 60)))
    assert _all_at_once(*work) == []


def test_one_program_in_two_threads(increment):
    assert _all_at_once(*((increment, lambda A: A + 1, "N", sizes) for sizes in ((3, 50), (4, 60, 61, 62)))) == []


@pytest.mark.filterwarnings("ignore:.*uninitialized transient.*:UserWarning")
def test_persistent_data_lives_on_for_each_size(accumulating):
    def last(size: int, fresh: bool, value: float) -> float:
        B = np.zeros(size, np.float32)
        accumulating(A=np.full(size, value, np.float32), B=B, fresh=np.array([fresh], np.int32), N=size)
        return float(B[-1])

    assert [last(3, True, 1), last(3, False, 1), last(3, False, 5)] == [1, 2, 7]
    assert last(4, True, 2) == 2
    assert builds()[-1] == "N changed 3 → 4; persistent data starts anew: kept"
    assert [last(3, False, 1), last(4, False, 2)] == [8, 4]


def test_a_loop_that_runs_on_one_tile_and_does_not_fit_there_is_named() -> None:
    @dace.program
    def scan(A: dace.float32[N]):
        for i in range(1, N):
            A[i] = A[i] + A[i - 1]

    program = dace_ipu.to_ipu(scan.to_sdfg()).compile()
    with pytest.raises(dace_ipu.IPURuntimeError) as error:
        program(A=np.ones(200_000, np.float32), N=200_000)
    lines = str(error.value).splitlines()
    assert "Out of memory on tile 0" in lines[0]
    (note,) = [line for line in lines if line.startswith("  note: i_loop (test_calls.py:")]
    assert note.endswith(" runs on one tile: it is scalar work, and no map")
    assert lines[-1] == "  hint: all that a step on one tile uses lies there: make a map of it"


def test_what_does_not_fit_because_of_what_a_step_fetches_names_the_step(compiled_gather):
    size = 8 * 15_000
    with pytest.raises(dace_ipu.IPURuntimeError) as error:
        compiled_gather(A=np.zeros(size, np.float32), B=np.zeros(size, np.float32), at=np.zeros(size, np.int32), N=size)
    text = str(error.value)
    assert "Largest categories: temporary " in text
    assert f"Largest temporaries, by step: 'update_B' {4 * size}." in text
    assert "hint: temporaries are what the vertices of a step read of other tiles: let an iteration read a" in text


@dace.program
def gather(A: dace.float32[N], B: dace.float32[N], at: dace.int32[N]):
    for i in dace.map[0:N]:
        B[i] = A[at[i]]


@pytest.fixture(scope="module")
def compiled_gather(eight_tiles):
    return programs.offloaded(gather).compile()
