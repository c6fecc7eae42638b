"""Programs mean what they mean in Python: numbers are copied, reductions start anew, quotients are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dace
import numpy as np
import pytest
from dace.frontend.python.common import DaceSyntaxError

import dace_ipu
from tests.programs.catalogue import Case, oracle
from tests.programs.interpreted import interpret
from tests.programs.registry import Maker, registry

N, M = dace.symbol("N"), dace.symbol("M")
f32, i32 = np.float32, np.int32
Values = np.ndarray[Any, Any]
CASES, case = registry()


def numbers(*shape: int) -> Values:
    return (np.arange(np.prod(shape), dtype=f32).reshape(shape) * 5 % 7) - 3


def zeros(*shape: int, dtype: Any = f32) -> Values:
    return np.zeros(shape, dtype)


@case(lambda: {"A": numbers(4), "out": zeros(8)})
@dace.program
def a_copy_of_a_number(A: dace.float32[4], out: dace.float32[8]):
    x = A[0]
    y = x
    y = y + 1
    i = 0
    j = i
    j += 2
    u = v = A[1]
    u = u * 3
    largest = np.max(A)
    z = largest
    z = z - 1
    out[0] = x
    out[1] = y
    out[2] = i
    out[3] = j
    out[4] = u
    out[5] = v
    out[6] = largest
    out[7] = z


@case(lambda: {"A": numbers(4), "out": zeros(6)})
@dace.program
def numbers_that_change_places(A: dace.float32[4], out: dace.float32[6]):
    a = A[0]
    b = A[1]
    a, b = b, a
    out[0] = a
    out[1] = b
    for k in range(4):
        out[k + 2] = a
        t = a
        a = b
        b = t + b
    A[2], A[3] = A[3], A[2]


@case(lambda: {"A": numbers(4), "counts": zeros(4, dtype=i32), "out": zeros(4)})
@dace.program
def copies_in_loops_and_maps(A: dace.float32[4], counts: dace.int32[4], out: dace.float32[4]):
    i = 0
    while i < 2:
        j = i
        while j < 3:
            counts[j] = counts[j] + 1
            j = j + 1
        i = i + 1
    for k in dace.map[0:4]:
        m = A[k]
        b = m
        for _ in range(2):
            if b < 3:
                b = b + 1
        out[k] = b - m


@case(lambda: {"A": numbers(4), "B": zeros(1), "out": zeros(1)})
@dace.program
def another_name_of_an_array(A: dace.float32[4], B: dace.float32[1], out: dace.float32[1]):
    local = np.zeros((1,), np.float32)
    same = local
    same[0] = A[1]
    B[0] = local[0]
    out[0] = same[0]


@case(lambda: {"A": numbers(20), "n": i32(5), "m": i32(17)})
@dace.program
def loops_between_arguments(A: dace.float32[20], n: dace.int32, m: dace.int32):
    for i in range(m, n, -3):
        A[i] = A[i] + A[i - 1] * i
    for i in range(n, n):
        A[i] = 100
    for i in range(m - n, m):
        A[i] = A[i] + A[i - 1]


@case(lambda: {"A": numbers(9, 12), "B": zeros(9)})
@dace.program
def jumps_in_loops_in_maps(A: dace.float32[9, 12], B: dace.float32[9]):
    for i in dace.map[0:9]:
        s = 0.0
        for j in range(12):
            if A[i, j] > 2:
                break
            if A[i, j] < 0:
                continue
            s += A[i, j]
        B[i] = s


@case(lambda: {"A": numbers(16), "s": zeros(3, dtype=i32)})
@dace.program
def while_with_several_conditions(A: dace.float32[16], s: dace.int32[3]):
    i = 0
    while i < 16 and A[i] < 2:
        i += 1
    s[0] = i
    j = 15
    while j >= 0 and not (A[j] > 2 or A[j] < -2):
        j -= 1
    s[1] = j
    s[2] = i - j


@case(
    lambda: {
        "A": np.arange(1, 21, dtype=f32),
        "B": numbers(4, 5) > -4,
        "some": zeros(2, dtype=bool),
        "rows": zeros(4, dtype=bool),
    }
)
@dace.program
def every_one(A: dace.float32[20], B: dace.bool_[4, 5], some: dace.bool_[2], rows: dace.bool_[4]):
    some[0] = np.all(A > 0)
    some[1] = np.all(A > 1)
    rows[:] = np.all(B, axis=1)


@case(lambda: {"A": numbers(6, 5), "C": numbers(5)})
@dace.program
def added_to_what_is_multiplied(A: dace.float32[6, 5], C: dace.float32[5]):
    product = np.empty((6, 5), np.float32)
    for i, j in dace.map[0:6, 0:5]:
        product[i, j] = C[j] * A[i, j]
    for i, j in dace.map[0:6, 0:5]:
        C[j] += product[i, j]


@case(
    lambda: {
        "A": numbers(21) + 1j * numbers(21)[::-1],
        "B": zeros(21, dtype=np.complex64),
        "C": zeros(21, dtype=np.complex64),
    }
)
@dace.program
def transforms(A: dace.complex64[21], B: dace.complex64[21], C: dace.complex64[21]):
    B[:] = np.fft.fft(A, norm="ortho")
    C[:] = np.fft.ifft(A)


def edges(dtype: Any) -> dict[str, Any]:
    limits = np.iinfo(dtype)
    A = np.array([limits.min, limits.min, limits.max, 5, -5, 0, 7, -7], dtype)
    B = np.array([-1, 0, -1, 0, 0, 0, -3, 2], dtype)
    return {"A": A, "B": B, "Q": zeros(8, dtype=dtype), "R": zeros(8, dtype=dtype)}


@case(lambda: edges(i32))
@dace.program
def quotients_without_a_value(A: dace.int32[8], B: dace.int32[8], Q: dace.int32[8], R: dace.int32[8]):
    Q[:] = A // B
    R[:] = A % B


@case(lambda: edges(np.int8))
@dace.program
def small_quotients_without_a_value(A: dace.int8[8], B: dace.int8[8], Q: dace.int8[8], R: dace.int8[8]):
    Q[:] = A // B
    R[:] = A % B


@case(lambda: {"A": numbers(6), "n": i32(3), "x": f32(0.5), "again": True})
@dace.program
def arguments_that_are_assigned(A: dace.float32[6], n: dace.int32, x: dace.float32, again: dace.bool_):
    while n > 0:
        A[:] = A * x + n
        x = x + 1
        n = n - 1
    n = n + 4
    for i in dace.map[0:n]:
        A[i] = A[i] + n
    while again:
        A[:] = A + 1
        if A[0] > 3:
            again = False


@case(lambda: {"A": np.arange(-7, 9, dtype=f32), "out": zeros(2, dtype=i32)})
@dace.program
def halves_of_sums(A: dace.float32[16], out: dace.int32[2]):
    low = 0
    high = 15
    while high - low > 1:
        middle = (low + high) // 2
        if A[middle] > 0:
            high = middle
        else:
            low = middle
    out[0] = low
    out[1] = high


@case(lambda: {"A": zeros(4, dtype=np.int64), "B": zeros(4, dtype=np.int64), "C": zeros(4, dtype=np.int64)})
@dace.program
def numbers_of_64_bits(A: dace.int64[4], B: dace.int64[4], C: dace.int64[4]):
    for i in dace.map[0:4]:
        A[i] = i * 5000000000 - 1
    for i in range(4):
        B[i] = 123456789012 + i * 3
    k = 3000000000
    for i in range(4):
        k = k + i
        C[i] = k


@case(lambda: {"Z": (numbers(5) + 1j * numbers(5)[::-1]).astype(np.complex64), "s": zeros(5)})
@dace.program
def magnitudes(Z: dace.complex64[5], s: dace.float32[5]):
    for i in dace.map[0:5]:
        s[i] = abs(Z[i]) + Z[i].real - Z[4 - i].imag


@case(
    lambda: {
        "Z": np.append(numbers(5) + 1j * numbers(5)[::-1], [30 + 1j]).astype(np.complex64),
        "Q": zeros(9, 6, dtype=np.complex64),
    }
)
@dace.program
def functions_of_complex_numbers(Z: dace.complex64[6], Q: dace.complex64[9, 6]):
    Q[0] = np.sin(Z)
    Q[1] = np.cos(Z)
    Q[2] = np.tan(Z)
    Q[3] = np.sinh(Z)
    Q[4] = np.cosh(Z)
    Q[5] = np.tanh(Z)
    Q[6] = np.log10(Z + 1)
    Q[7] = np.log2(Z + 1)
    Q[8] = np.exp(Z) * np.sqrt(Z)


@case(lambda: {"A": numbers(6), "k": np.array([0, 1, 2, 3, 7, -4], i32)})
@dace.program
def matches_in_a_map(A: dace.float32[6], k: dace.int32[6]):
    for i in dace.map[0:6]:
        match k[i]:
            case 0:
                A[i] = A[i] + 1
            case 1 | 2:
                A[i] = A[i] * 2
            case n if n > 5:
                A[i] = n
            case _:
                A[i] = 0


@case(lambda: {"A": numbers(6), "k": i32(2), "flag": False})
@dace.program
def matches_outside_of_maps(A: dace.float32[6], k: dace.int32, flag: dace.bool_):
    for t in range(5):
        match t + 1:
            case 1:
                A[:] = A + 1
            case 4:
                A[:] = A * 3
                break
            case _ if k == t:
                A[:] = A - 5
    match flag:
        case True:
            A[0] = 100
        case False:
            A[1] = 200
    match k:
        case 5:
            A[2] = 7


@case(
    lambda: {
        "A": np.arange(6, dtype=i32) * 1000 + 7,
        "B": zeros(6, dtype=i32),
        "C": zeros(6, dtype=np.int64),
        "n": np.int64(100003),
    }
)
@dace.program
def powers_of_integers(A: dace.int32[6], B: dace.int32[6], C: dace.int64[6], n: dace.int64):
    B[:] = A**2 - A**3
    for i in range(6):
        C[i] = n**2 * A[i] + 3**i


@case(lambda: {"A": numbers(4, 4), "n": zeros(1, dtype=i32)})
@dace.program
def until_nothing_changes(A: dace.float32[4, 4], n: dace.int32[1]):
    change = f32(1)
    while change > 0.01:
        old = np.copy(A)
        A[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        change = np.max(np.abs(A - old))
        n[0] += 1
        if n[0] > 30:
            break


@case(lambda: {"A": numbers(5), "C": numbers(5) + 1, "D": zeros(5)})
@dace.program
def copies_that_are_read_late(A: dace.float32[5], C: dace.float32[5], D: dace.float32[5]):
    old = np.copy(A)
    A[:] = C
    C[:] = old
    D[:] = old + A
    part = C[1:4] * 1
    C[0:3] = A[1:4]
    D[0:3] = D[0:3] + part


@dace.program
def scaled(X: dace.float32[N], factor: dace.float32):
    for i in dace.map[0:N]:
        X[i] = X[i] * factor


@dace.program
def summed_up(X: dace.float32[N]):
    for i in range(1, N):
        X[i] = X[i] + X[i - 1]


@dace.program
def both(X: dace.float32[M, N]):
    for i in range(M):
        summed_up(X[i])
    for j in dace.map[0:M]:
        scaled(X[j], 0.5)


@dace.program
def calls_in_a_loop(A: dace.float32[4, 7]):
    for i in range(4):
        scaled(A[i], 0.5)
        summed_up(A[i])


@dace.program
def calls_in_a_map(A: dace.float32[4, 7]):
    for i in dace.map[0:4]:
        summed_up(A[i])
    for i in dace.map[0:4]:
        scaled(A[i], 0.5)


@dace.program
def calls_of_calls(A: dace.float32[4, 7]):
    for i in range(2):
        both(A[2 * i : 2 * i + 2])


@pytest.mark.parametrize("simplify", [True, False])
@pytest.mark.parametrize("program", [calls_in_a_loop, calls_in_a_map, calls_of_calls], ids=lambda p: p.f.__name__)
def test_a_called_function_counts_with_names_of_its_own(program: Any, simplify: bool) -> None:
    A = numbers(4, 7)
    want = np.cumsum(A, axis=1) / 2
    interpret(program.to_sdfg(simplify=simplify), A=A)
    np.testing.assert_allclose(A, want, rtol=1e-6)


def check(run: Callable[..., Any], program: Any, make: Maker) -> None:
    """Compare every array after a call with what the Python function makes of it."""
    got, want = make(), make()
    run(program.to_sdfg(), **got)
    oracle(Case(program, lambda _: {}, {}, "refuse"), want)
    for name, array in ((name, value) for name, value in want.items() if isinstance(value, np.ndarray)):
        np.testing.assert_allclose(got[name], array, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.parametrize(("program", "make"), CASES, ids=[program.f.__name__ for program, _ in CASES])
def test_in_the_interpreter(program: Any, make: Maker) -> None:
    check(interpret, program, make)


def simulate(sdfg: dace.SDFG, **given: Any) -> None:
    dace_ipu.to_ipu(sdfg).compile()(**given)


@pytest.mark.parametrize(
    "program",
    [quotients_without_a_value, transforms, numbers_of_64_bits, powers_of_integers, functions_of_complex_numbers],
    ids=lambda program: program.f.__name__,
)
def test_on_the_simulator(program: Any) -> None:
    """What the compiler of the codelets has a part in."""
    (make,) = [make for known, make in CASES if known is program]
    check(simulate, program, make)


@dace.program
def reduced(A: dace.float32[4, 5], C: dace.float32[5], D: dace.float32[5], s: dace.float32[1]):
    C[:] = dace.reduce(lambda a, b: a + b, A, axis=0)
    dace.reduce(lambda a, b: a + b, A, D, axis=0)
    s[0] = dace.reduce(lambda a, b: max(a, b), A)


def test_a_reduction_that_returns_its_result_starts_anew() -> None:
    """One that is given an array adds to it: so DaCe says, in contrast to NumPy."""
    A = numbers(4, 5)
    C, D, s = np.full(5, 100, f32), np.full(5, 100, f32), np.full(1, 100, f32)
    interpret(reduced.to_sdfg(), A=A, C=C, D=D, s=s)
    np.testing.assert_array_equal(C, A.sum(0))
    np.testing.assert_array_equal(D, 100 + A.sum(0))
    assert s[0] == A.max()


def test_a_pattern_that_is_no_number_is_refused() -> None:
    @dace.program
    def of_a_sequence(A: dace.float32[3]):
        match A:
            case [0, _, _]:
                A[:] = 1

    with pytest.raises(DaceSyntaxError, match="only numbers can be matched"):
        of_a_sequence.to_sdfg()


def test_a_transform_of_a_matrix_is_refused() -> None:
    @dace.program
    def two_dimensional(A: dace.complex64[3, N], B: dace.complex64[3, N]):
        B[:] = np.fft.fft(A)

    with pytest.raises(dace_ipu.DiagnosticError, match=r"'_inp' of shape \(3, N\) is no vector"):
        dace_ipu.to_ipu(two_dimensional.to_sdfg())
