"""An element that a loop reads and writes again and again is kept in a register."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dace_ipu.passes.clean_up import with_inner
from dace_ipu.passes.codelets import Elements, changed_names, elements_of, entry_facts, names_of
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.footprints import facts_inside, sites
from dace_ipu.passes.rewrite import Body, claimed, map_statements
from dace_ipu.passes.steps import map_steps
from dace_ipu.passes.substitute import WithScalars
from dace_ipu.tile_graph.body import Access, Assign, Code, Declare, For, Statement, Store, symbol, walk
from dace_ipu.tile_graph.nodes import ComputeSet, Direction, Step, TileGraph

__all__ = ["KeepElements"]

MOST = 4  # elements a loop: a worker has 12 registers for integers and 8 for floats


@dataclass(frozen=True)
class KeepElements:
    """Before: ``for t in 0:T { if z[i] < 2 { z[i] = z[i] ** 2 + c[i] } }``.

    After: ``z_kept = z[i]; for t in 0:T { if z_kept < 2 { z_kept = z_kept ** 2 + c[i] } }; z[i] = z_kept``. A compiler
    must not do that: for all it knows another field is the same memory. Only where the vertex has the element anyway,
    whose field comes with its old content, where it is the same one in all turns, and where the loop touches no other
    element of the array.
    """

    name: str = "keep_elements"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with such elements in local scalars in all compute sets."""

        def change(step: Step) -> tuple[Step, ...]:
            return (_kept(step, graph),) if isinstance(step, ComputeSet) else (step,)

        return replace(graph, steps=map_steps(graph.steps, change))


def _kept(compute_set: ComputeSet, graph: TileGraph) -> ComputeSet:
    users = Counter(edge.variable for edge in compute_set.fields)
    own = tuple(e for e in compute_set.fields if e.direction is Direction.INOUT and users[e.variable] == 1)
    loops = _Loops(elements_of(own, graph), names_of(compute_set))
    return replace(compute_set, body=loops.body(compute_set.body, entry_facts(compute_set)))


@dataclass
class _Loops:
    """``elements`` of the fields that may be kept; ``taken`` names."""

    elements: Elements
    taken: set[str]

    def body(self, body: Body, facts: Facts) -> Body:
        """The statements, with what their loops keep: outer loops come first."""
        return tuple(new for statement in body for new in self._statement(statement, facts))

    def _statement(self, statement: Statement, facts: Facts) -> Body:
        if not isinstance(statement, For):
            return (with_inner(statement, lambda inner: self.body(inner, facts)),)
        shared = any(isinstance(s, For) and s.shared for s in walk((statement,)))
        kept = () if shared else tuple(self._targets(statement, facts))[:MOST]
        names = {access: claimed(f"{access.data}_kept", self.taken) for access in kept}
        before = (Declare(name, self.elements.types[a.data], _read(a), constant=False) for a, name in names.items())
        after = (Store(access, Code(name)) for access, name in names.items())
        inside = self.body(map_statements(statement.body, _Use(names)), facts_inside(statement, facts))
        return (*before, replace(statement, body=inside), *after)

    def _targets(self, loop: For, facts: Facts) -> Iterator[Access]:
        """The elements that a loop writes, where it touches no other one of their array, in order."""
        inside = sites((loop,))
        touched = {name: {s.access for s in inside if s.access.data == name} for name in self.elements.sizes}
        moving = {symbol(name) for name in changed_names((loop,))}
        for access in dict.fromkeys(site.access for site in inside if site.writes):
            alone = touched.get(access.data) == {access}
            fixed = not any(index.free_symbols & moving for index in access.indices)
            if alone and fixed and self.elements.exists(access, facts):
                yield access


def _read(access: Access) -> Code:
    return Code(access.data, ((access.data, access),))


class _Use(WithScalars):
    """Puts scalars in place of elements that are read or written."""

    def __call__(self, statement: Statement) -> Statement:
        statement = super().__call__(statement)
        if isinstance(statement, Store) and statement.target in self.names:
            return Assign(self.names[statement.target], statement.value, statement.reduction)
        return statement
