"""The functions that computations may call, in C++: the counterpart of ``dace_ipu.tile_graph.functions``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from dace_ipu.targets.poplar.expressions import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    PRODUCT,
    ExpressionError,
    ExpressionPrinter,
    Term,
    grouped,
    integral,
    is_narrow,
    literal,
    promoted,
)
from dace_ipu.tile_graph.body import DType

__all__ = ["CALLS"]

Handler = Callable[[ExpressionPrinter, "list[Term]"], Term]


def _common(terms: list[Term]) -> DType:
    """The type of several terms; literals alone are numbers of Python, computed in float32 or int32."""
    dtype, carrier = terms[0].dtype, terms[0]
    for term in terms[1:]:
        if carrier.literal is not None and term.literal is not None:
            carrier = carrier if carrier.dtype.kind in "cf" else term
            dtype = carrier.dtype
            continue
        dtype = promoted(carrier, term)
        carrier = Term("", dtype)
    return dtype


def _floating(cpp: str, arity: int = 1) -> Handler:
    """A function of <cmath>."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, arity)
        return printer.float_call(f"std::{cpp}", arguments)

    return call


def _expect(arguments: list[Term], *arity: int) -> None:
    if len(arguments) not in arity:
        raise ExpressionError(f"a function of {' or '.join(map(str, arity))} arguments is called with {len(arguments)}")


def _with_complex(cpp: str, helper: str) -> Handler:
    """A function of <cmath> that has a complex counterpart among the helpers."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 1)
        if not arguments[0].is_complex:
            return printer.float_call(f"std::{cpp}", arguments)
        printer.helpers.add(helper)
        return Term(f"{cpp}({printer.converted(arguments[0], COMPLEX).text})", COMPLEX)

    return call


def _rounding(cpp: str) -> Handler:
    """floor and its like: integers stay as they are."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 1)
        argument = arguments[0]
        return argument if argument.is_integer else printer.float_call(f"std::{cpp}", arguments)

    return call


def _absolute(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1)
    argument = arguments[0]
    if argument.literal is not None:
        return literal(abs(argument.literal))
    if argument.is_complex:
        printer.cmath = True
        if argument.rank < PRODUCT + 2 or "(" in argument.text:
            printer.helpers.add("complex_abs")
            return Term(f"abs({argument.text})", FLOAT)
        return Term(f"std::hypot({argument.text}.re, {argument.text}.im)", FLOAT)
    if argument.is_float:
        return printer.float_call("std::fabs", arguments)
    if argument.dtype.kind in "ub":
        return argument
    term = printer.helper_call("absolute", arguments, argument.dtype)
    return Term(term.text, term.dtype, wide=is_narrow(argument.dtype))


def _extreme(name: str) -> Handler:
    """min or max of two or more."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        if len(arguments) < 2:
            raise ExpressionError(f"{name} of one argument")
        if all(a.literal is not None for a in arguments):
            values = [a.literal for a in arguments]
            return literal({"min": min, "max": max}[name](values))  # type: ignore[type-var, arg-type]
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


def _classify(cpp: str) -> Handler:
    """isnan and its like: of integers known beforehand."""

    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 1)
        argument = arguments[0]
        if argument.is_complex:
            joint = "&&" if cpp == "isfinite" else "||"
            printer.cmath = True
            z = grouped(argument, PRODUCT + 2)
            return Term(f"(std::{cpp}({z}.re) {joint} std::{cpp}({z}.im))", BOOL)
        if argument.is_integer:
            return literal(cpp == "isfinite")
        printer.cmath = True
        return Term(f"std::{cpp}({printer.converted(argument, FLOAT).text})", BOOL)

    return call


def _ceil_div(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 2)
    dtype = integral(_common(arguments))
    if dtype.kind not in "iu":
        return printer.float_call("std::ceil", [printer.binary(ast.Div, *arguments)])
    return printer.helper_call("ceil_div", arguments, dtype)


def _reciprocal(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1)
    argument = arguments[0]
    if argument.literal is None and argument.is_integer:  # NumPy: an integer again, rounded towards zero
        one = printer.converted(literal(1), integral(argument.dtype)).text
        return Term(f"{one} / {grouped(printer.narrowed(argument), PRODUCT + 1)}", integral(argument.dtype), PRODUCT)
    return printer.binary(ast.Div, literal(1), argument)


def _sign(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
    _expect(arguments, 1)
    argument = arguments[0]
    if argument.is_complex:
        raise ExpressionError("the sign of a complex number")
    dtype = integral(argument.dtype)
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
        dtype = integral(_common(arguments))
        if dtype.kind not in "iu":
            raise ExpressionError(f"{helper} of {dtype.name}")
        if is_narrow(dtype):
            dtype = INT
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


def _logical(sign: str) -> Handler:
    def call(printer: ExpressionPrinter, arguments: list[Term]) -> Term:
        _expect(arguments, 2)
        a, b = (printer.converted(t, BOOL) for t in arguments)
        return printer.binary(ast.BitXor if sign == "^" else ast.BitOr if sign == "|" else ast.BitAnd, a, b)

    return call


_CMATH = (
    "log log2 log10 log1p expm1 exp2 cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc fabs".split()
)
_LONG_NAMES = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
}
_EXTREMES = {name: name.lower() for name in ("min", "max", "Min", "Max")} | {
    "minimum": "min",
    "maximum": "max",
    "fmin": "min",
    "fmax": "max",
}

#: Name in Python → what prints a call.
CALLS: dict[str, Handler] = {
    **{name: _floating(name) for name in _CMATH},
    **{name: _floating(cpp) for name, cpp in _LONG_NAMES.items()},
    **{name: _floating(name, 2) for name in ("atan2", "hypot", "copysign", "fmod")},
    "arctan2": _floating("atan2", 2),
    "exp": _with_complex("exp", "complex_exp"),
    "sqrt": _with_complex("sqrt", "complex_sqrt"),
    **{name: _rounding(name) for name in ("floor", "ceil", "trunc", "rint")},
    "round": _rounding("rint"),
    "py_floor": _rounding("floor"),
    **{name: _absolute for name in ("abs", "Abs", "absolute")},
    **{name: _extreme(kind) for name, kind in _EXTREMES.items()},
    **{name: _classify(name) for name in ("isnan", "isinf", "isfinite")},
    **{name: _operator(ast.FloorDiv) for name in ("int_floor", "floor_div", "floor_divide")},
    **{name: _operator(ast.Mod) for name in ("py_mod", "Mod", "mod", "remainder")},
    **{name: _operator(ast.Pow) for name in ("pow", "power")},
    "int_ceil": _ceil_div,
    "reciprocal": _reciprocal,
    **{name: _sign for name in ("sign", "sign_numpy_2")},
    "heaviside": _heaviside,
    **{name: _scaled(3.141592653589793 / 180) for name in ("deg2rad", "radians")},
    **{name: _scaled(180 / 3.141592653589793) for name in ("rad2deg", "degrees")},
    "gcd": _integers("gcd"),
    "lcm": _integers("lcm"),
    **{name: _conj for name in ("conj", "conjugate")},
    "real": _part("real"),
    "imag": _part("imag"),
    **{name: _complex for name in ("complex", "complex64", "complex128")},
    **{name: _select for name in ("select", "where")},
    "logical_and": _logical("&"),
    "logical_or": _logical("|"),
    "logical_xor": _logical("^"),
}

