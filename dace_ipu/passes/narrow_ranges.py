"""Loops over a range and a condition on it become loops over what is left of the range."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import sympy

from dace_ipu.passes.clean_up import assigned_in, with_inner
from dace_ipu.passes.conditions import all_of, conjuncts
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.footprints import facts_of, span_of
from dace_ipu.passes.late_bounds import with_late_bounds
from dace_ipu.passes.literals import as_index, index_of
from dace_ipu.passes.rewrite import Body, defined_names, used_names
from dace_ipu.tile_graph.body import Code, Declare, Expr, For, If, Statement, Store, symbol, walk
from dace_ipu.tile_graph.nodes import TileGraph

__all__ = ["bound", "gap", "narrowed", "narrowed_in"]

_ABOVE = {ast.Lt: 1, ast.LtE: 0}  # what is added to the smaller side so that it is at most the larger one
_BELOW = {ast.Gt: 1, ast.GtE: 0}
_SIMPLE = (ast.Compare, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.Add, ast.Sub, ast.USub, ast.cmpop, ast.Load)
ZERO = sympy.Integer(0)


def narrowed_in(graph: TileGraph, body: Body, dimensions: frozenset[str] = frozenset()) -> Body:
    """The body of a step of a graph with narrow ranges; ``dimensions`` are those of its domain."""
    integers = frozenset(name for name, dtype in graph.symbols if dtype.kind in "iu") | dimensions
    arrays = {variable.name: variable.dtype for variable in graph.variables}
    shapes = {s for variable in graph.variables for size in variable.shape for s in size.free_symbols}
    facts = Facts().and_also(*sorted(shapes, key=lambda s: str(s.name)))
    taken = arrays.keys() | {name for name, _ in graph.symbols} | dimensions | defined_names(body) | used_names(body)
    return narrowed(with_late_bounds(body, arrays, set(taken)), integers, facts)


def narrowed(body: Body, known: frozenset[str], facts: Facts) -> Body:
    """The body with the conditions that bound the variable of a loop in its range.

    Before: ``for j in 0:N: if j <= i - 1: s += A[j]``. After: ``for j in 0:min(N, i): s += A[j]``, or ``0:i`` where
    ``i`` is known not to exceed N. ``known`` are the names of integers from outside, and ``facts`` what is known of
    them. Only conditions that are nothing but comparisons of integers that stay the same during the loop.
    """
    return _body(body, _constants(body, known), facts)


def _constants(body: Body, known: frozenset[str]) -> dict[str, Expr]:
    """Names of integers that do not change while they are in scope, and what they stand for: other such names, or
    themselves. Not those that several scopes define."""
    constants = {name: symbol(name) for name in known}
    constants |= {s.variable: symbol(s.variable) for s in walk(body) if isinstance(s, For)}
    declared = [s for s in walk(body) if isinstance(s, Declare)]
    counts, assigned = Counter(s.name for s in declared), assigned_in(body)
    for statement in declared:
        if counts[statement.name] == 1 and statement.name not in assigned and statement.dtype.kind == "i":
            constants[statement.name] = _value(statement, constants, assigned)
    return constants


def _value(declaration: Declare, constants: Mapping[str, Expr], assigned: set[str]) -> Expr:
    value = as_index(declaration, assigned)
    if value is None or not {s.name for s in value.free_symbols} <= constants.keys():
        return symbol(declaration.name)
    return value.subs({symbol(name): expr for name, expr in constants.items()})


def _body(body: Body, constants: Mapping[str, Expr], facts: Facts) -> Body:
    return tuple(new for statement in body for new in _statement(statement, constants, facts))


def _statement(statement: Statement, constants: Mapping[str, Expr], facts: Facts) -> Body:
    match statement:
        case For():
            span = span_of(statement)
            inside = facts if span is None else facts.and_also(*facts_of(statement.variable, span), span[1] - span[0])
            return (_loop(replace(statement, body=_body(statement.body, constants, inside)), constants, facts),)
        case If(orelse=()):
            return _without_known(replace(statement, then=_body(statement.then, constants, facts)), constants, facts)
        case _:
            return (with_inner(statement, lambda inner: _body(inner, constants, facts)),)


def _without_known(test: If, constants: Mapping[str, Expr], facts: Facts) -> Body:
    """A condition without the parts that are surely true; what is inside where nothing is left of it."""
    parts, known = _parts(test.condition, constants)
    gaps = {part: gap(part, known) for part in parts}
    rest = [part for part in parts if gaps[part] is None or not facts.holds(gaps[part])]
    return (If(_all_of(rest, test.condition), test.then),) if rest else test.then


def _parts(condition: Code, constants: Mapping[str, Expr]) -> tuple[list[ast.expr], dict[str, Expr]]:
    """The parts of a condition, and the names that are constants in it: a read hides one of the same name."""
    hidden = {name for name, _ in condition.reads}
    return conjuncts(condition.text), {name: value for name, value in constants.items() if name not in hidden}


def _loop(loop: For, constants: Mapping[str, Expr], facts: Facts) -> Statement:
    """A loop with the bounds that a condition around its body asks for. The rest of the condition stays; where it has
    nothing to do with the loop, around it."""
    *before, test = loop.body or (None,)
    if not isinstance(test, If) or test.orelse or not all(isinstance(s, Declare) and s.value is None for s in before):
        return loop
    parts, known = _parts(test.condition, constants)
    bounds = {part: _bound_of(part, loop, known) for part in parts}
    low = facts.largest((loop.begin, *(b[1] for b in bounds.values() if b is not None and b[0])))
    high = facts.smallest((loop.end, *(b[1] for b in bounds.values() if b is not None and not b[0])))
    rest = [part for part in parts if bounds[part] is None]
    outside = [part for part in rest if _is_fixed(part, test.condition, loop)]
    inside = [part for part in rest if part not in outside]
    body = (*before, If(_all_of(inside, test.condition), test.then)) if inside else (*before, *test.then)
    changed = replace(loop, begin=low, end=high, body=body)
    return If(_all_of(outside, test.condition), (changed,)) if outside else changed


def _bound_of(part: ast.expr, loop: For, constants: Mapping[str, Expr]) -> tuple[bool, Expr] | None:
    """The workers of a tile share all of a range, and strides begin where they do."""
    return None if loop.shared or loop.step != 1 else bound(part, loop.variable, constants)


def _all_of(parts: list[ast.expr], condition: Code) -> Code:
    used = {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}
    return Code(all_of(parts), tuple((name, read) for name, read in condition.reads if name in used))


def _is_fixed(part: ast.expr, condition: Code, loop: For) -> bool:
    """Whether a comparison of scalars, which may be evaluated at any time, is the same in all turns of a loop."""
    stored = {s.target.data for s in walk(loop.body) if isinstance(s, Store)}
    inside = defined_names(loop.body) | assigned_in(loop.body) | {loop.variable}
    reads = dict(condition.reads)
    used = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
    scalar = all(read.indices in ((), (ZERO,)) and read.data not in stored for n, read in reads.items() if n in used)
    simple = all(isinstance(node, _SIMPLE) for node in ast.walk(part))
    return scalar and simple and not loop.shared and not (used - reads.keys()) & inside


def bound(part: ast.expr, variable: str, constants: Mapping[str, Expr]) -> tuple[bool, Expr] | None:
    """The least value (True) or the end (False) that a comparison asks of a variable; None for any other."""
    value = gap(part, constants)
    factor = sympy.Integer(0) if value is None else sympy.expand(value).coeff(symbol(variable))
    if value is None or factor not in (1, -1):
        return None
    rest = sympy.expand(value - factor * symbol(variable))
    if symbol(variable) in rest.free_symbols:
        return None
    return (True, -rest) if factor == 1 else (False, sympy.expand(rest + 1))


def gap(part: ast.expr, constants: Mapping[str, Expr]) -> Expr | None:
    """What must not be negative for a comparison of integers to be true."""
    match part:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _difference(op, _index(left, constants), _index(right, constants))
        case _:
            return None


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
