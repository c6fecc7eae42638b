"""Updates that are written as an assignment: sums that combine a new value with what is there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dace_ipu.passes.rewrite import map_statements
from dace_ipu.tile_graph.body import Code, Op, Reduction, Statement, Store
from dace_ipu.tile_graph.nodes import MapStep

__all__ = ["as_sums"]


def as_sums(step: MapStep, variable: str) -> MapStep:
    """Before: ``C[i] = C[i] + a`` and ``C[i] = C[i] - a``. After: ``C[i] += a`` and ``C[i] += -a``. Other stores, and
    those of other variables, stay as they are.
    """
    return replace(step, body=map_statements(step.body, _Change(variable)))


@dataclass(frozen=True)
class _Change:
    variable: str

    def __call__(self, statement: Statement) -> Statement:
        if not isinstance(statement, Store) or statement.target.data != self.variable or statement.reduction:
            return statement
        added = _added(statement)
        return statement if added is None else replace(statement, value=added, reduction=Reduction(Op.SUM))


def _added(store: Store) -> Code | None:
    """What a store adds to its target, if that is all that it does with it."""
    old = {name for name, read in store.value.reads if read == store.target}
    others = [name for name, read in store.value.reads if read != store.target and read.data == store.target.data]
    terms = list(_terms(ast.parse(store.value.text.strip(), mode="eval").body))
    own = [k for k, (sign, term) in enumerate(terms) if sign > 0 and isinstance(term, ast.Name) and term.id in old]
    if others or len(own) != 1 or len(terms) < 2:
        return None
    rest = [term for k, term in enumerate(terms) if k != own[0]]
    text = " ".join(f"{'+' if sign > 0 else '-'} ({ast.unparse(term)})" for sign, term in rest)
    text = ast.unparse(ast.parse(text.removeprefix("+ "), mode="eval"))
    left = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    return None if left & old else Code(text, tuple(read for read in store.value.reads if read[0] in left))


def _terms(node: ast.expr, sign: int = 1) -> Iterator[tuple[int, ast.expr]]:
    """The terms of a sum with their signs."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub() as op):
            yield from _terms(node.left, sign)
            yield from _terms(node.right, sign if isinstance(op, ast.Add) else -sign)
        case _:
            yield sign, node
