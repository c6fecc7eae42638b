"""Elements that data chooses of an array that does not fit into a tile beside all else."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest

import dace_ipu
from tests.runtime import programs

N, M, K = (dace.symbol(name) for name in "NMK")


@dace.program
def chosen(A: dace.float32[M], at: dace.int32[N], B: dace.float32[N]):
    for i in dace.map[0:N]:
        if at[i] >= 0:
            B[i] = A[at[i]] * 2 + A[at[i] // 2]


@dace.program
def chosen_from_rows(A: dace.complex64[M, K], at: dace.int32[N], B: dace.complex64[N]):
    for i in dace.map[0:N]:
        B[i] = B[i] + A[at[i], i % K]


@pytest.mark.parametrize("size", [1, 90_000, 200_000, 300_007])
def test_elements_of_one_array(compiled_chosen: Any, size: int) -> None:
    random = np.random.default_rng(size)
    A, B = random.random(size, np.float32), np.zeros(501, np.float32)
    at = random.integers(-1, size, 501).astype(np.int32)
    at[:2] = 0, size - 1
    compiled_chosen(A=A, at=at, B=B, M=size, N=501)
    np.testing.assert_array_equal(B, np.where(at >= 0, A[at] * 2 + A[at // 2], 0).astype(np.float32))
    steps = {step.name for step in dace_ipu.last_report().programs[0].profile.steps}
    assert any(name.startswith("fetch_A_part") for name in steps) == (size > 100_000)


@pytest.mark.parametrize("size", [10, 40_000])
def test_elements_of_rows(compiled_rows: Any, size: int) -> None:
    random = np.random.default_rng(size)
    A = (random.random((size, 3)) + 1j * random.random((size, 3))).astype(np.complex64)
    at, B = random.integers(0, size, 77).astype(np.int32), np.ones(77, np.complex64)
    compiled_rows(A=A, at=at, B=B, M=size, K=3, N=77)
    np.testing.assert_array_equal(B, 1 + A[at, np.arange(77) % 3])


@pytest.fixture(scope="module")
def compiled_chosen(eight_tiles: None) -> Any:
    return programs.offloaded(chosen).compile()


@pytest.fixture(scope="module")
def compiled_rows(eight_tiles: None) -> Any:
    return programs.offloaded(chosen_from_rows).compile()
