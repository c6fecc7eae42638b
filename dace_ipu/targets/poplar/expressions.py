"""Computations (Python expressions) as C++ with NumPy's types.

The rules, in the order in which they decide a type:

* Literals are weak: they take the type of the other operand, or float32 where a fraction meets integers. Expressions of
  literals alone are computed here, in Python.
* Loop variables and sizes are weak integers too, except that they widen bool, int8 and int16 to int32.
* Otherwise NumPy's promotion, with float32 in place of float64 and complex64 in place of complex128: there is no double.
* ``/`` of integers is float32; ``//`` and ``%`` round down; ``and``, ``or`` and ``not`` give bool.
* Integers wrap, float16 is rounded after each operation, both as stored: C++ promotes narrow integers to int, so that
  they are narrowed again where it makes a difference.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import DType

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

    ``literal`` is the value of a weak constant (``text`` is empty then); ``index`` marks a loop variable or size;
    ``wide`` says that the C++ value is an int that was not yet narrowed to ``dtype``.
    """

    text: str
    dtype: DType
    rank: int = ATOM
    literal: Literal | None = None
    index: bool = False
    wide: bool = False

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
    ``helpers.py`` that were used, ``cmath`` whether <cmath> is needed.
    """

    lookup: Callable[[str], Term | None]
    helpers: set[str] = field(default_factory=set)
    cmath: bool = False

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

    def text(self, text: str, dtype: DType) -> str:
        """Return the C++ of a Python expression, converted to ``dtype``: the right side of an assignment."""
        return self.converted(self.term(text), dtype).text

    def condition(self, text: str) -> str:
        """Return the C++ of a Python expression whose truth matters."""
        return self.converted(self.term(text), BOOL).text

    # ---- nodes -------------------------------------------------------------------------------------------------------------

    def visit(self, node: ast.expr) -> Term:
        match node:
            case ast.Constant(value=value) if isinstance(value, (bool, int, float, complex)):
                return literal(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, self.visit(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(type(op), self.visit(left), self.visit(right))
            case ast.BoolOp(op=op, values=values):
                return self._boolean(op, [self.visit(v) for v in values])
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
        if name in _CONSTANTS:
            return literal(_CONSTANTS[name])
        raise ExpressionError(f"nothing is called '{name}'")

    def _attribute(self, node: ast.Attribute) -> Term:
        if isinstance(node.value, ast.Name) and node.value.id in _MODULES and self.lookup(node.value.id) is None:
            if node.attr in _CONSTANTS:
                return literal(_CONSTANTS[node.attr])
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

    def _unary(self, op: ast.unaryop, operand: Term) -> Term:
        if operand.literal is not None:
            return literal(_UNARY_PYTHON[type(op)](operand.literal))
        if isinstance(op, ast.Not):
            return Term(f"!{grouped(self.converted(operand, BOOL), UNARY)}", BOOL, UNARY)
        if operand.dtype == BOOL:
            if isinstance(op, ast.Invert):
                return Term(f"!{grouped(operand, UNARY)}", BOOL, UNARY)
            operand = replace(operand, dtype=INT)
        if isinstance(op, ast.UAdd):
            return operand
        if isinstance(op, ast.Invert) and not operand.is_integer:
            raise ExpressionError(f"~ of {operand.dtype.name}")
        sign = "~" if isinstance(op, ast.Invert) else "-"
        text = grouped(operand, UNARY)
        if text.startswith(sign):
            text = f"({text})"
        return replace(operand, text=sign + text, rank=UNARY, wide=is_narrow(operand.dtype))

    def _boolean(self, op: ast.boolop, operands: list[Term]) -> Term:
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
        a, b = self.unified(then, otherwise, dtype)
        test = grouped(self.converted(condition, BOOL), OR)
        return Term(f"{test} ? {grouped(a, OR)} : {grouped(b, TERNARY)}", dtype, TERNARY)

    # ---- operators ---------------------------------------------------------------------------------------------------------

    def binary(self, op: type[ast.operator], left: Term, right: Term) -> Term:
        """The result of a binary operator."""
        if left.literal is not None and right.literal is not None:
            return literal(_fold(op, left.literal, right.literal))
        if op is ast.Div:
            return self._divide(left, right)
        if op is ast.FloorDiv:
            return self.floor_div(left, right)
        if op is ast.Mod:
            return self.mod(left, right)
        if op is ast.Pow:
            return self.power(left, right)
        if op in (ast.LShift, ast.RShift):
            return self._shift(op, left, right)
        if op in _BITWISE:
            return self._bitwise(op, left, right)
        if op in _ARITHMETIC:
            return self._arithmetic(op, left, right)
        raise ExpressionError(f"no C++ for the operator {op.__name__}")

    def _arithmetic(self, op: type[ast.operator], left: Term, right: Term) -> Term:
        sign, rank = _ARITHMETIC[op]
        dtype = promoted(left, right)
        if dtype == BOOL:  # NumPy: the sum of truth values is their disjunction, the product their conjunction
            if op is ast.Sub:
                raise ExpressionError("a difference of truth values: use ^, or convert to integers")
            return self._boolean(ast.Or() if op is ast.Add else ast.And(), [left, right])
        a, b = self.unified(left, right, dtype, exact=False)
        text = f"{grouped(a, rank)} {sign} {_right_operand(b, rank)}"
        return Term(text, dtype, rank, wide=is_narrow(dtype))

    def _divide(self, left: Term, right: Term) -> Term:
        dtype = promoted(left, right)
        if dtype.kind in "iub":
            dtype = FLOAT
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
        dtype = integral(promoted(left, right))
        if dtype == COMPLEX:
            raise ExpressionError("complex numbers have no remainder")
        if dtype.kind == "f":
            return self.float_call(helper, [left, right], f"{helper}_float")
        a, b = self.unified(left, right, dtype)
        if dtype.kind == "u" and right.literal:  # truncation is rounding down, and there is no division by zero
            return Term(f"{grouped(a, PRODUCT)} {sign} {_right_operand(b, PRODUCT)}", dtype, PRODUCT)
        self.helpers.add(helper)
        return Term(f"{helper}({a.text}, {b.text})", dtype, wide=is_narrow(dtype))

    def power(self, base: Term, exponent: Term) -> Term:
        """``base ** exponent``: a product or repeated squaring for whole exponents, else std::pow."""
        if isinstance(exponent.literal, (bool, int)):
            return self._whole_power(base, int(exponent.literal))
        dtype = integral(promoted(base, exponent))
        if exponent.literal == 0.5 and not base.is_complex:
            return self.float_call("std::sqrt", [base])
        if dtype.kind in "iu" or (base.is_complex and exponent.is_integer):
            dtype = base.dtype if base.is_complex else dtype
            self.helpers.add("ipow")
            return Term(f"ipow({self.converted(base, dtype).text}, {exponent.text})", dtype, wide=is_narrow(dtype))
        if dtype == COMPLEX:
            raise ExpressionError("a complex power needs an integer exponent")
        return self.float_call("std::pow", [base, exponent])

    def _whole_power(self, base: Term, exponent: int) -> Term:
        base = replace(self.narrowed(base), dtype=INT) if base.dtype == BOOL else self.narrowed(base)
        if exponent < 0:
            if base.is_integer:
                raise ExpressionError("integers to a negative power")
            return self._divide(literal(1), self._whole_power(base, -exponent))
        if exponent == 0:
            return self.converted(literal(1), base.dtype)
        if exponent <= 3 and (base.rank == ATOM and "(" not in base.text or exponent == 1):
            if exponent == 1:
                return base
            return Term(" * ".join([base.text] * exponent), base.dtype, PRODUCT, wide=is_narrow(base.dtype))
        self.helpers.add("ipow")
        return Term(f"ipow({base.text}, {exponent})", base.dtype, wide=False)

    def _shift(self, op: type[ast.operator], left: Term, right: Term) -> Term:
        dtype = integral(promoted(left, right))
        if dtype.kind not in "iu":
            raise ExpressionError(f"a shift of {dtype.name}")
        a, b = self.unified(left, right, dtype)
        sign = "<<" if op is ast.LShift else ">>"
        wide = is_narrow(dtype) and op is ast.LShift
        return Term(f"{grouped(a, SUM)} {sign} {grouped(b, SUM)}", dtype, SHIFT, wide=wide)

    def _bitwise(self, op: type[ast.operator], left: Term, right: Term) -> Term:
        sign, rank = _BITWISE[op]
        dtype = promoted(left, right)
        if dtype.kind not in "iub":
            raise ExpressionError(f"{sign} of {dtype.name}")
        a, b = self.unified(left, right, dtype)
        # The precedence of these operators surprises everybody: parentheses around anything but an operand of the same one.
        texts = [t.text if t.rank in (rank, UNARY, ATOM) else f"({t.text})" for t in (a, b)]
        return Term(f" {sign} ".join(texts), dtype, rank)

    # ---- types -------------------------------------------------------------------------------------------------------------

    def unified(self, left: Term, right: Term, dtype: DType, exact: bool = True) -> tuple[Term, Term]:
        """Both operands such that C++ computes in ``dtype``.

        An int beside a float needs no cast. ``exact`` asks for narrowed operands; sums and products need none, as they
        are right modulo 2^n all the same.
        """
        return self._beside(left, right, dtype, exact), self._beside(right, left, dtype, exact)

    def _beside(self, term: Term, other: Term, dtype: DType, exact: bool) -> Term:
        if term.literal is not None or term.dtype == dtype:
            return self.converted(term, dtype) if exact or term.literal is not None else term
        by_itself = other.dtype == dtype and other.literal is None and _cpp_promotes(term.dtype, dtype)
        return self.narrowed(term) if by_itself else self.converted(term, dtype)

    def narrowed(self, term: Term) -> Term:
        """The term with its C++ value within its type."""
        return cast(replace(term, wide=False), term.dtype) if term.wide else term

    def converted(self, term: Term, dtype: DType) -> Term:
        """The term as a value of ``dtype``, for an assignment or an argument."""
        if term.literal is not None:
            return self._literal(term.literal, dtype)
        if term.dtype == dtype:
            return self.narrowed(term)
        if term.is_complex and dtype != COMPLEX:
            if dtype == BOOL:
                raise ExpressionError("the truth of a complex number: compare it with 0")
            return self.converted(Term(f"{grouped(term, ATOM)}.re", FLOAT), dtype)
        term = self.narrowed(term)
        if dtype == COMPLEX:
            self.helpers.add("complex64")
            return Term(f"complex64({term.text})", COMPLEX)
        if dtype == BOOL:
            zero = self._literal(0, term.dtype)
            return Term(f"{grouped(term, SHIFT)} != {zero.text}", BOOL, EQUALITY)
        if _cpp_promotes(term.dtype, dtype) and dtype.kind in "iu":
            return replace(term, dtype=dtype, index=False)
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
        return _integer_text(int(value), dtype)

    def _float_text(self, value: float) -> str:
        single = np.float32(value) if abs(value) < 3.4028236e38 else np.float32(np.copysign(np.inf, value))
        if np.isfinite(single) and value == value:
            return f"{single!s}f" if any(c in str(single) for c in ".e") else f"{single!s}.0f"
        self.cmath = True
        return "NAN" if value != value else "INFINITY" if value > 0 else "-INFINITY"

    # ---- functions ---------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Term:
        if node.keywords:
            raise ExpressionError(f"keyword arguments in '{ast.unparse(node)}'")
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
            if node.func.attr in ("conj", "conjugate") and not node.args:
                return _CALLS["conj"](self, [self.visit(node.func.value)])
            raise ExpressionError(f"no method '{node.func.attr}' of a number")
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        arguments = [self.visit(a) for a in node.args]
        if name in _CASTS and len(arguments) == 1:
            return self._explicit_cast(arguments[0], _CASTS[name])
        if name not in _CALLS:
            raise ExpressionError(f"no function '{name}' on the IPU")
        try:
            return _CALLS[name](self, arguments)
        except (TypeError, IndexError) as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError(f"'{name}' does not take {len(arguments)} arguments") from None

    def _explicit_cast(self, argument: Term, dtype: DType) -> Term:
        term = self.converted(argument, dtype)
        if argument.literal is not None and dtype.kind in "iu" and element_type(dtype).cpp not in ("int", "long long"):
            return Term(f"static_cast<{element_type(dtype).cpp}>({term.text})", dtype)
        return replace(term, index=False)

    def float_call(self, function: str, arguments: list[Term], helper: str = "") -> Term:
        """A function of floats: integers become float32; float16 is computed in float32 and rounded, as NumPy does."""
        dtype = FLOAT
        for argument in arguments:
            if argument.is_complex:
                raise ExpressionError(f"no complex '{function.removeprefix('std::')}'")
        strong = [a for a in arguments if a.literal is None and not a.index]
        if strong and all(a.dtype == HALF for a in strong):
            dtype = HALF
        if helper:
            self.helpers.add(helper)
        else:
            self.cmath = True
        text = f"{function}({', '.join(self.converted(a, FLOAT).text for a in arguments)})"
        return Term(f"half({text})" if dtype == HALF else text, dtype)

    def helper_call(self, helper: str, arguments: list[Term], dtype: DType) -> Term:
        """A call of a helper whose arguments and result have one type."""
        self.helpers.add(helper)
        return Term(f"{helper}({', '.join(self.converted(a, dtype).text for a in arguments)})", dtype)


# ---- helpers of the printer ----------------------------------------------------------------------------------------------------


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


def is_narrow(dtype: DType) -> bool:
    """Whether C++ computes with it as int."""
    return dtype.kind in "iu" and dtype.itemsize < 4


def integral(dtype: DType) -> DType:
    """int32 in place of bool, for operators that bool does not have."""
    return INT if dtype == BOOL else dtype


def promoted(left: Term, right: Term) -> DType:
    """The type in which two operands meet, at least one of which is no literal."""
    weak = [t for t in (left, right) if t.literal is not None or t.index]
    if len(weak) == 2:
        return _demoted(np.promote_types(left.dtype, right.dtype))
    if not weak:
        return _demoted(np.promote_types(left.dtype, right.dtype))
    strong = right if weak[0] is left else left
    return _with_weak(strong.dtype, weak[0])


def _with_weak(strong: DType, weak: Term) -> DType:
    kind = weak.dtype.kind
    if kind == "c":
        return COMPLEX
    if kind == "f":
        return FLOAT if strong.kind in "iub" else strong
    if kind == "b":
        return strong
    if weak.index and is_narrow(strong) or strong == BOOL:
        return INT
    return strong


def _comparable(left: Term, right: Term) -> DType:
    """The type in which two operands are compared: one that holds a literal which the other's type does not."""
    dtype = promoted(left, right)
    for term in (left, right):
        if isinstance(term.literal, int) and dtype.kind in "iu" and not _fits(term.literal, dtype):
            return LONG
    return dtype


def _demoted(dtype: np.dtype[np.generic]) -> DType:
    """The type in place of one that the machine does not have."""
    return {"float64": FLOAT, "complex128": COMPLEX, "longdouble": FLOAT}.get(dtype.name, dtype)


def _cpp_promotes(source: DType, target: DType) -> bool:
    """Whether C++ itself, without a cast, turns a ``source`` beside a ``target`` into the same value of ``target``."""
    if target == FLOAT:
        return source.kind in "iub"
    return target.kind in "iu" and target.itemsize >= 4 and source.kind in "iub" and np.can_cast(source, target, "safe")


def cast(term: Term, dtype: DType) -> Term:
    """An explicit conversion."""
    name = element_type(dtype).cpp
    text = f"static_cast<{name}>({term.text})" if " " in name else f"{name}({term.text})"
    return Term(text, dtype)


def _fits(value: int, dtype: DType) -> bool:
    info = np.iinfo(dtype)
    return int(info.min) <= value <= int(info.max)


def _integer_text(value: int, dtype: DType) -> str:
    if not _fits(value, dtype):
        raise ExpressionError(f"the constant {value} does not fit in {dtype.name}")
    if dtype.kind == "u" and dtype.itemsize >= 4:
        return f"{value}{'ull' if dtype.itemsize == 8 else 'u'}"
    if value == -(2 ** (8 * dtype.itemsize - 1)) and dtype.itemsize >= 4:
        return f"({value + 1}{'LL' if dtype.itemsize == 8 else ''} - 1)"
    return f"{value}{'LL' if dtype.itemsize == 8 else ''}"


def _is_module(node: ast.expr) -> bool:
    """``math``, ``np``, ``dace``, or an attribute of one (``dace.math``)."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in _MODULES


def _fold(op: type[ast.operator], left: Literal, right: Literal) -> Literal:
    try:
        value = eval(  # two literals and an operator, nothing else
            compile(ast.fix_missing_locations(ast.Expression(ast.BinOp(ast.Constant(left), op(), ast.Constant(right)))), "", "eval")
        )
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ExpressionError(f"constant arithmetic: {error}") from None
    assert isinstance(value, (bool, int, float, complex))
    return value


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
_MODULES = frozenset({"math", "numpy", "np", "dace", "cmath", "std"})
_CONSTANTS: Mapping[str, Literal] = {
    "pi": float(np.pi),
    "e": float(np.e),
    "inf": float("inf"),
    "INFINITY": float("inf"),
    "nan": float("nan"),
    "NAN": float("nan"),
    "True": True,
    "False": False,
    "true": True,
    "false": False,
}


def _casts() -> dict[str, DType]:
    plain = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "complex64")
    table: dict[str, DType] = {name: np.dtype(name) for name in plain}
    spoken = {"bool": BOOL, "bool_": BOOL, "int": INT, "float": FLOAT, "complex": COMPLEX, "half": HALF}
    wide = {"float64": FLOAT, "double": FLOAT, "complex128": COMPLEX, "uint": np.dtype(np.uint32)}
    return table | spoken | wide


_CASTS = _casts()


def _calls() -> dict[str, Handler]:
    from dace_ipu.targets.poplar.functions import CALLS  # the table needs the classes above

    return CALLS


_CALLS: Mapping[str, Handler] = _calls()
