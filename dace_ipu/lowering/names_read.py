"""The names whose values the code of a tasklet uses."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["names_read"]


def names_read(body: Sequence[ast.stmt]) -> set[str]:
    """The names that are read. ``x[i] = 1`` does not read x, ``x[i] += 1`` does, and ``decltype(x)`` does not."""
    reader = _Reader()
    for statement in body:
        reader.visit(statement)
    return reader.names


@dataclass
class _Reader(ast.NodeVisitor):
    names: set[str] = field(default_factory=set)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.names.add(node.id)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Store):
            self.visit(node.value)
        self.visit(node.slice)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(ast.parse(ast.unparse(node.target), mode="eval").body)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if ast.unparse(node.func) != "decltype":
            self.generic_visit(node)
