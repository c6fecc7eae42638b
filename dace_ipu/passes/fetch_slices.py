"""Slices that the device chooses and that many tiles need are fetched before the map that reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import sympy

from dace_ipu.passes.classify import Kind, kind_for
from dace_ipu.passes.domain import Domain, normalised
from dace_ipu.passes.fields import NEAR
from dace_ipu.passes.footprints import Site
from dace_ipu.passes.rewrite import Rewrite, fresh
from dace_ipu.passes.runtime_scalars import is_spread, mentions, prelude_of, runtime_names
from dace_ipu.passes.steps import map_steps, walk_steps
from dace_ipu.tile_graph.body import Access, Code, Declare, Expr, Store, symbol
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Step, TileGraph, Variable

__all__ = ["FetchSlices", "with_fetches"]

NOTE = "fetches a slice of '{}' that the device chooses, for all tiles that read it"
ZERO = sympy.Integer(0)


@dataclass(frozen=True)
class FetchSlices:
    """A dynamic slice into a temporary, where the alternative is to connect all that it might be taken from.

    Before: ``for i, j: A[i, j] += A[i, k] * A[k, j]``, where ``k`` is a scalar of the device: each vertex would hold
    all columns of its rows, and all rows of its columns. After: ``for i: t[i] = A[i, k]``, ``for j: u[j] = A[k, j]``,
    and then ``for i, j: A[i, j] += t[i] * u[j]``.

    A slice that is different for all blocks of the map stays where it is: it is indexed in place. So is one of few
    elements to choose from, and what the same iteration may have written before. Values stay the same.
    """

    name: str = "fetch_slices"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with maps that fetch, before those that read."""
        work = _Work(graph, {step.name for step in walk_steps(graph.steps) if isinstance(step, MapStep)})
        steps = map_steps(graph.steps, work.fetched)
        return replace(graph, steps=steps, variables=(*graph.variables, *work.temporaries))


def with_fetches(step: MapStep, graph: TileGraph) -> tuple[tuple[MapStep, ...], TileGraph]:
    """The maps that a step of a graph would become, and the graph with the temporaries between them."""
    work = _Work(graph, set())
    steps = tuple(part for part in work.fetched(step) if isinstance(part, MapStep))
    return steps, replace(graph, variables=(*graph.variables, *work.temporaries))


@dataclass(frozen=True)
class _Slice:
    """A part of a variable: some of its dimensions at one index each."""

    variable: str
    fixed: tuple[tuple[int, Expr], ...]

    def rest(self, indices: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The indices that are left in the temporary."""
        gone = {dimension for dimension, _ in self.fixed}
        return tuple(index for k, index in enumerate(indices) if k not in gone) or (ZERO,)


@dataclass
class _Work:
    graph: TileGraph
    names: set[str]
    temporaries: list[Variable] = field(default_factory=list)

    def fetched(self, step: Step) -> tuple[Step, ...]:
        """A step, after those that fetch what it reads."""
        if not isinstance(step, MapStep) or not runtime_names(step.body):
            return (step,)
        domain = Domain(self.graph, normalised(step))
        guarded: dict[_Slice, bool] = {}
        slices: dict[Access, _Slice] = {}
        for site, part in _slices(domain, step):
            slices[site.access] = part
            guarded[part] = guarded.get(part, False) or (site.guarded and not _surely_inside(site, part, domain))
        if not slices:
            return (step,)
        before = {part: self._fetch(part, step, is_guarded) for part, is_guarded in guarded.items()}

        def read(access: Access) -> Access:
            part = slices.get(access)
            return access if part is None else Access(before[part][1], part.rest(access.indices))

        body = Rewrite({}, read=read).body(step.body)
        return (*(fetch for fetch, _ in before.values()), replace(step, body=body))

    def _fetch(self, part: _Slice, step: MapStep, guarded: bool) -> tuple[MapStep, str]:
        """The map that fetches a slice, and the temporary that holds it.

        A slice that the map reads under a condition only may lie outside: any element will do then.
        """
        original = self.graph.variable(part.variable)
        fixed = {k: _inside(index, original.shape[k]) if guarded else index for k, index in part.fixed}
        shape = part.rest(original.shape) if len(fixed) < len(original.shape) else (sympy.Integer(1),)
        temporary = self._temporary(original, shape)
        runners = {k: symbol(f"at_{k}") for k in range(len(original.shape)) if k not in fixed}
        indices = tuple(fixed[k] if k in fixed else runners[k] for k in range(len(original.shape)))
        store = Store(Access(temporary, tuple(runners.values()) or (ZERO,)), _element(part.variable, indices))
        used = {s.name for index in indices for s in index.free_symbols}
        prelude = tuple(s for s in prelude_of(step.body)[0] if isinstance(s, Declare) and s.name in used)
        domain = tuple(Dimension(runner.name, original.shape[k]) for k, runner in runners.items())
        name = fresh(f"fetch_{part.variable}", self.names)
        self.names.add(name)
        return MapStep(name, domain, (*prelude, store), step.source, NOTE.format(part.variable)), temporary

    def _temporary(self, original: Variable, shape: tuple[Expr, ...]) -> str:
        taken = {v.name for v in (*self.graph.variables, *self.temporaries)} | {n for n, _ in self.graph.symbols}
        name = fresh(f"{original.name}_slice", taken)
        self.temporaries.append(Variable(name, original.dtype, shape, source=original.source))
        return name


def _element(variable: str, indices: tuple[Expr, ...]) -> Code:
    return Code("_0", (("_0", Access(variable, indices)),))


def _inside(index: Expr, size: Expr) -> Expr:
    return sympy.Max(0, sympy.Min(index, size - 1))


def _slices(domain: Domain, step: MapStep) -> Iterator[tuple[Site, _Slice]]:
    """The reads that are worth a fetch, with what is fetched for them."""
    divided = [name for name in domain.extents if _is_parallel(name, domain)]
    if step.domain and not divided:
        return
    late = runtime_names(step.body)
    known = late | domain.parameters
    for site in domain.sites:
        indices = site.access.indices
        fixed = [k for k, i in enumerate(indices) if mentions(i, late) and {s.name for s in i.free_symbols} <= known]
        if not step.domain:
            worth = len(indices) > 1 and is_spread(site.access.data, domain.graph)
            fixed = fixed[:1]
        else:
            worth = any(all(symbol(name) not in index.free_symbols for index in indices) for name in divided)
        if site.writes or not fixed or not worth or not _is_old(site, domain):
            continue
        part = _Slice(site.access.data, tuple((k, indices[k]) for k in fixed))
        if not _is_small(part, domain):
            yield site, part


def _is_parallel(name: str, domain: Domain) -> bool:
    """Whether different values of a dimension write different elements; what they read can be fetched before."""
    writes = {variable: tuple(site for site in domain.of(variable) if site.writes) for variable in domain.written}
    return all(
        domain.separates(name, variable, sites) or kind_for(name, variable, domain) is Kind.REDUCTION
        for variable, sites in writes.items()
    )


def _surely_inside(site: Site, part: _Slice, domain: Domain) -> bool:
    """Whether a slice lies inside the array for all values that the device may choose."""
    scope, shape = domain.whole(), domain.shape(part.variable)
    box = scope.box(site, shape)
    late = runtime_names(domain.step.body)
    bounded = all(s.name in domain.runtime for _, i in part.fixed for s in i.free_symbols if s.name in late)
    return bounded and all(
        scope.facts.holds(box[k].low) and scope.facts.at_most(box[k].high + 1, shape[k]) for k, _ in part.fixed
    )


def _is_small(part: _Slice, domain: Domain) -> bool:
    """Whether there are only few elements to choose from."""
    sizes = sympy.prod([domain.shape(part.variable)[k] for k, _ in part.fixed])
    return bool(sizes.is_Integer and sizes <= NEAR)


def _is_old(read: Site, domain: Domain) -> bool:
    """Whether no iteration reads what it has written itself."""
    loops = {id(loop) for loop in read.loops}
    return all(
        write.position > read.position and not any(id(loop) in loops for loop in write.loops)
        for write in domain.of(read.access.data)
        if write.writes
    )
