"""Bounds of integer expressions in values that are known on the device only, such as counters of loops."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from dace_ipu.tile_graph.body import Expr, symbol

__all__ = ["Bounds", "bounds"]

#: The least and the greatest value, in symbols that are known when the graph is built.
Bounds = tuple[Expr, Expr]


def bounds(expression: Expr, known: Mapping[str, Bounds | None]) -> Bounds | None:
    """The least and the greatest value of an expression, if all values in it have bounds and it is understood.

    ``known`` has an entry for each name that is not fixed. The result may be too wide, never too narrow.
    """
    expression = sympy.expand(expression)
    names = {s.name for s in expression.free_symbols} & known.keys()
    if not names:
        return expression, expression
    if isinstance(expression, (sympy.Min, sympy.Max)):
        parts = [bounds(part, known) for part in expression.args]
        found = [part for part in parts if part is not None]
        kind = expression.func
        return (kind(*(p[0] for p in found)), kind(*(p[1] for p in found))) if len(found) == len(parts) else None
    if isinstance(expression, sympy.floor):
        inner = bounds(expression.args[0], known)
        return None if inner is None else (sympy.floor(inner[0]), sympy.floor(inner[1]))
    if isinstance(expression, sympy.Mod) and expression.args[1].is_Integer and expression.args[1] > 0:
        return sympy.Integer(0), expression.args[1] - 1
    if isinstance(expression, sympy.Pow) and not {s.name for s in expression.base.free_symbols} & known.keys():
        return _power(expression.base, bounds(expression.exp, known))
    return _linear(expression, sorted(names), known)


def _power(base: Expr, exponent: Bounds | None) -> Bounds | None:
    """The bounds of a power of a size, which is 1 or more wherever something is indexed by its powers."""
    if exponent is None or base.is_nonpositive or sympy.expand(exponent[1] - exponent[0]).is_negative:
        return None
    return base ** exponent[0], base ** exponent[1]


def _linear(expression: Expr, names: list[str], known: Mapping[str, Bounds | None]) -> Bounds | None:
    low = high = expression
    for name in names:
        span, factor = known[name], expression.coeff(symbol(name))
        rest = sympy.expand(expression - factor * symbol(name))
        if span is None or not factor.is_Rational or symbol(name) in rest.free_symbols:
            return _by_terms(expression, known)
        low = low.subs(symbol(name), span[0] if factor > 0 else span[1])
        high = high.subs(symbol(name), span[1] if factor > 0 else span[0])
    return sympy.expand(low), sympy.expand(high)


def _by_terms(expression: Expr, known: Mapping[str, Bounds | None]) -> Bounds | None:
    """The sum of the bounds of the terms."""
    if not expression.is_Add:
        factor, rest = expression.as_coeff_Mul()
        inner = bounds(rest, known) if factor != 1 else None
        if inner is None or not factor.is_Rational:
            return None
        ends = (factor * inner[0], factor * inner[1])
        return ends if factor > 0 else ends[::-1]
    parts = [bounds(term, known) for term in expression.args]
    found = [part for part in parts if part is not None]
    if len(found) != len(parts):
        return None
    return sympy.Add(*(p[0] for p in found)), sympy.Add(*(p[1] for p in found))
