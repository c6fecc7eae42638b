"""Stores to an element that the device chooses are made by the vertex that owns it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.conditions import all_of, conjuncts
from dace_ipu.passes.digits import Digit, conditions_around, digits_of
from dace_ipu.passes.domain import Domain, normalised
from dace_ipu.passes.plan import plan_of
from dace_ipu.passes.rewrite import Body, Rewrite, defined_names, fresh, local_arrays, map_statements, used_names
from dace_ipu.passes.runtime_scalars import is_spread, mentions, prelude_of, runtime_names
from dace_ipu.passes.steps import graph_names, map_steps
from dace_ipu.tile_graph.body import Access, Code, Expr, For, If, Statement, Store, While, symbol, walk
from dace_ipu.tile_graph.indices import index_text
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Step, TileGraph

__all__ = ["AnchorWrites", "anchored"]

NOTE = "runs wherever '{}' lives: who owns the elements that the device chooses writes them"


@dataclass(frozen=True)
class AnchorWrites:
    """A dynamic update in place, where the alternative is to bring the whole array to one tile.

    Before: ``A[t] = s``, in one vertex, or ``for p in 0:n: A[t + p] = B[p]``, where ``t`` is a scalar of the device.
    After: ``for v in 0:N: if v == t: A[v] = s`` and ``for v in 0:N: if 0 <= v - t < n: A[v] = B[v - t]``: the
    iterations of a vertex are the elements that it owns. An index of several digits, ``for p in 0:m for q in 0:n: if q
    < t: A[t * p + q] = B[p, q]``, is taken apart: ``for v in 0:N: if v // t < m: A[v] = B[v // t, v % t]``.

    Only for maps that cannot be divided as they are, that store to one element an iteration, of an array that other
    maps spread over the tiles. The pass never changes what is stored, or where.
    """

    name: str = "anchor_writes"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with maps over the elements of what they write."""

        def change(step: Step) -> tuple[Step, ...]:
            return ((anchored(step, graph) or step) if isinstance(step, MapStep) else step,)

        return replace(graph, steps=map_steps(graph.steps, change))


def anchored(step: MapStep, graph: TileGraph) -> MapStep | None:
    """The map over elements of what a step of a graph writes; None if the step stays as it is."""
    target = _target(step.body)
    if target is None or (step.domain and plan_of(Domain(graph, normalised(step))).divided):
        return None
    if not step.domain and not is_spread(target.data, graph):
        return None
    late = runtime_names(step.body)
    for dimension, index in enumerate(target.indices):
        if mentions(index, late):
            changed = _over_elements(step, target, dimension, graph) or _over_digits(step, target, dimension, graph)
            if changed is not None and plan_of(Domain(graph, normalised(changed))).divided:
                return changed
    return None


def _target(body: Body) -> Access | None:
    """The one element that a body stores to; None if there are several."""
    local = local_arrays(body)
    targets = {s.target for s in walk(body) if isinstance(s, Store) and s.target.data not in local}
    return next(iter(targets)) if len(targets) == 1 else None


def _over_elements(step: MapStep, target: Access, dimension: int, graph: TileGraph) -> MapStep | None:
    """The step as a map over one dimension of the array that it writes."""
    name = _name_of_element(step, graph)
    size = graph.variable(target.data).shape[dimension]
    index = target.indices[dimension]
    runners = [d for d in step.domain if symbol(d.name) in index.free_symbols]
    if len(runners) > 1:
        return None
    prelude, rest = prelude_of(step.body)
    note = NOTE.format(target.data)
    if not runners:
        if not {s.name for s in index.free_symbols} <= runtime_names(step.body) | {n for n, _ in graph.symbols}:
            return None
        rest = Rewrite({}, access=lambda access: _at_element(access, index, symbol(name))).body(rest)
        guard = If(Code(f"{name} == {_text(index)}"), rest)
        return replace(step, domain=(Dimension(name, size), *step.domain), body=(*prelude, guard), note=note)
    runner = runners[0]
    offset = sympy.expand(index - symbol(runner.name))
    others = (i for k, i in enumerate(target.indices) if k != dimension)
    if symbol(runner.name) in offset.free_symbols or any(symbol(runner.name) in i.free_symbols for i in others):
        return None
    iteration = symbol(name) - offset
    moved = Rewrite({runner.name: iteration}, texts={runner.name: f"({name} - {_text(offset)})"})
    test = f"0 <= {name} - {_text(offset)} and {name} - {_text(offset)} < {_text(runner.extent)}"
    domain = tuple(Dimension(name, size) if d is runner else d for d in step.domain)
    return replace(step, domain=domain, body=(*prelude, If(Code(test), moved.body(rest))), note=note)


def _name_of_element(step: MapStep, graph: TileGraph) -> str:
    taken = graph_names(graph)
    return fresh("element", taken | defined_names(step.body) | used_names(step.body) | {d.name for d in step.domain})


def _over_digits(step: MapStep, target: Access, dimension: int, graph: TileGraph) -> MapStep | None:
    """The step as a map over one dimension of the array, whose index is a number with a digit for each iteration."""
    prelude, rest = prelude_of(step.body)
    stores = [s for s in walk(rest) if isinstance(s, Store) and s.target == target]
    index = target.indices[dimension]
    digits = digits_of(index, step, conditions_around(stores[0], rest)) if len(stores) == 1 else None
    if digits is None or any(isinstance(s, (For, While)) for s in walk(rest)):
        return None
    runners = {digit.runner: digit for digit in digits}
    others = (i for k, i in enumerate(target.indices) if k != dimension)
    offset = sympy.expand(index.subs(dict.fromkeys(map(symbol, runners), 0)))
    fixed = runtime_names(step.body) | dict(graph.symbols).keys() | runners.keys()
    if {s.name for s in index.free_symbols} - fixed or any(i.free_symbols & set(map(symbol, runners)) for i in others):
        return None
    name, size = _name_of_element(step, graph), graph.variable(target.data).shape[dimension]
    number = symbol(name) - offset
    values = {runner: digit.of(number) for runner, digit in runners.items()}
    texts = {runner: f"({index_text(value)})" for runner, value in values.items()}
    facts = Domain(graph, step).iterating
    tests = [] if offset == 0 else [f"0 <= {index_text(number)}"]
    for d in step.domain:
        digit = runners.get(d.name)
        if digit is not None and not digit.is_below(d.extent, size if offset == 0 else None, facts):
            tests.append(f"{texts[d.name]} < {_text(d.extent)}")
    inside = Rewrite(values, texts=texts).body(_without_implied(rest, digits))
    inside = _with_element(inside, target.data, dimension, symbol(name))
    inside = (If(Code(all_of(tests)), inside),) if tests else inside
    domain = (Dimension(name, size), *(d for d in step.domain if d.name not in runners))
    return replace(step, domain=domain, body=(*prelude, *inside), note=NOTE.format(target.data))


def _without_implied(body: Body, digits: tuple[Digit, ...]) -> Body:
    """The body without conditions that hold of any digits."""
    result: list[Statement] = []
    for statement in body:
        if not isinstance(statement, If) or statement.orelse:
            result.append(statement)
            continue
        then = _without_implied(statement.then, digits)
        parts = conjuncts(statement.condition.text)
        left = [part for part in parts if not any(digit.implies(ast.unparse(part)) for digit in digits)]
        result += (If(Code(all_of(left), statement.condition.reads), then),) if left else then
    return tuple(result)


def _with_element(body: Body, data: str, dimension: int, index: Expr) -> Body:
    """The body with an index of its only store as it is meant, not as it is computed."""

    def change(statement: Statement) -> Statement:
        if not isinstance(statement, Store) or statement.target.data != data:
            return statement
        return replace(statement, target=Access(data, _with(statement.target.indices, dimension, index)))

    return map_statements(body, change)


def _at_element(access: Access, index: Expr, element: Expr) -> Access:
    """An access in the iteration of an element: what has the index of that element is read where that one lies."""
    return Access(access.data, tuple(element if i == index else i for i in access.indices))


def _with(indices: tuple[Expr, ...], dimension: int, index: Expr) -> tuple[Expr, ...]:
    return (*indices[:dimension], index, *indices[dimension + 1 :])


def _text(expr: Expr) -> str:
    return index_text(expr) if expr.is_Symbol or expr.is_Integer and expr >= 0 else f"({index_text(expr)})"
