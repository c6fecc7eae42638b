"""Walking and changing the steps of a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from dace_ipu.passes.rewrite import accesses
from dace_ipu.tile_graph.body import Store, walk
from dace_ipu.tile_graph.nodes import (
    Branch,
    Choice,
    Combine,
    ComputeSet,
    Copy,
    CopyIn,
    CopyOut,
    Direction,
    MapStep,
    Moves,
    Product,
    Repeat,
    RepeatWhile,
    Slice,
    Step,
    TileGraph,
    inner_steps,
    walk_steps,
    with_inner_steps,
)

__all__ = ["graph_names", "last_user", "map_steps", "touched", "touched_itself", "uses", "walk_steps", "written"]


def graph_names(graph: TileGraph) -> set[str]:
    """The names that mean something everywhere in a graph: symbols and variables."""
    return {name for name, _ in graph.symbols} | {variable.name for variable in graph.variables}


def map_steps(steps: tuple[Step, ...], change: Callable[[Step], tuple[Step, ...]]) -> tuple[Step, ...]:
    """The program with every step but control flow replaced by what ``change`` makes of it."""
    result: list[Step] = []
    for step in steps:
        if inner_steps(step):
            result.append(with_inner_steps(step, lambda inner: map_steps(inner, change)))
        else:
            result.extend(change(step))
    return tuple(result)


def last_user(steps: Sequence[Step], variable: str) -> int | None:
    """The position of the last step that reads or writes a variable, itself or inside; None if there is none."""
    return next((k for k in range(len(steps) - 1, -1, -1) if variable in touched(steps[k])), None)


def uses(steps: tuple[Step, ...]) -> Counter[str]:
    """In how many steps each variable appears. Control flow counts where it reads a predicate."""
    return Counter(name for step in walk_steps(steps) for name in touched_itself(step))


def touched(step: Step) -> frozenset[str]:
    """The variables that a step, or anything inside it, reads or writes."""
    inside = (touched(inner) for part in inner_steps(step) for inner in part)
    return touched_itself(step).union(*inside)


def touched_itself(step: Step) -> frozenset[str]:
    """The variables that a step reads or writes without those of the steps inside it: of control flow the predicate."""
    match step:
        case MapStep():
            return frozenset(access.data for s in walk(step.body) for access in accesses(s))
        case ComputeSet():
            return frozenset(edge.variable for edge in step.fields)
        case Copy():
            return frozenset((step.source_slice.variable, step.target_slice.variable))
        case Moves(moves=moves):
            boxes = [box for move in moves for box in (move.target, move.value) if isinstance(box, Slice)]
            return frozenset(box.variable for box in boxes)
        case CopyIn() | CopyOut():
            return frozenset((step.variable,))
        case Combine():
            return frozenset((step.partial, step.target.variable))
        case Product():
            return frozenset(box.variable for box in (step.target, step.left, step.right))
        case RepeatWhile() | Branch():
            return frozenset((step.predicate,))
        case Repeat() | Choice():
            return frozenset()


def written(step: Step) -> frozenset[str]:
    """The variables that a step, or anything inside it, writes."""
    match step:
        case MapStep():
            return frozenset(s.target.data for s in walk(step.body) if isinstance(s, Store))
        case ComputeSet():
            return frozenset(edge.variable for edge in step.fields if edge.direction is not Direction.INPUT)
        case Copy():
            return frozenset((step.target_slice.variable,))
        case Moves(moves=moves):
            return frozenset(move.target.variable for move in moves)
        case CopyIn():
            return frozenset((step.variable,))
        case CopyOut():
            return frozenset()
        case Combine() | Product():
            return frozenset((step.target.variable,))
        case _:
            return frozenset().union(*(written(inner) for part in inner_steps(step) for inner in part))
