"""Evaluating the two kinds of expressions of the tile graph: sympy over integers, and the Python text of a ``Code``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any, cast

import sympy

from dace_ipu.tile_graph import functions
from dace_ipu.tile_graph.body import Expr

__all__ = ["CodeError", "called_names", "dotted_name", "evaluate", "free_names", "number", "parse", "symbols_of"]

_ATTRIBUTES = ("real", "imag")


class CodeError(ValueError):
    """A text that is not an expression of the kind that ``functions`` defines."""


# ---- sympy -----------------------------------------------------------------------------------------------------------


def symbols_of(*expressions: Expr) -> set[str]:
    """The names of the symbols in some expressions."""
    return {s.name for expression in expressions for s in sympy.sympify(expression).free_symbols}


def number(expression: Expr, values: Mapping[str, Any]) -> Any:
    """The value of an expression: exact for integers (a quotient that is not whole raises ArithmeticError).

    Raises KeyError for a symbol without a value, CodeError for functions other than floor, Mod, Min, Max, Abs and
    powers.
    """
    return _compiled(sympy.sympify(expression))(values)


@lru_cache(maxsize=4096)
def _compiled(expression: Expr) -> Callable[[Mapping[str, Any]], Any]:
    text = f"lambda v: {_text(expression)}"
    return cast(Callable[[Mapping[str, Any]], Any], eval(text, {"quotient": _quotient}))


def _quotient(numerator: Any, denominator: Any) -> Any:
    if isinstance(numerator, int) and isinstance(denominator, int):
        whole, rest = divmod(numerator, denominator)
        if rest:
            raise ArithmeticError(f"{numerator}/{denominator} is not an integer")
        return whole
    return numerator / denominator


def _text(node: sympy.Basic) -> str:
    """Python text of an expression in which ``v`` maps names to values."""
    if isinstance(node, sympy.Float):
        return repr(float(node))
    numerator, denominator = sympy.fraction(sympy.together(node))
    if denominator != 1:
        return f"quotient({_whole(numerator)}, {_whole(denominator)})"
    return _whole(numerator)


def _whole(node: sympy.Basic) -> str:
    if isinstance(node, sympy.Symbol):
        return f"v[{node.name!r}]"
    if isinstance(node, (sympy.Integer, sympy.Float)):
        return f"({node})"
    if isinstance(node, sympy.floor):
        return _floor(node.args[0])
    rule = next((text for kind, text in _RULES.items() if isinstance(node, kind)), None)
    if rule is None:
        raise CodeError(f"'{node}' is not made of +, -, *, /, **, floor, Mod, Min, Max and Abs")
    opening, separator = rule
    return opening + separator.join(_text(argument) for argument in node.args) + ")"


_RULES: dict[type[sympy.Basic], tuple[str, str]] = {
    sympy.Add: ("(", " + "),
    sympy.Mul: ("(", " * "),
    sympy.Pow: ("(", " ** "),
    sympy.Mod: ("(", " % "),
    sympy.Min: ("min(", ", "),
    sympy.Max: ("max(", ", "),
    sympy.Abs: ("abs(", ", "),
}


def _floor(node: sympy.Basic) -> str:
    numerator, denominator = sympy.fraction(sympy.together(node))
    return f"({_whole(numerator)} // {_whole(denominator)})"


# ---- Python text -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """The tree of a computation. Raises CodeError if it is not an expression."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise CodeError(f"'{text}' is not a Python expression: {error.msg}") from None


def dotted_name(node: ast.expr) -> str | None:
    """``math.exp`` of the tree of ``math.exp``; None if it is something else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted_name(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    return None


def free_names(text: str) -> set[str]:
    """The names of values in a computation: not those of functions, modules and named constants of modules.

    Raises CodeError.
    """
    names: set[str] = set()
    _visit_names(parse(text), names, set())
    return names


def called_names(text: str) -> set[str]:
    """The (dotted) names of the functions that a computation calls. Raises CodeError."""
    called: set[str] = set()
    _visit_names(parse(text), set(), called)
    return called


def _visit_names(node: ast.AST, names: set[str], called: set[str]) -> None:
    if isinstance(node, ast.Name):
        names.add(node.id)
    elif isinstance(node, ast.Call):
        called.add(dotted_name(node.func) or ast.unparse(node.func))
        for argument in node.args:
            _visit_names(argument, names, called)
    elif _module_constant(node) is None:
        for child in ast.iter_child_nodes(node):
            _visit_names(child, names, called)


def _module_constant(node: ast.AST) -> float | None:
    """The value of ``math.pi`` and the like; None if it is something else."""
    if not isinstance(node, ast.Attribute):
        return None
    module = dotted_name(node.value)
    return functions.CONSTANTS.get(node.attr) if module in functions.MODULES else None


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """The value of a computation. ``values`` is asked for a name when its value is needed, so that a choice (``a if c
    else b``) evaluates one side only; ``inf``, ``nan``, ``pi`` and ``e`` stand for the numbers unless they have a
    value.

    Raises CodeError for text outside of the language, and what the operators of ``functions`` raise.
    """
    code, environment = _code(text)
    return eval(code, environment, _Names(values))


class _Names(dict[str, Any]):
    """Looks names up in a mapping, then among the constants."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__()
        self._values = values

    def __missing__(self, name: str) -> Any:
        if name in functions.CONSTANTS and name not in self._values:
            return functions.CONSTANTS[name]
        return self._values[name]


@lru_cache(maxsize=4096)
def _code(text: str) -> tuple[CodeType, dict[str, Any]]:
    translation = _Translation()
    tree = ast.Expression(translation.visit(ast.parse(ast.unparse(parse(text)), mode="eval").body))
    return compile(ast.fix_missing_locations(tree), "<code>", "eval"), translation.environment


class _Translation(ast.NodeTransformer):
    """Replaces operators and functions by calls of their implementations in ``functions``.

    Implementations are held in ``environment`` under names that no user can write.
    """

    def __init__(self) -> None:
        self.environment: dict[str, Any] = {"__builtins__": {}}

    def _call(self, name: str, implementation: functions.Function, *arguments: ast.expr) -> ast.Call:
        key = f" {name}"
        self.environment[key] = implementation
        return ast.Call(ast.Name(key, ast.Load()), [self.visit(argument) for argument in arguments], [])

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.Name, ast.Constant, ast.IfExp, ast.expr_context)):
            return super().generic_visit(node)
        raise CodeError(f"'{ast.unparse(node)}' is not part of the language of computations")

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            return self._call(str(node.value), lambda: functions.truth(node.value))
        if isinstance(node.value, (int, float, complex)):
            return node
        raise CodeError(f"{node.value!r} is not a number")

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        kind = type(node.op)
        if kind not in functions.BINARY:
            raise CodeError(f"'{ast.unparse(node)}': there is no such operator")
        return self._call(kind.__name__, functions.BINARY[kind], node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        kind = type(node.op)
        return self._call(kind.__name__, functions.UNARY[kind], node.operand)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        operands: list[ast.expr] = [self._call("truth", functions.truth, value) for value in node.values]
        return ast.BoolOp(node.op, operands)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        operands = [node.left, *node.comparators]
        links = [
            self._comparison(op, left, right) for op, left, right in zip(node.ops, operands, operands[1:], strict=False)
        ]
        return links[0] if len(links) == 1 else ast.BoolOp(ast.And(), links)

    def _comparison(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> ast.expr:
        if type(op) not in functions.COMPARISONS:
            raise CodeError(
                f"'{ast.unparse(left)} {type(op).__name__} {ast.unparse(right)}': there is no such comparison"
            )
        return self._call(type(op).__name__, functions.COMPARISONS[type(op)], left, right)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = dotted_name(node.func)
        if name is None or node.keywords:
            raise CodeError(f"'{ast.unparse(node)}' is not a call of a function by name, without keywords")
        try:
            implementation = functions.function(name)
        except KeyError:
            raise CodeError(f"there is no function '{name}'") from None
        return self._call(name, implementation, *node.args)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        constant = _module_constant(node)
        if constant is not None:
            key = f" {node.attr}"
            self.environment[key] = constant
            return ast.Name(key, ast.Load())
        if node.attr not in _ATTRIBUTES:
            raise CodeError(f"'{ast.unparse(node)}': there are only .real and .imag")
        return self._call(node.attr, functions.FUNCTIONS[node.attr], node.value)
