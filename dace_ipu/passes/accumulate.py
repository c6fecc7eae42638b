"""Reductions over inner loops accumulate in a register."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dace_ipu.passes.clean_up import with_inner
from dace_ipu.passes.codelets import Elements, changed_names, elements_of, entry_facts, names_of
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.footprints import Site, facts_inside, sites
from dace_ipu.passes.rewrite import Body, claimed, map_statements
from dace_ipu.passes.steps import map_steps
from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Code,
    Declare,
    For,
    Statement,
    Store,
    symbol,
)
from dace_ipu.tile_graph.nodes import ComputeSet, Direction, Step, TileGraph


@dataclass(frozen=True)
class Accumulate:
    """Before: ``for k in 0:K: C[i, j] += A[i, k] * B[k, j]``.

    After: ``C_sum = C[i, j]; for k in 0:K: C_sum += A[i, k] * B[k, j]; C[i, j] = C_sum``. Only where
    nothing else in the loop touches the array, where the element is the same for all turns and surely exists, and where
    no turn skips the update. The order of the updates, and so every rounding, stays.
    """

    name: str = "accumulate"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with accumulating loops in all compute sets."""

        def change(step: Step) -> tuple[Step, ...]:
            return (_in_registers(step, graph),) if isinstance(step, ComputeSet) else (step,)

        return replace(graph, steps=map_steps(graph.steps, change))


def _in_registers(compute_set: ComputeSet, graph: TileGraph) -> ComputeSet:
    written = tuple(edge for edge in compute_set.fields if edge.direction is not Direction.INPUT)
    loops = _Loops(elements_of(written, graph), names_of(compute_set))
    return replace(compute_set, body=loops.body(compute_set.body, entry_facts(compute_set)))


@dataclass
class _Loops:
    """``elements`` of the fields that may be accumulated into; ``taken`` names."""

    elements: Elements
    taken: set[str]

    def body(self, body: Body, facts: Facts) -> Body:
        """The statements, with loops that accumulate; outer loops come first."""
        result: list[Statement] = []
        for statement in body:
            if isinstance(statement, For):
                result.extend(self._loop(statement, facts, result))
            else:
                result.append(self._inside(statement, facts))
        return tuple(result)

    def _inside(self, statement: Statement, facts: Facts) -> Statement:
        known = facts_inside(statement, facts) if isinstance(statement, For) else facts
        return with_inner(statement, lambda inner: self.body(inner, known))

    def _loop(self, loop: For, facts: Facts, before: list[Statement]) -> Body:
        """The loop with what comes around it. A plain store just before it is the start, taken out of ``before``."""
        targets = () if loop.shared else self._targets(loop, facts)
        starts, ends = [], []
        for store in targets:
            name = claimed(f"{store.target.data}_{_word(store)}", self.taken)
            loop = replace(loop, body=map_statements(loop.body, _Redirect(store.target, name)))
            start = self._start(store.target, before)
            starts.append(Declare(name, self.elements.types[store.target.data], start, constant=False))
            ends.append(Store(store.target, Code(name)))
        return (*starts, self._inside(loop, facts), *ends)

    def _start(self, target: Access, before: list[Statement]) -> Code:
        if before and isinstance(before[-1], Store) and before[-1].target == target and before[-1].reduction is None:
            last = before.pop()
            assert isinstance(last, Store)
            return last.value
        return Code(target.data, ((target.data, target),))

    def _targets(self, loop: For, facts: Facts) -> tuple[Store, ...]:
        """The reductions in a loop that can go into a register, one a target."""
        inside = sites((loop,))
        found: dict[str, Store] = {}
        for site in inside:
            others = [other for other in inside if other.access.data == site.access.data]
            if site.access.data not in found and self._is_target(site, others, loop, facts):
                assert site.store is not None
                found[site.access.data] = site.store
        return tuple(found.values())

    def _is_target(self, site: Site, others: list[Site], loop: For, facts: Facts) -> bool:
        if site.reduction is None or site.access.data not in self.elements.sizes:
            return False
        same = all(other.access == site.access and other.reduction == site.reduction for other in others)
        moving = {symbol(name) for name in changed_names((loop,))}
        fixed = not any(index.free_symbols & moving for index in site.access.indices)
        return (
            same and fixed and not any(other.guarded for other in others) and self.elements.exists(site.access, facts)
        )


@dataclass(frozen=True)
class _Redirect:
    """Turns reductions into an element into those of a scalar."""

    target: Access
    name: str

    def __call__(self, statement: Statement) -> Statement:
        if isinstance(statement, Store) and statement.target == self.target:
            return Assign(self.name, statement.value, statement.reduction)
        return statement


def _word(store: Store) -> str:
    assert store.reduction is not None
    return store.reduction.op.value
