"""In-place stencils: what a map reads before it overwrites it is copied aside; then all iterations can run at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.classify import Kind, kind_for
from dace_ipu.passes.domain import Domain, normalised
from dace_ipu.passes.fields import near_groups, size_of
from dace_ipu.passes.footprints import Box, Site
from dace_ipu.passes.rewrite import Rewrite, fresh
from dace_ipu.passes.steps import map_steps
from dace_ipu.tile_graph.body import Access, Expr, symbol
from dace_ipu.tile_graph.nodes import Copy, MapStep, Range, Slice, Step, TileGraph, Variable


@dataclass(frozen=True)
class DoubleBuffer:
    """Before: ``A[i] = A[i - 1] + A[i + 1]``. After: ``copy A → A_before; A[i] = A_before[i - 1] + A_before[i + 1]``.

    Only for maps where nothing but reads stands in the way of parallel iterations, or which read what they reduce to,
    and where no iteration reads a variable after it has written it. Only the slices that are read by other iterations
    than the writing one are copied. Which dimensions are parallel is decided later, by ``Partition``; this pass never
    changes the result of a map whose iterations are independent.
    """

    name: str = "double_buffer"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with copies before in-place maps."""
        added: list[Variable] = []

        def buffered(step: Step) -> tuple[Step, ...]:
            if not isinstance(step, MapStep):
                return (step,)
            taken = replace(graph, variables=(*graph.variables, *added))
            steps, variables = _buffered(Domain(taken, normalised(step)))
            added.extend(variables)
            return steps

        steps = map_steps(graph.steps, buffered)
        return replace(graph, steps=steps, variables=(*graph.variables, *added))


def _buffered(domain: Domain) -> tuple[tuple[Step, ...], tuple[Variable, ...]]:
    for variable in domain.written:
        stale = _stale_reads(variable, domain)
        if stale:
            copies, step, variables = _copied(variable, stale, domain)
            graph = replace(domain.graph, variables=(*domain.graph.variables, *variables))
            steps, more = _buffered(Domain(graph, step))
            return (*copies, *steps), (*variables, *more)
    return (domain.step,), ()


def _stale_reads(variable: str, domain: Domain) -> tuple[Site, ...]:
    """The reads that stand between the iterations of some dimension and that a copy can serve."""
    accesses = domain.of(variable)
    reads = tuple(site for site in accesses if not site.writes)
    writes = tuple(site for site in accesses if site.writes)
    if not reads:
        return ()
    if any(site.reduction for site in writes):
        return _reads_beside_a_reduction(variable, reads, writes, domain)
    found: set[int] = set()
    for name in domain.extents:
        stale = _obstacles(name, variable, reads, writes, domain)
        found |= {site.position for site in stale} if _never_new(stale, writes, domain) else set()
    return tuple(site for site in reads if site.position in found)


def _reads_beside_a_reduction(
    variable: str, reads: tuple[Site, ...], writes: tuple[Site, ...], domain: Domain
) -> tuple[Site, ...]:
    """The reads of what all iterations add to: ``C[j] += C[j] * A[i, j]`` multiplies what was there before the map."""
    is_alone = all(kind_for(name, variable, domain) is Kind.PARALLEL for name in domain.extents)
    return reads if not is_alone and _never_new(reads, writes, domain) else ()


def _obstacles(
    name: str, variable: str, reads: tuple[Site, ...], writes: tuple[Site, ...], domain: Domain
) -> tuple[Site, ...]:
    """The reads of what iterations with another value of ``name`` write; none if the writes are in their own way."""
    if kind_for(name, variable, domain) is Kind.PARALLEL or not domain.separates(name, variable, writes):
        return ()
    return tuple(read for read in reads if not domain.separates(name, variable, (read, *writes)))


def _never_new(reads: tuple[Site, ...], writes: tuple[Site, ...], domain: Domain) -> bool:
    """Whether no read sees what its own iteration has written: it comes before all writes, or is another element."""
    return all(_comes_before(read, write) or _is_apart(read, write, domain) for read in reads for write in writes)


def _comes_before(read: Site, write: Site) -> bool:
    """Whether a read comes before a write, and no loop in the body holds both."""
    loops = {id(loop) for loop in write.loops}
    return read.position < write.position and not any(id(loop) in loops for loop in read.loops)


def _is_apart(read: Site, write: Site, domain: Domain) -> bool:
    """Whether two accesses of one iteration surely touch different elements: along a dimension that no inner loop moves
    they differ by a constant.
    """
    fixed = {symbol(name) for name in (*domain.extents, *domain.parameters)}
    gaps = (
        sympy.expand(there - here)
        for there, here in zip(read.access.indices, write.access.indices, strict=True)
        if there.free_symbols | here.free_symbols <= fixed
    )
    return any(gap.is_Integer and gap != 0 for gap in gaps)


def _copied(
    variable: str, stale: tuple[Site, ...], domain: Domain
) -> tuple[tuple[Copy, ...], MapStep, tuple[Variable, ...]]:
    """The copies that are needed, the step that reads them, and the variables that hold them."""
    scope, original = domain.whole(), domain.graph.variable(variable)
    hulls = {site.access: scope.clamped(site, original.shape) for site in stale}
    taken = {known.name for known in domain.graph.variables}
    copies, buffers = [], []
    moved: dict[Access, Access] = {}
    for box, accesses in near_groups(hulls, scope):
        buffer = _buffer(original, box, fresh(f"{variable}_before", taken))
        taken.add(buffer.name)
        buffers.append(buffer)
        copies.append(_copy(variable, box, buffer, domain))
        along = _own_reads(variable, box, stale, domain)
        moved |= {access: _moved(access, box, buffer) for access in (*accesses, *along)}
    body = Rewrite({}, read=lambda access: moved.get(access, access)).body(domain.step.body)
    return tuple(copies), replace(domain.step, body=body), tuple(buffers)


def _own_reads(variable: str, box: Box, stale: tuple[Site, ...], domain: Domain) -> tuple[Access, ...]:
    """Reads of the element that is then written, if the copy holds it anyhow: then it is not needed in place."""
    scope, accesses = domain.whole(), domain.of(variable)
    writes = tuple(site for site in accesses if site.writes)
    reads = tuple(site for site in accesses if not site.writes and site not in stale)
    inside = (scope.contains(box, scope.clamped(site, domain.shape(variable))) for site in reads)
    return tuple(site.access for site in reads) if all(inside) and _never_new(reads, writes, domain) else ()


def _buffer(original: Variable, box: Box, name: str) -> Variable:
    shape = tuple(size_of(interval.to_range()) for interval in box)
    return Variable(name, original.dtype, shape, source=original.source)


def _moved(access: Access, box: Box, buffer: Variable) -> Access:
    """The same element in the copy."""
    pairs = zip(access.indices, box, strict=True)
    return Access(buffer.name, tuple(sympy.expand((index - at.low) / at.step) for index, at in pairs))


def _copy(variable: str, box: Box, buffer: Variable, domain: Domain) -> Copy:
    source = Slice(variable, tuple(interval.to_range() for interval in box))
    return Copy(source, Slice(buffer.name, tuple(_all_of(size) for size in buffer.shape)), domain.step.source)


def _all_of(size: Expr) -> Range:
    return Range(sympy.Integer(0), size)
