"""The functions that computations may call, in C++: the counterpart of ``dace_ipu.tile_graph.functions``."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace

from dace_ipu.targets.poplar.expressions import (
    ATOM,
    BOOL,
    COMPLEX,
    FLOAT,
    PRODUCT,
    UNARY,
    ExpressionError,
    ExpressionPrinter,
    Term,
    arithmetic_type,
    grouped,
    is_weak,
    literal,
    promoted,
)
from dace_ipu.tile_graph.body import DType

__all__ = ["CALLS"]

Handler = Callable[[ExpressionPrinter, "list[Term]"], Term]


def _common(terms: list[Term]) -> DType:
    """The type of several terms."""
    joint = terms[0]
    for term in terms[1:]:
        joint = Term("", promoted(joint, term), weak=is_weak(joint) and is_weak(term))
    return joint.dtype


def _floating(cpp: str, arity: int = 1) -> Handler:
    """A function of <cmath>."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, arity)
        return printer.math_call(cpp, arguments)

    return call


def _expect(arguments: list[Term], *arity: int) -> None:
    if len(arguments) not in arity:
        raise ExpressionError(f"a function of {' or '.join(map(str, arity))} arguments is called with {len(arguments)}")


def _with_complex(cpp: str, helper: str) -> Handler:
    """A function of <cmath> that has a complex counterpart among the helpers."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 1)
        if not arguments[0].is_complex:
            return printer.math_call(cpp, arguments)
        printer.helpers.add(helper)
        return Term(f"{cpp}({printer.converted(arguments[0], COMPLEX).text})", COMPLEX)

    return call


def _rounding(cpp: str) -> Handler:
    """floor and its like: integers stay as they are."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 1)
        argument = arguments[0]
        return argument if argument.is_integer else printer.math_call(cpp, arguments)

    return call


def _absolute(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1)
    argument = arguments[0]
    if argument.is_complex:
        printer.helpers.add("complex_abs")
        return Term(f"abs({argument.text})", FLOAT)
    if argument.is_float:
        return printer.math_call("fabs", arguments)
    if argument.dtype.kind in "ub":
        return replace(argument, dtype=arithmetic_type(argument, argument)) if argument.dtype == BOOL else argument
    return printer.helper_call("absolute", arguments, argument.dtype)


def _extreme(name: str) -> Handler:
    """min or max of two or more."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        if len(arguments) < 2:
            raise ExpressionError(f"{name} of one argument")
        dtype = _common(arguments)
        if dtype == COMPLEX:
            raise ExpressionError("complex numbers have no order")
        printer.helpers.add(name)
        texts = [printer.converted(a, dtype).text for a in arguments]
        text = texts[0]
        for other in texts[1:]:
            text = f"{name}({text}, {other})"
        return Term(text, dtype)

    return call


def _number_extreme(name: str) -> Handler:
    """fmin or fmax: like min and max, but a number wins over a NaN."""
    with_nan = _extreme(name)

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 2)
        if _common(arguments).kind != "f":
            return with_nan(printer, arguments)
        return printer.float_call(f"std::f{name}", arguments)

    return call


def _signbit(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1)
    printer.cmath = True
    return Term(f"std::signbit({printer.converted(arguments[0], FLOAT).text})", BOOL)


def _classify(cpp: str) -> Handler:
    """isnan and its like: of integers known beforehand."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 1)
        argument = arguments[0]
        if argument.is_complex:
            joint = "&&" if cpp == "isfinite" else "||"
            printer.cmath = True
            z = grouped(argument, ATOM)
            return Term(f"(std::{cpp}({z}.re) {joint} std::{cpp}({z}.im))", BOOL)
        if argument.is_integer:
            return literal(cpp == "isfinite")
        printer.cmath = True
        return Term(f"std::{cpp}({printer.converted(argument, FLOAT).text})", BOOL)

    return call


def _ceil_div(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 2)
    dtype = arithmetic_type(*arguments)
    if dtype.kind not in "iu":
        raise ExpressionError(f"int_ceil of {dtype.name}")
    return printer.helper_call("ceil_div", arguments, dtype)


def _c_remainder(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    """The remainder with the sign of the dividend."""
    _expect(arguments, 2)
    dtype = arithmetic_type(*arguments)
    if dtype.kind not in "iu":
        return printer.float_call("std::fmod", arguments)
    a, b = printer.unified(arguments[0], arguments[1], dtype)
    return Term(f"{grouped(a, PRODUCT)} % {grouped(b, UNARY)}", dtype, PRODUCT)


def _reciprocal(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1)
    argument = arguments[0]
    if not argument.is_integer:
        return printer.binary(ast.Div, literal(1), argument)
    dtype = arithmetic_type(argument, argument)  # NumPy: an integer again, rounded towards zero
    one = printer.converted(literal(1), dtype).text
    return Term(f"{one} / {grouped(argument, UNARY)}", dtype, PRODUCT)


def _sign(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1)
    argument = arguments[0]
    if argument.is_complex:
        raise ExpressionError("the sign of a complex number")
    dtype = arithmetic_type(argument, argument) if argument.dtype == BOOL else argument.dtype
    text = printer.converted(argument, dtype).text
    printer.helpers.add("sign")
    return Term(f"sign({text})", dtype)


def _heaviside(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1, 2)
    return printer.float_call("heaviside", [arguments[0], (arguments + [literal(0.5)])[1]], "heaviside")


def _scaled(factor: float) -> Handler:
    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 1)
        return printer.binary(ast.Mult, arguments[0], literal(factor))

    return call


def _integers(helper: str) -> Handler:
    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 2)
        dtype = arithmetic_type(*arguments)
        if dtype.kind not in "iu":
            raise ExpressionError(f"{helper} of {dtype.name}")
        return printer.helper_call(helper, arguments, dtype)

    return call


def _conj(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1)
    argument = arguments[0]
    return printer.helper_call("conj", [argument], COMPLEX) if argument.is_complex else argument


def _part(attribute: str) -> Handler:
    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 1)
        return printer.part(arguments[0], attribute)

    return call


def _complex(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1, 2)
    if len(arguments) == 1:
        return printer.converted(arguments[0], COMPLEX)
    printer.helpers.add("complex64")
    return Term(f"complex64({', '.join(printer.converted(a, FLOAT).text for a in arguments)})", COMPLEX)


def _select(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 3)
    return printer.select(*arguments)


def _operator(op: type[ast.operator]) -> Handler:
    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 2)
        return printer.binary(op, *arguments)

    return call


def _unary(op: ast.unaryop) -> Handler:
    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 1)
        return printer.unary(op, arguments[0])

    return call


def _logical(op: ast.boolop) -> Handler:
    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        return printer.boolean(op, arguments)

    return call


def _logical_xor(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 2)
    a, b = (printer.converted(t, BOOL) for t in arguments)
    return printer.compare(ast.NotEq, a, b)


def _ldexp(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 2)
    return printer.binary(ast.Mult, arguments[0], printer.float_call("std::exp2", arguments[1:]))


def _polynomial(name: str, helper: str, arity: int = 1) -> Handler:
    """A function of our own, where that of the library takes long."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, arity)
        if arity == 1 and arguments[0].is_complex:
            return _with_complex(name, f"complex_{name}")(printer, arguments)
        if any(argument.is_complex for argument in arguments):
            raise ExpressionError(f"no complex '{name}'")
        return printer.float_call(helper, arguments, helper)

    return call


_CMATH = "cbrt asin acos atan asinh acosh atanh erf fabs".split()
_COMPLEX = "exp exp2 expm1 log log2 log10 log1p sqrt tan sinh cosh tanh".split()
_LONG_NAMES = {f"arc{name[1:]}": name for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")}

#: Name in Python → what prints a call.
CALLS: dict[str, Handler] = {
    # powers and logarithms
    **{name: _floating(name) for name in _CMATH},
    **{name: _with_complex(name, f"complex_{name}") for name in _COMPLEX},
    **dict.fromkeys(("pow", "power", "ipow"), _operator(ast.Pow)),
    "np_float_pow": _floating("pow", 2),
    "reciprocal": _reciprocal,
    "ldexp": _ldexp,
    # angles
    **{name: _floating(cpp) for name, cpp in _LONG_NAMES.items()},
    "sin": _polynomial("sin", "sine"),
    "cos": _polynomial("cos", "cosine"),
    **dict.fromkeys(("atan2", "arctan2"), _polynomial("atan2", "angle", 2)),
    **{name: _floating(name, 2) for name in ("hypot", "copysign", "nextafter")},
    "deg2rad": _scaled(math.pi / 180),
    "rad2deg": _scaled(180 / math.pi),
    # rounding and parts
    **{name: _rounding(name) for name in ("floor", "ceil", "trunc", "rint")},
    "round": _rounding("rint"),
    **dict.fromkeys(("abs", "Abs", "absolute"), _absolute),
    **dict.fromkeys(("sign", "sign_numpy_2"), _sign),
    "heaviside": _heaviside,
    "real": _part("real"),
    "imag": _part("imag"),
    **dict.fromkeys(("conj", "conjugate"), _conj),
    **dict.fromkeys(("complex", "complex64"), _complex),
    # least and greatest
    **dict.fromkeys(("min", "Min", "minimum"), _extreme("min")),
    **dict.fromkeys(("max", "Max", "maximum"), _extreme("max")),
    "fmin": _number_extreme("min"),
    "fmax": _number_extreme("max"),
    # integers
    **dict.fromkeys(("int_floor", "floor_div", "py_floor", "floor_divide"), _operator(ast.FloorDiv)),
    "int_ceil": _ceil_div,
    **dict.fromkeys(("py_mod", "PyMod", "Mod", "mod", "remainder"), _operator(ast.Mod)),
    **dict.fromkeys(("fmod", "c_mod", "CMod"), _c_remainder),
    "gcd": _integers("gcd"),
    "lcm": _integers("lcm"),
    "bitwise_and": _operator(ast.BitAnd),
    "bitwise_or": _operator(ast.BitOr),
    "bitwise_xor": _operator(ast.BitXor),
    "bitwise_invert": _unary(ast.Invert()),
    "left_shift": _operator(ast.LShift),
    "right_shift": _operator(ast.RShift),
    # questions and choices
    **{name: _classify(name) for name in ("isnan", "isinf", "isfinite")},
    "signbit": _signbit,
    "logical_and": _logical(ast.And()),
    "logical_or": _logical(ast.Or()),
    "logical_xor": _logical_xor,
    "logical_not": _unary(ast.Not()),
    **dict.fromkeys(("select", "where"), _select),
}
