"""Programs with factors, systems of equations and inverses, registered in the catalogue."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np

from tests.programs.catalogue import case, values

N, M = (dace.symbol(name) for name in "NM")
f32, c64 = np.float32, np.complex64


def definite(rng: np.random.Generator, size: int, dtype: Any = f32) -> np.ndarray[Any, Any]:
    """A well-conditioned Hermitian matrix with positive eigenvalues."""
    factor = values(rng, size, size, dtype=dtype)
    return (factor @ factor.conj().T / size + np.eye(size)).astype(dtype)


def regular(rng: np.random.Generator, size: int, dtype: Any = f32) -> np.ndarray[Any, Any]:
    """A well-conditioned matrix whose diagonal is zero: without pivots no step works."""
    rows = rng.permutation(size)
    shifted = (3 * np.eye(size, dtype=dtype) + values(rng, size, size, dtype=dtype) / size)[np.roll(rows, 1)][:, rows]
    np.fill_diagonal(shifted, 0)
    return np.ascontiguousarray(shifted)


@case(lambda r: {"A": definite(r, 9), "L": values(r, 9, 9)}, N=9)
@dace.program
def cholesky_of_symbolic_size(A: dace.float32[N, N], L: dace.float32[N, N]):
    L[:] = np.linalg.cholesky(A)


@case(lambda r: {"A": definite(r, 6, c64), "L": values(r, 6, 6, dtype=c64)})
@dace.program
def cholesky_of_complex_numbers(A: dace.complex64[6, 6], L: dace.complex64[6, 6]):
    L[:] = np.linalg.cholesky(A)


@case(lambda r: {"A": definite(r, 8)}, N=8)
@dace.program
def cholesky_in_place(A: dace.float32[N, N]):
    A[:] = np.linalg.cholesky(A)


@case(lambda r: {"A": regular(r, 9), "B": values(r, 9, 4), "X": values(r, 9, 4)}, N=9, M=4)
@dace.program
def solve_for_columns(A: dace.float32[N, N], B: dace.float32[N, M], X: dace.float32[N, M]):
    X[:] = np.linalg.solve(A, B)


@case(lambda r: {"A": regular(r, 7), "b": values(r, 7), "x": values(r, 7)})
@dace.program
def solve_for_a_vector(A: dace.float32[7, 7], b: dace.float32[7], x: dace.float32[7]):
    x[:] = np.linalg.solve(A, b)


@case(lambda r: {"A": regular(r, 5, c64), "B": values(r, 5, 5, dtype=c64), "X": values(r, 5, 5, dtype=c64)}, N=5)
@dace.program
def solve_complex_systems(A: dace.complex64[N, N], B: dace.complex64[N, N], X: dace.complex64[N, N]):
    X[:] = np.linalg.solve(A, B)


@case(lambda r: {"A": values(r, 1, 1) + 2, "B": values(r, 1, 3), "X": values(r, 1, 3)})
@dace.program
def solve_one_equation(A: dace.float32[1, 1], B: dace.float32[1, 3], X: dace.float32[1, 3]):
    X[:] = np.linalg.solve(A, B)


@case(lambda r: {"A": np.stack([regular(r, 5) for _ in range(3)]), "B": values(r, 5, 2), "X": values(r, 5, 2)}, N=5)
@dace.program
def solve_in_a_loop(A: dace.float32[3, N, N], B: dace.float32[N, 2], X: dace.float32[N, 2]):
    for t in range(3):
        X[:] = X + t * np.linalg.solve(A[t], B)


@case(lambda r: {"A": np.stack([regular(r, 5) for _ in range(6)]), "b": values(r, 6, 5), "x": values(r, 6, 5)})
@dace.program
def solve_in_a_map(A: dace.float32[6, 5, 5], b: dace.float32[6, 5], x: dace.float32[6, 5]):
    for t in dace.map[0:6]:
        x[t, :] = np.linalg.solve(A[t], b[t])


@case(lambda r: {"A": regular(r, 9), "X": values(r, 9, 9)}, N=9)
@dace.program
def inverse(A: dace.float32[N, N], X: dace.float32[N, N]):
    X[:] = np.linalg.inv(A)


@case(lambda r: {"A": regular(r, 6, c64), "X": values(r, 6, 6, dtype=c64)})
@dace.program
def inverse_of_complex_numbers(A: dace.complex64[6, 6], X: dace.complex64[6, 6]):
    X[:] = np.linalg.inv(A)
