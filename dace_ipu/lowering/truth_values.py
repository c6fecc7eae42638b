"""Arithmetic on truth values: in NumPy ``a + b`` of two bools is ``a or b`` and ``a * b`` is ``a and b``, C counts."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from dace_ipu.tile_graph.body import DType

__all__ = ["without_counting"]

_OPERATORS: dict[type[ast.operator], type[ast.boolop]] = {ast.Add: ast.Or, ast.Mult: ast.And}
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)


def without_counting(tree: ast.expr, types: Mapping[str, DType]) -> ast.expr:
    """The expression with NumPy's meaning of sums and products of bools.

    ``types`` has the names that stand for elements. Comparisons of others, counters and sizes, are bools of Python,
    which count among themselves. ``a - b`` of bools, an error in NumPy, is left alone.
    """

    class Rewritten(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
            """Replaces sums and products of two truth values."""
            operator = _OPERATORS.get(type(node.op)) if _is_truth(node, types) else None
            self.generic_visit(node)
            return ast.BoolOp(operator(), [node.left, node.right]) if operator else node

    return ast.fix_missing_locations(Rewritten().visit(tree))  # type: ignore[no-any-return]


def _is_truth(node: ast.expr, types: Mapping[str, DType]) -> bool:
    """Whether an expression is a bool of NumPy: an element, or what is computed of one and of bools."""
    match node:
        case ast.Name(id=name):
            return name in types and types[name].kind == "b"
        case ast.Compare():
            return any(isinstance(inner, ast.Name) and inner.id in types for inner in ast.walk(node))
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return _is_truth(operand, types)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, (*_BITS, *_OPERATORS)):
            operands = [left, right]
            truths = [_is_truth(operand, types) for operand in operands]
            return any(truths) and all(truth or _is_bool(o) for o, truth in zip(operands, truths, strict=True))
        case ast.BoolOp(values=values):
            return all(_is_truth(value, types) for value in values)
        case _:
            return False


def _is_bool(node: ast.expr) -> bool:
    """Whether an expression is a bool of Python."""
    return isinstance(node, ast.Compare) or (isinstance(node, ast.Constant) and isinstance(node.value, bool))
