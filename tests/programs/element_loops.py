"""Programs whose loops carry values from an element to itself, and loops under a condition on rows."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np

from tests.programs.catalogue import M, N, case, f32, values

i64 = np.int64


def points(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    return (values(rng, *shape) + 1j * values(rng, *shape)).astype(np.complex64)


@case(lambda r: {"C": points(r, 9, 7), "Z": points(r, 9, 7), "count": np.zeros((9, 7), i64)}, N=9, M=7)
@dace.program
def escape(C: dace.complex64[N, M], Z: dace.complex64[N, M], count: dace.int64[N, M]):
    for n in range(12):
        inside = np.absolute(Z) < 2
        count[inside] = n
        for i, j in dace.map[0:N, 0:M]:
            if inside[i, j]:
                Z[i, j] = Z[i, j] ** 2 + C[i, j]


@case(lambda r: {"x": r.integers(-9, 9, 23), "y": r.integers(-9, 9, 23), "turns": i64(5)}, N=23)
@dace.program
def wrapping_integers(x: dace.int64[N], y: dace.int64[N], turns: dace.int64):
    for t in range(turns):
        x[:] = x * 1000003 + y * t
        for i in dace.map[0:N]:
            if x[i] > 0:
                y[i] = y[i] - x[i]


@case(lambda r: {"x": values(r, 21), "y": values(r, 21)}, N=21)
@dace.program
def no_turns(x: dace.float32[N], y: dace.float32[N]):
    for t in range(3, 3):
        for i in dace.map[0:N]:
            if x[i] > 0:
                y[i] = y[i] + x[i] + t


@case(lambda r: {"x": values(r, 21), "y": values(r, 21)}, N=21)
@dace.program
def from_the_neighbour(x: dace.float32[N], y: dace.float32[N]):
    for t in range(4):
        for i in dace.map[0 : N - 1]:
            if x[i] > 0:
                y[i + 1] = x[i] + t
        for i in dace.map[0:N]:
            if y[i] < 2:
                x[i] = y[i] - 1


def samples(rng: np.random.Generator) -> dict[str, Any]:
    start = {"count": np.full(10, 2**40), "total": np.zeros(10, f32)}
    return {"x": values(rng, 67), "low": np.sort(values(rng, 11)), "w": values(rng, 67), **start}


@case(samples, N=67, M=11)
@dace.program
def bins(
    x: dace.float32[N],
    low: dace.float32[M],
    w: dace.float32[N],
    count: dace.int64[M - 1],
    total: dace.float32[M - 1],
):
    for i, b in dace.map[0:N, 0 : M - 1]:
        if low[b] <= x[i] and x[i] < low[b + 1]:
            count[b] += 1
            total[b] += w[i]


@case(lambda r: {"A": values(r, 9, 15), "B": values(r, 9, 15), "n": r.integers(-9, 9, (9, 15))}, N=9, M=15)
@dace.program
def guarded_rows(A: dace.float32[N, M], B: dace.float32[N, M], n: dace.int64[N, M]):
    for i, j in dace.map[0:N, 0:M]:
        if A[i, j] > 0.25 or B[i, j] < A[i, j]:
            n[i, j] = n[i, j] * n[i, j] + j
    for i, j in dace.map[0:N, 0:M]:
        if B[i, j] < f32(0.5):
            A[i, j] = np.sqrt(np.abs(B[i, j])) + A[i, j]


@case(lambda r: {"A": values(r, 9, 16), "n": r.integers(-9, 9, (9, 16)), "s": values(r, 9)}, N=9, M=16)
@dace.program
def guarded_scalars(A: dace.float32[N, M], n: dace.int64[N, M], s: dace.float32[N]):
    for i in dace.map[0:N]:
        for j in range(M):
            if A[i, j] < s[i]:
                t = n[i, j] * 2
                n[i, j] = t * t + t
    for i in dace.map[0:N]:
        for j in range(M):
            if A[i, j] > 0:
                s[i] = s[i] * f32(0.5) + A[i, j]
