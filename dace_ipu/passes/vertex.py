"""The family of vertices of a map step: fields, values, and the body in their coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from dace_ipu.passes.domain import ONE, ZERO, Domain
from dace_ipu.passes.fields import Edge, edges_of
from dace_ipu.passes.footprints import facts_of
from dace_ipu.passes.lanes import Lanes, lanes_for
from dace_ipu.passes.narrow_ranges import narrowed
from dace_ipu.passes.plan import Plan, reduced_by
from dace_ipu.passes.powers import with_powers_first
from dace_ipu.passes.rewrite import Body, Rewrite, defined_names, fresh, used_names
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.slots import slots_of
from dace_ipu.passes.steps import graph_names
from dace_ipu.tile_graph.body import Access, Declare, DType, For, Store, codes, symbol, walk
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.nodes import (
    BLOCK,
    WORKER,
    BlockDimension,
    Combine,
    ComputeSet,
    Direction,
    Value,
)

_COUNT, _PLACE = np.dtype(np.uint32), np.dtype(np.int32)


@dataclass
class Vertex:
    """The family of vertices of one map step while it is made."""

    domain: Domain
    plan: Plan
    partition: str | None
    along_rows: bool = False  # the workers share the last of the divided dimensions, not the first
    edges: list[Edge] = field(default_factory=list)
    lanes: tuple[Lanes, ...] = ()
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        graph, body = self.domain.graph, self.domain.step.body
        self.taken = graph_names(graph)
        self.taken |= defined_names(body) | used_names(body) | set(self.domain.extents) | {WORKER, BLOCK}
        self.names = {name: self._block_names(name) for name in self.plan.divided}
        reduced = tuple(reduced_by(self.plan.divided, self.domain)) if self.plan.lanes else ()
        self.lanes = tuple(lanes_for(name, self.domain, self.partition or "", self.taken) for name in reduced)
        scope = self.domain.block(self.names)
        for variable in self.domain.read:
            if variable not in reduced:
                self.edges.extend(edges_of(variable, self.domain, scope, self.taken))

    def _block_names(self, name: str) -> tuple[str, str]:
        begin, size = fresh(f"{name}_begin", self.taken), fresh(f"{name}_size", self.taken)
        self.taken |= {begin, size}
        return begin, size

    def compute_set(self) -> ComputeSet:
        """The compute set."""
        body, note = self._body(), self.plan.note or self.domain.step.note
        workers = bool(self.plan.divided)
        if workers and self._shares_words(body):
            workers, note = False, "runs on one worker a tile: two workers would write parts of one 32-bit word"
            body = tuple(replace(s, shared=False) if isinstance(s, For) else s for s in body)
        fields = (*(edge.field for edge in self.edges), *(lane.field for lane in self.lanes))
        blocks = tuple(BlockDimension(k, *self.names[name]) for k, name in enumerate(self.plan.divided))
        types = {
            f.name: self.domain.graph.variable(f.variable).dtype for f in fields if not self._is_partial(f.variable)
        }
        types |= {lane.field.name: lane.partial.dtype for lane in self.lanes}
        step = self.domain.step
        slots = slots_of(body, types, frozenset(self.taken) - defined_names(body))
        return ComputeSet(
            step.name, self.partition, blocks, fields, self._values(body), body, workers, slots, note, step.source
        )

    def combines(self) -> Iterator[Combine]:
        """What folds the partial results into their targets."""
        for lane in self.lanes:
            yield Combine(lane.partial.name, lane.target, lane.reduction, self.domain.step.source)

    def _is_partial(self, variable: str) -> bool:
        return any(lane.partial.name == variable for lane in self.lanes)

    def _body(self) -> Body:
        """The loops around the statements, in the coordinates of the fields."""
        statements = self.domain.step.body
        for lane in self.lanes:
            statements = lane.redirected(statements)
        through = {access: edge for edge in self.edges for access in edge.accesses}
        offsets = {name: symbol(begin) + symbol(name) for name, (begin, _) in self.names.items()}
        shift = Rewrite(offsets)

        def local(access: Access) -> Access:
            edge = through.get(access)
            return shift.element(access) if edge is None else edge.local(shift.element(access).indices)

        texts = {name: f"{begin} + {name}" for name, (begin, _) in self.names.items()}
        prelude, statements = (_Localise(offsets, local, texts=texts).body(part) for part in prelude_of(statements))
        for name in reversed(self._loop_order()):
            size = symbol(self.names[name][1]) if name in self.names else self.domain.extents[name]
            statements = (For(name, ZERO, size, ONE, statements, shared=name == self._shared()),)
        invariant = self.domain.parameters | {s.name for s in prelude if isinstance(s, Declare)}
        statements = with_powers_first(statements, self.domain, invariant, self.taken)
        before = [statement for lane in self.lanes for statement in lane.before()]
        after = (statement for lane in self.lanes for statement in lane.after())
        return self._narrow_ranges((*prelude, *before, *statements, *after))

    def _narrow_ranges(self, body: Body) -> Body:
        """The body without conditions that are surely true in this block, or that may stand around a loop."""
        known = {name for name, dtype in self.domain.graph.symbols if dtype.kind == "i"}
        known |= {part for parts in self.names.values() for part in parts}
        facts = self.domain.block(self.names).facts
        spans = (fact for name, span in self.domain.runtime.items() for fact in facts_of(name, span))
        return narrowed(body, frozenset(known), facts.and_also(*spans))

    def _loop_order(self) -> tuple[str, ...]:
        """What is divided is outermost."""
        inner = tuple(name for name in self.domain.extents if name not in self.plan.divided)
        return (*self.plan.divided, *inner)

    def _shared(self) -> str:
        if not self.plan.divided:
            return ""
        return self.plan.divided[-1 if self.along_rows else 0]

    def _shares_words(self, body: Body) -> bool:
        """Whether two workers may write parts of one word.

        They do not if each iteration writes a run of the elements that begins where the shared loop stands: the
        shares of the workers are cut at multiples of four bytes.
        """
        shared = symbol(self._shared())
        narrow = {
            edge.field.name
            for edge in self.edges
            if edge.field.direction is not Direction.INPUT and self._is_narrow(edge)
        }
        stores = [
            statement.target
            for statement in walk(body)
            if isinstance(statement, Store) and statement.target.data in narrow
        ]
        moving = [[index for index in target.indices if shared in index.free_symbols] for target in stores]
        return any(indices != [shared] for indices in moving)

    def _is_narrow(self, edge: Edge) -> bool:
        return self.domain.graph.variable(edge.field.variable).dtype.itemsize < 4

    def _values(self, body: Body) -> tuple[Value, ...]:
        """Plain fields for the names that the body uses but does not define: of block, origins, program."""
        used, known = used_names(body), self._known_values()
        free = used - defined_names(body)
        return tuple(self._narrow(value, body) for name, value in known.items() if name in free)

    def _narrow(self, value: Value, body: Body) -> Value:
        """In 32 bits, which a tile counts in, if only indices and loops use it and it is a size: no tensor has more."""
        sizes, in_texts = self.domain.facts.nonnegative, _names_in_texts(body)
        is_size = symbol(value.name) in sizes and value.name not in in_texts
        return replace(value, dtype=_PLACE) if is_size and value.dtype.kind == "i" else value

    def _known_values(self) -> dict[str, Value]:
        sizes = [(size, _COUNT) for _, size in self.names.values()]
        begins = [(begin, _PLACE) for begin, _ in self.names.values()]
        plain: list[tuple[str, DType]] = [*sizes, *begins, *self.domain.graph.symbols]
        known = {name: Value(name, symbol(name), dtype) for name, dtype in plain}
        return known | {value.name: value for edge in self.edges for value in edge.values}


def _names_in_texts(body: Body) -> set[str]:
    return {name for statement in walk(body) for code in codes(statement) for name in names(code.text)}


class _Localise(Rewrite):
    """Hands accesses over as they stand: which edge they go through is known by their indices in the variable."""

    def element(self, access: Access) -> Access:
        return self.access(access)
