"""Products of vectors with a matrix that a map has just written: it stays in the blocks in which it lies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dace
import numpy as np
import pytest

import dace_ipu
from tests.runtime import programs

N, K = (dace.symbol(name) for name in "NK")


@dace.program
def both_ways(A: dace.float32[N, K], x: dace.float32[N], y: dace.float32[K], a: dace.float32):
    A[:] = A + 1
    u = a * x @ A
    v = A @ y
    x[:] = v
    y[:] = u


@pytest.fixture(scope="module")
def compiled(eight_tiles: None) -> Iterator[Any]:
    """On 64 tiles: with fewer there are no rows of blocks worth summing up in groups."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DACE_compiler_ipu_tiles", "64")
        yield programs.offloaded(both_ways).compile()


@pytest.mark.parametrize(
    ("n", "k", "groups"),
    [
        (64, 64, True),  # so many rows of blocks that they are summed up in groups
        (40, 90, False),  # rows of odd length
        (48, 230, False),  # fourteen pairs and one column
        (33, 8 * 37, False),
        (640, 5, False),
        (1280, 3, False),
        (5, 700, True),
    ],
)
def test_shares_of_all_kinds(compiled: Any, n: int, k: int, groups: bool) -> None:
    random = np.random.default_rng(n + k)
    A, x, y = (random.random(shape, np.float32) for shape in ((n, k), n, k))
    before = A.copy(), x.copy(), y.copy()
    compiled(A=A, x=x, y=y, a=np.float32(0.5), N=n, K=k)
    np.testing.assert_allclose(A, before[0] + 1)
    np.testing.assert_allclose(y, 0.5 * before[1] @ A, rtol=1e-4)
    np.testing.assert_allclose(x, A @ before[2], rtol=1e-4)
    names = [step.name for step in dace_ipu.last_report().programs[0].profile.steps]
    assert any(name.endswith("/Multiply") for name in names)
    assert any(name.endswith("/Reduce/groups") for name in names) == groups
