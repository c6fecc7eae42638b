"""What the text of a ``Code`` means: the operators and functions that it may use, on NumPy scalars.

This is the definition that the interpreter runs and that printed C++ is tested against.

Values are *typed* (NumPy scalars: elements of arrays, local scalars, floating-point symbols) or *weak* (Python numbers:
literals, loop variables, domain dimensions, integer symbols). Rules, in the order in which they apply:

* Two weak values compute as in Python and stay weak.
* Types promote as in NumPy 2 (a weak value adapts to a typed one: ``float32 * 0.5`` is a float32), with float32 in
  place of float64 and complex64 in place of complex128: the machine has no wider ones. So ``int32 / int32`` is a
  float32.
* In arithmetic bool and integers of 8 and 16 bits first become int32, as in C: ``bool + bool`` counts (lowering writes
  ``or`` where NumPy means it). Storing a result converts it.
* Integers wrap. ``//`` and ``%`` round towards minus infinity and the remainder has the divisor's sign, for integers
  and floats, as in Python; a typed integer divided by zero is 0, as in NumPy. Integer ``**`` with a negative exponent
  is a float32 if the exponent is weak, an error (ValueError) otherwise.
* Comparisons, ``and``, ``or``, ``not`` give bool (``a or b`` does not give an operand). Comparing integers is exact,
  whatever their types.
* ``~`` of a bool is its negation.
* Each operation on float16 rounds to float16.
* Functions of real numbers turn integers into float32. ``round`` and ``rint`` round halves to even.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any, cast

import numpy as np

from dace_ipu.tile_graph.body import DType

__all__ = [
    "BINARY",
    "COMPARISONS",
    "CONSTANTS",
    "FUNCTIONS",
    "MODULES",
    "NARROWED",
    "TYPES",
    "UNARY",
    "constant",
    "convert",
    "function",
    "truth",
]

Scalar = Any  # a NumPy scalar or a Python number
Function = Callable[..., Scalar]

#: Prefixes with which a name may be written: ``math.exp`` is ``exp``.
MODULES = ("math", "cmath", "numpy", "np", "dace", "dace.math")

#: What stands for types that the machine does not have.
NARROWED = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.complex64)}
_INT32 = np.dtype(np.int32)
_FLOAT32 = np.dtype(np.float32)


# ---- types -----------------------------------------------------------------------------------------------------------


def convert(value: Scalar, dtype: DType) -> np.generic:
    """The value in another type, as C does it: floats truncate to integers, integers wrap, nothing but zero is False.

    Raises TypeError for a complex value in a real type.
    """
    if isinstance(value, np.generic) and value.dtype == dtype:
        return value
    array = np.asarray(value)
    if array.dtype.kind == "c" and dtype.kind not in "cb":
        raise TypeError(f"a complex value does not convert to {dtype}; take its .real or .imag")
    if array.dtype.kind == "O":  # an integer beyond 64 bits
        array = np.asarray(int(value) & (2**64 - 1), np.uint64)
    if array.dtype.kind == "f" and dtype.kind in "iu" and np.isfinite(array):
        array = np.asarray(int(array) & (2**64 - 1), np.uint64)
    with np.errstate(all="ignore"):
        return cast(np.generic, array.astype(dtype)[()])


def truth(value: Scalar) -> np.bool_:
    """The value as a bool."""
    return np.bool_(bool(value))


def _is_weak(value: Scalar) -> bool:
    return not isinstance(value, np.generic)


def _all_weak(values: tuple[Scalar, ...]) -> bool:
    return all(map(_is_weak, values))


def _common(values: tuple[Scalar, ...]) -> DType:
    """NumPy's result type without the wide types, unless an operand has one."""
    plain = [v if isinstance(v, (np.generic, float, complex)) else int(v) for v in values]
    dtype = np.result_type(*plain)
    wide = any(isinstance(v, np.generic) and v.dtype in NARROWED for v in values)
    return dtype if wide else NARROWED.get(dtype, dtype)


def _arithmetic_type(values: tuple[Scalar, ...]) -> DType:
    dtype = _common(values)
    small = dtype.kind == "b" or (dtype.kind in "iu" and dtype.itemsize < _INT32.itemsize)
    return _INT32 if small else dtype


def _real_type(values: tuple[Scalar, ...]) -> DType:
    dtype = _common(values)
    return _FLOAT32 if dtype.kind in "biu" else dtype


def _typed(values: tuple[Scalar, ...], dtype: DType) -> list[np.generic]:
    return [convert(v, dtype) for v in values]


# ---- operators -------------------------------------------------------------------------------------------------------


def _arithmetic(compute: Function, python: Function | None = None) -> Function:
    """An operation in the common arithmetic type; ``python`` is the one on weak values."""

    def apply(*values: Scalar) -> Scalar:
        if _all_weak(values):
            return (python or compute)(*values)
        if all(type(v) is np.float32 for v in values):  # the most frequent case, for speed only
            with np.errstate(all="ignore"):
                return compute(*values)
        with np.errstate(all="ignore"):
            return compute(*_typed(values, _arithmetic_type(values)))

    return apply


def _divide(a: Scalar, b: Scalar) -> Scalar:
    if _all_weak((a, b)):
        return a / b
    with np.errstate(all="ignore"):
        return operator.truediv(*_typed((a, b), _real_type((a, b))))


def _power(a: Scalar, b: Scalar) -> Scalar:
    if _all_weak((a, b)):
        return a**b
    dtype = _arithmetic_type((a, b))
    if dtype.kind in "iu" and b < 0:
        if not _is_weak(b):
            raise ValueError("an integer to the power of a negative integer")
        dtype = _FLOAT32
    with np.errstate(all="ignore"):
        return operator.pow(*_typed((a, b), dtype))


def _bitwise(compute: Function) -> Function:
    def apply(a: Scalar, b: Scalar) -> Scalar:
        return compute(a, b) if _all_weak((a, b)) else compute(*_typed((a, b), _common((a, b))))

    return apply


def _shift(compute: Function) -> Function:
    def apply(a: Scalar, b: Scalar) -> Scalar:
        return compute(a, b) if _all_weak((a, b)) else compute(*_typed((a, b), _arithmetic_type((a, b))))

    return apply


def _invert(a: Scalar) -> Scalar:
    return truth(not a) if isinstance(a, (bool, np.bool_)) else ~a


def _compare(compute: Function) -> Function:
    def apply(a: Scalar, b: Scalar) -> np.bool_:
        if _all_weak((a, b)):
            return truth(compute(a, b))
        dtype = _common((a, b))
        if all(isinstance(v, (int, np.integer, np.bool_)) for v in (a, b)):
            return truth(compute(int(a), int(b)))
        return truth(compute(*_typed((a, b), dtype)))

    return apply


BINARY: dict[type[ast.operator], Function] = {
    ast.Add: _arithmetic(operator.add),
    ast.Sub: _arithmetic(operator.sub),
    ast.Mult: _arithmetic(operator.mul),
    ast.Div: _divide,
    ast.FloorDiv: _arithmetic(operator.floordiv),
    ast.Mod: _arithmetic(operator.mod),
    ast.Pow: _power,
    ast.BitAnd: _bitwise(operator.and_),
    ast.BitOr: _bitwise(operator.or_),
    ast.BitXor: _bitwise(operator.xor),
    ast.LShift: _shift(operator.lshift),
    ast.RShift: _shift(operator.rshift),
}

UNARY: dict[type[ast.unaryop], Function] = {
    ast.UAdd: _arithmetic(operator.pos),
    ast.USub: _arithmetic(operator.neg),
    ast.Invert: _invert,
    ast.Not: lambda a: truth(not a),
}

COMPARISONS: dict[type[ast.cmpop], Function] = {
    ast.Eq: _compare(operator.eq),
    ast.NotEq: _compare(operator.ne),
    ast.Lt: _compare(operator.lt),
    ast.LtE: _compare(operator.le),
    ast.Gt: _compare(operator.gt),
    ast.GtE: _compare(operator.ge),
}


# ---- functions -------------------------------------------------------------------------------------------------------


def _weak(value: Scalar) -> Scalar:
    return value.item() if isinstance(value, np.generic) else value


def _real(compute: Function) -> Function:
    """A function of real (or complex) numbers: integers become float32, weak arguments give a weak result."""

    def apply(*values: Scalar) -> Scalar:
        with np.errstate(all="ignore"):
            if _all_weak(values):
                return _weak(compute(*[complex(v) if isinstance(v, complex) else float(v) for v in values]))
            dtype = _real_type(values)
            return convert(compute(*_typed(values, dtype)), dtype)

    return apply


def _test(compute: Function) -> Function:
    """A question about a real (or complex) number."""

    def apply(value: Scalar) -> np.bool_:
        return truth(compute(convert(value, _real_type((value,)))))

    return apply


def _rounding(compute: Function) -> Function:
    """A rounding: integers stay what they are."""
    rounded = _real(compute)

    def apply(value: Scalar) -> Scalar:
        return value if isinstance(value, (int, np.integer, np.bool_)) else rounded(value)

    return apply


def _extremum(compute: Function, python: Function) -> Function:
    """The least or greatest of some values, in their common type; a NaN wins."""

    def pair(a: Scalar, b: Scalar) -> Scalar:
        if _all_weak((a, b)):
            return python(a, b)
        return compute(*_typed((a, b), _common((a, b))))

    return lambda *values: reduce(pair, values)


def _integers(compute: Callable[[int, int], int]) -> Function:
    def apply(a: Scalar, b: Scalar) -> Scalar:
        result = compute(int(a), int(b))
        return result if _all_weak((a, b)) else convert(result, _arithmetic_type((a, b)))

    return apply


def _absolute(a: Scalar) -> Scalar:
    if _is_weak(a):
        return abs(a)
    with np.errstate(all="ignore"):
        return np.abs(convert(a, _arithmetic_type((a,))) if isinstance(a, np.bool_) else a)


def _sign(a: Scalar) -> Scalar:
    return _weak(np.sign(a)) if _is_weak(a) else np.sign(a)


def _complex_sign(a: Scalar) -> Scalar:
    """The sign of NumPy 1 for complex numbers: that of the real part, of the imaginary one if that is zero."""
    if not isinstance(a, (complex, np.complexfloating)):
        return _sign(a)
    sign = np.sign(a.real or a.imag)
    return complex(sign) if _is_weak(a) else convert(sign, np.asarray(a).dtype)


def _reciprocal(a: Scalar) -> Scalar:
    if isinstance(a, (int, np.integer)):
        if a == 0:
            raise ZeroDivisionError("reciprocal of the integer zero")
        result = int(a) if abs(int(a)) == 1 else 0
        return result if _is_weak(a) else convert(result, np.asarray(a).dtype)
    return _divide(1, a)


def _heaviside(a: Scalar, at_zero: Scalar = 0.5) -> Scalar:
    return _real(np.heaviside)(a, at_zero)


def _conjugate(a: Scalar) -> Scalar:
    return a.conjugate()


def _quotient(a: Scalar, b: Scalar) -> Scalar:
    return BINARY[ast.FloorDiv](a, b)


def _ceiling_quotient(a: Scalar, b: Scalar) -> Scalar:
    return _integers(lambda x, y: -(-x // y))(a, b)


def _c_remainder(a: Scalar, b: Scalar) -> Scalar:
    """The remainder of a division that truncates (it has the sign of the dividend)."""
    if all(isinstance(v, (int, np.integer)) for v in (a, b)):
        return _integers(lambda x, y: abs(x) % abs(y) * (-1 if x < 0 else 1))(a, b)
    return _real(np.fmod)(a, b)


def _select(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    chosen = a if condition else b
    return chosen if _all_weak((a, b)) else convert(chosen, _common((a, b)))


def _logical(compute: Function) -> Function:
    return lambda *values: truth(compute(*map(bool, values)))


def _erf(a: Scalar) -> Scalar:
    return type(a)(math.erf(float(a)))


def _reals(*names: str, **renamed: str) -> dict[str, Function]:
    """NumPy's functions of these names (under other names: ``asin="arcsin"``)."""
    pairs = dict(zip(names, names, strict=True)) | renamed
    return {name: _real(getattr(np, numpy_name)) for name, numpy_name in pairs.items()}


FUNCTIONS: dict[str, Function] = {
    # powers and logarithms
    **_reals("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt"),
    "pow": _power,
    "power": _power,
    "ipow": _power,
    "np_float_pow": _real(np.power),
    "reciprocal": _reciprocal,
    "hypot": _real(np.hypot),
    "ldexp": _real(lambda a, b: a * np.exp2(b)),
    # angles
    **_reals("sin", "cos", "tan", "sinh", "cosh", "tanh", "deg2rad", "rad2deg"),
    **_reals("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"),
    **_reals(asin="arcsin", acos="arccos", atan="arctan", asinh="arcsinh", acosh="arccosh", atanh="arctanh"),
    "atan2": _real(np.arctan2),
    "arctan2": _real(np.arctan2),
    "erf": _real(_erf),
    # rounding and parts
    **{name: _rounding(getattr(np, name)) for name in ("floor", "ceil", "trunc", "round", "rint")},
    "abs": _absolute,
    "Abs": _absolute,
    "absolute": _absolute,
    "fabs": _real(np.fabs),
    "sign": _complex_sign,
    "sign_numpy_2": _sign,
    "copysign": _real(np.copysign),
    "nextafter": _real(np.nextafter),
    "heaviside": _heaviside,
    "real": lambda a: a.real,
    "imag": lambda a: a.imag,
    "conj": _conjugate,
    "conjugate": _conjugate,
    # least and greatest
    **dict.fromkeys(("min", "Min", "minimum"), _extremum(np.minimum, min)),
    **dict.fromkeys(("max", "Max", "maximum"), _extremum(np.maximum, max)),
    "fmin": _extremum(np.fmin, min),
    "fmax": _extremum(np.fmax, max),
    # integers
    **dict.fromkeys(("int_floor", "floor_div", "py_floor", "floor_divide"), _quotient),
    "int_ceil": _ceiling_quotient,
    **dict.fromkeys(("py_mod", "PyMod", "Mod", "mod", "remainder"), BINARY[ast.Mod]),
    **dict.fromkeys(("fmod", "c_mod", "CMod"), _c_remainder),
    "gcd": _integers(math.gcd),
    "lcm": _integers(math.lcm),
    "bitwise_and": BINARY[ast.BitAnd],
    "bitwise_or": BINARY[ast.BitOr],
    "bitwise_xor": BINARY[ast.BitXor],
    "bitwise_invert": _invert,
    "left_shift": BINARY[ast.LShift],
    "right_shift": BINARY[ast.RShift],
    # questions and choices
    **{name: _test(getattr(np, name)) for name in ("isnan", "isinf", "isfinite")},
    "signbit": _test(np.signbit),
    "logical_and": _logical(lambda a, b: a and b),
    "logical_or": _logical(lambda a, b: a or b),
    "logical_xor": _logical(operator.ne),
    "logical_not": _logical(operator.not_),
    "select": _select,
    "where": _select,
}

#: Names of types, which convert when they are called.
TYPES: dict[str, DType] = {
    **{
        name: np.dtype(name)
        for name in (
            "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "complex64"
        )
    },
    **dict.fromkeys(("bool", "bool_"), np.dtype(np.bool_)),
    "half": np.dtype(np.float16),
    "int": _INT32,
    "float": _FLOAT32,
    "complex": np.dtype(np.complex64),
}  # fmt: skip

#: Weak numbers with a name.
CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


def function(name: str) -> Function:
    """What a called name stands for: ``exp``, ``math.exp``, ``dace.int32``. Raises KeyError for unknown ones."""
    module, _, last = name.rpartition(".")
    if module and module not in MODULES:
        raise KeyError(name)
    if last in TYPES:
        dtype = TYPES[last]
        return lambda *parts: convert(complex(*parts) if len(parts) == 2 else parts[0], dtype)
    return FUNCTIONS[last]


def constant(name: str) -> float:
    """The number behind ``math.pi``, ``math.inf`` and the like. Raises ValueError for unknown ones."""
    _, _, last = name.rpartition(".")
    if last not in CONSTANTS:
        raise ValueError(f"unknown constant '{name}'")
    return CONSTANTS[last]
