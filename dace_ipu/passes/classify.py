"""Which dimensions of a map may be divided among vertices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from dace_ipu.errors import Diagnostic, Place
from dace_ipu.passes.domain import Domain
from dace_ipu.passes.footprints import Site
from dace_ipu.tile_graph.body import Access, Expr, Store, symbol
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.nodes import Source


class Kind(IntEnum):
    """What different values of a dimension do to each other, the worst last."""

    PARALLEL = 0  # they touch different elements
    REDUCTION = 1  # they combine into the same elements, in any order
    SEQUENTIAL = 2  # they depend on each other, or nobody knows


@dataclass(frozen=True)
class Verdict:
    """The kind of a dimension; ``reason`` names the variable and the accesses that decided, unless it is PARALLEL."""

    kind: Kind
    reason: str = ""


def classify(domain: Domain) -> dict[str, Verdict]:
    """The verdict on each dimension of a domain: the worst over all variables that are written."""
    return {name: max(_verdicts(name, domain), key=lambda verdict: verdict.kind) for name in domain.extents}


def kind_for(name: str, variable: str, domain: Domain) -> Kind:
    """The kind of a dimension as far as one written variable is concerned."""
    accesses = domain.of(variable)
    if domain.separates(name, variable, accesses):
        return Kind.PARALLEL
    reductions = {site.reduction for site in accesses}
    first = next(iter(reductions))
    return Kind.REDUCTION if len(reductions) == 1 and first is not None and first.associative else Kind.SEQUENTIAL


def _verdicts(name: str, domain: Domain) -> Iterator[Verdict]:
    yield Verdict(Kind.PARALLEL)
    for variable in domain.written:
        kind = kind_for(name, variable, domain)
        if kind is not Kind.PARALLEL:
            yield Verdict(
                kind, f"different values of '{name}' may touch the same element of {_accesses_text(variable, domain)}"
            )


def _accesses_text(variable: str, domain: Domain) -> str:
    texts = dict.fromkeys(access_text(site.access) for site in domain.of(variable))
    return f"'{variable}' ({', '.join(texts)})"


def access_text(access: Access) -> str:
    """``A[i + 1, j]``."""
    return f"{access.data}[{', '.join(str(index) for index in access.indices)}]"


def place_of(source: Source, domain: Domain) -> Place:
    """The place of a step in the user's program."""
    return Place(source.file or None, source.line or None, domain.graph.name, None, domain.step.name)


def write_conflicts(domain: Domain) -> Iterator[Diagnostic]:
    """Errors for plain stores that several iterations surely make to one element, with values that may differ."""
    for site in domain.sites:
        if site.store is None or site.reduction is not None or site.guarded:
            continue
        names_of = [name for name, extent in domain.extents.items() if _surely_fixed(name, site, domain)]
        if names_of:
            yield _conflict(site.store, names_of, domain)


def _conflict(store: Store, dimensions: list[str], domain: Domain) -> Diagnostic:
    target, runners = access_text(store.target), ", ".join(f"'{name}'" for name in dimensions)
    return Diagnostic(
        place_of(domain.step.source, domain),
        f"write conflict without reduction: all iterations of {runners} write {target}",
        notes=("the iterations of a map run at the same time: which value stays is undefined",),
        hints=(
            f"combine the values (write-conflict resolution), such as `{target} += ...` or wcr='lambda a, b: a + b'",
            f"or give each iteration an element of its own: an index with {runners}",
        ),
    )


def _surely_fixed(name: str, site: Site, domain: Domain) -> bool:
    """Whether the element that is written does not depend on ``name`` (nor on data), but the value may."""
    dimension, loops = symbol(name), {symbol(loop.variable): loop for loop in site.loops}
    free = {s for index in site.access.indices for s in index.free_symbols}
    known = {symbol(other) for other in (*domain.extents, *domain.parameters)} | loops.keys()
    bounds = {s for s in free & loops.keys() for bound in (loops[s].begin, loops[s].end) for s in bound.free_symbols}
    if dimension in free | bounds or not (free | bounds) <= known:
        return False
    assert site.store is not None
    return not _same_for_all(dimension, site.store, known)


def _same_for_all(dimension: Expr, store: Store, known: set[Expr]) -> bool:
    """Whether the value of a store has nothing to do with a dimension: then it does not matter who writes last."""
    reads = dict(store.value.reads)
    free = {symbol(name) for name in names(store.value.text) - reads.keys()}
    free |= {s for read in reads.values() for index in read.indices for s in index.free_symbols}
    same_data = all(read.data != store.target.data for read in reads.values())
    return same_data and dimension not in free and free <= known
