"""Partial results that are combined into a fresh target need no start from outside."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dace_ipu.passes.clean_up import with_inner, without_idle
from dace_ipu.passes.coverage import is_whole, set_covers
from dace_ipu.passes.literals import literal
from dace_ipu.passes.rewrite import Body, accesses
from dace_ipu.passes.slots import slots_of
from dace_ipu.passes.steps import last_user
from dace_ipu.tile_graph.body import Statement, Store, walk
from dace_ipu.tile_graph.nodes import Combine, ComputeSet, Step, TileGraph, with_inner_steps
from dace_ipu.tile_graph.reductions import identity

__all__ = ["FoldStarts"]


@dataclass(frozen=True)
class FoldStarts:
    """Drops what sets the target of a reduction to its identity just before partial results go into it.

    Before: ``s = 0`` in a compute set, partial sums of ``A`` in the next, then ``s += lanes of s_partial``.
    After: the partial sums and ``s = sum of lanes of s_partial``: a compute set and its exchange less.

    Needs the exact slices of the vertices, so it follows ``partition``. A start stays where something else touches the
    target before the partial results do, where it is another value or fills only a part of the target, and where it
    stands outside of the loop around the reduction.
    """

    name: str = "fold_starts"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with Combines that overwrite, and without the starts of their targets."""
        return replace(graph, steps=_folded(graph.steps, graph))


def _folded(steps: tuple[Step, ...], graph: TileGraph) -> tuple[Step, ...]:
    result: list[Step] = []
    for step in steps:
        start = _start_of(step, result, graph) if isinstance(step, Combine) else None
        if start is not None and isinstance(step, Combine):
            result[start : start + 1] = _without(result[start], step.target.variable, graph)
            step = replace(step, overwrites=True)
        result.append(with_inner_steps(step, lambda inner: _folded(inner, graph)))
    return tuple(result)


def _start_of(combine: Combine, before: list[Step], graph: TileGraph) -> int | None:
    """The place of the compute set that sets all of the target to the identity, if nothing else touches it since."""
    target = graph.variable(combine.target.variable)
    last = last_user(before, target.name)
    if last is None or not is_whole(combine.target.ranges, target):
        return None
    step, start = before[last], identity(combine.reduction, target.dtype)
    if not isinstance(step, ComputeSet) or start is None or not set_covers(target, step, graph):
        return None
    (name,) = (edge.name for edge in step.fields if edge.variable == target.name)
    return last if all(_is_start(s, start) for s in walk(step.body) if _uses(s, name)) else None


def _uses(statement: Statement, name: str) -> bool:
    return any(access.data == name for access in accesses(statement))


def _is_start(statement: Statement, start: str) -> bool:
    """Whether a statement stores the identity."""
    if not isinstance(statement, Store) or statement.reduction is not None:
        return False
    number = literal(statement.value.text)
    return statement.value.text == start or (number is not None and number == literal(start))


def _without(step: Step, variable: str, graph: TileGraph) -> tuple[Step, ...]:
    """The compute set without the stores to the variable; nothing if it does nothing else."""
    assert isinstance(step, ComputeSet)
    (gone,) = (edge for edge in step.fields if edge.variable == variable)
    body = without_idle(_dropped(step.body, gone.name))
    if not body:
        return ()
    fields = tuple(edge for edge in step.fields if edge is not gone)
    types = {edge.name: graph.variable(edge.variable).dtype for edge in fields}
    known = {name for name, _ in graph.symbols} | {name for d in step.block for name in (d.begin, d.size)}
    return (replace(step, fields=fields, body=body, slots=slots_of(body, types, frozenset(known))),)


def _dropped(body: Body, name: str) -> Body:
    inner = (with_inner(s, lambda part: _dropped(part, name)) for s in body if not _uses(s, name))
    return tuple(inner)
