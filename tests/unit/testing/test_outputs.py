"""Arrays as JSON, and differences of arrays."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays

from dace_ipu.testing.outputs import differences, from_json, to_json

DTYPES = ("float32", "float16", "float64", "int8", "uint32", "int64", "bool", "complex64")


@given(arrays.arrays(np.float32, 3))
def test_float32_is_read_back_exactly(array):
    np.testing.assert_array_equal(from_json(to_json({"a": array}))["a"], array)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_every_type_and_shape_is_read_back(dtype, shape):
    array = (np.arange(np.prod(shape, dtype=int)).reshape(shape) * (1.1 if dtype[0] in "fc" else 1)).astype(dtype)
    read = from_json(to_json({"a": array}))["a"]
    assert (read.dtype, read.shape) == (array.dtype, shape)
    np.testing.assert_array_equal(read, array)


def test_numbers_are_as_short_as_they_can_be():
    text = to_json({"b": np.array([0.1, np.inf], np.float32), "a": np.array([True, False])})
    assert text == (
        '{\n"a": {"dtype": "bool", "shape": [2], "values": [true, false]},\n'
        '"b": {"dtype": "float32", "shape": [2], "values": [0.1, Infinity]}\n}\n'
    )


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"a": {"dtype": "float32"}}', '{"a": {"dtype": "no"}}'])
def test_other_text_is_refused(text):
    with pytest.raises(ValueError):
        from_json(text)


def found(got, wanted, rtol=1e-5, atol=0.0) -> list[str]:
    return list(differences(got, wanted, rtol, atol))


def test_equal_values_do_not_differ():
    assert found({"a": [1.0, np.nan], "b": 3}, {"a": np.array([1.0 + 1e-6, np.nan])}) == []


def test_a_number_off_is_found():
    (fault,) = found({"a": [1.0, 2.0]}, {"a": [1.0, 2.1]})
    assert fault.startswith("'a' differs: ")
    assert "Mismatched elements: 1 / 2" in fault


def test_a_missing_value_is_found():
    assert found({"b": 1, "c": 2}, {"a": 1}) == ["'a' is missing: there are 'b', 'c'"]
    assert found({}, {"a": 1}) == ["'a' is missing: there are no values"]


def test_shapes_are_compared_but_for_extents_of_one():
    assert found({"a": np.ones((1, 3))}, {"a": np.ones((3, 1))}) == []
    assert found({"a": np.ones((2, 3))}, {"a": np.ones((3, 2))}) == [
        "'a' differs: its shape is (2, 3), expected (3, 2)"
    ]


def test_outputs_are_one_array_a_line():
    text = to_json({"a": np.zeros((30, 30)), "b": np.zeros(2)})
    assert len(text.splitlines()) == 4
    assert list(json.loads(text)) == ["a", "b"]
