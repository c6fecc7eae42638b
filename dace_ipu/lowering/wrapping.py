"""Arithmetic on integers of 8 and 16 bits: NumPy wraps around after each operation, C computes in 32 bits.

Sums, differences, products and bits come out the same if the end result is converted. Where something else follows, a
quotient or a comparison, the value is converted first.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dace_ipu.tile_graph.body import DType

__all__ = ["wrapped"]

_GROWS = (ast.Add, ast.Sub, ast.Mult, ast.LShift)
_KEEPS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_SAME_TYPE = ("abs", "min", "max", "Min", "Max")


@dataclass(frozen=True)
class _Typed:
    """An expression, its type if it is that of a small integer, and whether it may be out of the type's range."""

    node: ast.expr
    dtype: DType | None = None
    weak: bool = False
    loose: bool = False

    def exact(self) -> ast.expr:
        """The expression, converted if it may be out of range."""
        if not self.loose or self.dtype is None:
            return self.node
        return ast.Call(ast.parse(f"dace.{self.dtype.name}", mode="eval").body, [self.node], [])


def wrapped(tree: ast.expr, types: Mapping[str, DType]) -> ast.expr:
    """The expression with conversions where NumPy would have wrapped around. Unchanged if it has no small integers."""
    if not any(_is_small(types.get(node.id)) for node in ast.walk(tree) if isinstance(node, ast.Name)):
        return tree
    return ast.fix_missing_locations(_typed(tree, types).exact())


def _is_small(dtype: DType | None) -> bool:
    return dtype is not None and dtype.kind in "iu" and dtype.itemsize < 4


def _typed(node: ast.expr, types: Mapping[str, DType]) -> _Typed:
    rule = _RULES.get(type(node))
    return rule(node, types) if rule is not None else _Typed(_inside(node, types))


def _inside(node: ast.expr, types: Mapping[str, DType]) -> ast.expr:
    """A node of any other kind, with exact operands."""

    class Exact(ast.NodeTransformer):
        def visit(self, inner: ast.AST) -> ast.AST:
            return _typed(inner, types).exact() if isinstance(inner, ast.expr) else super().generic_visit(inner)

    return Exact().generic_visit(node)  # type: ignore[return-value]


def _name(node: ast.Name, types: Mapping[str, DType]) -> _Typed:
    dtype = types.get(node.id)
    return _Typed(node, dtype if _is_small(dtype) else None)


def _constant(node: ast.Constant, types: Mapping[str, DType]) -> _Typed:
    return _Typed(node, weak=type(node.value) is int)


def _unary(node: ast.UnaryOp, types: Mapping[str, DType]) -> _Typed:
    operand = _typed(node.operand, types)
    if isinstance(node.op, ast.Not):
        return _Typed(ast.UnaryOp(node.op, operand.exact()))
    return _Typed(ast.UnaryOp(node.op, operand.node), operand.dtype, operand.weak, operand.dtype is not None)


def _binary(node: ast.BinOp, types: Mapping[str, DType]) -> _Typed:
    left, right = _typed(node.left, types), _typed(node.right, types)
    dtype = _common(left, right)
    if dtype is None or not isinstance(node.op, (*_GROWS, *_KEEPS)):
        same = dtype if isinstance(node.op, (ast.FloorDiv, ast.Mod, ast.RShift)) else None
        weak = left.weak and right.weak
        return _Typed(ast.BinOp(left.exact(), node.op, right.exact()), same, weak, isinstance(node.op, ast.FloorDiv))
    second = right.exact() if isinstance(node.op, ast.LShift) else right.node
    loose = isinstance(node.op, _GROWS) or left.loose or right.loose
    return _Typed(ast.BinOp(left.node, node.op, second), dtype, False, loose)


def _common(left: _Typed, right: _Typed) -> DType | None:
    """The small type of both, or of the one that is not a Python number."""
    if left.dtype is not None and right.dtype is not None:
        found = np.result_type(left.dtype, right.dtype)
        return found if _is_small(found) else None
    return left.dtype if right.weak else right.dtype if left.weak else None


def _call(node: ast.Call, types: Mapping[str, DType]) -> _Typed:
    arguments = [_typed(argument, types) for argument in node.args]
    name = ast.unparse(node.func).rpartition(".")[2]
    call = ast.Call(node.func, [argument.exact() for argument in arguments], node.keywords)
    if name in _SAME_TYPE and arguments and all(a.dtype == arguments[0].dtype or a.weak for a in arguments):
        return _Typed(call, arguments[0].dtype, loose=arguments[0].dtype is not None)
    named = np.dtype(name) if name in ("int8", "int16", "uint8", "uint16") else None
    return _Typed(call, named)


_RULES: dict[type, Callable[..., _Typed]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Call: _call,
}
