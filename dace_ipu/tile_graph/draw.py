"""The dependences of a tile graph as a networkx graph: to order, merge and find live ranges, and to draw."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from dace_ipu.tile_graph.body import LocalArray, Store, codes, walk
from dace_ipu.tile_graph.expressions import access_text
from dace_ipu.tile_graph.nodes import (
    Branch,
    Combine,
    ComputeSet,
    Copy,
    CopyIn,
    CopyOut,
    Direction,
    Field,
    MapStep,
    Move,
    Moves,
    Product,
    RepeatWhile,
    Slice,
    Step,
    TileGraph,
    inner_steps,
)
from dace_ipu.tile_graph.printer import slice_text

if TYPE_CHECKING:
    import networkx

__all__ = ["to_networkx"]

_Use = tuple[str, bool, str]  # variable or host, whether it is written, what of it


def to_networkx(graph: TileGraph) -> networkx.MultiDiGraph:
    """One node a host array, variable and step; an edge for all that a step reads (into it) and writes (out of it).

    Nodes are ``host A``, ``A`` and ``2: jacobi``: steps are numbered in the order of the program. They have the
    attributes ``kind`` ('host', 'variable' or 'step'), ``label`` and, for steps, ``repeats``, the positions of the
    control flow around them; a loop or branch on a predicate is a step itself. Edges have a ``label``, the slice.
    """
    import networkx

    result = networkx.MultiDiGraph(name=graph.name)
    for host in graph.hosts:
        result.add_node(f"host {host.name}", kind="host", label=host.name)
    for variable in graph.variables:
        result.add_node(variable.name, kind="variable", label=variable.name)
    for number, (step, repeats) in enumerate(_flat(graph.steps, ())):
        node = f"{number}: {_label(step)}"
        result.add_node(node, kind="step", label=_label(step), repeats=repeats)
        for data, written, label in _uses(step):
            ends = (node, data) if written else (data, node)
            result.add_edge(*ends, label=label)
    return result


def _flat(steps: tuple[Step, ...], repeats: tuple[int, ...]) -> Iterator[tuple[Step, tuple[int, ...]]]:
    """The steps with the path of control flow that they stand in: the positions of these among their siblings."""
    for position, step in enumerate(steps):
        if isinstance(step, (RepeatWhile, Branch)):
            yield step, repeats
        for part in inner_steps(step):
            yield from _flat(part, (*repeats, position))
        if not inner_steps(step):
            yield step, repeats


def _label(step: Step) -> str:
    if isinstance(step, (MapStep, ComputeSet, Product)):
        return step.name
    return _LABELS[type(step)]


_LABELS: dict[type, str] = {
    Copy: "copy",
    Moves: "copies",
    CopyIn: "copy in",
    CopyOut: "copy out",
    Combine: "combine",
    RepeatWhile: "while",
    Branch: "if",
}


def _uses(step: Step) -> Iterator[_Use]:
    match step:
        case MapStep():
            yield from _map_uses(step)
        case ComputeSet():
            yield from chain.from_iterable(map(_field_uses, step.fields))
        case Copy():
            yield from _move_uses(Move(step.target_slice, step.source_slice))
        case Moves():
            yield from chain.from_iterable(map(_move_uses, step.moves))
        case CopyIn():
            yield f"host {step.host}", False, step.host
            yield step.variable, True, step.variable
        case CopyOut():
            yield step.variable, False, step.variable
            yield f"host {step.host}", True, step.host
        case Combine():
            yield step.partial, False, step.partial
            yield from _target_uses(step.target, goes_on=not step.overwrites)
        case Product():
            yield from ((box.variable, False, slice_text(box)) for box in (step.left, step.right))
            yield from _target_uses(step.target, goes_on=step.adds)
        case RepeatWhile() | Branch():
            yield step.predicate, False, step.predicate


def _move_uses(move: Move) -> Iterator[_Use]:
    if isinstance(move.value, Slice):
        yield move.value.variable, False, slice_text(move.value)
    yield from _target_uses(move.target, goes_on=False)


def _target_uses(target: Slice, goes_on: bool) -> Iterator[_Use]:
    if goes_on:
        yield target.variable, False, slice_text(target)
    yield target.variable, True, slice_text(target)


def _field_uses(edge: Field) -> Iterator[_Use]:
    label = slice_text(Slice(edge.variable, edge.ranges))
    if edge.direction is not Direction.OUTPUT:
        yield edge.variable, False, label
    if edge.direction is not Direction.INPUT:
        yield edge.variable, True, label


def _map_uses(step: MapStep) -> Iterator[_Use]:
    """Each access once."""
    local = {statement.name for statement in walk(step.body) if isinstance(statement, LocalArray)}
    found: dict[_Use, None] = {}
    for statement in walk(step.body):
        for code in codes(statement):
            found.update({(access.data, False, access_text(access)): None for _, access in code.reads})
        if isinstance(statement, Store):
            found[statement.target.data, True, access_text(statement.target)] = None
            if statement.reduction is not None:
                found[statement.target.data, False, access_text(statement.target)] = None
    yield from (use for use in found if use[0] not in local)
