"""Partial results of reductions: every worker of every block accumulates in a row of its own."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from dace_ipu.passes.domain import ONE, ZERO, Domain
from dace_ipu.passes.fields import size_of
from dace_ipu.passes.rewrite import Body, claimed, map_statements
from dace_ipu.tile_graph.body import Access, Assign, Code, Declare, Expr, For, Reduction, Statement, Store, symbol
from dace_ipu.tile_graph.nodes import (
    BLOCK,
    WORKER,
    WORKERS_PER_TILE,
    Direction,
    Field,
    LaneMapping,
    Layout,
    Range,
    Slice,
    Variable,
)
from dace_ipu.tile_graph.reductions import identity, partial_type


@dataclass(frozen=True)
class Lanes:
    """Partial results of one variable.

    ``partial`` has the shape (blocks * workers, *sizes of the target); ``field`` holds the rows of one block's
    workers. If the target is one element, a worker accumulates in the local scalar ``total`` and stores it at the
    end; else in its row, from ``start`` on.
    """

    partial: Variable
    field: Field
    target: Slice
    reduction: Reduction
    start: str
    total: str
    counters: tuple[str, ...]

    @property
    def sizes(self) -> tuple[Expr, ...]:
        """The number of elements of the target along each dimension."""
        return self.partial.shape[1:]

    @property
    def is_scalar(self) -> bool:
        """Whether the target is one element."""
        return all(size == 1 for size in self.sizes)

    def before(self) -> Body:
        """What a worker does first: start from the identity of the reduction."""
        if self.is_scalar:
            return (Declare(self.total, self.partial.dtype, Code(self.start), constant=False),)
        counters = tuple(symbol(counter) for counter in self.counters)
        loops: Statement = Store(self._row(counters), Code(self.start))
        for counter, size in reversed(tuple(zip(self.counters, self.sizes, strict=True))):
            loops = For(counter, ZERO, size, ONE, (loops,))
        return (loops,)

    def redirected(self, body: Body) -> Body:
        """The body with the reductions into the variable going into the worker's partial result."""
        return map_statements(body, self._redirect)

    def after(self) -> Body:
        """What a worker does last."""
        if not self.is_scalar:
            return ()
        return (Store(self._row(tuple(ZERO for _ in self.sizes)), Code(self.total)),)

    def _redirect(self, statement: Statement) -> Statement:
        if not isinstance(statement, Store) or statement.target.data != self.target.variable:
            return statement
        if self.is_scalar:
            return Assign(self.total, statement.value, statement.reduction)
        pairs = zip(statement.target.indices, self.target.ranges, strict=True)
        indices = tuple(sympy.expand((index - at.begin) / at.step) for index, at in pairs)
        return Store(self._row(indices), statement.value, statement.reduction)

    def _row(self, indices: tuple[Expr, ...]) -> Access:
        return Access(self.field.name, (symbol(WORKER), *indices))


def lanes_for(variable: str, domain: Domain, partition: str, taken: set[str]) -> Lanes:
    """The partial results of a variable that all blocks of a partition reduce into. Adds new names to ``taken``."""
    original, found = domain.graph.variable(variable), domain.of(variable)
    reduction = found[0].reduction
    if reduction is None:
        raise ValueError(f"'{variable}' is not reduced into")
    start = identity(reduction, original.dtype)
    if start is None:
        raise ValueError(f"the reduction into '{variable}' has no identity")
    scope = domain.whole()
    ranges = tuple(at.to_range() for at in scope.hull(scope.clamped(site, original.shape) for site in found))
    sizes = tuple(size_of(at) for at in ranges)
    name = claimed(f"{variable}_partial", taken)
    partial = Variable(
        name,
        partial_type(original.dtype),
        (ONE, *sizes),
        mapping=LaneMapping(partition, WORKERS_PER_TILE),
        lanes_of=(partition, WORKERS_PER_TILE),
        source=original.source,
    )
    first = WORKERS_PER_TILE * symbol(BLOCK)
    rows = (Range(first, first + WORKERS_PER_TILE), *(Range(ZERO, size) for size in sizes))
    field = Field(variable, name, Direction.OUTPUT, rows, Layout.VECTOR)
    counters = tuple(claimed(f"{variable}_{number}", taken) for number in range(len(sizes)))
    total = claimed(f"{variable}_{reduction.op.value}", taken)
    return Lanes(partial, field, Slice(variable, ranges), reduction, start, total, counters)
