"""NumPy's reductions, conversions and functions in programs: the types of their results and their arguments."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest

import dace_ipu
from tests.programs.catalogue import Case, oracle
from tests.programs.interpreted import interpret
from tests.programs.registry import Maker, registry

N, M = dace.symbol("N"), dace.symbol("M")
f32 = np.float32
Values = np.ndarray[Any, Any]
CASES, case = registry()


def numbers(*shape: int) -> Values:
    return (np.arange(np.prod(shape), dtype=f32).reshape(shape) * 5 % 7 - 3) * f32(0.7)


def mask(*shape: int) -> Values:
    return numbers(*shape) > -1


def integers(dtype: Any, *shape: int) -> Values:
    """Large ones: sums of them overflow."""
    return (np.iinfo(dtype).max - np.arange(np.prod(shape)) * 3 % 7).reshape(shape).astype(dtype)


def zeros(*shape: int, dtype: Any = f32) -> Values:
    return np.zeros(shape, dtype)


# ---- reductions


@case(
    lambda: {
        "A": mask(8, 6),
        "B": integers(np.int8, 8, 6),
        "C": integers(np.uint8, 8, 6),
        "D": integers(np.int16, 8, 6),
        "E": integers(np.int32, 8, 6),
        "n": zeros(8, dtype=np.int64),
        "out": zeros(6),
    }
)
@dace.program
def sums_are_wider_than_their_elements(
    A: dace.bool_[8, 6],
    B: dace.int8[8, 6],
    C: dace.uint8[8, 6],
    D: dace.int16[8, 6],
    E: dace.int32[8, 6],
    n: dace.int64[8],
    out: dace.float32[6],
):
    n[0] = np.sum(A)
    n[1] = np.sum(B)
    n[2] = C.sum()
    n[3] = D.prod()
    n[4] = np.sum(E)
    n[5] = np.sum(C > 251)
    n[6] = np.max(B)
    n[7] = sum(A[0])
    out[0] = np.mean(A)
    out[1] = np.mean(B)
    out[2] = C.mean()
    out[3] = np.sum(np.sum(A, axis=0))
    out[4] = np.mean(D)
    out[5] = np.min(E)


@case(lambda: {"A": mask(8, 6), "n": zeros(8, 1, dtype=np.int64), "m": zeros(6, dtype=np.int64), "out": zeros(8)})
@dace.program
def sums_over_axes(A: dace.bool_[8, 6], n: dace.int64[8, 1], m: dace.int64[6], out: dace.float32[8]):
    n[:] = np.add.reduce(A, axis=1, keepdims=True)
    m[:] = A.sum(axis=0)
    out[:] = np.mean(A, axis=1)


@case(lambda: {"A": numbers(8, 6), "n": zeros(8, dtype=np.int32), "c": zeros(1, dtype=np.int32)})
@dace.program
def counts_in_maps_and_loops(A: dace.float32[8, 6], n: dace.int32[8], c: dace.int32[1]):
    for i in dace.map[0:8]:
        n[i] = np.sum(A[i, :] > 0)
    count = 0
    for i in range(8):
        count += A[i, 2] > 0
    c[0] = count


@case(
    lambda: {"A": numbers(8, 6), "B": zeros(4, dtype=np.uint8), "rows": zeros(8, dtype=bool), "t": zeros(7, dtype=bool)}
)
@dace.program
def whether_all_and_any(A: dace.float32[8, 6], B: dace.uint8[4], rows: dace.bool_[8], t: dace.bool_[7]):
    rows[:] = np.all(A, axis=1)
    t[0] = np.all(A > -100)
    t[1] = np.all(A > 0)
    t[2] = np.any(A > 100)
    t[3] = np.any(A)
    t[4] = B.any()
    t[5] = A.all()
    if np.all(A < 100):
        t[6] = True


@case(lambda: {"A": numbers(8, 6), "B": zeros(8, 6), "C": zeros(8, 6), "d": zeros(1, 6)})
@dace.program
def dimensions_that_are_kept(
    A: dace.float32[8, 6], B: dace.float32[8, 6], C: dace.float32[8, 6], d: dace.float32[1, 6]
):
    B[:] = (A - np.mean(A, axis=1, keepdims=True)) / np.std(A, axis=1, keepdims=True)
    e = np.exp(A - np.max(A, axis=-1, keepdims=True))
    C[:] = e / np.sum(e, axis=-1, keepdims=True)
    d[:] = A.max(axis=0, keepdims=True) + A.min(0) + np.max(A, initial=9) + np.min(A, initial=0)


# ---- truth values


@case(lambda: {"a": mask(8), "b": ~mask(16)[8:], "c": zeros(7, 8, dtype=np.int32), "q": zeros(2, 8)})
@dace.program
def arithmetic_on_truth_values(a: dace.bool_[8], b: dace.bool_[8], c: dace.int32[7, 8], q: dace.float32[2, 8]):
    c[0] = a + b
    c[1] = a * b
    c[2] = a ^ b
    c[3] = ~a
    c[4] = a + 1
    c[5] = a + b + a
    q[0] = a + 0.5
    q[1] = a * 2.0
    for i in dace.map[0:8]:
        c[6, i] = (a[i] + b[i]) * 4 + (q[0, i] > 1) + (q[1, i] > 1)


@case(lambda: {"a": numbers(8), "b": numbers(16)[8:], "c": zeros(8, dtype=np.int32), "d": zeros(8)})
@dace.program
def comparisons_in_sums(a: dace.float32[8], b: dace.float32[8], c: dace.int32[8], d: dace.float32[8]):
    for i in dace.map[0:8]:
        c[i] = (a[i] > 0) + (b[i] > 0)
    d[:] = (a > 0) * b + (a < 0) * 2 - (a > 0) * (b > 0) * 1.5


# ---- copies that convert


@case(lambda: {"A": numbers(8) * 300, "B": zeros(8), "C": zeros(8), "D": zeros(8), "E": zeros(8)})
@dace.program
def copies_by_way_of_other_types(
    A: dace.float32[8], B: dace.float32[8], C: dace.float32[8], D: dace.float32[8], E: dace.float32[8]
):
    whole = np.empty((8,), np.int32)
    whole[:] = A
    B[:] = whole
    small = np.empty((8,), np.int8)
    small[:] = whole
    C[:] = small
    half = np.empty((8,), np.float16)
    half[:] = A
    D[:] = half
    truth = np.empty((8,), np.bool_)
    truth[:] = A
    E[:] = truth


@case(lambda: {"K": integers(np.int16, 8, 6), "A": zeros(4, 8), "B": zeros(8, 6)})
@dace.program
def reductions_that_are_converted(K: dace.int16[8, 6], A: dace.float32[4, 8], B: dace.float32[8, 6]):
    A[1] = np.sum(K, axis=1)
    A[2, :] = np.max(K, axis=1)
    A[0] = np.argmax(K, axis=1)
    A[3] = K[:, 0]
    twice = K * 2
    B[:, 0:3] = twice[:, 3:6]
    B[1:8:2, 3:6] = twice[0:8:2, 0:3]


# ---- augmented assignments to parts


@case(lambda: {"u": numbers(16), "e": numbers(16), "X": numbers(6, 9), "row": numbers(3), "column": numbers(3, 1)})
@dace.program
def parts_with_steps(
    u: dace.float32[16], e: dace.float32[16], X: dace.float32[6, 9], row: dace.float32[3], column: dace.float32[3, 1]
):
    u[1::2] += e[::2]
    u[0:8] += e[8:16]
    u[0:4] -= e[0:8:2]
    X[::2, 1::3] -= X[1::2, 0::3]
    X[1:4, :] *= e[0:9]
    X[::2, ::3] += row
    X[1::2, :] -= column
    u[1:16] += u[0:15]
    u[2::2] += u[0:14:2]


@case(lambda: {"u": numbers(16), "v": numbers(16), "W": numbers(4, 16), "e": numbers(4, 8)})
@dace.program
def parts_with_steps_in_loops_and_maps(
    u: dace.float32[16], v: dace.float32[16], W: dace.float32[4, 16], e: dace.float32[4, 8]
):
    for i in dace.map[0:4]:
        u[1::2] -= e[i]
        v[0::2] += e[i]
        W[i, 1::2] += e[i]
    for i in range(4):
        W[i, 1::2] *= e[i]
        W[i, 0::3] -= 1


@case(lambda: {"_a": numbers(4, 5), "_b": numbers(5), "inp": numbers(4), "out": zeros(4), "a": zeros(4)})
@dace.program
def names_that_expansions_use(
    _a: dace.float32[4, 5], _b: dace.float32[5], inp: dace.float32[4], out: dace.float32[4], a: dace.float32[4]
):
    out[:] = _a @ _b
    a[0] = inp @ out
    a[1] = np.sum(out)


# ---- functions that DaCe does not know


@case(lambda: {"A": numbers(8, 6), "K": integers(np.int8, 8, 6), "out": zeros(12), "v": zeros(8), "w": zeros(6)})
@dace.program
def statistics(
    A: dace.float32[8, 6], K: dace.int8[8, 6], out: dace.float32[12], v: dace.float32[8], w: dace.float32[6]
):
    out[0] = np.prod(A[0, 0:3])
    out[1] = np.count_nonzero(A)
    out[2] = np.var(A)
    out[3] = A.std()
    out[4] = np.trace(A)
    out[5] = np.linalg.norm(A)
    out[6] = np.linalg.norm(A[0])
    out[7] = np.linalg.norm(A[:, 0], np.inf)
    out[8] = np.linalg.norm(A[:, 1], 1)
    out[9] = np.var(K)
    out[10] = np.trace(K, 1)
    out[11] = K.std(ddof=1)
    v[:] = np.std(A, axis=1) + np.linalg.norm(A, axis=1) + np.count_nonzero(A, axis=1)
    w[:] = np.var(A, axis=0, ddof=1)


@case(
    lambda: {"A": numbers(8, 6), "B": zeros(8, 6), "C": zeros(8, 6), "D": zeros(8, 5), "E": zeros(7, 6), "N": 8, "M": 6}
)
@dace.program
def triangles_and_differences(
    A: dace.float32[N, M],
    B: dace.float32[N, M],
    C: dace.float32[N, M],
    D: dace.float32[N, M - 1],
    E: dace.float32[N - 1, M],
):
    B[:] = np.tril(A) + 2 * np.triu(A, 1)
    C[:] = np.tril(A, -1)
    D[:] = np.diff(A)
    E[:] = np.diff(A, axis=0)
    E[0] += np.where(A[0] > 0, 1, -0.5)


@case(
    lambda: {
        "A": mask(8),
        "K": integers(np.int32, 8),
        "n": zeros(3, 8, dtype=np.int64),
        "B": numbers(5, 5),
        "C": zeros(5, 5),
        "d": zeros(5),
        "N": 5,
    }
)
@dace.program
def sums_of_beginnings(
    A: dace.bool_[8],
    K: dace.int32[8],
    n: dace.int64[3, 8],
    B: dace.float32[N, N],
    C: dace.float32[N, N],
    d: dace.float32[N],
):
    n[0] = np.cumsum(A)
    n[1] = np.cumsum(K)
    n[2] = np.cumprod(K[0:8] % 5 + 1)
    C[:] = np.cumsum(B, axis=0) + B.cumsum(axis=-1)
    d[:] = np.diagonal(B) + B.diagonal(2)[0]


@pytest.mark.filterwarnings("ignore:Using sets for connectors:UserWarning")  # DaCe warns of its own
@pytest.mark.parametrize(("program", "make"), CASES, ids=[program.f.__name__ for program, _ in CASES])
def test_in_the_interpreter(program: Any, make: Maker) -> None:
    got = make()
    want = {name: array for name, array in make().items() if isinstance(array, np.ndarray)}
    interpret(program.to_sdfg(), **got)
    with np.errstate(all="ignore"):
        oracle(Case(program, lambda _: {}, {}, "refuse"), want)
    for name, array in want.items():
        np.testing.assert_allclose(got[name], array, rtol=2e-5, atol=1e-5, err_msg=name)


def test_on_the_simulator() -> None:
    """Types of results that are returned as well."""

    @dace.program
    def counted(A: dace.float32[8, 6], B: dace.float32[8, 6]):
        B[:] = np.cumsum(A, axis=0) + (A > 0) * (A < 1)
        return np.sum(A > 0, axis=1), np.all(A > -9), np.mean(A > 0)

    A, B = numbers(8, 6), zeros(8, 6)
    counts, everywhere, share = dace_ipu.to_ipu(counted.to_sdfg()).compile()(A=A, B=B)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, (A > 0).sum(1))
    assert everywhere.item() is True
    assert share.item() == pytest.approx((A > 0).mean())
    np.testing.assert_allclose(B, np.cumsum(A, axis=0) + (A > 0) * (A < 1), rtol=1e-5, atol=1e-5)


def test_sums_over_a_flattened_matrix_are_refused() -> None:
    @dace.program
    def flattened(A: dace.float32[4, 5], out: dace.float32[20]):
        out[:] = np.cumsum(A)

    with pytest.raises(NotImplementedError, match=r"np\.cumsum\(np\.reshape"):
        flattened.to_sdfg()
