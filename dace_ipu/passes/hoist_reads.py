"""What a loop reads again and again is read once, before it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dace_ipu.passes.clean_up import with_inner
from dace_ipu.passes.codelets import Elements, changed_names, elements_of, entry_facts, names_of
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.footprints import facts_inside, sites
from dace_ipu.passes.rewrite import Body, claimed, map_statements
from dace_ipu.passes.steps import map_steps
from dace_ipu.passes.substitute import WithScalars
from dace_ipu.tile_graph.body import Access, Code, Declare, For, Statement, symbol
from dace_ipu.tile_graph.nodes import ComputeSet, Direction, Step, TileGraph


@dataclass(frozen=True)
class HoistReads:
    """Before: ``for j in 0:M: C[i, j] = a[i] * B[i, j]``.

    After: ``a_i = a[i]; for j in 0:M: C[i, j] = a_i * B[i, j]``. A compiler must not do that: for all it knows the
    store changes ``a``. Only what the vertex does not write, what every turn reads, and what surely exists, as the loop
    may not turn at all.
    """

    name: str = "hoist_reads"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with such reads before the loops of all compute sets."""

        def change(step: Step) -> tuple[Step, ...]:
            return (_hoisted(step, graph),) if isinstance(step, ComputeSet) else (step,)

        return replace(graph, steps=map_steps(graph.steps, change))


def _hoisted(compute_set: ComputeSet, graph: TileGraph) -> ComputeSet:
    inputs = tuple(edge for edge in compute_set.fields if edge.direction is Direction.INPUT)
    loops = _Loops(elements_of(inputs, graph), names_of(compute_set))
    return replace(compute_set, body=loops.body(compute_set.body, entry_facts(compute_set)))


@dataclass
class _Loops:
    """``elements`` of the fields that are only read; ``taken`` names."""

    elements: Elements
    taken: set[str]

    def body(self, body: Body, facts: Facts) -> Body:
        """The statements, with what they read in all turns before the loops: outer loops come first."""
        return tuple(new for statement in body for new in self._statement(statement, facts))

    def _statement(self, statement: Statement, facts: Facts) -> Body:
        if isinstance(statement, For):
            return self._loop(statement, facts)
        return (with_inner(statement, lambda inner: self.body(inner, facts)),)

    def _loop(self, loop: For, facts: Facts) -> Body:
        names = {access: claimed(_hint(access), self.taken) for access in self._fixed(loop, facts)}
        declared = (self._declaration(access, name) for access, name in names.items())
        body = self.body(map_statements(loop.body, WithScalars(names)), facts_inside(loop, facts))
        return (*declared, replace(loop, body=body))

    def _fixed(self, loop: For, facts: Facts) -> tuple[Access, ...]:
        """The elements that every turn reads, each once, in order."""
        moving = {symbol(name) for name in changed_names((loop,))}
        reads = (site.access for site in sites((loop,)) if not site.guarded and site.access.data in self.elements.sizes)
        fixed = (access for access in reads if not any(index.free_symbols & moving for index in access.indices))
        return tuple(access for access in dict.fromkeys(fixed) if self.elements.exists(access, facts))

    def _declaration(self, access: Access, name: str) -> Declare:
        return Declare(name, self.elements.types[access.data], Code(access.data, ((access.data, access),)))


def _hint(access: Access) -> str:
    """``a_i`` for ``a[i]``, ``a_value`` for anything longer."""
    if len(access.indices) == 1 and access.indices[0].is_Symbol:
        return f"{access.data}_{access.indices[0]}"
    return f"{access.data}_value"
