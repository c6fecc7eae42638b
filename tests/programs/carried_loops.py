"""Programs whose loops carry values from turn to turn, registered in the catalogue."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np

from tests.programs.catalogue import case, values

N, M = (dace.symbol(name) for name in "NM")
f32, i32 = np.float32, np.int32


def dominant(rng: np.random.Generator, size: int) -> np.ndarray[Any, Any]:
    """A matrix whose diagonal is so large that no elimination needs pivots."""
    return (values(rng, size, size) + size * np.eye(size, dtype=f32)).astype(f32)


def symmetric(rng: np.random.Generator, size: int) -> np.ndarray[Any, Any]:
    """A symmetric one of these."""
    matrix = dominant(rng, size)
    return ((matrix + matrix.T) / 2).astype(f32)


@case(lambda r: {"L": dominant(r, 11), "b": values(r, 11), "x": values(r, 11)}, N=11)
@dace.program
def forward_substitution(L: dace.float32[N, N], b: dace.float32[N], x: dace.float32[N]):
    for i in range(N):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


@case(lambda r: {"U": dominant(r, 9), "b": values(r, 9), "x": values(r, 9)}, N=9)
@dace.program
def backward_substitution(U: dace.float32[N, N], b: dace.float32[N], x: dace.float32[N]):
    for i in range(N - 1, -1, -1):
        x[i] = (b[i] - U[i, i + 1 :] @ x[i + 1 :]) / U[i, i]


@case(lambda r: {"L": dominant(r, 9), "B": values(r, 9, 4)}, N=9, M=4)
@dace.program
def forward_substitution_of_columns(L: dace.float32[N, N], B: dace.float32[N, M]):
    for i in range(N):
        for j in range(i):
            B[i, :] -= L[i, j] * B[j, :]
        B[i, :] /= L[i, i]


@case(lambda r: {"A": dominant(r, 8), "b": values(r, 8)}, N=8)
@dace.program
def gauss_elimination(A: dace.float32[N, N], b: dace.float32[N]):
    for k in range(N - 1):
        for i in range(k + 1, N):
            factor = A[i, k] / A[k, k]
            A[i, k:] -= factor * A[k, k:]
            b[i] -= factor * b[k]


@case(lambda r: {"A": symmetric(r, 8), "D": values(r, 8)}, N=8)
@dace.program
def ldl(A: dace.float32[N, N], D: dace.float32[N]):
    for j in range(N):
        D[j] = A[j, j]
        for k in range(j):
            D[j] -= A[j, k] * A[j, k] * D[k]
        for i in range(j + 1, N):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k] * D[k]
            A[i, j] /= D[j]


@case(lambda r: {"A": dominant(r, 7), "R": np.zeros((7, 7), f32)}, N=7)
@dace.program
def gram_schmidt(A: dace.float32[N, N], R: dace.float32[N, N]):
    for k in range(N):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        A[:, k] /= R[k, k]
        for j in range(k + 1, N):
            R[k, j] = A[:, k] @ A[:, j]
            A[:, j] -= R[k, j] * A[:, k]


@case(lambda r: {"a": values(r, 30), "b": values(r, 30), "x": values(r, 30)}, N=30)
@dace.program
def recurrence(a: dace.float32[N], b: dace.float32[N], x: dace.float32[N]):
    for i in range(1, N):
        x[i] = a[i] * x[i - 1] + b[i]


@case(lambda r: {"A": symmetric(r, 9), "x": values(r, 9) + f32(2)}, N=9)
@dace.program
def power_iteration(A: dace.float32[N, N], x: dace.float32[N]):
    for _ in range(6):
        y = A @ x
        x[:] = y / np.sqrt(y @ y)


@case(lambda r: {"reach": values(r, 9, 9, dtype=np.bool_)}, N=9)
@dace.program
def closure(reach: dace.bool[N, N]):
    for k in range(N):
        for i, j in dace.map[0:N, 0:N]:
            reach[i, j] = reach[i, j] | (reach[i, k] & reach[k, j])


@case(lambda r: {"path": r.integers(1, 50, (9, 9)).astype(i32)}, N=9)
@dace.program
def shortest_paths(path: dace.int32[N, N]):
    for k in range(N):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


@case(lambda r: {"x": values(r, 20), "y": values(r, 20), "last": values(r, 1)}, N=20)
@dace.program
def limited_walk(x: dace.float32[N], y: dace.float32[N], last: dace.float32[1]):
    total = dace.float32(0)
    for i in range(N):
        if x[i] > 0:
            total += x[i]
        else:
            total *= dace.float32(0.5)
        y[i] = total
        last[0] = y[i] + dace.float32(i)


def sparse(rng: np.random.Generator, rows: int, columns: int) -> dict[str, np.ndarray[Any, Any]]:
    """A matrix as compressed sparse rows, one of them empty."""
    dense = rng.random((rows, columns)) < 0.4
    dense[1] = False
    starts = np.concatenate([[0], np.cumsum(dense.sum(axis=1))]).astype(np.uint32)
    column = np.nonzero(dense)[1].astype(np.uint32)
    return {"row": starts, "column": column, "value": values(rng, len(column)), "x": values(rng, columns)}


SPARSE = sparse(np.random.default_rng(5), 9, 7)
Z = dace.symbol("Z")


@case(lambda r: {**SPARSE, "x": values(r, 7), "y": values(r, 9)}, N=9, M=7, Z=len(SPARSE["column"]))
@dace.program
def sparse_product(
    row: dace.uint32[N + 1], column: dace.uint32[Z], value: dace.float32[Z], x: dace.float32[M], y: dace.float32[N]
):
    for i in range(N):
        start = row[i]
        stop = row[i + 1]
        columns = column[start:stop]
        y[i] = value[start:stop] @ x[columns]


@case(lambda r: {**SPARSE, "x": values(r, 9), "y": values(r, 9)}, N=9, M=7, Z=len(SPARSE["column"]))
@dace.program
def sparse_sweep(
    row: dace.uint32[N + 1], column: dace.uint32[Z], value: dace.float32[Z], x: dace.float32[N], y: dace.float32[N]
):
    """Each turn reads what earlier ones have written: these must not run at the same time."""
    for i in range(N):
        start = row[i]
        stop = row[i + 1]
        columns = column[start:stop]
        x[i] = y[i] - value[start:stop] @ x[columns]
