"""NumPy's reductions in programs, with NumPy's types and arguments.

DaCe 2.0.0b1 gives ``np.sum(mask)`` and the sum of small integers the type of the elements: a count of more than one
becomes True, a sum wraps around, the mean of integers is one. It starts ``np.all`` from False, which is then what comes
out, and knows neither ``keepdims`` nor ``mask.sum(axis=0)``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from dace import data, dtypes

from dace_ipu import compat

__all__ = ["extents", "install", "mean", "reduced_by", "type_of_result"]

#: The ufunc that each function applies.
UFUNCS = {
    "sum": "add",
    "prod": "multiply",
    "max": "maximum",
    "amax": "maximum",
    "min": "minimum",
    "amin": "minimum",
    "any": "logical_or",
    "all": "logical_and",
}


def install() -> None:
    """Correct DaCe. Repeatable."""
    compat.wrap_ufunc_reduction(_with_type_of_result)
    for name, ufunc in UFUNCS.items():
        _set(name, _function(ufunc))
    _set("mean", mean)
    compat.set_replacement("sum", _sum_of_rows)


def _set(name: str, function: Callable[..., Any]) -> None:
    compat.set_replacement(f"numpy.{name}", function)
    compat.set_method(name, function)


def _function(ufunc: str) -> Callable[..., Any]:
    """A function of NumPy that reduces, or the method of an array."""

    def reduced(
        visitor: Any, sdfg: Any, state: Any, array: str, axis: Any = None, keepdims: bool = False, initial: Any = None
    ) -> Any:
        if initial is None:
            return reduced_by(visitor, sdfg, state, ufunc, array, axis, keepdims)
        nest = compat.nested_call(visitor, sdfg, state)
        name = nest(reduced_by)(ufunc, array, axis, keepdims)
        return nest, nest(compat.apply_ufunc)(ufunc, name, initial)

    return reduced


def reduced_by(
    visitor: Any, sdfg: Any, state: Any, ufunc: str, array: str, axis: Any = None, keepdims: bool = False
) -> Any:
    """Add a reduction of ``array`` by a ufunc to a state; returns the name of the result."""
    return compat.reduce_by_ufunc(visitor, sdfg, state, ufunc, array, {"axis": axis, "keepdims": keepdims})


def mean(visitor: Any, sdfg: Any, state: Any, array: str, axis: Any = None, keepdims: bool = False) -> Any:
    """``np.mean``: of integers it is a float."""
    desc = sdfg.arrays[array]
    nest = compat.nested_call(visitor, sdfg, state)
    with _elements_of(desc, dtypes.float64 if np.dtype(desc.dtype.type).kind in "biu" else desc.dtype):
        name = nest(reduced_by)("add", array, axis, keepdims)
    return nest, nest(compat.elementwise)(f"lambda x: x / ({math.prod(extents(desc, axis))})", name)


def extents(desc: data.Data, axis: Any) -> list[Any]:
    """The sizes of the dimensions that are reduced."""
    axes = range(len(desc.shape)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return [desc.shape[k] for k in axes]


def _sum_of_rows(visitor: Any, sdfg: Any, state: Any, array: str) -> Any:
    """``sum(array)`` of Python, over the first dimension: bools are counted, other elements keep their type."""
    desc = sdfg.arrays[array]
    dtype = dtypes.int64 if np.dtype(desc.dtype.type).kind == "b" else desc.dtype
    with _elements_of(desc, dtype):
        return compat.reduce(visitor, sdfg, state, "lambda x, y: x + y", array, axis=0, identity=0)


def _with_type_of_result(original: Callable[..., Any]) -> Callable[..., Any]:
    """Reductions by a ufunc, with the type that NumPy documents for ``ufunc.reduce``."""

    @functools.wraps(original)
    def reduced(visitor: Any, tree: Any, sdfg: Any, state: Any, ufunc: str, arrays: Any, options: Any) -> Any:
        desc = sdfg.arrays.get(arrays[0]) if isinstance(arrays[0], str) else None
        if desc is None:
            return original(visitor, tree, sdfg, state, ufunc, arrays, options)
        with _elements_of(desc, type_of_result(ufunc, desc.dtype)):
            return original(visitor, tree, sdfg, state, ufunc, arrays, options)

    return reduced


def type_of_result(ufunc: str, dtype: Any) -> Any:
    """The type of a reduction by a ufunc: bool of tests, 64 bits of sums and products of bools and smaller integers."""
    kind, size = np.dtype(dtype.type).kind, np.dtype(dtype.type).itemsize
    if ufunc.startswith("logical"):
        return dtypes.bool_
    if ufunc not in ("add", "multiply") or kind not in "biu" or size == 8:
        return dtype
    return dtypes.uint64 if kind == "u" else dtypes.int64


@contextmanager
def _elements_of(desc: data.Data, dtype: Any) -> Iterator[None]:
    """Let the frontend, which makes the result like its operand, see elements of another type for the time being."""
    before, desc.dtype = desc.dtype, dtype
    try:
        yield
    finally:
        desc.dtype = before
