"""Stores to an element that the device chooses are made by the vertex that owns it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.domain import Domain, normalised
from dace_ipu.passes.plan import plan_of
from dace_ipu.passes.rewrite import Body, Rewrite, defined_names, fresh, local_arrays, used_names
from dace_ipu.passes.runtime_scalars import is_spread, mentions, prelude_of, runtime_names
from dace_ipu.passes.steps import map_steps
from dace_ipu.tile_graph.body import Access, Code, Expr, If, Store, symbol, walk
from dace_ipu.tile_graph.indices import index_text
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Step, TileGraph

__all__ = ["AnchorWrites", "anchored"]

NOTE = "runs wherever '{}' lives: who owns the elements that the device chooses writes them"


@dataclass(frozen=True)
class AnchorWrites:
    """A dynamic update in place, where the alternative is to bring the whole array to one tile.

    Before: ``A[t] = s``, in one vertex, or ``for p in 0:n: A[t + p] = B[p]``, where ``t`` is a scalar of the device.
    After: ``for v in 0:N: if v == t: A[v] = s`` and ``for v in 0:N: if 0 <= v - t < n: A[v] = B[v - t]``: the
    iterations of a vertex are the elements that it owns.

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
            changed = _over_elements(step, target, dimension, graph)
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
    taken = {name for name, _ in graph.symbols} | {variable.name for variable in graph.variables}
    taken |= defined_names(step.body) | used_names(step.body) | {d.name for d in step.domain}
    name = fresh("element", taken)
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
        at = Access(target.data, _with(target.indices, dimension, symbol(name)))
        rest = Rewrite({}, access=lambda access: at if access == target else access).body(rest)
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


def _with(indices: tuple[Expr, ...], dimension: int, index: Expr) -> tuple[Expr, ...]:
    return (*indices[:dimension], index, *indices[dimension + 1 :])


def _text(expr: Expr) -> str:
    return index_text(expr) if expr.is_Symbol or expr.is_Integer and expr >= 0 else f"({index_text(expr)})"
