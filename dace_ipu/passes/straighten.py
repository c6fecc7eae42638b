"""Elements that are named relative to another index get an index of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.domain import normalised
from dace_ipu.passes.rewrite import Rewrite, fresh, replace_names
from dace_ipu.passes.runtime_scalars import runtime_names
from dace_ipu.passes.steps import map_steps
from dace_ipu.tile_graph.body import Access, Code, Expr, If, Store, symbol
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.indices import index_text
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Step, TileGraph

__all__ = ["Guarded", "Straighten", "expanded"]


@dataclass(frozen=True)
class Straighten:
    """Before: ``for i in 0:N for d in 0:N: if d < N - i - 1: C[i, i + d + 1] = 0``.

    After: ``for i in 0:N for e in 0:N: if 0 <= e - i - 1 < N and (e - i - 1 < N - i - 1): C[i, e] = 0``: blocks of
    iterations are blocks of elements, so that both dimensions can be divided.

    For maps of one store, under a condition without elements of arrays or none. The same values go to the same
    elements.
    """

    name: str = "straighten"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with maps over elements."""

        def change(step: Step) -> tuple[Step, ...]:
            if not isinstance(step, MapStep) or runtime_names(step.body):
                return (step,)
            guarded = Guarded.of(normalised(step), graph)
            return (step if guarded is None else _straight(guarded, graph).as_map(step),)

        return replace(graph, steps=map_steps(graph.steps, change))


@dataclass(frozen=True)
class Guarded:
    """``for all dimensions: if guard: store``; ``guard`` is Python text without elements of arrays, '' for none."""

    step: MapStep
    guard: str
    store: Store

    @classmethod
    def of(cls, step: MapStep, graph: TileGraph) -> Guarded | None:
        """A map of that form, None for another one."""
        known = {d.name for d in step.domain} | {name for name, _ in graph.symbols}
        match step.body:
            case (If(condition=Code(text=text, reads=()), then=(Store() as store,), orelse=()),):
                return cls(step, text, store) if names(text) <= known else None
            case (Store() as store,):
                return cls(step, "", store)
            case _:
                return None

    def as_map(self, original: MapStep) -> MapStep:
        """The map again; ``original`` if nothing has changed."""
        if self.step.domain == normalised(original).domain:
            return original
        return replace(self.step, body=(If(Code(self.guard), (self.store,)),) if self.guard else (self.store,))


def _straight(guarded: Guarded, graph: TileGraph) -> Guarded:
    for dimension, index in enumerate(guarded.store.target.indices):
        found = next(_relative(index, guarded), None)
        if found is not None:
            size = graph.variable(guarded.store.target.data).shape[dimension]
            return _straight(_renamed(guarded, found, index, size, graph), graph)
    return guarded


def _relative(index: Expr, guarded: Guarded) -> Iterator[Dimension]:
    """The dimension by which an index of several is relative to others: one that no other index of the target uses."""
    inside = [d for d in guarded.step.domain if symbol(d.name) in index.free_symbols]
    if len(inside) < 2:
        return
    for dimension in inside:
        others = [i for i in guarded.store.target.indices if symbol(dimension.name) in i.free_symbols]
        if len(others) == 1 and symbol(dimension.name) not in sympy.expand(index - symbol(dimension.name)).free_symbols:
            yield dimension


def _renamed(guarded: Guarded, old: Dimension, index: Expr, size: Expr, graph: TileGraph) -> Guarded:
    """With the element's own index in place of the dimension ``old``."""
    taken = {v.name for v in graph.variables} | {n for n, _ in graph.symbols} | {d.name for d in guarded.step.domain}
    name = fresh("element", taken)
    value = sympy.expand(symbol(name) - (index - symbol(old.name)))
    text = f"({index_text(value)})"
    (store,) = Rewrite({old.name: value}, texts={old.name: text}).body((guarded.store,))
    assert isinstance(store, Store)
    reads = tuple((n, expanded(read)) for n, read in store.value.reads)
    store = replace(store, target=expanded(store.target), value=replace(store.value, reads=reads))
    tests = f"0 <= {text} and {text} < {index_text(old.extent)}"
    if guarded.guard:
        tests += f" and ({replace_names(guarded.guard, {old.name: text})})"
    domain = tuple(Dimension(name, size) if d is old else d for d in guarded.step.domain)
    return Guarded(replace(guarded.step, domain=domain), tests, store)


def expanded(access: Access) -> Access:
    """The access with its indices multiplied out."""
    return Access(access.data, tuple(map(sympy.expand, access.indices)))
