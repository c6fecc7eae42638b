"""Conditions that are decided when a graph is built: comparisons of integer expressions, and their combinations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy

from dace_ipu.tile_graph.body import Boolean, Expr
from dace_ipu.tile_graph.indices import evaluate, index_text

__all__ = ["comparisons", "condition_text", "holds"]

_SIGNS: dict[type, str] = {
    sympy.Eq: "==",
    sympy.Ne: "!=",
    sympy.StrictLessThan: "<",
    sympy.LessThan: "<=",
    sympy.StrictGreaterThan: ">",
    sympy.GreaterThan: ">=",
}


def condition_text(
    condition: Boolean, number: Callable[[Expr], str] = index_text, words: tuple[str, str, str] = ("and", "or", "not ")
) -> str:
    """The condition as text; ``number`` prints the sides of a comparison, ``words`` are those of the language.

    Raises ValueError for what is no combination of comparisons of integers.
    """
    conjunction, disjunction, negation = words
    if type(condition) in _SIGNS:
        return f"{number(condition.args[0])} {_SIGNS[type(condition)]} {number(condition.args[1])}"
    if isinstance(condition, sympy.Not):
        return f"{negation}({condition_text(condition.args[0], number, words)})"
    if isinstance(condition, (sympy.And, sympy.Or)):
        parts = sorted(f"({condition_text(part, number, words)})" for part in condition.args)
        return f" {conjunction if isinstance(condition, sympy.And) else disjunction} ".join(parts)
    raise ValueError(f"'{condition}' is no combination of comparisons")


def comparisons(condition: Boolean) -> tuple[Expr, ...]:
    """The sides of all comparisons in a condition."""
    return tuple(
        side for part in sorted(condition.atoms(sympy.core.relational.Relational), key=str) for side in part.args
    )


def holds(condition: Boolean, values: Mapping[str, Any]) -> bool:
    """Whether a condition is true for these values of its symbols; raises like ``evaluate`` and ``condition_text``."""
    numbers = {symbol: evaluate(symbol, values) for symbol in condition.free_symbols}
    text = condition_text(condition, lambda side: str(evaluate(side, {s.name: n for s, n in numbers.items()})))
    return bool(eval(text, {"__builtins__": {}}))
