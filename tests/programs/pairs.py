"""Programs whose loops run in pairs of floats: rows of odd and even length, aligned or not, with answers and NaN."""

from __future__ import annotations

import dace
import numpy as np

from tests.programs.catalogue import K, M, N, case, f32, values


def with_nan(rng: np.random.Generator, *shape: int) -> np.ndarray:
    result = values(rng, *shape)
    result[rng.random(shape) < 0.05] = np.nan
    return result


@case(
    lambda r: {"A": values(r, 9, 14, 11), "b": values(r, 11), "c": values(r, 9), "C": values(r, 9, 14, 11)},
    N=9,
    M=14,
    K=11,
)
@dace.program
def pairs_of_odd_rows(A: dace.float32[N, M, K], b: dace.float32[K], c: dace.float32[N], C: dace.float32[N, M, K]):
    for i, j, k in dace.map[0:N, 0:M, 0:K]:
        C[i, j, k] = C[i, j, k] + A[i, j, k] * b[k] / (c[i] + 3)


@case(lambda r: {"A": values(r, 7, 40), "B": values(r, 7, 40)})
@dace.program
def pairs_with_answers(A: dace.float32[7, 40], B: dace.float32[7, 40]):
    return np.where(A > B, A, 0), np.where(A * B < 0.1, np.exp(A), -B)


@case(lambda r: {"A": values(r, 8, 31), "B": values(r, 8, 32)})
@dace.program
def pairs_of_sums(A: dace.float32[8, 31], B: dace.float32[8, 32]):
    return np.sum(A, axis=1), np.sum(B, axis=1), np.max(A, axis=1), np.min(B, axis=1)


@case(lambda r: {"A": with_nan(r, 12, 33)})
@dace.program
def pairs_of_extremes_with_nan(A: dace.float32[12, 33]):
    return np.max(A, axis=1), np.min(A, axis=1)


@case(lambda r: {"x": values(r, 101), "y": values(r, 101), "a": f32(1.5)}, N=101)
@dace.program
def pairs_of_a_vector(x: dace.float32[N], y: dace.float32[N], a: dace.float32):
    for i in dace.map[0:N]:
        y[i] = a * x[i] - y[i] ** 2


@case(lambda r: {"x": values(r, 1), "y": values(r, 1)}, N=1)
@dace.program
def pairs_of_one_element(x: dace.float32[N], y: dace.float32[N]):
    y[:] = x - 2 * y


@case(lambda r: {"A": values(r, 6, 20), "B": values(r, 6, 20)}, N=6, M=20)
@dace.program
def pairs_in_triangles(A: dace.float32[N, M], B: dace.float32[N, M]):
    for i in dace.map[0:N]:
        for k in range(i - 1):
            B[i, k] = 2 * A[i, k]


@case(lambda r: {"A": values(r, 8), "C": values(r, 8, 9), "s": values(r, 1)}, N=8, M=9)
@dace.program
def sum_over_a_column(A: dace.float32[N], C: dace.float32[N, M], s: dace.float32[1]):
    for i in dace.map[0:N]:
        s[0] += A[i] * C[i, 0]


@case(lambda r: {"C": values(r, 7, 3, 1), "s": values(r, 3)}, N=7)
@dace.program
def sums_over_columns(C: dace.float32[N, 3, 1], s: dace.float32[3]):
    for i, k in dace.map[0:N, 0:3]:
        s[k] += C[i, k, 0]
