"""Conditions taken apart, and joined again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

__all__ = ["all_of", "conjuncts"]


def conjuncts(text: str) -> list[ast.expr]:
    """The conditions that a condition joins by 'and'; a chain of comparisons is one for each of its signs."""
    return list(_conjuncts(ast.parse(text.strip(), mode="eval").body))


def _conjuncts(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from _conjuncts(value)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for op, a, b in zip(ops, (left, *comparators), comparators, strict=False):
                yield ast.Compare(a, [op], [b])
        case _:
            yield node


def all_of(conditions: Iterable[ast.expr | str]) -> str:
    """The condition that several together are, with parentheses around those that join others by 'or'."""
    parts = [ast.parse(c.strip(), mode="eval").body if isinstance(c, str) else c for c in conditions]
    return ast.unparse(ast.BoolOp(ast.And(), parts) if len(parts) > 1 else parts[0])
