"""The Python expressions of ``Code``: their names, their text with reads filled in, and functions that compute them.

What the operators and functions do to values stands in ``functions``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from dace_ipu.tile_graph import functions
from dace_ipu.tile_graph.body import Access, Code
from dace_ipu.tile_graph.indices import compile_index, index_text

__all__ = ["Environment", "access_text", "code_text", "compile_code", "names"]

_PARTS = ("real", "imag")
_METHODS = ("conj", "conjugate")


class Environment(Protocol):
    """Where an expression finds its values: local scalars and symbols by name, elements of arrays by index."""

    names: dict[str, Any]

    def load(self, data: str, indices: tuple[int, ...]) -> functions.Scalar:
        """The element of an array."""


Compiled = Callable[[Environment], functions.Scalar]


def names(text: str) -> frozenset[str]:
    """The names of data in an expression: not those of functions, modules or their constants. Raises SyntaxError."""
    found: set[str] = set()
    _collect(_parsed(text), found)
    return frozenset(found)


def code_text(code: Code) -> str:
    """The expression as Python writes it, with the elements of arrays in place of the names that stand for them."""
    new = {name: access_text(access) for name, access in code.reads}
    return ast.unparse(_Rename(new).visit(_parsed(code.text)))


def access_text(access: Access) -> str:
    """``A[i + 1, j]``; a plain name if there are no indices."""
    indices = ", ".join(map(index_text, access.indices))
    return f"{access.data}[{indices}]" if indices else access.data


@lru_cache(maxsize=10_000)
def compile_code(code: Code) -> Compiled:
    """The computation as a function of an environment.

    Elements are read where the expression needs them: not those of the other side of an ``if``, ``and`` or ``or``. The
    value of ``a if c else b`` has the type of the side that was taken. Raises ValueError for an expression that is not
    in the language, among them calls of unknown functions; SyntaxError for what is no expression.
    """
    return _Compiler(dict(code.reads)).compile(_parsed(code.text))


def _parsed(text: str) -> ast.expr:
    return ast.parse(text.strip(), mode="eval").body


def _dotted(node: ast.expr) -> str:
    """``math.pi`` as text if the node is a name in a module, or a plain name; else the empty text."""
    text = ast.unparse(node)
    module, _, last = text.rpartition(".")
    return text if last.isidentifier() and (not module or module in functions.MODULES) else ""


def _is_module_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and bool(_dotted(node))


def _collect(node: ast.AST, found: set[str]) -> None:
    if isinstance(node, ast.Name):
        found.add(node.id)
    elif isinstance(node, ast.Call) and _dotted(node.func):
        for argument in (*node.args, *node.keywords):
            _collect(argument, found)
    elif not (isinstance(node, ast.Attribute) and _is_module_name(node)):
        for child in ast.iter_child_nodes(node):
            _collect(child, found)


class _Rename(ast.NodeTransformer):
    def __init__(self, new: Mapping[str, str]) -> None:
        self.new = new

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if not _dotted(node.func):
            node.func = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not _is_module_name(node):
            node.value = self.visit(node.value)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return _parsed(self.new[node.id]) if node.id in self.new else node


@dataclass(frozen=True)
class _Compiler:
    """Turns each kind of node into a closure."""

    reads: Mapping[str, Access]

    def compile(self, node: ast.expr) -> Compiled:
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise ValueError(f"'{ast.unparse(node)}' ({type(node).__name__}) is not in the language of computations")
        return method(node)  # type: ignore[no-any-return]

    def _Constant(self, node: ast.Constant) -> Compiled:
        value = node.value
        if not isinstance(value, (bool, int, float, complex)):
            raise ValueError(f"the constant {value!r} is not a number")
        return lambda environment: value

    def _Name(self, node: ast.Name) -> Compiled:
        name = node.id
        if name not in self.reads:
            return lambda environment: environment.names[name]
        access = self.reads[name]
        indices = [compile_index(index) for index in access.indices]
        return lambda environment: environment.load(access.data, tuple(index(environment.names) for index in indices))

    def _Attribute(self, node: ast.Attribute) -> Compiled:
        if _is_module_name(node):
            constant = functions.constant(_dotted(node))
            return lambda environment: constant
        if node.attr not in _PARTS:
            raise ValueError(f"unknown attribute in '{ast.unparse(node)}'")
        value, part = self.compile(node.value), functions.FUNCTIONS[node.attr]
        return lambda environment: part(value(environment))

    def _Call(self, node: ast.Call) -> Compiled:
        if node.keywords:
            raise ValueError(f"keyword arguments in '{ast.unparse(node)}'")
        function, arguments = self._function(node)
        compiled = [self.compile(argument) for argument in arguments]
        return lambda environment: function(*[argument(environment) for argument in compiled])

    def _function(self, node: ast.Call) -> tuple[functions.Function, list[ast.expr]]:
        """What is called; ``z.conjugate()`` calls the function ``conjugate`` on z."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS and not _dotted(node.func):
            name, arguments = node.func.attr, [node.func.value, *node.args]
        else:
            name, arguments = ast.unparse(node.func), node.args
        try:
            return functions.function(name), arguments
        except KeyError:
            raise ValueError(f"unknown function '{name}' in '{ast.unparse(node)}'") from None

    def _BinOp(self, node: ast.BinOp) -> Compiled:
        if type(node.op) not in functions.BINARY:
            raise ValueError(f"unknown operator in '{ast.unparse(node)}'")
        apply, left, right = functions.BINARY[type(node.op)], self.compile(node.left), self.compile(node.right)
        return lambda environment: apply(left(environment), right(environment))

    def _UnaryOp(self, node: ast.UnaryOp) -> Compiled:
        apply, value = functions.UNARY[type(node.op)], self.compile(node.operand)
        return lambda environment: apply(value(environment))

    def _BoolOp(self, node: ast.BoolOp) -> Compiled:
        values = [self.compile(value) for value in node.values]
        decide = all if isinstance(node.op, ast.And) else any
        return lambda environment: functions.truth(decide(bool(value(environment)) for value in values))

    def _Compare(self, node: ast.Compare) -> Compiled:
        if not all(type(op) in functions.COMPARISONS for op in node.ops):
            raise ValueError(f"unknown comparison in '{ast.unparse(node)}'")
        operands = [self.compile(operand) for operand in (node.left, *node.comparators)]
        links = list(zip([functions.COMPARISONS[type(op)] for op in node.ops], operands, operands[1:], strict=False))
        return lambda environment: functions.truth(all(op(a(environment), b(environment)) for op, a, b in links))

    def _IfExp(self, node: ast.IfExp) -> Compiled:
        condition, then, orelse = map(self.compile, (node.test, node.body, node.orelse))
        return lambda environment: then(environment) if condition(environment) else orelse(environment)
