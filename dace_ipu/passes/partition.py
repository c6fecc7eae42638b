"""Map steps become compute sets: a partition of the domain in blocks, one vertex a block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import sympy

from dace_ipu.errors import DiagnosticCollector
from dace_ipu.passes.classify import Kind, Verdict, classify, kind_for, write_conflicts
from dace_ipu.passes.domain import ONE, ZERO, Domain, normalised
from dace_ipu.passes.fields import Edge, edges_of
from dace_ipu.passes.lanes import Lanes, lanes_for
from dace_ipu.passes.reductions import identity
from dace_ipu.passes.rewrite import Body, Rewrite, defined_names, fresh, used_names
from dace_ipu.passes.slots import slots_of
from dace_ipu.passes.steps import map_steps
from dace_ipu.tile_graph.body import Access, DType, Expr, For, Store, symbol, walk
from dace_ipu.tile_graph.nodes import (
    BLOCK,
    WORKER,
    BlockDimension,
    Combine,
    ComputeSet,
    Direction,
    MapStep,
    Partition,
    Step,
    TileGraph,
    Value,
    Variable,
)

FEW = 256  # iterations: fewer parallel ones than this are worth giving up for a larger reduction
_COUNT, _PLACE = np.dtype(np.uint32), np.dtype(np.int32)


@dataclass(frozen=True)
class PartitionMaps:
    """Before: ``jacobi: for i in 0:N-2: B[i + 1] = f(A[i], A[i + 1], A[i + 2])``, in the coordinates of the variables.

    After: a compute set over ``jacobi_blocks``, whose vertices hold ``A[i_begin : i_begin + i_size + 2]`` and
    ``B[i_begin + 1 : i_begin + i_size + 1]`` and run ``for i in 0:i_size: B[i] = f(A[i], A[i + 1], A[i + 2])``.
    Dimensions whose iterations touch different elements are divided; if there are none, those of reductions are, with
    partial results that a Combine folds. What cannot be divided runs in one vertex on one tile, with a note that says
    why. The pass changes no mapping, and no order of iterations that depend on each other.

    Raises DiagnosticError, with all findings, for stores of several iterations to one element.
    """

    name: str = "partition"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with compute sets instead of map steps."""
        work = _Work(graph)
        steps = map_steps(graph.steps, work.divided)
        work.findings.raise_if_errors()
        return replace(
            graph,
            steps=steps,
            variables=(*graph.variables, *work.partials),
            partitions=(*graph.partitions, *work.partitions.values()),
            notes=(*graph.notes, *work.notes),
        )


@dataclass
class _Work:
    """What is gathered on the way through the program."""

    graph: TileGraph
    partials: list[Variable] = field(default_factory=list)
    partitions: dict[tuple[Expr, ...], Partition] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    findings: DiagnosticCollector = field(default_factory=DiagnosticCollector)

    def divided(self, step: Step) -> tuple[Step, ...]:
        """The compute set of a map step, and the Combines of its partial results."""
        if not isinstance(step, MapStep):
            return (step,)
        graph = replace(self.graph, variables=(*self.graph.variables, *self.partials))
        domain = Domain(graph, normalised(step))
        self.findings.extend(write_conflicts(domain))
        plan = _plan(domain)
        partition = self._partition(plan, domain)
        vertex = _Vertex(domain, plan, partition)
        compute_set = vertex.compute_set()
        self.partials += [lane.partial for lane in vertex.lanes]
        if compute_set.note:
            self.notes.append(_sentence(compute_set))
        return (compute_set, *vertex.combines())

    def _partition(self, plan: _Plan, domain: Domain) -> str | None:
        """The partition of equal extents, made if this is the first step that needs it."""
        if not plan.divided:
            return None
        extents = tuple(domain.extents[name] for name in plan.divided)
        if extents not in self.partitions:
            taken = {partition.name for partition in (*self.graph.partitions, *self.partitions.values())}
            self.partitions[extents] = Partition(fresh(f"{domain.step.name}_blocks", taken), extents)
        return self.partitions[extents].name


def _sentence(compute_set: ComputeSet) -> str:
    source = compute_set.source
    place = f" ({source.file}:{source.line})" if source.file else ""
    return f"map '{compute_set.name}'{place} {compute_set.note}"


@dataclass(frozen=True)
class _Plan:
    """The dimensions that are divided among vertices, whether reductions leave partial results, and what went wrong."""

    divided: tuple[str, ...]
    lanes: bool = False
    note: str = ""


def _plan(domain: Domain) -> _Plan:
    verdicts = classify(domain)
    parallel = tuple(name for name, verdict in verdicts.items() if verdict.kind is Kind.PARALLEL)
    reducing = tuple(name for name, verdict in verdicts.items() if verdict.kind is Kind.REDUCTION)
    if reducing and _is_worth_it(parallel, reducing, domain):
        missing = _without_identity(reducing, domain)
        if not missing:
            return _Plan(reducing, lanes=True)
        if not parallel:
            return _Plan(
                (),
                note=f"runs on one tile: the reduction into '{missing}' has no identity to start partial results from",
            )
    if parallel or not verdicts:
        return _Plan(parallel)
    return _Plan((), note=_obstacle(verdicts))


def _obstacle(verdicts: dict[str, Verdict]) -> str:
    return "runs on one tile: " + "; ".join(verdict.reason for verdict in verdicts.values())


def _is_worth_it(parallel: tuple[str, ...], reducing: tuple[str, ...], domain: Domain) -> bool:
    """Whether to divide the reduction: nothing else can be divided, or only a few iterations of a larger reduction."""
    few, many = (sympy.prod([domain.extents[name] for name in names]) for names in (parallel, reducing))
    return not parallel or bool(few.is_Integer and few < FEW and not (many.is_Integer and many <= few))


def _without_identity(dimensions: tuple[str, ...], domain: Domain) -> str | None:
    """The first variable whose partial results would have nothing to start from."""
    for variable in _reduced(dimensions, domain):
        reduction = domain.of(variable)[0].reduction
        if reduction is None or identity(reduction, domain.graph.variable(variable).dtype) is None:
            return variable
    return None


def _reduced(dimensions: tuple[str, ...], domain: Domain) -> Iterator[str]:
    """The variables that several blocks combine into, if these dimensions are divided."""
    for variable in domain.written:
        if any(kind_for(name, variable, domain) is Kind.REDUCTION for name in dimensions):
            yield variable


@dataclass
class _Vertex:
    """The family of vertices of one map step while it is made."""

    domain: Domain
    plan: _Plan
    partition: str | None
    edges: list[Edge] = field(default_factory=list)
    lanes: tuple[Lanes, ...] = ()
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        graph, body = self.domain.graph, self.domain.step.body
        self.taken = {name for name, _ in graph.symbols} | {variable.name for variable in graph.variables}
        self.taken |= defined_names(body) | used_names(body) | set(self.domain.extents) | {WORKER, BLOCK}
        self.names = {name: self._block_names(name) for name in self.plan.divided}
        reduced = tuple(_reduced(self.plan.divided, self.domain)) if self.plan.lanes else ()
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
        body, note = self._body(), self.plan.note
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
        statements = _Localise(offsets, local, texts=texts).body(statements)
        for name in reversed(self._loop_order()):
            size = symbol(self.names[name][1]) if name in self.names else self.domain.extents[name]
            statements = (For(name, ZERO, size, ONE, statements, shared=name == self._shared()),)
        before = [statement for lane in self.lanes for statement in lane.before()]
        return (*before, *statements, *(statement for lane in self.lanes for statement in lane.after()))

    def _loop_order(self) -> tuple[str, ...]:
        """What is divided is outermost: the workers share the first loop."""
        inner = tuple(name for name in self.domain.extents if name not in self.plan.divided)
        return (*self.plan.divided, *inner)

    def _shared(self) -> str:
        return self.plan.divided[0] if self.plan.divided else ""

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
        return tuple(value for name, value in known.items() if name in free)

    def _known_values(self) -> dict[str, Value]:
        sizes = [(size, _COUNT) for _, size in self.names.values()]
        begins = [(begin, _PLACE) for begin, _ in self.names.values()]
        plain: list[tuple[str, DType]] = [*sizes, *begins, *self.domain.graph.symbols]
        known = {name: Value(name, symbol(name), dtype) for name, dtype in plain}
        return known | {value.name: value for edge in self.edges for value in edge.values}


class _Localise(Rewrite):
    """Hands accesses over as they stand: which edge they go through is known by their indices in the variable."""

    def element(self, access: Access) -> Access:
        return self.access(access)
