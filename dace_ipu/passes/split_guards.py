"""Matrix products of which a part is wanted, a triangle for example: a whole one first, of which a part is taken."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.domain import ZERO, Domain, normalised
from dace_ipu.passes.match_products import product_of
from dace_ipu.passes.rewrite import Rewrite, claimed, fresh
from dace_ipu.passes.runtime_scalars import runtime_names
from dace_ipu.passes.steps import map_steps, walk_steps
from dace_ipu.passes.straighten import Guarded, expanded
from dace_ipu.tile_graph.body import Access, Code, Expr, If, Op, Store, symbol
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Step, TileGraph, Variable

__all__ = ["SplitGuards"]


@dataclass(frozen=True)
class SplitGuards:
    """Before: ``for i, j, k: if j <= i: C[i, j] += A[i, k] * A[j, k]``.

    After: ``for i, j: t[i, j] = 0``, ``for i, j, k: t[i, j] += A[i, k] * A[j, k]``, which is a matrix product, and
    ``for i, j: if j <= i: C[i, j] += t[i, j]``. Twice the multiplications, on the matrix unit.

    Only where the condition says which elements are wanted, and nothing else, and where the operands of all of them
    exist. Elements that are not wanted keep what they have.
    """

    name: str = "split_guards"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with whole products."""
        taken = {step.name for step in walk_steps(graph.steps) if isinstance(step, MapStep)}
        added: list[Variable] = []

        def change(step: Step) -> tuple[Step, ...]:
            if not isinstance(step, MapStep) or runtime_names(step.body):
                return (step,)
            work = replace(graph, variables=(*graph.variables, *added))
            guarded = Guarded.of(normalised(step), work)
            parts = None if guarded is None else _split(guarded, work, taken)
            if parts is None:
                return (step,)
            added.append(parts[1])
            return parts[0]

        steps = map_steps(graph.steps, change)
        return replace(graph, steps=steps, variables=(*graph.variables, *added))


def _split(guarded: Guarded, graph: TileGraph, taken: set[str]) -> tuple[tuple[Step, ...], Variable] | None:
    target, step, reduction = guarded.store.target, guarded.step, guarded.store.reduction
    if not guarded.guard or reduction is None or reduction.op is not Op.SUM:
        return None
    extents = {symbol(d.name): d.extent for d in step.domain}
    runners = [index for index in target.indices if index in extents]
    free = {symbol(name) for name in names(guarded.guard)} & extents.keys()
    if len(runners) < len(target.indices) or len(set(runners)) < len(runners) or not free <= set(runners):
        return None
    original = graph.variable(target.data)
    name = fresh(f"{target.data}_product", {v.name for v in graph.variables} | {n for n, _ in graph.symbols})
    inside, moved = _wider(guarded, runners, graph)
    whole = [d for index in runners for d in inside.step.domain if symbol(d.name) == moved.get(index, index)]
    variable = Variable(name, original.dtype, tuple(d.extent for d in whole), source=original.source)
    element = Access(name, tuple(symbol(d.name) for d in whole))
    work = replace(graph, variables=(*graph.variables, variable))
    products = replace(inside.step, body=(replace(inside.store, target=element),))
    if product_of(products, work) is None or not _all_exist(products, work):
        return None
    old = {new: _relative_to(index, guarded) for index, new in moved.items()}
    wanted = Code("_0", (("_0", Access(name, tuple(index.subs(old) for index in element.indices))),))
    domain = tuple(d for d in step.domain if symbol(d.name) in runners)
    first = MapStep(claimed(f"zero_{name}", taken), tuple(whole), (Store(element, Code("0")),), step.source)
    add = If(Code(guarded.guard), (replace(guarded.store, value=wanted),))
    last = MapStep(claimed(f"update_{target.data}", taken), domain, (add,), step.source)
    return (first, products, last), variable


def _wider(guarded: Guarded, runners: list[Expr], graph: TileGraph) -> tuple[Guarded, dict[Expr, Expr]]:
    """The store over all elements of an operand that is named relative to another index, ``A[k, i + d]``, and the new
    dimension for ``d``.
    """
    for dimension in guarded.step.domain:
        index = _relative_to(symbol(dimension.name), guarded)
        if symbol(dimension.name) not in runners or index is None:
            continue
        taken = {v.name for v in graph.variables} | {n for n, _ in graph.symbols}
        new = symbol(fresh("whole", taken | {d.name for d in guarded.step.domain}))
        rewrite = Rewrite({dimension.name: sympy.expand(new - (index - symbol(dimension.name)))})
        reads = tuple((n, expanded(rewrite.element(read))) for n, read in guarded.store.value.reads)
        if any(index != new and new in index.free_symbols for _, read in reads for index in read.indices):
            continue
        size = next(s for read in reads for s in _sizes(read[1], new, graph))
        domain = tuple(Dimension(new.name, size) if d is dimension else d for d in guarded.step.domain)
        store = replace(guarded.store, value=replace(guarded.store.value, reads=reads))
        return replace(guarded, step=replace(guarded.step, domain=domain), store=store), {symbol(dimension.name): new}
    return guarded, {}


def _relative_to(runner: Expr, guarded: Guarded) -> Expr | None:
    """The index of an operand that holds a dimension and another one, None if there is none."""
    others = {symbol(d.name) for d in guarded.step.domain} - {runner}
    indices = (index for _, read in guarded.store.value.reads for index in read.indices)
    found = (i for i in indices if runner in i.free_symbols and i.free_symbols & others)
    return next((i for i in found if runner not in sympy.expand(i - runner).free_symbols), None)


def _sizes(access: Access, index: Expr, graph: TileGraph) -> tuple[Expr, ...]:
    """The sizes of the dimensions that an index runs along."""
    shape = graph.variable(access.data).shape
    return tuple(size for at, size in zip(access.indices, shape, strict=True) if at == index)


def _all_exist(step: MapStep, graph: TileGraph) -> bool:
    """Whether all iterations touch elements that exist."""
    domain = Domain(graph, step)
    scope = domain.whole()
    facts = scope.facts.and_also(*(d.extent - 1 for d in step.domain))
    for site in domain.sites:
        shape = graph.variable(site.access.data).shape
        for interval, size in zip(scope.box(site, shape), shape, strict=True):
            if not facts.at_most(ZERO, interval.low) or not facts.at_most(interval.high + 1, size):
                return False
    return True
