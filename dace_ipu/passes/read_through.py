"""Arrays that only hold another one in a different order are read where their elements come from."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.digits import conditions_around
from dace_ipu.passes.domain import Domain, normalised, scalar_source
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.footprints import Site
from dace_ipu.passes.literals import index_of
from dace_ipu.passes.rewrite import Body, Rewrite, defined_names, fresh, used_names
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import touched, uses, written
from dace_ipu.tile_graph.body import Access, Declare, Expr, If, Store, symbol
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph, with_inner_steps

__all__ = ["ReadThrough"]


@dataclass(frozen=True)
class ReadThrough:
    """Before: ``for i in 0:N for j in 0:M: if i < p: t[j, i] = A[q * i + j]``, then ``for k in 0:L: B[k] = f(t[k // p,
    k % p])``, where ``p`` and ``q`` are scalars of the device.

    After: ``for k in 0:L: B[k] = f(A[q * (k % p) + k // p])``; ``t``, which has to be as large as it may ever become,
    is gone.

    Only for temporaries that one map fills with elements as they are, and that are read in another shape, at places
    that surely were filled. What they are made of must not change in between.
    """

    name: str = "read_through"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer temporaries."""
        steps = _read_through(graph.steps, uses(graph.steps), graph)
        left = uses(steps)
        return replace(graph, steps=steps, variables=tuple(v for v in graph.variables if left[v.name] or v.persistent))


def _read_through(steps: tuple[Step, ...], used: Counter[str], graph: TileGraph) -> tuple[Step, ...]:
    steps = tuple(with_inner_steps(step, lambda inner: _read_through(inner, used, graph)) for step in steps)
    for index, step in enumerate(steps):
        order = _Order.of(step, graph) if isinstance(step, MapStep) else None
        if order is None:
            continue
        behind = steps[index + 1 :]
        readers = [k for k, other in enumerate(behind) if order.target.data in touched(other)]
        if not readers or used[order.target.data] != 1 + len(readers):
            continue
        if any(order.needed & written(other) for other in behind[: readers[-1] + 1]):
            continue
        changed = {k: order.read_by(behind[k], graph) for k in readers}
        new = [changed.get(k, other) for k, other in enumerate(behind)]
        if all(reader is not None for reader in changed.values()):
            kept = (*steps[:index], *(other for other in new if other is not None))
            return _read_through(kept, used, graph)
    return steps


@dataclass(frozen=True)
class _Order:
    """``if conditions: target = source`` for all points of a domain, each at an element of its own."""

    domain: Domain
    target: Access
    source: Access
    conditions: tuple[str, ...]
    prelude: tuple[Declare, ...]

    @classmethod
    def of(cls, step: MapStep, graph: TileGraph) -> _Order | None:
        step = normalised(step)
        prelude, body = prelude_of(step.body)
        store = _only_store(body)
        if store is None or store.reduction or len(store.value.reads) != 1:
            return None
        (name, source), target = store.value.reads[0], store.target
        temporary = graph.variable(target.data)
        running = [index for index, size in zip(target.indices, temporary.shape, strict=True) if size != 1]
        plain = {symbol(d.name) for d in step.domain} == set(running) and len(set(running)) == len(running)
        same = temporary.dtype == graph.variable(source.data).dtype and store.value.text.strip() == name
        if not plain or not same or source.data == target.data or temporary.persistent or temporary.constant:
            return None
        scalars = tuple(s for s in prelude if isinstance(s, Declare))
        return cls(Domain(graph, step), target, source, conditions_around(store, body), scalars)

    @property
    def needed(self) -> frozenset[str]:
        """The variables that the elements and their places depend on."""
        return frozenset((self.source.data, *filter(None, map(scalar_source, self.prelude))))

    def read_by(self, step: Step, graph: TileGraph) -> MapStep | None:
        """A map that reads the source instead; None if it may read what was not filled, or does more than read."""
        if not isinstance(step, MapStep):
            return None
        step, names = self._with_scalars(step)
        reads = [site for site in Domain(graph, step).sites if site.access.data == self.target.data]
        reshaped = any(index.atoms(sympy.floor, sympy.Mod, sympy.Function) for s in reads for index in s.access.indices)
        if not reshaped or any(site.writes for site in reads):
            return None
        facts = Domain(graph, step).iterating.and_also(*(size - 1 for size in self.domain.shape(self.target.data)))
        if not all(self._is_filled(site, names, facts) for site in reads):
            return None
        body = Rewrite({}, read=lambda access: self._origin(access, names)).body(step.body)
        return replace(step, body=body)

    def _with_scalars(self, step: MapStep) -> tuple[MapStep, dict[str, Expr]]:
        """A map that reads the scalars of the device that the places depend on, and their names there."""
        prelude, rest = prelude_of(step.body)
        known = {scalar_source(s): s.name for s in prelude if isinstance(s, Declare)}
        taken = defined_names(step.body) | used_names(step.body) | {d.name for d in step.domain}
        taken |= {v.name for v in self.domain.graph.variables} | self.domain.parameters
        names, added = {}, []
        for scalar in self.prelude:
            source = scalar_source(scalar)
            name = known.get(source) or fresh(scalar.name, taken)
            if source not in known:
                added.append(replace(scalar, name=name))
                taken.add(name)
            names[scalar.name] = symbol(name)
        return replace(step, body=(*prelude, *added, *rest)), names

    def _places(self, access: Access, names: Mapping[str, Expr]) -> dict[str, Expr]:
        """For an element of the target, the iteration that fills it."""
        pairs = zip(self.target.indices, access.indices, strict=True)
        return {**names, **{str(index): place for index, place in pairs if index.is_Symbol}}

    def _origin(self, access: Access, names: Mapping[str, Expr]) -> Access:
        if access.data != self.target.data:
            return access
        return Rewrite(self._places(access, names)).element(self.source)

    def _is_filled(self, site: Site, names: Mapping[str, Expr], facts: Facts) -> bool:
        """Whether an element that is read is one of those that were filled."""
        at = self._places(site.access, names)
        if not site.guarded and not site.loops:  # in bounds by the rules of DaCe
            pairs = zip(site.access.indices, self.domain.shape(self.target.data), strict=True)
            facts = facts.and_also(*(fact for index, size in pairs for fact in (index, size - 1 - index)))
        inside = all(facts.at_most(at[name] + 1, extent) for name, extent in self.domain.extents.items())
        new = {symbol(name): place for name, place in at.items()}
        gaps = [_gap(condition) for condition in self.conditions]
        return inside and all(gap is not None and facts.holds(gap.subs(new, simultaneous=True)) for gap in gaps)


def _only_store(body: Body) -> Store | None:
    """The only statement of a body but conditions, which read no arrays."""
    if len(body) != 1:
        return None
    match body[0]:
        case Store() as store:
            return store
        case If(orelse=()) as guard if not guard.condition.reads:
            return _only_store(guard.then)
        case _:
            return None


def _gap(condition: str) -> Expr | None:
    """What is at least 0 if a comparison holds."""
    match ast.parse(condition, mode="eval").body:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() as op], comparators=[right]):
            low, high = index_of(left, powers=True), index_of(right, powers=True)
            return None if low is None or high is None else sympy.expand(high - low - int(isinstance(op, ast.Lt)))
        case _:
            return None
