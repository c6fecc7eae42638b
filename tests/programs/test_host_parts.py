"""Programs that the IPU takes in part, when the user allows the host: results, what goes where, and what is refused."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest

import dace_ipu
from dace_ipu import HostPartWarning
from dace_ipu.transformations.checks import device_scopes

# What DaCe's frontend says of callbacks, and of its own way to make them.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Performance warning:UserWarning"),
    pytest.mark.filterwarnings("ignore:Using sets for connectors:UserWarning"),
]

N = dace.symbol("N")
f32 = np.float32


seen: list[np.ndarray[Any, Any]] = []


def opaque(function):
    """A decorator: without one, DaCe's frontend would parse the function."""
    return function


@opaque
def look(x):
    """A callback of the programs below."""
    seen.append(x.copy())


def split(program: Any, **options: Any) -> dace.SDFG:
    """The program, of which a part stays on the host."""
    with pytest.warns(HostPartWarning):
        return dace_ipu.to_ipu(program.to_sdfg(), allow_host=True, **options)


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(3).random(shape).astype(f32)


def test_a_callback_between_device_programs():
    """It sees what the first one computed, as the second one sees the scalar that crosses it."""

    @dace.program
    def observed(A: dace.float32[20], B: dace.float32[20]):
        A[:] = A * 2
        s = np.sum(A)
        look(A)
        B[:] = A + s

    sdfg = split(observed)
    assert len(list(device_scopes(sdfg))) == 2
    program = sdfg.compile()
    for _ in range(2):
        A, B = numbers(20), np.zeros(20, f32)
        want = A * 2
        program(A=A, B=B, look=look)
        np.testing.assert_allclose(A, want)
        np.testing.assert_allclose(B, want + want.sum(), rtol=1e-6)
        np.testing.assert_allclose(seen.pop(), want)


def test_statements_of_one_state():
    """DaCe's simplification joins them; float64 stays on the host, float32 goes."""

    @dace.program
    def mixed(A: dace.float32[N], B: dace.float32[N], D: dace.float64[N]):
        for i in dace.map[0:N]:
            A[i] = A[i] + 1
        for i in dace.map[0:N]:
            D[i] = D[i] / 4
        for i in dace.map[0:N]:
            B[i] = A[i] * 2

    sdfg = split(mixed)
    assert len(list(device_scopes(sdfg))) == 2
    for n in (7, 12):
        A, B, D = numbers(n), numbers(n), np.random.default_rng(5).random(n)
        a, d = A + 1, D / 4
        sdfg(A=A, B=B, D=D, N=n)
        np.testing.assert_allclose(A, a)
        np.testing.assert_allclose(B, a * 2)
        np.testing.assert_array_equal(D, d)


def test_a_temporary_crosses():
    @dace.program
    def crossing(A: dace.float32[9], D: dace.float64[9], B: dace.float32[9]):
        t = A + 1
        D[:] = D * 2
        B[:] = t * t

    A, D, B = numbers(9), np.ones(9), numbers(9)
    split(crossing)(A=A, D=D, B=B)
    np.testing.assert_allclose(B, (A + 1) ** 2, rtol=1e-6)
    assert (D == 2).all()


def test_a_loop_with_a_callback_stays_whole():
    @dace.program
    def ticking(A: dace.float32[6], B: dace.float32[6]):
        B[:] = A + 1
        for _ in range(3):
            A[:] = A + 1
            look(A)
        B[:] = B + A

    sdfg = split(ticking)
    A, B = np.zeros(6, f32), np.zeros(6, f32)
    sdfg(A=A, B=B, look=look)
    assert [seen.pop(0)[0] for _ in range(3)] == [1, 2, 3]
    assert (B == 4).all()


def test_values_of_edges_are_computed_by_the_host():
    @dace.program
    def measured(A: dace.float32[8], D: dace.float64[8], n: dace.int32[1]):
        n[0] = 3
        D[:] = D + 1
        for k in range(n[0]):
            A[k] = A[k] + 1

    A, D, n = np.zeros(8, f32), np.zeros(8), np.zeros(1, np.int32)
    split(measured)(A=A, D=D, n=n)
    assert A.tolist() == [1, 1, 1, 0, 0, 0, 0, 0] and n[0] == 3


def test_the_warning_says_what_and_why():
    @dace.program
    def partly(A: dace.float32[4], D: dace.float64[4]):
        A[:] = A + 1
        D[:] = D + 1

    with pytest.warns(HostPartWarning, match="'D' is float64, which does not exist on the IPU"):
        dace_ipu.to_ipu(partly.to_sdfg(), allow_host=True)


def test_what_fits_whole_is_offloaded_whole(recwarn):
    @dace.program
    def whole(A: dace.float32[4], B: dace.float32[4]):
        A[:] = A + 1
        B[:] = A * 2

    assert len(list(device_scopes(dace_ipu.to_ipu(whole.to_sdfg(), allow_host=True)))) == 1
    assert not recwarn


def test_nothing_for_the_device_is_an_error():
    @dace.program
    def hosted(D: dace.float64[4]):
        D[:] = D + 1

    with pytest.raises(dace_ipu.DiagnosticError, match="float64"):
        dace_ipu.to_ipu(hosted.to_sdfg(), allow_host=True)


def test_a_return_between_parts_is_an_error():
    @dace.program
    def returning(A: dace.float32[4], D: dace.float64[4]):
        A[:] = A + 1
        if A[0] > 3:
            return
        D[:] = D + 1

    with pytest.raises(dace_ipu.DiagnosticError, match="has no sequence of parts") as caught:
        dace_ipu.to_ipu(returning.to_sdfg(), allow_host=True)
    assert "'D' is float64" in str(caught.value)  # why it would have to be cut


def test_an_error_leaves_the_program_as_it_was():
    @dace.program
    def unchanged(D: dace.float64[4]):
        D[:] = D + 1

    sdfg = unchanged.to_sdfg()
    before = sdfg.hash_sdfg()
    with pytest.raises(dace_ipu.DiagnosticError):
        dace_ipu.to_ipu(sdfg, allow_host=True)
    assert sdfg.hash_sdfg() == before


def test_a_scalar_argument_that_is_assigned():
    """In one part, and seen by the others; not by the caller."""

    @dace.program
    def assigned(A: dace.float32[4], D: dace.float64[4], a: dace.float32):
        a = a + 1
        A[:] = A + a
        D[:] = D + a
        A[:] = A * a

    A, D = np.ones(4, f32), np.ones(4)
    split(assigned)(A=A, D=D, a=f32(2))
    assert (A == 12).all() and (D == 4).all()
