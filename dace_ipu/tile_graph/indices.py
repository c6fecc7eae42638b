"""Integer expressions (sympy) as Python: text for people, functions for the interpreter.

The arithmetic is that of mathematical integers: sums, products, powers
(0 with a negative exponent), ``Mod`` (the sign of the divisor), ``floor`` of
a quotient, ``Min``, ``Max`` and ``Abs``. A quotient outside of ``floor`` is exact by construction (``N*(N + 1)/2``).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from dace_ipu.tile_graph.body import Expr

__all__ = ["are_equal", "compile_index", "difference", "evaluate", "index_text", "quotient"]

_INT_FLOOR = sympy.Function("int_floor", integer=True)
_PLAIN = (sympy.Add, sympy.Mul, sympy.Min, sympy.Max, sympy.Abs)


class _Quotient(sympy.Function):  # type: ignore[misc]
    """``a // b``."""


class _Remainder(sympy.Function):  # type: ignore[misc]
    """``a % b``."""


def index_text(expr: Expr) -> str:
    """The expression as Python text: ``i + 1``, ``N // 4``, ``i % 2``, ``min(N, i + 8)``.

    Raises ValueError for what is no integer arithmetic.
    """
    text = str(_Printer().doprint(_integral(sympy.sympify(expr))))
    return ast.unparse(ast.parse(text, mode="eval"))  # as computations are printed: ``2 * i``, no needless parentheses


@lru_cache(maxsize=10_000)
def compile_index(expr: Expr) -> Callable[[Mapping[str, Any]], int]:
    """The expression as a function of the values of its symbols. Raises ValueError for what is no integer arithmetic.

    The function raises KeyError for a symbol without a value and TypeError for one that is no integer.
    """
    tree = _Lookup().visit(ast.parse(index_text(expr), mode="eval"))
    function = ast.parse("lambda values: 0", mode="eval")
    assert isinstance(function.body, ast.Lambda)
    function.body.body = tree.body
    code = compile(ast.fix_missing_locations(function), "<index>", "eval")
    return eval(code, {"__builtins__": {}, "min": min, "max": max, "abs": abs, **_HELPERS})  # type: ignore[no-any-return]


def evaluate(expr: Expr, values: Mapping[str, Any]) -> int:
    """The value of an expression; raises like ``compile_index`` and its functions."""
    return compile_index(sympy.sympify(expr))(values)


@lru_cache(maxsize=10_000)
def difference(a: Expr, b: Expr) -> int | None:
    """``a - b`` if that is the same number for all values of the symbols, as far as expanding shows; else None."""
    result = sympy.expand(sympy.sympify(a) - sympy.sympify(b))
    return int(result) if result.is_Integer else None


@lru_cache(maxsize=10_000)
def are_equal(a: Expr, b: Expr) -> bool:
    """Whether two expressions are the same for all values of the symbols, as far as sympy shows.

    Expanding shows it of polynomials; simplifying, which other expressions need, takes a hundred times as long.
    """
    result = sympy.expand(sympy.sympify(a) - sympy.sympify(b))
    return bool(result == 0 if result.is_polynomial() else sympy.simplify(result) == 0)


def quotient(dividend: Expr, divisor: Expr) -> Expr:
    """The quotient of two integers, rounded down.

    A power with an exponent that is no number is kept as a divisor: ``x / R**(1 - k)`` would be ``x * R**(k - 1)``, of
    which nobody can tell any more that it is a fraction.
    """
    if any(not power.exp.is_Integer for power in divisor.atoms(sympy.Pow)):
        return _INT_FLOOR(dividend, divisor)
    return sympy.floor(dividend / divisor)


def _integral(expr: sympy.Basic) -> sympy.Basic:
    """The expression with quotients and remainders as functions, without fractions."""
    kind = type(expr).__name__
    if expr.is_Integer or expr.is_Symbol:
        return expr
    if isinstance(expr, sympy.floor):
        return _floor(expr.args[0])
    if kind == "int_floor":
        return _Quotient(*map(_integral, expr.args))
    if isinstance(expr, sympy.ceiling) or kind == "int_ceil":
        return -_floor(-(expr.args[0] if kind == "ceiling" else expr.args[0] / expr.args[1]))
    if isinstance(expr, sympy.Mod):
        return _Remainder(*map(_integral, expr.args))
    return _arithmetic(expr)


def _arithmetic(expr: sympy.Basic) -> sympy.Basic:
    numerator, denominator = _fraction(expr)
    if denominator != 1 and not expr.is_Rational:
        return _Quotient(_integral(numerator), _integral(denominator))
    if isinstance(expr, _PLAIN):
        return expr.func(*map(_integral, expr.args))
    if isinstance(expr, sympy.Pow) and (expr.exp.is_Integer or not expr.exp.is_number):
        return sympy.Pow(_integral(expr.base), _integral(expr.exp), evaluate=False)
    raise ValueError(f"no integer arithmetic: '{expr}' ({type(expr).__name__})")


def _floor(argument: sympy.Basic) -> sympy.Basic:
    numerator, denominator = sympy.fraction(sympy.together(argument))
    whole = _integral(numerator)
    return whole if denominator == 1 else _Quotient(whole, _integral(denominator))


def _fraction(expr: sympy.Basic) -> tuple[sympy.Basic, sympy.Basic]:
    """Numerator and denominator, brought to one fraction only if there is something to bring."""
    parts = sympy.Add.make_args(expr)
    if all(sympy.fraction(part)[1] == 1 for part in parts):
        return expr, sympy.Integer(1)
    return sympy.fraction(sympy.together(expr))  # type: ignore[no-any-return]


class _Printer(StrPrinter):  # type: ignore[misc]
    def _print__Quotient(self, expr: sympy.Basic) -> str:
        return self._binary("//", expr)

    def _print__Remainder(self, expr: sympy.Basic) -> str:
        return self._binary("%", expr)

    def _binary(self, sign: str, expr: sympy.Basic) -> str:
        left = self.parenthesize(expr.args[0], PRECEDENCE["Mul"], strict=True)
        right = self.parenthesize(expr.args[1], PRECEDENCE["Mul"], strict=False)
        return f"({left} {sign} {right})"

    def _print_Min(self, expr: sympy.Basic) -> str:
        return f"min({self.stringify(expr.args, ', ')})"

    def _print_Max(self, expr: sympy.Basic) -> str:
        return f"max({self.stringify(expr.args, ', ')})"

    def _print_Abs(self, expr: sympy.Basic) -> str:
        return f"abs({self.stringify(expr.args, ', ')})"


class _Lookup(ast.NodeTransformer):
    """Replaces each name by a look-up of its value."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(f"__integer(values, {node.id!r})", mode="eval").body

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Pow):
            return ast.Call(ast.Name("__power", ast.Load()), [left, right], [])
        return ast.BinOp(left, node.op, right)


def _integer(values: Mapping[str, Any], name: str) -> int:
    value = values[name]
    return int(value) if isinstance(value, (bool, np.bool_)) else operator.index(value)


def _power(base: int, exponent: int) -> int:
    """Whole powers; 0 with a negative exponent, of which no index is made."""
    return base**exponent if exponent >= 0 else 0


_HELPERS = {"__integer": _integer, "__power": _power}
