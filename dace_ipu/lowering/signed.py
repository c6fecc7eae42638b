"""Ranges in unsigned scalars: their arithmetic is that of whole numbers, where ``begin - end`` may be negative."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dace_ipu.lowering.settle import mentions, rewrite
from dace_ipu.tile_graph.body import Code, Declare, DType, For, Statement, symbol, walk

__all__ = ["signed_bounds", "signed_text"]

_INT32 = np.dtype(np.int32)


def signed_text(text: str, types: Mapping[str, DType]) -> str:
    """A comparison of whole numbers as a computation: unsigned names are cast."""
    tree = ast.parse(text, mode="eval")
    return ast.unparse(_Cast({name for name, dtype in types.items() if dtype.kind == "u"}).visit(tree))


class _Cast(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.Call:
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(f"dace.int32({node.id})", mode="eval").body if node.id in self.names else node


def signed_bounds(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """``for k in begin:end`` with an unsigned ``end`` runs to a signed copy of it."""
    unsigned = {s.name for s in walk(body) if isinstance(s, Declare) and s.dtype.kind == "u"}
    taken = {s.name for s in walk(body) if isinstance(s, Declare)}.union(*(mentions(s) for s in walk(body)))

    def change(statement: Statement) -> tuple[Statement, ...]:
        bounds = (statement.begin, statement.end, statement.step) if isinstance(statement, For) else ()
        used = sorted({s.name for bound in bounds for s in bound.free_symbols} & unsigned)
        if not isinstance(statement, For) or not used:
            return (statement,)
        copies = {name: _fresh(f"{name}_signed", taken) for name in used}
        new = {symbol(name): symbol(copy) for name, copy in copies.items()}
        begin, end, step = (bound.subs(new) for bound in bounds)
        before = (Declare(copy, _INT32, Code(name)) for name, copy in copies.items())
        return (*before, replace(statement, begin=begin, end=end, step=step))

    return rewrite(body, change) if unsigned else body


def _fresh(name: str, taken: set[str]) -> str:
    found = next(c for c in (name, *(f"{name}_{k}" for k in range(2, len(taken) + 3))) if c not in taken)
    taken.add(found)
    return found
