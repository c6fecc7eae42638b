"""Arrays as JSON that people can read and compare, and what differs between two sets of arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["differences", "from_json", "to_json"]

Array = np.ndarray[Any, Any]


def to_json(arrays: Mapping[str, Array]) -> str:
    """One array a line, sorted by name: type, shape, and all elements in row-major order.

    Floats have as many digits as their type needs to be read back exactly, complex numbers are pairs of floats.
    """
    lines = (f"{json.dumps(name)}: {json.dumps(_described(array))}" for name, array in sorted(arrays.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def from_json(text: str) -> dict[str, Array]:
    """The arrays of a text that :func:`to_json` made. Raises ValueError for another text."""
    try:
        return {name: _array(described) for name, described in json.loads(text).items()}
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no arrays as JSON ({type(error).__name__}: {error})") from None


def differences(got: Mapping[str, Any], wanted: Mapping[str, Any], rtol: float, atol: float) -> Iterator[str]:
    """A text for each of the ``wanted`` values that ``got`` lacks, or that differs by more than the tolerance."""
    for name, want in wanted.items():
        if name not in got:
            yield f"'{name}' is missing: there are {', '.join(map(repr, got)) or 'no values'}"
            continue
        fault = _difference(np.asarray(got[name]), np.asarray(want), rtol, atol)
        if fault:
            yield f"'{name}' differs: {fault}"


def _difference(got: Array, want: Array, rtol: float, atol: float) -> str:
    if _extents(got) != _extents(want):
        return f"its shape is {got.shape}, expected {want.shape}"
    try:
        np.testing.assert_allclose(got.reshape(want.shape), want, rtol=rtol, atol=atol)
    except AssertionError as error:
        return str(error).strip()
    return ""


def _extents(array: Array) -> tuple[int, ...]:
    """The shape without extents of 1: DaCe returns a scalar as an array of one element."""
    return tuple(extent for extent in array.shape if extent != 1)


def _described(array: Array) -> dict[str, Any]:
    flat = array.ravel()
    numbers = flat.view(flat.real.dtype) if array.dtype.kind == "c" else flat
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": [_number(value) for value in numbers]}


def _number(value: Any) -> Any:
    """The shortest number that reads back as ``value``: 0.1 for a float32, where ``float(value)`` is 0.10000000149."""
    return float(str(value)) if isinstance(value, np.floating) else value.item()


def _array(described: Mapping[str, Any]) -> Array:
    dtype = np.dtype(described["dtype"])
    numbers: Array = np.array(described["values"], dtype.type(0).real.dtype)
    shaped: Array = numbers.view(dtype).reshape(tuple(described["shape"]))
    return shaped
