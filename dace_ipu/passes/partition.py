"""Map steps become compute sets: a partition of the domain in blocks, one vertex a block."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import sympy

from dace_ipu.errors import DiagnosticCollector
from dace_ipu.passes.classify import write_conflicts
from dace_ipu.passes.domain import ONE, Domain, normalised
from dace_ipu.passes.plan import Plan, alternative, plan_of
from dace_ipu.passes.rewrite import fresh
from dace_ipu.passes.stencils import is_stencil
from dace_ipu.passes.steps import map_steps
from dace_ipu.passes.vertex import Vertex
from dace_ipu.tile_graph.body import Expr
from dace_ipu.tile_graph.nodes import (
    WORKERS_PER_TILE,
    Choice,
    ComputeSet,
    MapStep,
    Partition,
    Product,
    Step,
    TileGraph,
    Variable,
    walk_steps,
)


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
    partitions: dict[tuple[tuple[Expr, ...], bool, int], Partition] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    findings: DiagnosticCollector = field(default_factory=DiagnosticCollector)
    has_stencils: bool = False

    def __post_init__(self) -> None:
        maps = (step for step in walk_steps(self.graph.steps) if isinstance(step, MapStep))
        self.has_stencils = any(map(is_stencil, maps))

    def divided(self, step: Step) -> tuple[Step, ...]:
        """The compute set of a map step, and the Combines of its partial results."""
        if not isinstance(step, MapStep):
            return (step,)
        graph = replace(self.graph, variables=(*self.graph.variables, *self.partials))
        domain = Domain(graph, normalised(step))
        self.findings.extend(write_conflicts(domain))
        plan = plan_of(domain)
        other = alternative(plan, domain)
        if other is None:
            return self._steps(plan, domain)
        condition, better = other
        renamed = replace(domain.step, name=fresh(f"{step.name}_in_lanes", self._names()))
        then = self._steps(better, Domain(graph, renamed))
        return then if condition == sympy.true else (Choice(condition, then, self._steps(plan, domain)),)

    def _names(self) -> set[str]:
        """The names of all steps."""
        named = (step for step in walk_steps(self.graph.steps) if isinstance(step, (MapStep, ComputeSet, Product)))
        return {step.name for step in named}

    def _steps(self, plan: Plan, domain: Domain) -> tuple[Step, ...]:
        partition = self._partition(plan, domain)
        vertex = Vertex(domain, plan, partition, along_rows=self._in_rows(plan, domain))
        compute_set = vertex.compute_set()
        self.partials += [lane.partial for lane in vertex.lanes]
        if compute_set.note:
            self.notes.append(_sentence(compute_set))
        return (compute_set, *vertex.combines())

    def _partition(self, plan: Plan, domain: Domain) -> str | None:
        """The partition of equal extents and workers, made if this is the first step that needs it."""
        if not plan.divided:
            return None
        extents, in_rows = tuple(domain.extents[name] for name in plan.divided), self._in_rows(plan, domain)
        key = (extents, in_rows, domain.step.workers)
        if key not in self.partitions:
            taken = {partition.name for partition in (*self.graph.partitions, *self.partitions.values())}
            name = fresh(f"{domain.step.name}_blocks", taken)
            self.partitions[key] = Partition(name, extents, domain.step.workers, in_rows)
        return self.partitions[key].name

    def _in_rows(self, plan: Plan, domain: Domain) -> bool:
        """Whether a partition is cut in rows: those of one program are cut alike, so that what one map writes lies
        where another one reads it. Rows have to be long enough for six workers.
        """
        length = domain.extents[plan.divided[-1]] if plan.divided else ONE
        is_short = length.is_Integer and length < 2 * WORKERS_PER_TILE
        return self.has_stencils and len(plan.divided) in (2, 3) and not plan.lanes and not is_short


def _sentence(compute_set: ComputeSet) -> str:
    source = compute_set.source
    place = f" ({source.file}:{source.line})" if source.file else ""
    return f"map '{compute_set.name}'{place} {compute_set.note}"
