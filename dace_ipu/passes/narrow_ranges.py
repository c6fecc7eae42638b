"""Loops over a range and a condition on it become loops over what is left of the range."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

import sympy

from dace_ipu.passes.clean_up import assigned_in, with_inner
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.footprints import facts_of, span_of
from dace_ipu.passes.literals import as_index, index_of
from dace_ipu.passes.rewrite import Body
from dace_ipu.tile_graph.body import Declare, Expr, For, If, Statement, symbol, walk

__all__ = ["narrowed"]

_ABOVE = {ast.Lt: 1, ast.LtE: 0}  # what is added to the smaller side so that it is at most the larger one
_BELOW = {ast.Gt: 1, ast.GtE: 0}


def narrowed(body: Body, known: frozenset[str], facts: Facts) -> Body:
    """The body with the conditions that bound the variable of a loop in its range.

    Before: ``for j in 0:N: if j <= i - 1: s += A[j]``. After: ``for j in 0:min(N, i): s += A[j]``, or ``0:i`` where
    ``i`` is known not to exceed N. ``known`` are the names of integers from outside, and ``facts`` what is known of
    them. Only conditions that are nothing but comparisons of integers that stay the same during the loop.
    """
    constants = {name: symbol(name) for name in known}
    for statement in walk(body):
        if isinstance(statement, For):
            constants[statement.variable] = symbol(statement.variable)
    assigned = assigned_in(body)
    for statement in walk(body):
        if isinstance(statement, Declare) and statement.constant:
            value = as_index(statement, assigned)
            if value is not None and {s.name for s in value.free_symbols} <= constants.keys():
                constants[statement.name] = value.subs({symbol(n): e for n, e in constants.items()})
    return _body(body, constants, facts)


def _body(body: Body, constants: Mapping[str, Expr], facts: Facts) -> Body:
    return tuple(_statement(statement, constants, facts) for statement in body)


def _statement(statement: Statement, constants: Mapping[str, Expr], facts: Facts) -> Statement:
    if not isinstance(statement, For):
        return with_inner(statement, lambda inner: _body(inner, constants, facts))
    loop = _loop(statement, constants, facts)
    span = span_of(loop)
    inside = facts if span is None else facts.and_also(*facts_of(loop.variable, span), span[1] - span[0])
    return replace(loop, body=_body(loop.body, constants, inside))


def _loop(loop: For, constants: Mapping[str, Expr], facts: Facts) -> For:
    if len(loop.body) != 1 or not isinstance(loop.body[0], If) or loop.step != 1 or loop.shared:
        return loop
    test = loop.body[0]
    bounds = None if test.orelse or test.condition.reads else _bounds(test.condition.text, loop.variable, constants)
    if bounds is None:
        return loop
    low = facts.largest((loop.begin, *bounds[0]))
    high = facts.smallest((loop.end, *bounds[1]))
    return replace(loop, begin=low, end=high, body=test.then)


def _bounds(text: str, variable: str, constants: Mapping[str, Expr]) -> tuple[list[Expr], list[Expr]] | None:
    """The least values and the ends that a condition asks for; None if it is more than that."""
    low: list[Expr] = []
    high: list[Expr] = []
    for difference in _differences(ast.parse(text.strip(), mode="eval").body, constants):
        if difference is None:
            return None
        factor = sympy.expand(difference).coeff(symbol(variable))
        rest = sympy.expand(difference - factor * symbol(variable))
        if factor not in (1, -1) or symbol(variable) in rest.free_symbols:
            return None
        (low if factor == 1 else high).append(-rest if factor == 1 else sympy.expand(rest + 1))
    return low, high


def _differences(node: ast.expr, constants: Mapping[str, Expr]) -> Iterator[Expr | None]:
    """Expressions that must not be negative, for a conjunction of comparisons; None for what is something else."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from _differences(value, constants)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for op, a, b in zip(ops, (left, *comparators), comparators, strict=False):
                yield _difference(op, _index(a, constants), _index(b, constants))
        case _:
            yield None


def _difference(op: ast.cmpop, left: Expr | None, right: Expr | None) -> Expr | None:
    if left is None or right is None:
        return None
    if type(op) in _ABOVE:
        return right - left - _ABOVE[type(op)]
    return left - right - _BELOW[type(op)] if type(op) in _BELOW else None


def _index(node: ast.expr, constants: Mapping[str, Expr]) -> Expr | None:
    """An integer expression in what is known not to change."""
    value = index_of(node)
    if value is None or not {s.name for s in value.free_symbols} <= constants.keys():
        return None
    return value.subs({symbol(name): expr for name, expr in constants.items()})
