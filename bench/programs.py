"""The five programs that the benchmarks measure, with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dace
import numpy as np

N = dace.symbol("N")
f32 = np.float32


@dace.program
def axpy(a: dace.float32, x: dace.float32[N], y: dace.float32[N]):
    y[:] = a * x + y


@dace.program
def stencil(A: dace.float32[N, N], B: dace.float32[N, N]):
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])


@dace.program
def jacobi(A: dace.float32[N, N], B: dace.float32[N, N]):
    for _ in range(10):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


@dace.program
def matmul(A: dace.float32[N, N], B: dace.float32[N, N], C: dace.float32[N, N]):
    for i, j, k in dace.map[0:N, 0:N, 0:N]:
        C[i, j] += A[i, k] * B[k, j]


@dace.program
def total(A: dace.float32[N], s: dace.float32[1]):
    s[0] = np.sum(A)


def _random(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).random(shape, dtype=f32)


@dataclass(frozen=True)
class Program:
    """A program and its arguments for a problem of size n (elements, or rows of a square matrix)."""

    program: Any
    arguments: Callable[[int], dict[str, Any]]

    def sdfg(self, name: str) -> dace.SDFG:
        """A fresh SDFG under another name: DaCe's build folders go by names."""
        sdfg = self.program.to_sdfg()
        sdfg.name = f"{self.program.f.__name__}_{name}"
        return sdfg


PROGRAMS = {
    "axpy": Program(axpy, lambda n: {"a": f32(2), "x": _random(n), "y": _random(n), "N": n}),
    "stencil": Program(stencil, lambda n: {"A": _random(n, n), "B": _random(n, n), "N": n}),
    "jacobi": Program(jacobi, lambda n: {"A": _random(n, n), "B": _random(n, n), "N": n}),
    "matmul": Program(matmul, lambda n: {"A": _random(n, n), "B": _random(n, n), "C": _random(n, n), "N": n}),
    "total": Program(total, lambda n: {"A": _random(n), "s": _random(1), "N": n}),
}
