"""What callers hand over: views, other types and layouts, odd sizes, bit patterns, one array twice."""

from __future__ import annotations

import dace
import numpy as np
import pytest

from tests.runtime.programs import floats

# Bits of a quiet NaN with a payload, -0.0, a signalling NaN, -inf, the smallest denormal, +inf.
BITS = np.array([0x7FC12345, 0x80000000, 0x7F800001, 0xFF800000, 0x00000001, 0x7F800000], np.uint32)


@pytest.mark.parametrize("size", [0, 1, 2, 5, 6, 7, 47, 48, 49, 1000])
def test_any_size(increment, size):
    A, B = np.arange(size, dtype=np.float32), np.zeros(size, np.float32)
    increment(A=A, B=B, N=size)
    np.testing.assert_array_equal(B, A + 1)


@pytest.mark.parametrize("view", [slice(None, None, 2), slice(None, None, -1), slice(1, 4)])
def test_views_are_refused_by_dace_unless_it_is_told_otherwise(increment, view):
    buffer = np.zeros(20, np.float32)
    B = buffer[view]
    with pytest.raises(TypeError, match="numpy view"):
        increment(A=np.ones(B.size, np.float32), B=B, N=B.size)
    np.testing.assert_array_equal(buffer, 0)


def test_a_contiguous_view_is_an_array_if_dace_is_told_so(increment):
    buffer = np.zeros(6, np.float32)
    with dace.config.set_temporary("compiler", "allow_view_arguments", value=True):
        increment(A=floats(1, 2, 3), B=buffer[2:5], N=3)
    np.testing.assert_array_equal(buffer, [0, 0, 2, 3, 4, 0])


def test_another_type_is_daces_warning_and_stays_inside_the_array(increment, capsys):
    A = np.ones(8, np.float32)
    B = np.zeros(4, np.float64)  # as many bytes as 8 float32
    increment(A=A, B=B, N=8)
    assert 'Passing float64 array argument "B" to a float32 array' in capsys.readouterr().out
    np.testing.assert_array_equal(B.view(np.float32), 2)


def test_a_list_is_copied_in(increment):
    B = floats(0, 0)
    increment(A=[1.0, 2.0], B=B, N=2)
    np.testing.assert_array_equal(B, [2, 3])


def test_fortran_order_and_padded_rows(strided):
    A = np.array(np.arange(12).reshape(3, 4), np.float32, order="F")
    B = np.full(24, -1, np.float32)
    strided(A=A, B=B, N=3, M=4)
    rows = B.reshape(3, 8)
    np.testing.assert_array_equal(rows[:, :4], A + 1)
    np.testing.assert_array_equal(rows[:, 4:], -1)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (1, 1), (1, 8), (5, 1)])
def test_strided_arrays_of_odd_sizes(strided, shape):
    A = np.array(np.arange(shape[0] * shape[1]).reshape(shape), np.float32, order="F")
    B = np.full(8 * shape[0] + 1, -1, np.float32)
    strided(A=A, B=B, N=shape[0], M=shape[1])
    np.testing.assert_array_equal(B[:-1].reshape(-1, 8)[:, : shape[1]], A + 1)
    assert B[-1] == -1


def test_a_copy_keeps_every_bit(float_copy):
    A, B = BITS.view(np.float32).copy(), np.zeros(BITS.size, np.float32)
    float_copy(A=A, B=B, N=BITS.size)
    np.testing.assert_array_equal(B.view(np.uint32), BITS)


def test_a_partial_write_keeps_the_rest(inner_copy):
    A, B = np.array([1, -(2**31), 2**31 - 1, 4], np.int32), np.full(4, 9, np.int32)
    inner_copy(A=A, B=B, unused=np.zeros(4, np.float32), N=4)
    np.testing.assert_array_equal(B, [9, -(2**31), 2**31 - 1, 9])


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_a_partial_write_of_nothing(inner_copy, size):
    A, B = np.arange(size, dtype=np.int32), np.full(size, 9, np.int32)
    inner_copy(A=A, B=B, unused=np.zeros(size, np.float32), N=size)
    np.testing.assert_array_equal(B, [9, 1, 9] if size == 3 else [9] * size)


def test_an_argument_that_the_program_does_not_use_stays_as_it_is(inner_copy):
    unused = floats(1, 2, np.nan)
    inner_copy(A=np.zeros(3, np.int32), B=np.zeros(3, np.int32), unused=unused, N=3)
    np.testing.assert_array_equal(unused, [1, 2, np.nan])
    assert set(inner_copy.sdfg.arrays) == {"A", "B", "unused"}


def test_one_array_for_two_arguments(increment, float_copy):
    x = np.arange(5, dtype=np.float32)
    increment(A=x, B=x, N=5)
    np.testing.assert_array_equal(x, [1, 2, 3, 4, 5])
    float_copy(A=x, B=x, N=5)
    np.testing.assert_array_equal(x, [1, 2, 3, 4, 5])


def test_a_read_only_input_is_left_alone(increment):
    A, B = floats(1, 2), floats(0, 0)
    A.flags.writeable = False
    increment(A=A, B=B, N=2)
    np.testing.assert_array_equal(B, [2, 3])
