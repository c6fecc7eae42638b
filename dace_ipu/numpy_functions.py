"""NumPy functions that DaCe's frontend does not know, and would call back to Python for.

Each is made of what the frontend has: ufuncs, reductions and maps. They work for all targets.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np
import sympy
from dace import dtypes
from dace.memlet import Memlet
from dace.sdfg.sdfg import SDFG

from dace_ipu import compat
from dace_ipu.library_nodes import blocks
from dace_ipu.numpy_reductions import extents, mean, reduced_by, type_of_result

__all__ = ["install"]


def install() -> None:
    """Add the functions that DaCe does not know itself. Repeatable."""
    functions: dict[str, Callable[..., Any]] = {
        "count_nonzero": _count_nonzero,
        "var": _var,
        "std": _std,
        "cumsum": _cumsum,
        "cumprod": _cumprod,
        "diagonal": _diagonal,
        "trace": _trace,
        "tril": _tril,
        "triu": _triu,
        "diff": _diff,
        "linalg.norm": _norm,
    }
    for name, function in functions.items():
        compat.add_replacement(f"numpy.{name}", function)
    compat.wrap_replacement("numpy.where", _with_numbers)
    for name in ("var", "std", "cumsum", "cumprod", "diagonal", "trace"):
        compat.add_method(name, functions[name])


def _with_numbers(original: Callable[..., Any]) -> Callable[..., Any]:
    """``np.where`` that also chooses between two numbers, which DaCe 2.0.0b1 refuses."""

    @functools.wraps(original)
    def where(visitor: Any, sdfg: Any, state: Any, condition: str, left: Any = None, right: Any = None) -> Any:
        if not isinstance(left, (Number, np.bool_)) or not isinstance(right, (Number, np.bool_)):
            return original(visitor, sdfg, state, condition, left, right)
        shape = sdfg.arrays[condition].shape
        dtype = dtypes.dtype_to_typeclass(np.result_type(np.asarray(left), np.asarray(right)).type)
        element = ", ".join(f"__i{k}" for k in range(len(shape)))
        code = f"__out = ({left!r}) if __inp else ({right!r})"
        return _mapped(visitor, sdfg, state, condition, shape, element, code, dtype)

    return where


def _count_nonzero(visitor: Any, sdfg: Any, state: Any, array: str, axis: Any = None, keepdims: bool = False) -> Any:
    nest = compat.nested_call(visitor, sdfg, state)
    return nest, nest(reduced_by)("add", nest(compat.apply_ufunc)("not_equal", array, 0), axis, keepdims)


def _var(
    visitor: Any, sdfg: Any, state: Any, array: str, axis: Any = None, ddof: int = 0, keepdims: bool = False
) -> Any:
    """The mean square of what differs from the mean, in two passes as NumPy does it."""
    nest = compat.nested_call(visitor, sdfg, state)
    deviation = nest(compat.apply_ufunc)("subtract", array, nest(mean)(array, axis, True))
    if np.dtype(sdfg.arrays[deviation].dtype.type).kind == "c":
        raise NotImplementedError("the variance of complex numbers; write it with abs")
    total = nest(reduced_by)("add", nest(compat.apply_ufunc)("multiply", deviation, deviation), axis, keepdims)
    count = math.prod(extents(sdfg.arrays[array], axis)) - ddof
    return nest, nest(compat.elementwise)(f"lambda x: x / ({count})", total)


def _std(
    visitor: Any, sdfg: Any, state: Any, array: str, axis: Any = None, ddof: int = 0, keepdims: bool = False
) -> Any:
    nest = compat.nested_call(visitor, sdfg, state)
    return nest, nest(compat.apply_ufunc)("sqrt", nest(_var)(array, axis, ddof, keepdims))


def _cumsum(visitor: Any, sdfg: Any, state: Any, array: str, axis: int | None = None) -> Any:
    return _accumulated(visitor, sdfg, state, "+", array, axis)


def _cumprod(visitor: Any, sdfg: Any, state: Any, array: str, axis: int | None = None) -> Any:
    return _accumulated(visitor, sdfg, state, "*", array, axis)


def _accumulated(visitor: Any, sdfg: Any, state: Any, operator: str, array: str, axis: int | None) -> Any:
    """A loop along the axis, as NumPy adds up: one element after another.

    Without an axis, arrays of one dimension only: those of more are flattened by NumPy.
    """
    desc = sdfg.arrays[array]
    rank = len(desc.shape)
    if axis is None and rank > 1:
        raise NotImplementedError("sums over a flattened array; write np.cumsum(np.reshape(a, (size,)))")
    name, result = visitor.add_temp_transient(desc.shape, type_of_result("add", desc.dtype))
    node = state.add_nested_sdfg(
        _accumulation(desc, result, operator, (axis or 0) % rank),
        {"__a": None},
        {"__sums": None},
        {str(symbol): symbol for symbol in desc.free_symbols},
    )
    state.add_edge(state.add_read(array), None, node, "__a", Memlet.from_array(array, desc))
    state.add_edge(node, "__sums", state.add_write(name), None, Memlet.from_array(name, result))
    return name


def _accumulation(desc: Any, result: Any, operator: str, axis: int) -> SDFG:
    """The SDFG that copies the first elements along the axis, and adds each of the others to the one before."""
    sdfg = SDFG("accumulate")
    for symbol in desc.free_symbols:
        sdfg.add_symbol(str(symbol), symbol.dtype)
    sdfg.add_array("__a", desc.shape, desc.dtype, strides=desc.strides, total_size=desc.total_size, offset=desc.offset)
    sdfg.add_array("__sums", desc.shape, result.dtype)
    counters = [f"__i{k}" for k in range(len(desc.shape))]
    ranges = {counter: f"0:{size}" for counter, size in zip(counters, desc.shape, strict=True)}

    def element(of: str, at: str) -> str:
        return f"{of}[{', '.join(at if k == axis else counter for k, counter in enumerate(counters))}]"

    def step(region: Any, label: str, at: str, reads: dict[str, str], code: str) -> None:
        others = {counter: r for counter, r in ranges.items() if counter != counters[axis]} or {"__one": "0:1"}
        blocks.add_map(region, label, others, reads, code, element("__sums", at))

    step(sdfg, "first", "0", {"__inp": element("__a", "0")}, "__out = __inp")
    loop = blocks.add_loop(sdfg, "accumulate", "__k", f"{desc.shape[axis]} - 1")
    reads = {"__inp": element("__a", "__k + 1"), "__sum": element("__sums", "__k")}
    step(loop, "next", "__k + 1", reads, f"__out = __sum {operator} __inp")
    return sdfg


def _diagonal(visitor: Any, sdfg: Any, state: Any, array: str, offset: int = 0) -> Any:
    rows, columns = _matrix(sdfg.arrays[array]).shape
    above, below = max(offset, 0), max(-offset, 0)
    size = sympy.Min(rows - below, columns - above)
    return _mapped(visitor, sdfg, state, array, [size], f"__i0 + {below}, __i0 + {above}", "__out = __inp")


def _trace(visitor: Any, sdfg: Any, state: Any, array: str, offset: int = 0) -> Any:
    nest = compat.nested_call(visitor, sdfg, state)
    return nest, nest(reduced_by)("add", nest(_diagonal)(array, offset))


def _tril(visitor: Any, sdfg: Any, state: Any, array: str, k: int = 0) -> Any:
    return _triangle(visitor, sdfg, state, array, f"__i1 - __i0 <= {k}")


def _triu(visitor: Any, sdfg: Any, state: Any, array: str, k: int = 0) -> Any:
    return _triangle(visitor, sdfg, state, array, f"__i1 - __i0 >= {k}")


def _triangle(visitor: Any, sdfg: Any, state: Any, array: str, kept: str) -> Any:
    shape = _matrix(sdfg.arrays[array]).shape
    return _mapped(visitor, sdfg, state, array, shape, "__i0, __i1", f"__out = __inp if {kept} else 0")


def _diff(visitor: Any, sdfg: Any, state: Any, array: str, n: int = 1, axis: int = -1) -> Any:
    nest = compat.nested_call(visitor, sdfg, state)
    for _ in range(n):
        array = nest(_difference)(array, axis % len(sdfg.arrays[array].shape))
    return nest, array


def _difference(visitor: Any, sdfg: Any, state: Any, array: str, axis: int) -> Any:
    """``a[1:] - a[:-1]`` along an axis; of bools whether they differ."""
    desc = sdfg.arrays[array]
    shape = [size - int(k == axis) for k, size in enumerate(desc.shape)]
    here = [f"__i{k}" for k in range(len(shape))]
    after = [f"{name} + 1" if k == axis else name for k, name in enumerate(here)]
    code = "__out = __next != __inp" if np.dtype(desc.dtype.type).kind == "b" else "__out = __next - __inp"
    return _mapped(visitor, sdfg, state, array, shape, ", ".join(here), code, __next=", ".join(after))


def _norm(visitor: Any, sdfg: Any, state: Any, array: str, ord: Any = None, axis: Any = None) -> Any:
    """Of vectors the norms of order 1, 2 and infinity, of matrices that of Frobenius."""
    vectors = isinstance(axis, int) or len(sdfg.arrays[array].shape) == 1
    if ord not in ((None, 1, 2, np.inf) if vectors else (None, "fro")):
        raise NotImplementedError(f"np.linalg.norm of order {ord}")
    nest = compat.nested_call(visitor, sdfg, state)
    size = nest(compat.apply_ufunc)("absolute", array)
    if ord in (1, np.inf):
        return nest, nest(reduced_by)("add" if ord == 1 else "maximum", size, axis)
    total = nest(reduced_by)("add", nest(compat.apply_ufunc)("multiply", size, size), axis)
    return nest, nest(compat.apply_ufunc)("sqrt", total)


def _matrix(desc: Any) -> Any:
    if len(desc.shape) != 2:
        raise NotImplementedError(f"a triangle or diagonal of an array of {len(desc.shape)} dimensions")
    return desc


def _mapped(
    visitor: Any,
    sdfg: Any,
    state: Any,
    array: str,
    shape: Any,
    element: str,
    code: str,
    dtype: Any = None,
    **others: str,
) -> Any:
    """Add a map that computes each element of a new array of ``shape`` from one or several of ``array``."""
    name, _ = visitor.add_temp_transient(shape, dtype or sdfg.arrays[array].dtype)
    counters = [f"__i{k}" for k in range(len(shape))]
    state.add_mapped_tasklet(
        "_numpy_",
        {counter: f"0:{size}" for counter, size in zip(counters, shape, strict=True)},
        {key: Memlet(f"{array}[{index}]") for key, index in {"__inp": element, **others}.items()},
        code,
        {"__out": Memlet(f"{name}[{', '.join(counters)}]")},
        external_edges=True,
    )
    return name
