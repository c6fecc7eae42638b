"""Computations (Python expressions) as C++, with the meaning that ``dace_ipu.tile_graph.functions`` gives them.

In short: literals, loop variables and sizes are *weak*, they take the type of what they meet; other types promote as in
NumPy, with float32 in place of float64; bool and integers below 32 bits are computed in int32, as C++ does by itself.
Expressions of literals alone are computed here, in Python.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import DType
from dace_ipu.tile_graph.functions import BINARY, CONSTANTS, FUNCTIONS, MODULES, TYPES

__all__ = ["ExpressionError", "ExpressionPrinter", "Literal", "Term"]

Literal = bool | int | float | complex


class ExpressionError(ValueError):
    """A Python expression that has no counterpart in a codelet."""


# Precedence of C++ operators, from the loosest.
(TERNARY, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUALITY, RELATION, SHIFT, SUM, PRODUCT, UNARY, ATOM) = range(13)

BOOL, INT, LONG = np.dtype(np.bool_), np.dtype(np.int32), np.dtype(np.int64)
HALF, FLOAT, COMPLEX = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.complex64)


@dataclass(frozen=True)
class Term:
    """A piece of C++ and its type.

    A ``weak`` term stands for a number of Python: a loop variable, a size, or what was computed from such alone.
    ``literal`` is the value of a constant, which is weak as well (``text`` is empty then).
    """

    text: str
    dtype: DType
    rank: int = ATOM
    literal: Literal | None = None
    weak: bool = False

    @property
    def is_complex(self) -> bool:
        return self.dtype.kind == "c"

    @property
    def is_float(self) -> bool:
        return self.dtype.kind == "f"

    @property
    def is_integer(self) -> bool:
        return self.dtype.kind in "iub"


Handler = Callable[["ExpressionPrinter", "list[Term]"], Term]


@dataclass
class ExpressionPrinter:
    """Prints expressions over named terms.

    ``lookup`` gives the term of a name, None if there is no such name. ``helpers`` collects the functions of
    ``helpers.py`` that were used, ``cmath`` whether <cmath> is needed. ``pairs`` says that some names stand for two floats.
    """

    lookup: Callable[[str], Term | None]
    helpers: set[str] = field(default_factory=set)
    cmath: bool = False
    pairs: bool = False

    def term(self, text: str) -> Term:
        """Return the C++ of a Python expression. Raises :class:`ExpressionError` if it has none."""
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except SyntaxError as error:
            raise ExpressionError(f"'{text}' is no Python expression: {error.msg}") from None
        try:
            return self.visit(tree.body)
        except ExpressionError as error:
            raise ExpressionError(f"'{text}': {error}") from None

    def assigned(self, term: Term, dtype: DType) -> Term:
        """Return a term as the right side of an assignment to a ``dtype``, where C++ widens by itself."""
        return term if term.literal is None and _cpp_promotes(term.dtype, dtype) else self.converted(term, dtype)

    # ---- nodes ------------------------------------------------------------

    def visit(self, node: ast.expr) -> Term:
        match node:
            case ast.Constant(value=value) if isinstance(value, (bool, int, float, complex)):
                return literal(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.UnaryOp(op=op, operand=operand):
                return self.unary(op, self.visit(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(type(op), self.visit(left), self.visit(right))
            case ast.BoolOp(op=op, values=values):
                return self.boolean(op, [self.visit(v) for v in values])
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.select(self.visit(test), self.visit(body), self.visit(orelse))
            case ast.Call():
                return self._call(node)
            case _:
                raise ExpressionError(f"no C++ for '{ast.unparse(node)}' ({type(node).__name__})")

    def _name(self, name: str) -> Term:
        term = self.lookup(name)
        if term is not None:
            return term
        raise ExpressionError(f"nothing is called '{name}'")

    def _attribute(self, node: ast.Attribute) -> Term:
        if self._is_module(node.value):
            if node.attr in CONSTANTS:
                return literal(CONSTANTS[node.attr])
            raise ExpressionError(f"no constant '{ast.unparse(node)}'")
        if node.attr not in ("real", "imag"):
            raise ExpressionError(f"no attribute '{node.attr}' of a number")
        return self.part(self.visit(node.value), node.attr)

    def part(self, term: Term, attribute: str) -> Term:
        """Real or imaginary part."""
        if term.literal is not None:
            return literal(getattr(term.literal, attribute))
        if term.is_complex:
            return Term(f"{grouped(term, ATOM)}.{'re' if attribute == 'real' else 'im'}", FLOAT)
        return term if attribute == "real" else self.converted(literal(0), term.dtype)

    def unary(self, op: ast.unaryop, operand: Term) -> Term:
        """A prefix operator."""
        if operand.literal is not None:
            return literal(_UNARY_PYTHON[type(op)](operand.literal))
        if isinstance(op, ast.Not) or (isinstance(op, ast.Invert) and operand.dtype == BOOL):
            return Term(f"!{grouped(self.converted(operand, BOOL), UNARY)}", BOOL, UNARY)
        if isinstance(op, ast.Invert):
            return self.invert(operand)
        dtype = arithmetic_type(operand, operand)
        if isinstance(op, ast.UAdd):
            return replace(operand, dtype=dtype)
        return replace(_prefixed("-", operand), dtype=dtype)

    def invert(self, operand: Term) -> Term:
        """``~`` of an integer."""
        if not operand.is_integer:
            raise ExpressionError(f"~ of {operand.dtype.name}")
        term = _prefixed("~", operand)
        return cast(term, operand.dtype) if is_narrow(operand.dtype) else term

    def boolean(self, op: ast.boolop, operands: list[Term]) -> Term:
        """``and`` or ``or`` of several."""
        sign, rank, own = ("&&", AND, EQUALITY) if isinstance(op, ast.And) else ("||", OR, EQUALITY)
        texts = [grouped(self.converted(o, BOOL), own) for o in operands]
        return Term(f" {sign} ".join(texts), BOOL, rank)

    def _comparison(self, node: ast.Compare) -> Term:
        operands = [self.visit(o) for o in (node.left, *node.comparators)]
        results = [self.compare(type(op), a, b) for op, a, b in zip(node.ops, operands, operands[1:], strict=False)]
        if len(results) == 1:
            return results[0]
        if all(r.literal is not None for r in results):
            return literal(all(bool(r.literal) for r in results))
        return Term(" && ".join(grouped(self.converted(r, BOOL), EQUALITY) for r in results), BOOL, AND)

    def compare(self, op: type[ast.cmpop], left: Term, right: Term) -> Term:
        """Two operands of equal type, compared."""
        if op not in _COMPARISONS:
            raise ExpressionError(f"no C++ for the comparison {op.__name__}")
        sign, python = _COMPARISONS[op]
        if left.literal is not None and right.literal is not None:
            return literal(bool(python(left.literal, right.literal)))
        a, b = self.unified(left, right, _comparable(left, right))
        rank = EQUALITY if sign in ("==", "!=") else RELATION
        if a.is_complex and rank == RELATION:
            raise ExpressionError("complex numbers have no order")
        return Term(f"{grouped(a, SHIFT)} {sign} {grouped(b, SHIFT)}", BOOL, rank)

    def select(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """``then if condition else otherwise``."""
        if condition.literal is not None:
            return then if condition.literal else otherwise
        dtype = promoted(then, otherwise)
        a, b = self.converted(then, dtype), self.converted(otherwise, dtype)
        test = grouped(self.converted(condition, BOOL), OR)
        weak = is_weak(then) and is_weak(otherwise)
        return Term(f"{test} ? {grouped(a, OR)} : {grouped(b, TERNARY)}", dtype, TERNARY, weak=weak)

    # ---- operators ------------------------------------------------------------

    def binary(self, op: type[ast.operator], left: Term, right: Term) -> Term:
        """The result of a binary operator."""
        if left.literal is not None and right.literal is not None:
            return literal(_fold(op, left.literal, right.literal))
        handlers = {ast.Div: self._divide, ast.FloorDiv: self.floor_div, ast.Mod: self.mod, ast.Pow: self.power}
        if op in handlers:
            term = handlers[op](left, right)
        elif op in (ast.LShift, ast.RShift):
            term = self._shift(op, left, right)
        elif op in _BITWISE:
            term = self._bitwise(op, left, right)
        elif op in _ARITHMETIC:
            term = self._arithmetic(op, left, right)
        else:
            raise ExpressionError(f"no C++ for the operator {op.__name__}")
        return replace(term, weak=is_weak(left) and is_weak(right))

    def _arithmetic(self, op: type[ast.operator], left: Term, right: Term) -> Term:
        sign, rank = _ARITHMETIC[op]
        dtype = arithmetic_type(left, right)
        a, b = self.unified(left, right, dtype)
        return Term(f"{grouped(a, rank)} {sign} {_right_operand(b, rank)}", dtype, rank)

    def _divide(self, left: Term, right: Term) -> Term:
        dtype = real_type(left, right)
        if dtype == COMPLEX:
            self.helpers.add("complex_div")
        a, b = self.unified(left, right, dtype)
        return Term(f"{grouped(a, PRODUCT)} / {_right_operand(b, PRODUCT)}", dtype, PRODUCT)

    def floor_div(self, left: Term, right: Term) -> Term:
        """The quotient rounded down."""
        return self._rounded_down("floor_div", "/", left, right)

    def mod(self, left: Term, right: Term) -> Term:
        """The remainder with the sign of the divisor."""
        return self._rounded_down("mod", "%", left, right)

    def _rounded_down(self, helper: str, sign: str, left: Term, right: Term) -> Term:
        dtype = arithmetic_type(left, right)
        if dtype == COMPLEX:
            raise ExpressionError("complex numbers have no remainder")
        if dtype.kind == "f":
            return self.float_call(helper, [left, right], f"{helper}_float")
        a, b = self.unified(left, right, dtype)
        power = right.literal if isinstance(right.literal, int) and dtype.kind == "i" else 0
        if power > 0 and power & (power - 1) == 0:  # the machine has no divide; these round down by themselves
            if helper == "mod":
                return Term(f"{grouped(a, UNARY)} & {power - 1}", dtype, BIT_AND)
            return Term(f"{grouped(a, ATOM)} >> {power.bit_length() - 1}", dtype, SHIFT)
        if dtype.kind == "u" and right.literal:  # truncation is rounding down, and there is no division by zero
            return Term(f"{grouped(a, PRODUCT)} {sign} {_right_operand(b, PRODUCT)}", dtype, PRODUCT)
        self.helpers.add(helper)
        return Term(f"{helper}({a.text}, {b.text})", dtype)

    def power(self, base: Term, exponent: Term) -> Term:
        """``base ** exponent``: a product or repeated squaring for whole exponents, else std::pow."""
        if isinstance(exponent.literal, (bool, int)):
            return self._whole_power(base, int(exponent.literal))
        if exponent.literal == 0.5 and not base.is_complex:
            return self.float_call("std::sqrt", [base])
        dtype = base.dtype if base.is_complex and exponent.is_integer else arithmetic_type(base, exponent)
        if dtype.kind in "iu" or (base.is_complex and exponent.is_integer):
            self.helpers.add("ipow")
            return Term(f"ipow({self.converted(base, dtype).text}, {exponent.text})", dtype)
        if dtype == COMPLEX:
            self.helpers.add("complex_pow")
            return Term(f"pow({self.converted(base, dtype).text}, {self.converted(exponent, dtype).text})", dtype)
        return self.float_call("std::pow", [base, exponent])

    def _whole_power(self, base: Term, exponent: int) -> Term:
        dtype = arithmetic_type(base, base)
        if exponent < 0:
            base = self.converted(base, FLOAT) if base.is_integer else base
            return self._divide(literal(1), self._whole_power(base, -exponent))
        if exponent == 0:
            return self.converted(literal(1), dtype)
        if exponent == 1:
            return replace(base, dtype=dtype)
        if exponent <= 3 and base.rank == ATOM and "(" not in base.text:
            return Term(" * ".join([base.text] * exponent), dtype, PRODUCT)
        self.helpers.add("ipow")
        return Term(f"ipow({self.converted(base, dtype).text}, {exponent})", dtype)

    def _shift(self, op: type[ast.operator], left: Term, right: Term) -> Term:
        dtype = arithmetic_type(left, right)
        if dtype.kind not in "iu":
            raise ExpressionError(f"a shift of {dtype.name}")
        a, b = self.unified(left, right, dtype)
        sign = "<<" if op is ast.LShift else ">>"
        return Term(f"{grouped(a, ATOM)} {sign} {grouped(b, ATOM)}", dtype, SHIFT)

    def _bitwise(self, op: type[ast.operator], left: Term, right: Term) -> Term:
        sign, rank = _BITWISE[op]
        dtype = promoted(left, right)
        if dtype.kind not in "iub":
            raise ExpressionError(f"{sign} of {dtype.name}")
        a, b = self.unified(left, right, dtype)
        # The precedence of these operators surprises everybody: parentheses around all but an operand of the same one.
        texts = [t.text if t.rank in (rank, UNARY, ATOM) else f"({t.text})" for t in (a, b)]
        return Term(f" {sign} ".join(texts), dtype, rank)

    # ---- types ------------------------------------------------------------

    def unified(self, left: Term, right: Term, dtype: DType) -> tuple[Term, Term]:
        """Both operands such that C++ computes in ``dtype``. An int beside a float, for one, needs no cast."""
        return self._beside(left, right, dtype), self._beside(right, left, dtype)

    def _beside(self, term: Term, other: Term, dtype: DType) -> Term:
        by_itself = dtype == INT or (other.dtype == dtype and other.literal is None)
        if term.literal is None and by_itself and _cpp_promotes(term.dtype, dtype):
            return term
        return self.converted(term, dtype)

    def converted(self, term: Term, dtype: DType) -> Term:
        """The term as a value of ``dtype``, with an explicit conversion if it is of another type."""
        if term.literal is not None:
            return self._literal(term.literal, dtype)
        if term.dtype == dtype:
            return term
        if dtype == COMPLEX:
            self.helpers.add("complex64")
            return Term(f"complex64({term.text})", COMPLEX)
        if dtype == BOOL:
            zero = self._literal(0, term.dtype)
            return Term(f"{grouped(term, SHIFT)} != {zero.text}", BOOL, EQUALITY)
        if term.is_complex:
            raise ExpressionError(f"a complex value where {dtype.name} is needed; take its .real or .imag")
        return cast(term, dtype)

    def _literal(self, value: Literal, dtype: DType) -> Term:
        text = self.literal_text(value, dtype)
        return Term(text, dtype, UNARY if text.startswith("-") else ATOM)

    def literal_text(self, value: Literal, dtype: DType) -> str:
        """The C++ of a constant of a type."""
        if dtype == COMPLEX:
            self.helpers.add("complex64")
            number = complex(value)
            parts = [number.real] if number.imag == 0 else [number.real, number.imag]
            return f"complex64({', '.join(self.literal_text(p, FLOAT) for p in parts)})"
        if isinstance(value, complex):
            raise ExpressionError(f"the complex constant {value} where {dtype.name} is needed")
        if dtype == HALF:
            return f"half({self.literal_text(value, FLOAT)})"
        if dtype.kind == "f":
            return self._float_text(float(value))
        if dtype == BOOL:
            return "true" if value else "false"
        if isinstance(value, float) and not np.isfinite(value):
            raise ExpressionError(f"the constant {value} where {dtype.name} is needed")
        return _integer_text(int(value), dtype)

    def _float_text(self, value: float) -> str:
        single = np.float32(value) if abs(value) < 3.4028236e38 else np.float32(np.copysign(np.inf, value))
        if np.isfinite(single) and value == value:
            return f"{single!s}f" if any(c in str(single) for c in ".e") else f"{single!s}.0f"
        self.cmath = True
        return "NAN" if value != value else "INFINITY" if value > 0 else "-INFINITY"

    # ---- functions ------------------------------------------------------------

    def _call(self, node: ast.Call) -> Term:
        if node.keywords:
            raise ExpressionError(f"keyword arguments in '{ast.unparse(node)}'")
        if isinstance(node.func, ast.Attribute) and not self._is_module(node.func.value):
            if node.func.attr in ("conj", "conjugate") and not node.args:
                return _calls()["conj"](self, [self.visit(node.func.value)])
            raise ExpressionError(f"no method '{node.func.attr}' of a number")
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        if name == "float" and [type(getattr(a, "value", None)) for a in node.args] == [str]:
            return literal(float(ast.literal_eval(node.args[0])))
        return self.call(name, [self.visit(a) for a in node.args])

    def call(self, name: str, arguments: list[Term]) -> Term:
        """A call of a function or a conversion by the name of a type."""
        if name in TYPES and len(arguments) == 1:
            return self._explicit_cast(arguments[0], TYPES[name])
        if name not in _calls():
            raise ExpressionError(f"no function '{name}' on the IPU")
        if arguments and all(a.literal is not None for a in arguments) and name in FUNCTIONS:
            return literal(cast_literal(FUNCTIONS[name](*[a.literal for a in arguments])))
        term = _calls()[name](self, arguments)
        return replace(term, weak=term.dtype != BOOL and all(map(is_weak, arguments)))

    def _explicit_cast(self, argument: Term, dtype: DType) -> Term:
        term = replace(self.converted(argument, dtype), weak=False)
        return cast(term, dtype) if argument.literal is not None and is_narrow(dtype) else term

    def _is_module(self, node: ast.expr) -> bool:
        """``math``, ``np``, ``dace.math``: the prefix of a function, unless something of the program is called so."""
        text = ast.unparse(node)
        return text in MODULES and self.lookup(text) is None

    def float_call(self, function: str, arguments: list[Term], helper: str = "") -> Term:
        """A function of floats: integers become float32; float16 is computed in float32 and rounded, as NumPy does."""
        for argument in arguments:
            if argument.is_complex:
                raise ExpressionError(f"no complex '{function.removeprefix('std::')}'")
        dtype: DType = FLOAT
        strong = [a for a in arguments if not is_weak(a)]
        if strong and all(a.dtype == HALF for a in strong):
            dtype = HALF
        if helper:
            self.helpers.add(helper)
        else:
            self.cmath = True
        text = f"{function}({', '.join(self.converted(a, FLOAT).text for a in arguments)})"
        return Term(f"half({text})" if dtype == HALF else text, dtype)

    def math_call(self, function: str, arguments: list[Term]) -> Term:
        """A function of <cmath>, or of <ipu_vector_math> where names stand for pairs of floats."""
        if not self.pairs:
            return self.float_call(f"std::{function}", arguments)
        return Term(f"ipu::{function}({self.converted(arguments[0], FLOAT).text})", FLOAT)

    def helper_call(self, helper: str, arguments: list[Term], dtype: DType) -> Term:
        """A call of a helper whose arguments and result have one type."""
        self.helpers.add(helper)
        return Term(f"{helper}({', '.join(self.converted(a, dtype).text for a in arguments)})", dtype)


# ---- helpers of the printer ------------------------------------------------------------


def literal(value: Literal) -> Term:
    """A weak constant."""
    kinds = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}
    return Term("", kinds[type(value)], literal=value)


def grouped(term: Term, rank: int) -> str:
    """The text of a term, in parentheses if it binds looser than ``rank``."""
    return term.text if term.rank >= rank else f"({term.text})"


def _right_operand(term: Term, rank: int) -> str:
    """The right operand of a left-associative operator; ``a - -b`` is legal but ugly."""
    return f"({term.text})" if term.rank <= rank or term.text.startswith("-") else term.text


def _prefixed(sign: str, operand: Term) -> Term:
    text = grouped(operand, UNARY)
    return replace(operand, text=f"{sign}({text})" if text.startswith(sign) else sign + text, rank=UNARY)


def is_weak(term: Term) -> bool:
    """Whether the term stands for a number of Python."""
    return term.weak or term.literal is not None


def is_narrow(dtype: DType) -> bool:
    """Whether C++ computes with these integers as int."""
    return dtype.kind in "iu" and dtype.itemsize < 4


def promoted(left: Term, right: Term) -> DType:
    """The type in which two operands meet."""
    if is_weak(left) == is_weak(right):
        return _demoted(np.promote_types(left.dtype, right.dtype))
    return _with_weak(right.dtype, left) if is_weak(left) else _with_weak(left.dtype, right)


def arithmetic_type(left: Term, right: Term) -> DType:
    """The type in which two operands are added or multiplied."""
    dtype = promoted(left, right)
    if dtype == INT and any(type(t.literal) is int and not _fits(t.literal, INT) for t in (left, right)):
        return LONG  # a counter and a large number
    return INT if is_narrow(dtype) or dtype == BOOL else dtype


def real_type(left: Term, right: Term) -> DType:
    """The type in which two operands are divided."""
    dtype = promoted(left, right)
    return FLOAT if dtype.kind in "iub" else dtype


def _with_weak(strong: DType, weak: Term) -> DType:
    if weak.dtype.kind == "c":
        return COMPLEX
    if weak.dtype.kind == "f":
        return FLOAT if strong.kind in "iub" else strong
    dtype = INT if strong == BOOL and weak.dtype.kind == "i" else strong
    return LONG if dtype == INT and type(weak.literal) is int and not _fits(weak.literal, INT) else dtype


def _comparable(left: Term, right: Term) -> DType:
    """The type in which two operands are compared: for integers one that holds all values of both."""
    dtype = promoted(left, right)
    if not (left.is_integer and right.is_integer):
        return dtype
    common = arithmetic_type(left, right)
    outside = [t for t in (left, right) if isinstance(t.literal, int) and not _fits(t.literal, common)]
    return LONG if outside or dtype.kind == "f" else INT if is_narrow(dtype) else dtype


def _demoted(dtype: np.dtype[np.generic]) -> DType:
    """The type in place of one that the machine does not have."""
    return {"float64": FLOAT, "complex128": COMPLEX, "longdouble": FLOAT}.get(dtype.name, dtype)


def _cpp_promotes(source: DType, target: DType) -> bool:
    """Whether C++ itself, without a cast, turns a ``source`` beside a ``target`` into the same value of ``target``."""
    if target == FLOAT:
        return source.kind in "iub" or source == FLOAT
    return target.kind in "iu" and target.itemsize >= 4 and source.kind in "iub" and np.can_cast(source, target, "safe")


def cast(term: Term, dtype: DType) -> Term:
    """An explicit conversion."""
    name = element_type(dtype).cpp
    text = f"static_cast<{name}>({term.text})" if " " in name else f"{name}({term.text})"
    return Term(text, dtype)


def _fits(value: int, dtype: DType) -> bool:
    bits = 8 * dtype.itemsize
    low, high = (0, 2**bits) if dtype.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return bool(low <= value < high)


def _integer_text(value: int, dtype: DType) -> str:
    if not _fits(value, dtype):
        raise ExpressionError(f"the constant {value} does not fit in {dtype.name}")
    if dtype.kind == "u" and dtype.itemsize >= 4:
        return f"{value}{'ull' if dtype.itemsize == 8 else 'u'}"
    if value == -(2 ** (8 * dtype.itemsize - 1)) and dtype.itemsize >= 4:
        return f"({value + 1}{'LL' if dtype.itemsize == 8 else ''} - 1)"
    return f"{value}{'LL' if dtype.itemsize == 8 else ''}"


def _fold(op: type[ast.operator], left: Literal, right: Literal) -> Literal:
    try:
        value = BINARY[op](left, right)
    except KeyError:
        raise ExpressionError(f"no C++ for the operator {op.__name__}") from None
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ExpressionError(f"constant arithmetic: {error}") from None
    return cast_literal(value)


def cast_literal(value: object) -> Literal:
    """A number of NumPy or Python as one of Python."""
    plain = value.item() if isinstance(value, np.generic) else value
    assert isinstance(plain, (bool, int, float, complex))
    return plain


_UNARY_PYTHON: Mapping[type[ast.unaryop], Callable[[Literal], Literal]] = {
    ast.USub: lambda v: -v,
    ast.UAdd: lambda v: +v,
    ast.Not: lambda v: not v,
    ast.Invert: lambda v: ~int(v.real),
}
_COMPARISONS: Mapping[type[ast.cmpop], tuple[str, Callable[[Literal, Literal], bool]]] = {
    ast.Lt: ("<", lambda a, b: a < b),  # type: ignore[operator]
    ast.LtE: ("<=", lambda a, b: a <= b),  # type: ignore[operator]
    ast.Gt: (">", lambda a, b: a > b),  # type: ignore[operator]
    ast.GtE: (">=", lambda a, b: a >= b),  # type: ignore[operator]
    ast.Eq: ("==", lambda a, b: a == b),
    ast.NotEq: ("!=", lambda a, b: a != b),
}
_ARITHMETIC: Mapping[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", SUM),
    ast.Sub: ("-", SUM),
    ast.Mult: ("*", PRODUCT),
}
_BITWISE: Mapping[type[ast.operator], tuple[str, int]] = {
    ast.BitAnd: ("&", BIT_AND),
    ast.BitOr: ("|", BIT_OR),
    ast.BitXor: ("^", BIT_XOR),
}


@functools.cache
def _calls() -> Mapping[str, Handler]:
    from dace_ipu.targets.poplar.functions import CALLS  # that table needs the classes of this module

    return CALLS
