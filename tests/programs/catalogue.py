"""Small DaCe programs, each with arguments: what runs on the IPU is compared with the same Python function in NumPy.

A case is a program and a function that makes fresh arguments; names that are symbols get their values from the shapes.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dace
import numpy as np

N, M, K = (dace.symbol(name) for name in "NMK")
f32 = np.float32
CASES: dict[str, Case] = {}
GLOBAL_SCALE = 3.0
GLOBAL_TABLE = np.arange(5, dtype=f32)


@dataclass(frozen=True)
class Case:
    """A program, a maker of keyword arguments from a random generator, and the symbols."""

    program: Any
    arguments: Callable[[np.random.Generator], dict[str, Any]]
    symbols: dict[str, int]
    float64: str


def case(arguments: Callable[[np.random.Generator], dict[str, Any]], float64: str = "refuse", **symbols: int) -> Any:
    """Register a program under its name."""

    def register(program: Any) -> Any:
        CASES[program.f.__name__] = Case(program, arguments, symbols, float64)
        return program

    return register


def values(rng: np.random.Generator, *shape: int, dtype: Any = f32) -> np.ndarray[Any, Any]:
    """Random numbers: in [-1, 1) for floats, small integers of both signs for integers."""
    if np.dtype(dtype).kind == "c":
        return (rng.random(shape) - 0.5 + 1j * (rng.random(shape) - 0.5)).astype(dtype)
    if np.dtype(dtype).kind == "b":
        return rng.random(shape) < 0.5
    if np.dtype(dtype).kind in "iu":
        low = 0 if np.dtype(dtype).kind == "u" else -9
        return rng.integers(low, 10, shape).astype(dtype)
    return (rng.random(shape) * 2 - 1).astype(dtype)


@case(lambda r: {"A": values(r, 10), "B": values(r, 10)})
@dace.program
def copy_whole(A: dace.float32[10], B: dace.float32[10]):
    B[:] = A


@case(lambda r: {"A": values(r, 37), "B": values(r, 37), "C": values(r, 37)}, N=37)
@dace.program
def add_symbolic(A: dace.float32[N], B: dace.float32[N], C: dace.float32[N]):
    C[:] = A + B


@case(lambda r: {"a": f32(1.5), "x": values(r, 50), "y": values(r, 50)}, N=50)
@dace.program
def axpy(a: dace.float32, x: dace.float32[N], y: dace.float32[N]):
    y[:] = a * x + y


@case(lambda r: {"A": values(r, 13, 17), "B": values(r, 13, 17)}, N=13, M=17)
@dace.program
def stencil(A: dace.float32[N, M], B: dace.float32[N, M]):
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[:-2, 1:-1] + A[2:, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:])


@case(lambda r: {"A": values(r, 12)})
@dace.program
def stencil_in_place(A: dace.float32[12]):
    A[1:-1] = A[:-2] + A[2:]


@case(lambda r: {"A": values(r, 20), "B": values(r, 20)})
@dace.program
def ping_pong(A: dace.float32[20], B: dace.float32[20]):
    for _ in range(7):
        B[1:-1] = (A[:-2] + A[1:-1] + A[2:]) / 3
        A[1:-1] = (B[:-2] + B[1:-1] + B[2:]) / 3


@case(lambda r: {"A": values(r, 9, 11), "r": values(r, 9), "c": values(r, 11), "s": values(r, 1)})
@dace.program
def sums(A: dace.float32[9, 11], r: dace.float32[9], c: dace.float32[11], s: dace.float32[1]):
    r[:] = np.sum(A, axis=1)
    c[:] = np.sum(A, axis=0)
    s[0] = np.sum(A)


@case(lambda r: {"A": values(r, 300), "lo": values(r, 1), "hi": values(r, 1)})
@dace.program
def extremes(A: dace.float32[300], lo: dace.float32[1], hi: dace.float32[1]):
    lo[0] = np.min(A)
    hi[0] = np.max(A)


@case(lambda r: {"A": values(r, 20), "B": values(r, 10), "C": values(r, 10, 2), "D": values(r, 7, 20)}, N=20, M=7)
@dace.program
def shapes_that_are_quotients(
    A: dace.float32[N], B: dace.float32[N // 2], C: dace.float32[N // 2, (M + 3) // 5], D: dace.float32[M, 2 * N - 20]
):
    for i in dace.map[0:N:2]:
        B[i // 2] = A[i] + A[i + 1]
    for i in dace.map[1 : N // 2 : 3]:
        B[i] = B[i] * 10
    C[:] = C + 1
    D[:] = D * 2


@case(lambda r: {"A": values(r, 6, 8), "b": values(r, 8), "c": values(r, 6, 1), "D": values(r, 6, 8)})
@dace.program
def broadcasts(A: dace.float32[6, 8], b: dace.float32[8], c: dace.float32[6, 1], D: dace.float32[6, 8]):
    D[:] = A * b + c


@case(lambda r: {"A": values(r, 9, 7), "B": values(r, 7, 5), "C": values(r, 9, 5)}, N=9, K=7, M=5)
@dace.program
def matmul_maps(A: dace.float32[N, K], B: dace.float32[K, M], C: dace.float32[N, M]):
    for i, j, k in dace.map[0:N, 0:M, 0:K]:
        C[i, j] += A[i, k] * B[k, j]


@case(
    lambda r: {"A": values(r, 9, 7), "B": values(r, 7, 5), "x": values(r, 7), "C": values(r, 9, 5), "y": values(r, 9)}
)
@dace.program
def matmul_library(
    A: dace.float32[9, 7], B: dace.float32[7, 5], x: dace.float32[7], C: dace.float32[9, 5], y: dace.float32[9]
):
    C[:] = A @ B
    y[:] = A @ x


@case(lambda r: {"A": values(r, 3, 4, 5), "B": values(r, 3, 5, 2), "C": values(r, 3, 4, 2)})
@dace.program
def matmul_batched(A: dace.float32[3, 4, 5], B: dace.float32[3, 5, 2], C: dace.float32[3, 4, 2]):
    C[:] = A @ B


@case(lambda r: {"A": values(r, 6, 9), "B": values(r, 9, 6), "C": values(r, 9, 6)})
@dace.program
def transposes(A: dace.float32[6, 9], B: dace.float32[9, 6], C: dace.float32[9, 6]):
    B[:] = A.T
    C[:] = np.transpose(A) + B


@case(lambda r: {"x": values(r, 40), "y": values(r, 40), "s": values(r, 1)})
@dace.program
def dot(x: dace.float32[40], y: dace.float32[40], s: dace.float32[1]):
    s[0] = np.dot(x, y)


@case(lambda r: {"data": values(r, 100, dtype=np.uint8) % 5, "bins": np.zeros(5, np.int32)})
@dace.program
def histogram(data: dace.uint8[100], bins: dace.int32[5]):
    for i in dace.map[0:100]:
        bins[data[i]] += 1


@case(lambda r: {"A": values(r, 8, 10), "B": values(r, 8)})
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


@case(lambda r: {"A": values(r, 8, 10), "B": values(r, 8)})
@dace.program
def while_in_map(A: dace.float32[8, 10], B: dace.float32[8]):
    for i in dace.map[0:8]:
        x = A[i, 0]
        while x * x < 4:
            x = x * 2 + 1
        B[i] = x


@case(lambda r: {"a": values(r, 30, dtype=np.float16), "b": values(r, 30, dtype=np.float16)})
@dace.program
def half(a: dace.float16[30], b: dace.float16[30]):
    for i in dace.map[0:30]:
        b[i] = a[i] * a[i] + b[i]


@case(lambda r: {"A": values(r, 4, 6)})
@dace.program
def returns_view(A: dace.float32[4, 6]):
    return np.reshape(A, (6, 4))


@case(lambda r: {"A": values(r, 20)})
@dace.program
def returns_scalar(A: dace.float32[20]):
    return A[3] + 1


@case(lambda r: {"A": values(r, 20), "B": values(r, 20)})
@dace.program
def returns_two(A: dace.float32[20], B: dace.float32[20]):
    return A + B, A - B


@case(lambda r: {"A": values(r, 5)})
@dace.program
def closures(A: dace.float32[5]):
    A[:] = A * GLOBAL_SCALE + GLOBAL_TABLE


@case(lambda r: {"A": values(r, 20), "B": values(r, 40)})
@dace.program
def strided(A: dace.float32[20], B: dace.float32[40]):
    A[0:20:2] = B[0:40:4]
    A[1:20:2] = B[3:40:4] * 2


@case(lambda r: {"A": values(r, 9), "B": values(r, 9)})
@dace.program
def reversed_read(A: dace.float32[9], B: dace.float32[9]):
    for i in dace.map[0:9]:
        B[i] = A[8 - i]


@case(lambda r: {"A": values(r, 9), "B": values(r, 9)})
@dace.program
def reversed_write(A: dace.float32[9], B: dace.float32[9]):
    for i in dace.map[0:9]:
        B[8 - i] = A[i] + i


@case(lambda r: {"A": values(r, 6, 6), "B": values(r, 6, 6), "v": values(r, 6)})
@dace.program
def row_to_column(A: dace.float32[6, 6], B: dace.float32[6, 6], v: dace.float32[6]):
    A[:, 2] = B[1, :]
    A[4, :] = v
    A[0:3, 0:3] = A[3:6, 3:6]


@case(lambda r: {"A": values(r, 12), "B": values(r, 12)}, N=12)
@dace.program
def symbol_as_value(A: dace.float32[N], B: dace.float32[N]):
    for i in dace.map[0:N]:
        B[i] = A[i] * N + i


@case(lambda r: {"A": values(r, 10), "B": values(r, 10, dtype=np.int32), "C": values(r, 10, dtype=np.int32)})
@dace.program
def conversions(A: dace.float32[10], B: dace.int32[10], C: dace.int32[10]):
    A[:] = B
    C[:] = B // 3 + B % 4


@case(lambda r: {"A": values(r, 10, dtype=np.complex64), "B": values(r, 10, dtype=np.complex64)})
@dace.program
def complex_numbers(A: dace.complex64[10], B: dace.complex64[10]):
    B[:] = A * B + A


@case(lambda r: {"A": values(r, 10), "m": values(r, 10, dtype=np.bool_), "B": values(r, 10)})
@dace.program
def masks(A: dace.float32[10], m: dace.bool_[10], B: dace.float32[10]):
    m[:] = A > 0.1
    B[:] = np.where(m, A, -A)


@case(lambda r: {"A": values(r, 10, dtype=np.int64), "B": values(r, 10, dtype=np.int64)})
@dace.program
def int64(A: dace.int64[10], B: dace.int64[10]):
    B[:] = A * 4294967296 + B


@case(
    lambda r: {
        "a": values(r, 25, dtype=np.int8), "b": values(r, 25, dtype=np.uint8), "c": values(r, 25, dtype=np.int16),
        "d": values(r, 25, dtype=np.uint16), "e": values(r, 25, dtype=np.uint32),
    }
)  # fmt: skip
@dace.program
def small_integers(a: dace.int8[25], b: dace.uint8[25], c: dace.int16[25], d: dace.uint16[25], e: dace.uint32[25]):
    for i in dace.map[0:25]:
        a[i] = a[i] + 1
        b[i] = b[i] + 2
        c[i] = c[i] * 3
        d[i] = d[i] + 4
        e[i] = e[i] * 5


@case(lambda r: {"A": values(r, 4, 3, 5, 2), "B": values(r, 4, 3, 5, 2)})
@dace.program
def four_dimensions(A: dace.float32[4, 3, 5, 2], B: dace.float32[4, 3, 5, 2]):
    for i, j, k, m in dace.map[0:4, 0:3, 0:5, 0:2]:
        B[i, j, k, m] = A[i, 2 - j, k, m] * 2


@case(lambda r: {"A": values(r, 10, 10), "B": values(r, 10, 10)})
@dace.program
def nested_maps(A: dace.float32[10, 10], B: dace.float32[10, 10]):
    for i in dace.map[1:9]:
        for j in dace.map[i:10:2]:
            B[i, j] = A[i, j] + A[i - 1, j]


@case(lambda r: {"A": values(r, 10), "n": np.int32(4)})
@dace.program
def empty_and_single(A: dace.float32[10], n: dace.int32):
    for i in dace.map[0:n]:
        A[i] = 9
    for j in dace.map[2:3]:
        A[j] = A[j] + 1
    for k in dace.map[5:5]:
        A[k] = 100


@case(lambda r: {"A": values(r, 16), "B": values(r, 4)})
@dace.program
def local_array(A: dace.float32[16], B: dace.float32[4]):
    for i in dace.map[0:4]:
        part = np.empty((4,), np.float32)
        part[:] = A[4 * i : 4 * i + 4] * 2
        B[i] = part[0] * part[3]


@case(lambda r: {"A": values(r, 16), "col": values(r, 16, dtype=np.int32) % 16, "B": values(r, 16)})
@dace.program
def gather(A: dace.float32[16], col: dace.int32[16], B: dace.float32[16]):
    for i in dace.map[0:16]:
        B[i] = A[col[i]] * 2


@case(lambda r: {"x": values(r, 30), "y": values(r, 30)})
@dace.program
def functions(x: dace.float32[30], y: dace.float32[30]):
    y[:] = np.exp(x) + np.sqrt(np.abs(x)) - np.tanh(x) * np.sin(x) + np.maximum(x, y) + x**2


@case(lambda r: {"x": np.float32(2), "k": np.int32(3), "A": values(r, 8)})
@dace.program
def scalars(x: dace.float32, k: dace.int32, A: dace.float32[8]):
    y = x * k + 1
    A[:] = A * y
    A[k] = x


@case(lambda r: {"A": values(r, 1000), "s": values(r, 1)}, N=1000)
@dace.program
def reduce_by_map(A: dace.float32[N], s: dace.float32[1]):
    for i in dace.map[0:N]:
        s[0] += A[i] * A[i]


@case(lambda r: {"A": values(r, 7, 9), "B": values(r, 7, 9)})
@dace.program
def several_states(A: dace.float32[7, 9], B: dace.float32[7, 9]):
    t = A + 1
    B[:] = t * B
    A[:] = B - t
    B[2:5, 3:6] = A[0:3, 0:3]


@case(lambda r: {"A": values(r, 12, dtype=np.float64), "B": values(r, 12, dtype=np.float64)}, float64="float32")
@dace.program
def double_on_host(A: dace.float64[12], B: dace.float64[12]):
    B[:] = A * 2 + 1


@case(lambda r: {"A": values(r, 12), "ind": np.array([0, 2, 5, 9, 12], np.int32), "y": values(r, 4)})
@dace.program
def csr(A: dace.float32[12], ind: dace.int32[5], y: dace.float32[4]):
    for i in dace.map[0:4]:
        for j in dace.map[ind[i] : ind[i + 1]]:
            y[i] += A[j]


@dace.program
def _scaled(A: dace.float32[N], factor: dace.float32):
    A[:] = A * factor


@case(lambda r: {"A": values(r, 11)}, N=11)
@dace.program
def calls(A: dace.float32[N]):
    _scaled(A, np.float32(2))
    _scaled(A, np.float32(0.25))


@case(lambda r: {"A": values(r, 7, 7), "s": values(r, 7)})
@dace.program
def diagonal(A: dace.float32[7, 7], s: dace.float32[7]):
    for i in dace.map[0:7]:
        s[i] = A[i, i]
        A[i, i] = 1


@case(lambda r: {"A": values(r, 6), "B": values(r, 6), "C": values(r, 6, 6)})
@dace.program
def outer(A: dace.float32[6], B: dace.float32[6], C: dace.float32[6, 6]):
    for i, j in dace.map[0:6, 0:6]:
        C[i, j] = A[i] * B[j]


@case(lambda r: {"x": np.array([1, 1.5, 2, 2.5], f32), "y": np.zeros(4, f32)})
@dace.program
def suffix_sum(x: dace.float32[4], y: dace.float32[4]):
    for i in dace.map[0:4]:
        for j in dace.map[i:4]:
            y[i] += x[j]


@case(lambda r: {"out": np.zeros((12, 12), np.int32)}, N=12)
@dace.program
def mandelbrot(out: dace.int32[N, N]):
    for i, j in dace.map[0:N, 0:N]:
        x = np.float32(0)
        y = np.float32(0)
        n = 0
        while x * x + y * y < 4 and n < 20:
            t = x * x - y * y + np.float32(-2) + np.float32(0.25) * i
            y = 2 * x * y + np.float32(-1.5) + np.float32(0.25) * j
            x = t
            n = n + 1
        out[i, j] = n


@case(lambda r: {"A": values(r, 40, dtype=np.bool_), "some": np.zeros(1, np.bool_), "every": np.zeros(1, np.bool_)})
@dace.program
def logical(A: dace.bool_[40], some: dace.bool_[1], every: dace.bool_[1]):
    some[0] = np.any(A)
    every[0] = np.all(A)


@case(lambda r: {"A": values(r, 10, 4), "m": values(r, 4)}, N=10)
@dace.program
def mean(A: dace.float32[N, 4], m: dace.float32[4]):
    m[:] = np.mean(A, axis=0)


@case(lambda r: {"A": values(r, 3, 4), "B": values(r, 4, 5), "C": values(r, 3, 5)})
@dace.program
def einsum(A: dace.float32[3, 4], B: dace.float32[4, 5], C: dace.float32[3, 5]):
    C[:] = np.einsum("ij,jk->ik", A, B)


@case(lambda r: {"x": values(r, 2, 8, 8, 3), "w": values(r, 3, 3, 3, 4), "y": values(r, 2, 6, 6, 4)})
@dace.program
def convolution(x: dace.float32[2, 8, 8, 3], w: dace.float32[3, 3, 3, 4], y: dace.float32[2, 6, 6, 4]):
    for n, i, j, o in dace.map[0:2, 0:6, 0:6, 0:4]:
        for a, b, c in dace.map[0:3, 0:3, 0:3]:
            y[n, i, j, o] += x[n, i + a, j + b, c] * w[a, b, c, o]


@case(lambda r: {"A": values(r, 9, 6), "a": f32(0.7)}, N=9)
@dace.program
def branch_on_a_scalar(A: dace.float32[N, 6], a: dace.float32):
    for i, j in dace.map[0:N, 1:5]:
        if a < 0.5:
            A[i, j] = 1
        else:
            A[i, j] = A[i, j] + 2


@case(lambda r: {"A": values(r, 9), "out": values(r, 9)}, N=9)
@dace.program
def branch_on_a_result(A: dace.float32[N], out: dace.float32[N]):
    total = np.sum(A)
    for i in dace.map[0:N]:
        if total > A[i]:
            out[i] = total
        else:
            out[i] = -A[i]


@case(lambda r: {"A": values(r, 9), "k": np.int64(5)}, N=9)
@dace.program
def branch_on_an_integer(A: dace.float32[N], k: dace.int64):
    for i in dace.map[0:N]:
        if i < k:
            A[i] = A[i] * k


@case(lambda r: {"A": values(r, 6), "B": values(r, 6), "C": values(r, 6, 6)})
@dace.program
def written_in_part_then_whole(A: dace.float32[6], B: dace.float32[6], C: dace.float32[6, 6]):
    A[2:] = 1
    _scaled(A, np.float32(3))
    C[1:, :] = 2
    C[:] = C + 1


@case(
    lambda r: {"A": np.full(7, -np.inf, f32), "B": np.full((4, 7), np.inf, f32), "s": values(r, 1), "R": values(r, 4)},
    N=7,
)
@dace.program
def extremes_of_infinities(A: dace.float32[N], B: dace.float32[4, N], s: dace.float32[1], R: dace.float32[4]):
    s[0] = np.max(A)
    R[:] = np.min(B, axis=1)


def oracle(case: Case, arguments: dict[str, Any]) -> Any:
    """Run the Python function of a case in NumPy, with its symbols as numbers. Arguments are updated in place;
    returns its result.
    """
    function = case.program.f
    namespace = {**function.__globals__, **case.symbols}
    plain = types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )
    with np.errstate(all="ignore"):
        return plain(**arguments)


@case(
    lambda r: {"A": values(r, 4, 9), "k": np.zeros(9, np.int64), "m": np.zeros(1, np.int32), "j": np.zeros(4, np.int32)}
)
@dace.program
def places_of_extremes(A: dace.float32[4, 9], k: dace.int64[9], m: dace.int32[1], j: dace.int32[4]):
    k[:] = np.argmin(A, 0)
    m[0] = np.argmax(A)
    j[:] = np.argmax(A, axis=1)


@case(lambda r: {"A": r.integers(-2, 3, (8, 9)).astype(np.int32), "k": np.zeros(8, np.int32)}, N=8)
@dace.program
def first_of_equal_extremes(A: dace.int32[N, 9], k: dace.int32[N]):
    for i in dace.map[0:N]:
        k[i] = np.argmin(A[i])


@case(
    lambda r: {"A": np.where(r.random(300) < 0.01, np.nan, values(r, 300)).astype(f32), "k": np.zeros(2, np.int32)},
    N=300,
)
@dace.program
def places_beside_nan_and_infinity(A: dace.float32[N], k: dace.int32[2]):
    B = A * np.inf
    k[0] = np.argmax(A)
    k[1] = np.argmin(B)


# ---- arrays of a map's inside that fit no stack ----------------------------------------------------------------------


@case(lambda r: {"A": values(r, 5, 12), "B": values(r, 5)}, N=12)
@dace.program
def symbolic_array_in_a_map(A: dace.float32[5, N], B: dace.float32[5]):
    for i in dace.map[0:5]:
        part = np.empty((N,), np.float32)
        part[:] = A[i, :] * 2
        B[i] = part[0] + part[N - 1]


@case(lambda r: {"A": values(r, 9, 9), "B": values(r, 9)}, N=9)
@dace.program
def triangular_array_in_a_map(A: dace.float32[N, N], B: dace.float32[N]):
    for i in dace.map[0:N]:
        B[i] = np.sum(A[i, : i + 1] * 2)


@case(lambda r: {"A": values(r, 3, 5000), "B": values(r, 3)})
@dace.program
def large_array_in_a_map(A: dace.float32[3, 5000], B: dace.float32[3]):
    for i in dace.map[0:3]:
        part = A[i, :] * A[i, :]
        B[i] = np.sum(part[::2]) * 0.001


@case(lambda r: {"A": values(r, 4, 6), "B": values(r, 4, 6)}, N=6)
@dace.program
def symbolic_arrays_in_nested_maps(A: dace.float32[4, N], B: dace.float32[4, N]):
    for i, j in dace.map[0:4, 0:N]:
        part = np.empty((N,), np.float32)
        for k in range(N):
            part[k] = A[i, k] * j
        B[i, j] = part[N - 1 - j] + part[j]


@case(
    lambda r: {"A": np.stack([values(r, 5, 5) + 4 * np.eye(5, dtype=f32) for _ in range(6)]), "b": values(r, 6, 5)}, N=5
)
@dace.program
def symbolic_solve_in_a_map(A: dace.float32[6, N, N], b: dace.float32[6, N]):
    for t in dace.map[0:6]:
        b[t, :] = np.linalg.solve(A[t], b[t])


@case(lambda r: {"A": values(r, 7, dtype=np.int32), "a": np.int32(5)})
@dace.program
def scalar_that_dace_only_names(A: dace.int32[7], a: dace.int32):
    for i in dace.map[0:7]:
        A[i] = A[i] + (a - a) % 11


@case(lambda r: {"A": values(r, 7, dtype=np.int32), "a": np.int32(5), "b": np.int32(-3)})
@dace.program
def scalars_that_dace_only_names(A: dace.int32[7], a: dace.int32, b: dace.int32):
    for i in dace.map[0:7]:
        if A[i] > 0:
            A[i] = (a - a) // 7 + (b * a - a * b) % 5 + i
    A[0] = A[0] + (b - b) % 3


@case(lambda r: {"p": values(r, 11, 13), "b": values(r, 11, 13)}, N=11, M=13)
@dace.program
def borders(p: dace.float32[N, M], b: dace.float32[N, M]):
    q = np.empty_like(p)
    for _ in range(3):
        q[:] = p
        p[1:-1, 1:-1] = 0.25 * (q[:-2, 1:-1] + q[2:, 1:-1] + q[1:-1, :-2] + q[1:-1, 2:]) - b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 2
    b[0, :] = 1
    b[:, 0] = 3


@case(lambda r: {"p": values(r, 2, 2)}, N=2, M=2)
@dace.program
def borders_without_an_interior(p: dace.float32[N, M]):
    p[:, -1] = p[:, -2]
    p[0, :] = p[1, :]
    p[:, 0] = p[:, 1]
    p[-1, :] = 2
