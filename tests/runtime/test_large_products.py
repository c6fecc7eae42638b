"""Products with a matrix so large that a tile cannot hold it three times."""

from __future__ import annotations

import dace
import numpy as np
import pytest

import dace_ipu
from tests.runtime import programs

N, K, M = (dace.symbol(name) for name in "NKM")


@dace.program
def layer(x: dace.float32[N, K], w: dace.float32[K, M], y: dace.float32[N, M]):
    y[:] = x @ w


@dace.program
def scaled_layer(x: dace.float32[N, K], w: dace.float32[K, M], y: dace.float32[N, M]):
    w[:] = w * 2  # no longer laid out as the product wants it
    y[:] = y + x @ w


def run(program: dace.SDFG, n: int, k: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(k + m)
    x, w, y = (random.random(shape, np.float32) for shape in ((n, k), (k, m), (n, m)))
    before = x.copy(), w.copy(), y.copy()
    program(x=x, w=w, y=y, N=n, K=k, M=m)
    return y, *before


@pytest.mark.parametrize(("k", "m"), [(800, 420), (2000, 165), (7000, 49), (700, 300)])
def test_a_layer_of_a_network(compiled_layer, k, m):
    y, x, w, _ = run(compiled_layer, 3, k, m)
    np.testing.assert_allclose(y, x @ w, rtol=1e-4)
    pieces = [step for step in dace_ipu.last_report().programs[0].profile.steps if "turned" in step.name]
    assert len(pieces) == (2 if k * m // 8 > 32768 else 1)


def test_a_matrix_that_is_computed_before(compiled_scaled_layer):
    y, x, w, before = run(compiled_scaled_layer, 3, 800, 420)
    np.testing.assert_allclose(y, before + x @ (w * 2), rtol=1e-4)


@pytest.fixture(scope="module")
def compiled_layer(eight_tiles):
    return programs.offloaded(layer).compile()


@pytest.fixture(scope="module")
def compiled_scaled_layer(eight_tiles):
    return programs.offloaded(scaled_layer).compile()
