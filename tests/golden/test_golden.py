"""Small programs whose generated text, profile and results are pinned in ``golden/``. Few tiles keep the text short."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dace
import numpy as np
import pytest

TILES = 8

N = dace.symbol("N")
f16, f32 = np.float16, np.float32


@pytest.fixture(autouse=True)
def few_tiles(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs use eight tiles of one simulated Mk2, whatever the environment says."""
    for key in ("mode", "target", "ipus", "tiles", "graph_cache_size", "check"):
        monkeypatch.delenv(f"DACE_compiler_ipu_{key}", raising=False)
    with dace.config.set_temporary("compiler", "ipu", "tiles", value=TILES):
        yield


def numbers(*shape: int, dtype: Any = f32) -> np.ndarray[Any, Any]:
    """The same numbers in every run: multiples of 1/4 in [-4, 4), so that short sums are exact in float32."""
    return (np.random.default_rng(7).integers(-16, 16, shape) / 4).astype(dtype)


@dace.program
def copy(a: dace.float32[20], b: dace.float32[20]):
    b[:] = a


def test_copy(golden):
    """With ``add_constant`` one of the two programs of https://github.com/spcl/dace/pull/1659."""
    a = numbers(20)
    golden(copy, {"a": a, "b": np.zeros(20, f32)}, {"a": a, "b": a})


@dace.program
def vector_add(A: dace.float32[20], B: dace.float32[20], C: dace.float32[20]):
    C[:] = A + B


def test_vector_add(golden):
    a = numbers(20)
    golden(vector_add, {"A": a, "B": 2 * a, "C": np.zeros(20, f32)}, {"C": 3 * a})


@dace.program
def add_constant(A: dace.float32[20], C: dace.float32[20]):
    C[:] = A + 5


def test_add_constant(golden):
    a = numbers(20)
    golden(add_constant, {"A": a, "C": np.zeros(20, f32)}, {"C": a + 5})


@dace.program
def axpy(a: dace.float32, x: dace.float32[96], y: dace.float32[96]):
    y[:] = a * x + y


def test_axpy(golden):
    x, y = numbers(96), np.ones(96, f32)
    golden(axpy, {"a": f32(2), "x": x, "y": y}, {"y": 2 * x + y})


@dace.program
def tail_block(x: dace.float32[101], y: dace.float32[101]):
    y[:] = 3 * x


def test_tail_block(golden):
    """101 elements on 8 tiles: blocks of 12 and 13, which six workers cannot share evenly either."""
    x = numbers(101)
    golden(tail_block, {"x": x, "y": np.zeros(101, f32)}, {"y": 3 * x})


@dace.program
def stencil_2d(A: dace.float32[10, 14], B: dace.float32[10, 14]):
    B[1:-1, 1:-1] = 0.25 * (A[:-2, 1:-1] + A[2:, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:])


def test_stencil_2d(golden):
    a, b = numbers(10, 14), np.full((10, 14), 9, f32)
    want = b.copy()
    want[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    golden(stencil_2d, {"A": a, "B": b}, {"A": a, "B": want})


@dace.program
def ping_pong(A: dace.float32[24], B: dace.float32[24]):
    for _ in range(5):
        B[1:-1] = 0.5 * (A[:-2] + A[2:])
        A[1:-1] = 0.5 * (B[:-2] + B[2:])


def test_ping_pong(golden):
    """A loop whose variable is not used is a Repeat on the device."""
    golden(ping_pong, {"A": numbers(24), "B": np.zeros(24, f32)}, ping_pong.f)


@dace.program
def reduce_to_scalar(A: dace.float32[100], s: dace.float32[1]):
    s[0] = np.sum(A)


def test_reduce_to_scalar(golden):
    a = numbers(100)
    golden(reduce_to_scalar, {"A": a, "s": np.zeros(1, f32)}, {"s": [a.sum()]})


@dace.program
def reduce_axis(A: dace.float32[12, 9], r: dace.float32[12]):
    r[:] = np.max(A, axis=1)


def test_reduce_axis(golden):
    a = numbers(12, 9)
    golden(reduce_axis, {"A": a, "r": np.zeros(12, f32)}, {"r": a.max(axis=1)})


@dace.program
def histogram(data: dace.uint8[100], bins: dace.int32[5]):
    for i in dace.map[0:100]:
        bins[data[i]] += 1


def test_histogram(golden):
    data = (np.arange(100) ** 2 % 5).astype(np.uint8)
    golden(histogram, {"data": data, "bins": np.zeros(5, np.int32)}, {"bins": np.bincount(data, minlength=5)}, rtol=0)


@dace.program
def broadcast(A: dace.float32[6, 8], row: dace.float32[8], column: dace.float32[6, 1], B: dace.float32[6, 8]):
    B[:] = A * row + column


def test_broadcast(golden):
    a, row, column = numbers(6, 8), numbers(8), numbers(6, 1)
    golden(broadcast, {"A": a, "row": row, "column": column, "B": np.zeros_like(a)}, {"B": a * row + column})


@dace.program
def matmul(A: dace.float32[8, 6], B: dace.float32[6, 10], C: dace.float32[8, 10]):
    for i, j in dace.map[0:8, 0:10]:
        C[i, j] = 0
        for k in range(6):
            C[i, j] += A[i, k] * B[k, j]


def test_matmul(golden):
    a, b = numbers(8, 6), numbers(6, 10)
    golden(matmul, {"A": a, "B": b, "C": np.zeros((8, 10), f32)}, {"C": a @ b})


@dace.program
def nested_conditional(A: dace.float32[8, 10], B: dace.float32[8]):
    for i in dace.map[0:8]:
        total = np.float32(0)
        for j in range(10):
            if A[i, j] > 0:
                total += A[i, j]
            else:
                total -= np.float32(2) * A[i, j]
        B[i] = total


def test_nested_conditional(golden):
    a = numbers(8, 10)
    golden(nested_conditional, {"A": a, "B": np.zeros(8, f32)}, {"B": np.where(a > 0, a, -2 * a).sum(axis=1)})


@dace.program
def half_precision(x: dace.float16[30], y: dace.float16[30]):
    for i in dace.map[0:30]:
        y[i] = x[i] * x[i] + y[i]


def test_half_precision(golden):
    """Two elements of float16 share a 32-bit word, which two workers must never write at the same time."""
    x = numbers(30, dtype=f16)
    golden(half_precision, {"x": x, "y": np.ones(30, f16)}, {"y": x * x + f16(1)}, rtol=1e-3)


@dace.program
def symbolic_shape(x: dace.float32[N], y: dace.float32[N]):
    y[:] = x * x


def test_symbolic_shape(golden):
    """N stays a parameter of the generated text."""
    x = numbers(37)
    golden(symbolic_shape, {"x": x, "y": np.zeros(37, f32)}, {"y": x * x}, symbols={"N": 37})


@dace.program
def view(A: dace.float32[4, 6], B: dace.float32[6, 4]):
    flat = np.reshape(A, (6, 4))
    B[:] = flat + 1


def test_view(golden):
    a = numbers(4, 6)
    golden(view, {"A": a, "B": np.zeros((6, 4), f32)}, {"B": a.reshape(6, 4) + 1})


@dace.program
def scalar_return(A: dace.float32[20]):
    return A[3] + 1


def test_scalar_return(golden):
    a = numbers(20)
    golden(scalar_return, {"A": a}, {"A": a, "__return": a[3] + 1})


@dace.program
def suffix_sum(x: dace.float32[4], y: dace.float32[4]):
    for i in dace.map[0:4]:
        total = np.float32(0)
        for j in range(i, 4):
            total += x[j]
        y[i] = total


def test_suffix_sum(golden):
    """The exercise of Graphcore's third Poplar tutorial."""
    x = np.array([1, 1.5, 2, 2.5], f32)
    golden(suffix_sum, {"x": x, "y": np.zeros(4, f32)}, {"y": [7, 6, 4.5, 2.5]})


@dace.program
def convergence(A: dace.float32[N], limit: dace.float32, turns: dace.int32[1]):
    turns[0] = 0
    while np.max(A) > limit:
        A[:] = A * 0.5
        turns[0] = turns[0] + 1


def test_convergence(golden):
    """A while loop on data: the device decides how often it turns."""
    a = np.abs(numbers(60))
    turns = int(np.ceil(np.log2(a.max() / 0.5)))
    arguments = {"A": a, "limit": f32(0.5), "turns": np.zeros(1, np.int32), "N": 60}
    golden(convergence, arguments, {"A": a * f32(0.5**turns), "turns": np.array([turns], np.int32)})


@dace.program
def triangular(A: dace.float32[N, N]):
    for k in range(N - 1):
        for i, j in dace.map[k + 1 : N, k + 1 : N]:
            A[i, j] = A[i, j] - A[i, k] * A[k, j]


def test_triangular(golden):
    """A loop whose counter says which row and column are used, and which part of the rest is updated."""
    a = numbers(6, 6)
    expected = a.copy()
    for k in range(5):
        expected[k + 1 :, k + 1 :] -= np.outer(expected[k + 1 :, k], expected[k, k + 1 :])
    golden(triangular, {"A": a, "N": 6}, {"A": expected})
