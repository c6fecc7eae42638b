"""DaCe's symbolic expressions in the tile graph's terms: plain sympy over integer symbols, with floor, Mod, Min and
Max only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from dace import symbolic as dace_symbolic

from dace_ipu.tile_graph.body import Boolean, Expr, symbol
from dace_ipu.tile_graph.indices import quotient

__all__ = ["Environment", "Unsupported", "convert", "convert_condition", "python_text"]

#: What the names of a scope stand for outside of it.
Environment = Mapping[str, Expr]


class Unsupported(Exception):
    """Something the tile graph has no form for; the text says what. Lowering turns it into a diagnostic with its
    place, and ``hints`` what to do.
    """

    def __init__(self, what: str, hints: tuple[str, ...] = ()) -> None:
        super().__init__(what)
        self.hints = hints


def convert(expression: Any, environment: Environment) -> Expr:
    """The expression (a number, text or DaCe's sympy) over the tile graph's symbols. Raises Unsupported."""
    if isinstance(expression, str):
        expression = _parsed(expression)
    if isinstance(expression, dace_symbolic.SymExpr):  # with an approximation for memlets, which nothing here asks for
        expression = expression.expr
    return _convert(sympy.sympify(expression), environment)


def _parsed(text: str) -> sympy.Basic:
    """Text of control flow is Python: ``%`` rounds down, and is not the remainder of C that DaCe reads."""
    found = sympy.sympify(dace_symbolic.pystr_to_symbolic(text))
    return found.replace(dace_symbolic.CMod, sympy.Mod)


def _convert(node: sympy.Basic, environment: Environment) -> Expr:
    if isinstance(node, sympy.Symbol):
        return environment.get(node.name, symbol(node.name))
    if isinstance(node, sympy.Number):
        return node
    arguments = [_convert(argument, environment) for argument in node.args]
    if isinstance(node, (sympy.Add, sympy.Mul, sympy.Pow, sympy.Mod, sympy.Min, sympy.Max, sympy.floor, sympy.Abs)):
        return node.func(*arguments)
    rule = _RULES.get(type(node).__name__.lstrip("_"))
    if rule is None or len(arguments) not in (1, 2):
        raise Unsupported(f"the index expression '{node}' is not made of +, -, *, //, %, min and max")
    return rule(*arguments)


def convert_condition(text: str, environment: Environment) -> Boolean | None:
    """A condition over the tile graph's symbols; None if it is no combination of comparisons of integers."""
    try:
        return _condition(_parsed(text), environment)
    except (Unsupported, TypeError, SyntaxError, AttributeError, ValueError):
        return None


def _condition(node: sympy.Basic, environment: Environment) -> Boolean:
    if node in (sympy.true, sympy.false):
        return node
    if node.has(sympy.Float):
        raise Unsupported(f"the condition '{node}' on a fraction")
    if isinstance(node, sympy.core.relational.Relational):
        return node.func(*(_convert(side, environment) for side in node.args))
    combine = {"AND": sympy.And, "And": sympy.And, "OR": sympy.Or, "Or": sympy.Or, "Not": sympy.Not}.get(
        type(node).__name__
    )
    if combine is None:
        raise Unsupported(f"the condition '{node}'")
    return combine(*(_condition(part, environment) for part in node.args))


def _ceiling(value: Expr) -> Expr:
    return -sympy.floor(-value)


def _remainder(dividend: Expr, divisor: Expr) -> Expr:
    """C's remainder, which has the sign of the dividend."""
    size, zero = sympy.Abs(divisor), sympy.Integer(0)
    return sympy.Mod(sympy.Max(dividend, zero), size) - sympy.Mod(sympy.Max(-dividend, zero), size)


_RULES: dict[str, Any] = {
    "ceiling": _ceiling,
    "int_ceil": lambda a, b: -quotient(-a, b),
    "int_floor": quotient,
    "py_mod": sympy.Mod,
    "PyMod": sympy.Mod,
    "CMod": _remainder,
    "c_mod": _remainder,
    "min": sympy.Min,
    "max": sympy.Max,
    "abs": sympy.Abs,
    "ipow": lambda a, b: a**b,
}


def python_text(expression: Expr) -> str:
    """The expression as Python text, with ``//`` for floor and ``%`` for Mod; in parentheses unless it is a name or a
    number.
    """
    text = _Printer().doprint(expression)
    return text if isinstance(expression, sympy.Symbol) or expression.is_nonnegative else f"({text})"


class _Printer(sympy.printing.str.StrPrinter):  # type: ignore[misc]
    def _print_floor(self, node: sympy.floor) -> str:
        numerator, denominator = sympy.fraction(sympy.together(node.args[0]))
        return f"(({self._print(numerator)}) // ({self._print(denominator)}))"

    def _print_Mod(self, node: sympy.Mod) -> str:
        return f"(({self._print(node.args[0])}) % ({self._print(node.args[1])}))"

    def _print_Min(self, node: sympy.Min) -> str:
        return f"min({', '.join(self._print(argument) for argument in node.args)})"

    def _print_Max(self, node: sympy.Max) -> str:
        return f"max({', '.join(self._print(argument) for argument in node.args)})"

    def _print_Abs(self, node: sympy.Abs) -> str:
        return f"abs({self._print(node.args[0])})"
