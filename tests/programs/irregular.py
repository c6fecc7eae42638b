"""Programs whose indices and ranges come from data, registered in the catalogue."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np

from tests.programs.catalogue import case, values

N, M, Z = (dace.symbol(name) for name in "NMZ")
f32, i32 = np.float32, np.int32


# ---- rows of sparse matrices -----------------------------------------------------------------------------------------


def sparse(r: np.random.Generator, lengths: list[int], columns: int, dtype: Any = np.int32) -> dict[str, Any]:
    """A matrix in CSR form whose rows have these lengths."""
    stored = sum(lengths)
    return {
        "row": np.cumsum([0, *lengths]).astype(dtype),
        "col": r.integers(0, columns, stored).astype(dtype),
        "val": values(r, stored),
    }


@case(
    lambda r: {**sparse(r, [3, 0, 1, 9, 0, 2, 0], 8, np.uint32), "x": values(r, 8), "y": values(r, 7)}, N=7, M=8, Z=15
)
@dace.program
def csr_product(
    row: dace.uint32[N + 1], col: dace.uint32[Z], val: dace.float32[Z], x: dace.float32[M], y: dace.float32[N]
):
    for i in range(N):
        start = dace.define_local_scalar(dace.uint32)
        stop = dace.define_local_scalar(dace.uint32)
        start = row[i]
        stop = row[i + 1]
        cols = col[start:stop]
        vals = val[start:stop]
        y[i] = vals @ x[cols]


@case(lambda r: {**sparse(r, [1], 1), "x": values(r, 1), "y": values(r, 1)}, N=1, M=1, Z=1)
@dace.program
def csr_of_one(
    row: dace.int32[N + 1], col: dace.int32[Z], val: dace.float32[Z], x: dace.float32[M], y: dace.float32[N]
):
    for i in range(N):
        for k in range(row[i], row[i + 1]):
            y[i] = y[i] + val[k] * x[col[k]]


@case(lambda r: {**sparse(r, [0, 4, 0, 13, 1], 6), "x": values(r, 6), "y": values(r, 5)}, N=5, M=6, Z=18)
@dace.program
def csr_map(row: dace.int32[N + 1], col: dace.int32[Z], val: dace.float32[Z], x: dace.float32[M], y: dace.float32[N]):
    for i in dace.map[0:N]:
        for k in range(row[i], row[i + 1]):
            y[i] += val[k] * x[col[k]]


@case(lambda r: {"row": np.array([0, 2, 2, 7, 8], i32), "val": values(r, 8), "most": values(r, 4)}, N=4, Z=8)
@dace.program
def sums_of_rows(row: dace.int32[N + 1], val: dace.float32[Z], most: dace.float32[N]):
    for i in range(N):
        start = row[i]
        stop = row[i + 1]
        most[i] = np.sum(val[start:stop]) + most[i]


@case(lambda r: {"row": np.array([0, 2, 2, 7, 8], i32), "val": values(r, 8), "x": values(r, 4)}, N=4, Z=8)
@dace.program
def rows_scaled_in_place(row: dace.int32[N + 1], val: dace.float32[Z], x: dace.float32[N]):
    for i in range(N):
        start = row[i]
        stop = row[i + 1]
        val[start:stop] = val[start:stop] * x[i]


# ---- indices in mixed radix ------------------------------------------------------------------------------------------


@case(lambda r: {"A": values(r, 24), "B": values(r, 24)}, N=24, M=4)
@dace.program
def digits_of_a_counter(A: dace.float32[N], B: dace.float32[N]):
    for t in range(1, M):
        for j in range(t):
            for a in dace.map[0:6]:
                B[t * a + j] = B[t * a + j] + A[a] * t


@case(lambda r: {"A": values(r, 5, 7)}, N=5, M=7)
@dace.program
def grids(A: dace.float32[N, M]):
    x = np.ndarray((N, M), np.int32)
    y = np.ndarray((N, M), np.int32)
    for i in range(N):
        x[i, :] = i
    for j in range(M):
        y[:, j] = j
    A[:] = A * (x - y) + x
