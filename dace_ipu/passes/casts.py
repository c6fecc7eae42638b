"""Casts of numbers: ``dace.float32(2) * x`` is ``2.0 * x`` if x is float32."""

from __future__ import annotations

import ast

from dace_ipu.passes.literals import fits, literal
from dace_ipu.passes.types import Types, common, is_weak
from dace_ipu.tile_graph.body import Code, DType


def without_casts(code: Code, types: Types, target: DType | None) -> Code:
    """The computation without casts of numbers that change no type: next to an operand of the type, or alone where the
    result is converted to ``target`` anyhow.
    """
    tree = ast.parse(code.text.strip(), mode="eval").body
    number = _number(tree, types)
    if number is not None and types.of(tree) == target:
        return Code(ast.unparse(number), code.reads)
    changed = _Casts(types).visit(tree)
    text = ast.unparse(changed)
    return Code(text, code.reads) if text != ast.unparse(ast.parse(code.text.strip(), mode="eval").body) else code


class _Casts(ast.NodeTransformer):
    def __init__(self, types: Types) -> None:
        self.types = types

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Replaces casts among two operands."""
        self.generic_visit(node)
        node.left = self._beside(node.left, node.right)
        node.right = self._beside(node.right, node.left)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Replaces casts in comparisons of two."""
        self.generic_visit(node)
        if len(node.comparators) == 1:
            node.left = self._beside(node.left, node.comparators[0])
            node.comparators = [self._beside(node.comparators[0], node.left)]
        return node

    def _beside(self, operand: ast.expr, partner: ast.expr) -> ast.expr:
        number, other = _number(operand, self.types), self.types.of(partner)
        if number is None or other is None or is_weak(other):
            return operand
        same = common(self.types.of(operand), other) == common(self.types.of(number), other)
        return number if same and common(self.types.of(number), other) is not None else operand


def _number(node: ast.expr, types: Types) -> ast.expr | None:
    """The number in a cast, spelt as one of the type it is cast to; None if the node is anything else."""
    dtype = types.of(node) if isinstance(node, ast.Call) and len(node.args) == 1 else None
    if dtype is None or is_weak(dtype) or not isinstance(node, ast.Call):
        return None
    value = literal(ast.unparse(node.args[0]))
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if value is None or name != dtype.name or not fits(value, dtype) or isinstance(value, bool):
        return None
    return ast.parse(repr(float(value) if dtype.kind == "f" else value), mode="eval").body
