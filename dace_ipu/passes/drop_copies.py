"""Host data that is overwritten before anything reads it is not brought to the device."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dace_ipu.passes.coverage import is_whole, set_covers
from dace_ipu.passes.steps import touched
from dace_ipu.tile_graph.nodes import (
    Branch,
    Choice,
    ComputeSet,
    Copy,
    CopyIn,
    Product,
    Repeat,
    RepeatWhile,
    Step,
    TileGraph,
    Variable,
)

__all__ = ["DropCopies"]


@dataclass(frozen=True)
class DropCopies:
    """Drops copies from the host whose data nothing reads.

    Before: ``B = host B``, then a compute set whose blocks write all of ``B`` and read none of it. After: no copy.

    Needs the exact slices of the vertices, so it follows ``partition``. A copy stays where the writes may leave an
    element out: if the map may be empty while the array is not, if a block writes only a part, or if a loop may not
    turn.
    """

    name: str = "drop_copies"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph without the copies that could be dropped."""
        copied = [step.variable for step in graph.steps if isinstance(step, CopyIn)]
        useless = {name for name in copied if _is_overwritten(graph.variable(name), graph.steps, graph)}
        steps = tuple(s for s in graph.steps if not (isinstance(s, CopyIn) and s.variable in useless))
        return replace(graph, steps=steps)


def _is_overwritten(variable: Variable, steps: tuple[Step, ...], graph: TileGraph) -> bool:
    """Whether the first step that touches the variable, after its copy, writes all of it without reading."""
    first = next((s for s in steps if not isinstance(s, CopyIn) and variable.name in touched(s)), None)
    match first:
        case ComputeSet():
            return set_covers(variable, first, graph)
        case Copy():
            return first.source_slice.variable != variable.name and is_whole(first.target_slice.ranges, variable)
        case Product(target=target, adds=adds):
            return not adds and target.variable == variable.name and is_whole(target.ranges, variable)
        case RepeatWhile(condition=condition):
            return _is_overwritten(variable, condition, graph)
        case Branch(predicate=predicate, then=then, orelse=orelse):
            return predicate != variable.name and all(_is_overwritten(variable, s, graph) for s in (then, orelse))
        case Choice(then=then, orelse=orelse):
            return all(_is_overwritten(variable, s, graph) for s in (then, orelse))
        case Repeat(count=count, body=body):
            return bool(count.is_Integer and count > 0) and _is_overwritten(variable, body, graph)
        case _:
            return False
