"""Matrix products in all their forms, and loops whose turns are independent, registered in the catalogue."""

from __future__ import annotations

import dace
import numpy as np

from tests.programs.catalogue import case, values

N, M, K = (dace.symbol(name) for name in "NMK")
f32 = np.float32


@case(lambda r: {"A": values(r, 9, 7), "B": values(r, 7, 5), "C": values(r, 9, 5), "s": f32(0.5)}, N=9, K=7, M=5)
@dace.program
def product_with_factors(A: dace.float32[N, K], B: dace.float32[K, M], C: dace.float32[N, M], s: dace.float32):
    C[:] = s * A @ B + 2.0 * C


@case(lambda r: {"A": values(r, 9, 7), "x": values(r, 9), "y": values(r, 7)}, N=9, K=7)
@dace.program
def vector_from_both_sides(A: dace.float32[N, K], x: dace.float32[N], y: dace.float32[K]):
    y[:] = x @ A
    x[:] = A @ y


@case(lambda r: {"A": values(r, 61, 47), "x": values(r, 61), "y": values(r, 47)}, N=61, K=47)
@dace.program
def matrix_that_stays_where_it_is(A: dace.float32[N, K], x: dace.float32[N], y: dace.float32[K]):
    y[:] = x @ A + y
    x[:] = A @ y


@case(lambda r: {"A": values(r, 40, 33), "u": values(r, 40), "v": values(r, 33), "x": values(r, 40)}, N=40, K=33)
@dace.program
def computed_matrix_that_stays_where_it_is(
    A: dace.float32[N, K], u: dace.float32[N], v: dace.float32[K], x: dace.float32[N]
):
    A += np.multiply.outer(u, v)
    v[:] = A.T @ x
    u[:] = A @ v


@case(lambda r: {"A": values(r, 40, 33), "x": values(r, 30), "y": values(r, 20)}, N=40, K=33)
@dace.program
def part_of_a_matrix_from_both_sides(A: dace.float32[N, K], x: dace.float32[30], y: dace.float32[20]):
    y[:] = x @ A[3:33, 5:25]
    x[:] = A[3:33, 5:25] @ y


@case(lambda r: {"A": values(r, 9, 7), "x": values(r, 7), "y": values(r, 9), "s": f32(3)}, N=9, K=7)
@dace.program
def scaled_matrix_times_vector(A: dace.float32[N, K], x: dace.float32[K], y: dace.float32[N], s: dace.float32):
    y[:] = s * A @ x


@case(lambda r: {"A": values(r, 7, 9), "B": values(r, 5, 7), "C": values(r, 9, 5)}, N=9, K=7, M=5)
@dace.program
def transposed_operands(A: dace.float32[K, N], B: dace.float32[M, K], C: dace.float32[N, M]):
    C[:] = A.T @ B.T


@case(lambda r: {"A": values(r, 8, 8), "B": values(r, 8, 8), "C": values(r, 8, 8)}, N=8)
@dace.program
def product_of_slices(A: dace.float32[N, N], B: dace.float32[N, N], C: dace.float32[N, N]):
    for i, j, k in dace.map[0 : N - 2, 0 : N - 3, 0 : N - 1]:
        C[i + 1, j] += A[i, k + 1] * B[k, j + 3]


@case(lambda r: {"A": values(r, 3, 6, 5), "B": values(r, 5, 4), "C": values(r, 3, 6, 4)})
@dace.program
def product_with_two_row_dimensions(A: dace.float32[3, 6, 5], B: dace.float32[5, 4], C: dace.float32[3, 6, 4]):
    for g, i, j, k in dace.map[0:3, 0:6, 0:4, 0:5]:
        C[g, i, j] += A[g, i, k] * B[k, j]


@case(lambda r: {"A": values(r, 20, 0), "B": values(r, 0, 30), "C": values(r, 20, 30)}, N=20, K=0, M=30)
@dace.program
def product_of_nothing(A: dace.float32[N, K], B: dace.float32[K, M], C: dace.float32[N, M]):
    C[:] = A @ B


@case(
    lambda r: {
        "A": values(r, 12, 10, dtype=np.float16),
        "B": values(r, 10, 9, dtype=np.float16),
        "C": values(r, 12, 9, dtype=np.float16),
    }
)
@dace.program
def product_of_halves(A: dace.float16[12, 10], B: dace.float16[10, 9], C: dace.float16[12, 9]):
    C[:] = A @ B


@case(lambda r: {"A": values(r, 9, 6), "C": values(r, 9, 9)}, N=9, K=6)
@dace.program
def lower_triangle_of_a_product(A: dace.float32[N, K], C: dace.float32[N, N]):
    for i in range(N):
        C[i, : i + 1] *= 2.0
        for k in range(K):
            C[i, : i + 1] += A[i, k] * A[: i + 1, k]


@case(lambda r: {"A": values(r, 8, 7), "C": values(r, 7, 7)}, N=8, M=7)
@dace.program
def symmetric_product_by_rows(A: dace.float32[N, M], C: dace.float32[M, M]):
    for i in range(M):
        C[i, i:M] = A[:, i] @ A[:, i:M]
        C[i:M, i] = C[i, i:M]


@case(lambda r: {"A": values(r, 6, 8), "B": values(r, 6, 8), "C": values(r, 6, 8)}, N=6, M=8)
@dace.program
def sums_from_all_turns(A: dace.float32[N, M], B: dace.float32[N, M], C: dace.float32[N, M]):
    for i in range(N):
        for j in range(M):
            C[:i, j] += 0.5 * B[i, j] * A[i, j]
        C[i, :] -= A[i, :]


@case(lambda r: {"A": values(r, 3, 9, 8), "W": values(r, 2, 3), "C": values(r, 3, 8, 6)}, N=9, M=8)
@dace.program
def window_sums(A: dace.float32[3, N, M], W: dace.float32[2, 3], C: dace.float32[3, N - 1, M - 2]):
    for i in range(N - 1):
        for j in range(M - 2):
            C[:, i, j] = np.sum(A[:, i : i + 2, j : j + 3] * W, axis=(1, 2))


@case(lambda r: {"x": values(r, 70), "y": np.zeros(5, f32)}, N=70, M=5)
@dace.program
def counts_by_intervals(x: dace.float32[N], y: dace.float32[M]):
    for i in range(M):
        inside = (x >= i * 0.1) & (x < (i + 1) * 0.1)
        for j in dace.map[0:N]:
            if inside[j]:
                y[i] += x[j]


@case(lambda r: {"A": values(r, 7, 7)}, N=7)
@dace.program
def loop_to_a_counter_of_the_device(A: dace.float32[N, N]):
    for i in range(N):
        for j in range(i, 0, -1):
            A[i, j] = A[i, j] + 0.5 * A[i, j - 1]
        for j in range(i + 1, N, 2):
            A[i, j] = A[i, j - 1] * 0.5


@case(lambda r: {"A": values(r, 7, 6), "R": np.zeros((6, 6), f32)}, N=7, M=6)
@dace.program
def columns_made_orthogonal(A: dace.float32[N, M], R: dace.float32[M, M]):
    for k in range(M):
        R[k, k] = np.dot(A[:, k], A[:, k])
        for j in range(k + 1, M):
            R[k, j] = np.dot(A[:, k], A[:, j]) / R[k, k]
            A[:, j] -= A[:, k] * R[k, j]


@case(
    lambda r: {
        "row": np.array([0, 2, 2, 5, 5, 5, 6], np.uint32),
        "col": np.array([1, 3, 0, 2, 4, 4], np.uint32),
        "val": values(r, 6),
        "x": values(r, 5),
        "y": np.zeros(6, f32),
    },
    N=6,
    K=6,
    M=5,
)
@dace.program
def sparse_rows_of_which_some_are_empty(
    row: dace.uint32[N + 1], col: dace.uint32[K], val: dace.float32[K], x: dace.float32[M], y: dace.float32[N]
):
    for i in range(N):
        start = row[i]
        stop = row[i + 1]
        y[i] = val[start:stop] @ x[col[start:stop]]
