"""An array that only feeds a reduction is computed there, element by element, and not stored."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dace_ipu.passes.clean_up import map_codes
from dace_ipu.passes.domain import ZERO, normalised, scalar_source
from dace_ipu.passes.footprints import Site, sites
from dace_ipu.passes.match_products import product_of
from dace_ipu.passes.rewrite import Body, Rewrite, defined_names, used_names
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import touched, uses, written
from dace_ipu.passes.substitute import inlined
from dace_ipu.passes.types import WEAK_INT, Types
from dace_ipu.tile_graph.body import Access, Code, Declare, Expr, If, Statement, Store, codes, symbol, walk
from dace_ipu.tile_graph.expressions import code_text, names
from dace_ipu.tile_graph.indices import index_text
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph, with_inner_steps

__all__ = ["Filling", "InlineOperands"]


@dataclass(frozen=True)
class InlineOperands:
    """Before: ``for i, j, k: t[i, j, k] = A[i, k] * B[k, j]``, then ``for i, j, k: C[i, j] += t[i, j, k]``.

    After: ``for i, j, k: C[i, j] += A[i, k] * B[k, j]``; ``t``, which may be much larger than all else, is gone.

    Only for temporaries that one map fills, with one store, and that the reduction alone reads, each element once,
    under the same condition if there is one: nothing is computed twice. What the value is made of must not change in
    between, and its type must be that of the temporary. A matrix product keeps its operands.
    """

    name: str = "inline_operands"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer temporaries."""
        steps = _inlined(graph.steps, graph)
        left = uses(steps)
        return replace(graph, steps=steps, variables=tuple(v for v in graph.variables if left[v.name] or v.persistent))


def _inlined(steps: tuple[Step, ...], graph: TileGraph) -> tuple[Step, ...]:
    steps = tuple(with_inner_steps(step, lambda inner: _inlined(inner, graph)) for step in steps)
    used = uses(graph.steps)
    for index, step in enumerate(steps):
        filling = Filling.of(step, graph) if isinstance(step, MapStep) else None
        if filling is None or used[filling.target.data] != 2:
            continue
        behind = steps[index + 1 :]
        position = next((k for k, other in enumerate(behind) if filling.target.data in touched(other)), None)
        if position is None or any(filling.operands & written(other) for other in behind[: position + 1]):
            continue
        reader = behind[position]
        changed = _computed_there(reader, filling, graph)
        if changed is not None and not _spoils_product(reader, changed, graph):
            return _inlined((*steps[:index], *behind[:position], changed, *behind[position + 1 :]), graph)
    return steps


@dataclass(frozen=True)
class Filling:
    """``if guard: scalars; target = value`` for all points of a domain, each at an element of its own. ``guard`` is
    a condition on dimensions and scalars of the device, None if there is none.
    """

    target: Access
    value: Code
    prelude: tuple[Declare, ...]
    runners: dict[str, int]  # the dimensions of the domain, and which one of the array they run along
    guard: Code | None = None
    scalars: tuple[Declare, ...] = ()

    @classmethod
    def of(cls, step: MapStep, graph: TileGraph) -> Filling | None:
        """What a map fills; None if it does anything else as well."""
        step = normalised(step)
        prelude, body = prelude_of(step.body)
        guard, body = _unguarded(body)
        scalars = tuple(s for s in body[:-1] if isinstance(s, Declare) and s.constant and s.value is not None)
        store = body[-1] if body else None
        if len(scalars) != len(body) - 1 or not isinstance(store, Store) or store.reduction is not None:
            return None
        target, variable = store.target, graph.variable(store.target.data)
        runners = {str(index): k for k, index in enumerate(target.indices) if index != 0}
        plain = runners.keys() == {d.name for d in step.domain} and all(i == 0 or i.is_Symbol for i in target.indices)
        own = any(read.data == target.data for s in body for code in codes(s) for _, read in code.reads)
        if not plain or own or variable.persistent or variable.constant is not None:
            return None
        if len(runners) != sum(index != 0 for index in target.indices):
            return None
        known = tuple(s for s in prelude if isinstance(s, Declare))
        return cls(target, store.value, known, runners, guard, scalars)

    @property
    def operands(self) -> frozenset[str]:
        """The variables that the value is made of."""
        scalars = (scalar_source(statement) for statement in self.prelude)
        guards = () if self.guard is None else (self.guard,)
        values = (self.value, *guards, *(code for s in self.scalars for code in codes(s)))
        return frozenset(read.data for code in values for _, read in code.reads) | {name for name in scalars if name}

    def at(self, indices: tuple[Expr, ...]) -> Filling:
        """The filling of one element."""
        new = {name: indices[position] for name, position in self.runners.items()}
        moved = Rewrite(new, texts={name: f"({index_text(value)})" for name, value in new.items()})
        scalars = tuple(s for s in moved.body(self.scalars) if isinstance(s, Declare))
        guard = None if self.guard is None else moved.code(self.guard)
        return replace(self, value=moved.code(self.value), guard=guard, scalars=scalars)


def _computed_there(step: Step, filling: Filling, graph: TileGraph) -> MapStep | None:
    """The reduction with the value in place of the temporary; None if that would change more."""
    if not isinstance(step, MapStep) or not _has_type(filling, graph):
        return None
    found = [site for site in sites(step.body) if site.access.data == filling.target.data]
    prelude, body = prelude_of(step.body)
    known = {scalar_source(s): s.name for s in prelude if isinstance(s, Declare)}
    missing = tuple(s for s in filling.prelude if scalar_source(s) not in known)
    clash = (defined_names(step.body) | {d.name for d in step.domain}) & _free_names(filling)
    same = all(known.get(scalar_source(s), s.name) == s.name for s in filling.prelude)
    reduces = any(isinstance(s, Store) and s.reduction is not None for s in walk(step.body))
    if len(found) != 1 or not reduces or not same or clash - set(known.values()) or not _once(found[0], step):
        return None
    element = filling.at(found[0].access.indices)
    guard, inner = _unguarded(body)
    same = guard is not None and element.guard is not None and code_text(guard) == code_text(element.guard)
    if (element.guard is not None and not same) or (element.scalars and found[0].loops):
        return None
    inner = (*element.scalars, *_with_value(inner, element))
    return replace(step, body=(*prelude, *missing, *(inner if guard is None else (If(guard, inner),))))


def _with_value(body: Body, element: Filling) -> Body:
    """A body with the value of an element in place of what reads it."""

    def change(_: Statement, code: Code) -> Code:
        for name, read in code.reads:
            if read.data == element.target.data:
                rest = tuple(other for other in code.reads if other[0] != name)
                return inlined(Code(code.text, rest), name, element.value)
        return code

    return map_codes(body, change)


def _unguarded(body: Body) -> tuple[Code | None, Body]:
    """The condition around all of a body, if it reads only scalars, and what is inside; None and the body if not."""
    match body:
        case (If(condition=Code(reads=reads) as guard, then=then, orelse=()),):
            scalar = all(read.indices == (ZERO,) for _, read in reads)
            return (guard, then) if scalar else (None, body)
        case _:
            return None, body


def _spoils_product(reader: Step, changed: MapStep, graph: TileGraph) -> bool:
    """Whether a product for the matrix unit would become something else."""
    before = product_of(reader, graph) if isinstance(reader, MapStep) else None
    return before is not None and product_of(changed, graph) is None


def _has_type(filling: Filling, graph: TileGraph) -> bool:
    """Whether storing the value does not convert it."""
    scalars = {s.name: s.dtype for s in filling.prelude} | dict.fromkeys(filling.runners, WEAK_INT)
    reads = {name: graph.variable(read.data).dtype for name, read in filling.value.reads}
    own = {s.name: s.dtype for s in filling.scalars}
    types = Types({**dict(graph.symbols), **scalars, **own, **reads})
    return types.of_text(filling.value.text) == graph.variable(filling.target.data).dtype


def _free_names(filling: Filling) -> set[str]:
    value = Store(filling.target, filling.value)
    inside = {s.name for s in filling.scalars}
    guard = filling.guard
    texts = set() if guard is None else names(guard.text) - {name for name, _ in guard.reads}
    return (used_names((*filling.scalars, value)) | inside | texts) - filling.runners.keys()


def _once(site: Site, step: MapStep) -> bool:
    """Whether each element is read once: everything that runs around the read is an index of its own."""
    around = {symbol(d.name) for d in step.domain} | {symbol(loop.variable) for loop in site.loops}
    plain = [index for index in site.access.indices if index != ZERO]
    return not site.writes and set(plain) == around and len(plain) == len(around)
