"""Dimensions of maps run over the elements of the arrays that they read, so that blocks of both are the same."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.conditions import all_of, conjuncts
from dace_ipu.passes.domain import Domain, normalised
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.fields import NEAR
from dace_ipu.passes.footprints import facts_of
from dace_ipu.passes.narrow_ranges import bound, gap
from dace_ipu.passes.rewrite import Body, Rewrite, defined_names, fresh, used_names
from dace_ipu.passes.runtime_scalars import mentions, prelude_of, runtime_names
from dace_ipu.passes.steps import graph_names, map_steps
from dace_ipu.tile_graph.body import Access, Code, Expr, If, Store, symbol, walk
from dace_ipu.tile_graph.indices import index_text
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Step, TileGraph

__all__ = ["AlignRanges"]


@dataclass(frozen=True)
class AlignRanges:
    """Slices that depend on a scalar of the device are read in place, by who owns their elements.

    Before: ``for j in 0:N - 1: if j <= t - 1: s += A[t, j]``, where ``t`` is a scalar of the device that is at most
    N - 1. After: ``for j in 0:N`` with the same body: blocks of N - 1 iterations would be those of no array.

    Before: ``for j in 0:N - 1: if j < N - t - 1: s += A[t, j + t + 1]``. After: ``for e in 0:N: if 0 <= e - t - 1: s +=
    A[t, e]``: iterations are elements, which do not move from turn to turn.

    The first needs a condition that implies the old extent; the second is for dimensions that no store uses. What is
    computed stays the same, but for the order of sums.
    """

    name: str = "align_ranges"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with other domains."""

        def change(step: Step) -> tuple[Step, ...]:
            is_late = isinstance(step, MapStep) and step.domain and runtime_names(step.body)
            return (_aligned(step, graph) if isinstance(step, MapStep) and is_late else step,)

        return replace(graph, steps=map_steps(graph.steps, change))


def _aligned(step: MapStep, graph: TileGraph) -> MapStep:
    for dimension in step.domain:
        moved = _shifted(step, dimension, graph)
        step = moved if moved is not None else _widened(step, dimension, graph)
    return step


def _widened(step: MapStep, dimension: Dimension, graph: TileGraph) -> MapStep:
    """The step with an iteration for each element of what it touches, if a condition skips the new ones."""
    sizes = {size for index, size in _indices(step, graph) if index == symbol(dimension.name)}
    size = next(iter(sizes)) if len(sizes) == 1 else dimension.extent
    more = sympy.expand(size - dimension.extent)
    if not (more.is_Integer and 0 < more <= NEAR) or not _is_bounded(step, dimension, graph):
        return step
    domain = tuple(replace(d, extent=size) if d is dimension else d for d in step.domain)
    return replace(step, domain=domain)


def _is_bounded(step: MapStep, dimension: Dimension, graph: TileGraph) -> bool:
    """Whether the body does nothing outside of the dimension's extent."""
    _, rest = prelude_of(step.body)
    if len(rest) != 1 or not isinstance(rest[0], If) or rest[0].orelse or rest[0].condition.reads:
        return False
    constants, facts = _known(step, graph)
    found = (bound(part, dimension.name, constants) for part in conjuncts(rest[0].condition.text))
    return any(b is not None and not b[0] and facts.at_most(b[1], dimension.extent) for b in found)


def _known(step: MapStep, graph: TileGraph) -> tuple[dict[str, Expr], Facts]:
    """Integers that are the same for all iterations, or are dimensions, and what is known of them."""
    domain = Domain(graph, normalised(step))
    names = runtime_names(step.body) | {d.name for d in step.domain} | {n for n, t in graph.symbols if t.kind in "iu"}
    spans = (fact for name, span in domain.runtime.items() for fact in facts_of(name, span))
    own = (fact for d in step.domain for fact in facts_of(d.name, (sympy.Integer(0), d.extent - 1)))
    return {name: symbol(name) for name in names}, domain.facts.and_also(*map(sympy.expand, (*spans, *own)))


def _shifted(step: MapStep, dimension: Dimension, graph: TileGraph) -> MapStep | None:
    """The step over elements, if a scalar of the device says where the dimension begins in them."""
    found = [(index, size) for index, size in _indices(step, graph) if symbol(dimension.name) in index.free_symbols]
    offsets = {sympy.expand(index - symbol(dimension.name)) for index, _ in found}
    if len(offsets) != 1 or len({size for _, size in found}) != 1:
        return None
    (offset,), size, late = offsets, found[0][1], runtime_names(step.body)
    fixed = late | {name for name, _ in graph.symbols}
    if not mentions(offset, late) or not {s.name for s in offset.free_symbols} <= fixed:
        return None
    stores = [s.target for s in walk(step.body) if isinstance(s, Store)]
    if any(symbol(dimension.name) in index.free_symbols for target in stores for index in target.indices):
        return None
    return _over_elements(step, dimension, offset, size, graph)


def _over_elements(step: MapStep, old: Dimension, offset: Expr, size: Expr, graph: TileGraph) -> MapStep:
    taken = graph_names(graph)
    taken |= defined_names(step.body) | used_names(step.body) | {d.name for d in step.domain}
    name = fresh("element", taken)
    iteration = sympy.expand(symbol(name) - offset)
    text = f"({index_text(iteration)})"
    domain = tuple(Dimension(name, size) if d is old else d for d in step.domain)
    prelude, rest = prelude_of(step.body)
    moved = _expanded(Rewrite({old.name: iteration}, texts={old.name: text}).body(rest))
    tests = [f"0 <= {text}", f"{text} < {index_text(old.extent)}"]
    if len(moved) == 1 and isinstance(moved[0], If) and not moved[0].orelse and not moved[0].condition.reads:
        tests, moved = [*tests, *map(ast.unparse, conjuncts(moved[0].condition.text))], moved[0].then
    step = replace(step, domain=domain, body=(*prelude, If(Code(all_of(tests)), moved)))
    return _without_known(step, tests, graph)


def _without_known(step: MapStep, tests: list[str], graph: TileGraph) -> MapStep:
    """The step without those of the tests around its body that are surely true."""
    constants, facts = _known(step, graph)
    kept: list[str] = []
    for test in tests:
        value = gap(ast.parse(test, mode="eval").body, constants)
        others = facts if value is None else _of(kept, constants, facts)
        if value is None or not others.holds(value):
            kept.append(test)
    *before, last = step.body
    assert isinstance(last, If)
    body: Body = (If(Code(all_of(kept)), last.then),) if kept else last.then
    return replace(step, body=(*before, *body))


def _of(tests: list[str], constants: dict[str, Expr], facts: Facts) -> Facts:
    gaps = (gap(ast.parse(test, mode="eval").body, constants) for test in tests)
    return facts.and_also(*(value for value in gaps if value is not None))


def _expanded(body: Body) -> Body:
    return Rewrite({}, access=lambda access: Access(access.data, tuple(map(sympy.expand, access.indices)))).body(body)


def _indices(step: MapStep, graph: TileGraph) -> list[tuple[Expr, Expr]]:
    """The indices of all accesses, with the sizes of the dimensions that they run along."""
    found: list[tuple[Expr, Expr]] = []
    for site in Domain(graph, step).sites:
        found += zip(site.access.indices, graph.variable(site.access.data).shape, strict=True)
    return found
