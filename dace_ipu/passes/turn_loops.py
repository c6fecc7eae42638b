"""Loops of the device as one loop of a codelet, whose scalars are local: the form in which turns are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, replace

import numpy as np

from dace_ipu.passes.device_loops import DeviceLoop, Known, counted_loops
from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.late_ranges import LateRange, are_scalars, start_of
from dace_ipu.passes.localise import LocaliseTemporaries
from dace_ipu.passes.loop_code import LoopCode, NoCodeError
from dace_ipu.passes.rewrite import Body, Rewrite, accesses, claimed
from dace_ipu.passes.simplify_bodies import SimplifyBodies
from dace_ipu.passes.steps import last_user, uses, written
from dace_ipu.tile_graph.body import Access, Code, Declare, Expr, For, symbol, walk
from dace_ipu.tile_graph.nodes import MapStep, Repeat, RepeatWhile, Source, Step, TileGraph

__all__ = ["TurnLoop", "turn_loop", "with_own_scalars"]


@dataclass(frozen=True)
class TurnLoop:
    """``for turn in begin:end: body``, after ``prelude``, which reads the scalars in ``begin`` and ``end``.

    ``start`` is the position, in the list of steps around, of the step that sets the counter.
    """

    turn: str
    begin: Expr
    end: Expr
    prelude: Body
    body: Body
    start: int
    source: Source


def turn_loop(
    steps: tuple[Step, ...], place: int, graph: TileGraph, used: Counter[str], taken: set[str]
) -> TurnLoop | None:
    """The loop at a place in a list of steps; None if it is no counted one, counts down, or has steps that no codelet
    can take over. Names that it defines are claimed from ``taken``.
    """
    loop = steps[place]
    if not isinstance(loop, (Repeat, RepeatWhile)):
        return None
    scalars = _late_scalars(steps, place, graph)
    known: Known = {name: symbol(claimed(f"{name}_value", taken)) for name in scalars}
    found = counted_loops(steps[: place + 1], known, graph, used).get(place)
    if found is None or found.step != 1:
        return None
    body = _local_body(found, loop, steps, graph, used, taken)
    if body is None:
        return None
    ends = found.begin.free_symbols | found.end.free_symbols
    prelude = tuple(_reading(name, str(value)) for name, value in known.items() if value in ends)
    return TurnLoop(body.variable, found.begin, found.end, prelude, body.body, found.start, loop.source)


def _late_scalars(steps: tuple[Step, ...], place: int, graph: TileGraph) -> tuple[str, ...]:
    """The scalars of the device that bound a loop, none of which changes between its start and its end."""
    loop = steps[place]
    late = LateRange.of(loop) if isinstance(loop, RepeatWhile) else None
    start = None if late is None else last_user(steps[:place], late.counter)
    if late is None or start is None:
        return ()
    first = start_of(steps[start], late.counter)
    codes = (late.end,) if first is None else (late.end, first)
    names = tuple(dict.fromkeys(read.data for code in codes for _, read in code.reads))
    changed = frozenset().union(*(written(step) for step in steps[start : place + 1]))
    return names if are_scalars(codes, graph) and not changed & set(names) else ()


def _local_body(
    loop: DeviceLoop, step: Step, steps: tuple[Step, ...], graph: TileGraph, used: Counter[str], taken: set[str]
) -> For | None:
    """The loop of a codelet, with scalars of its own where nothing else uses them."""
    try:
        whole = LoopCode(graph, taken).loop(loop, {})
    except NoCodeError:
        return None
    inside = uses((steps[loop.start], step))
    body = with_own_scalars((whole,), graph, {name for name, count in inside.items() if used[name] == count}, taken)
    match body:
        case (For() as result,) if result.step == 1:
            return result
        case _:
            return None


def with_own_scalars(body: Body, graph: TileGraph, own: Set[str], taken: set[str]) -> Body:
    """The simplified body, with variables of which nothing else than the body uses any as scalars of its own, under
    other names: the graph may keep the variables for another form of the loop.
    """
    touched = {access.data for s in walk(body) for access in accesses(s)}
    new = {v.name: claimed(v.name, taken) for v in graph.variables if v.name in own & touched and not v.persistent}
    kept = (replace(v, name=new.get(v.name, v.name), persistent=v.name not in new) for v in graph.variables)
    renamed = Rewrite({}, access=lambda access: Access(new.get(access.data, access.data), access.indices)).body(body)
    alone = replace(graph, steps=(MapStep("turns", (), renamed),), variables=tuple(kept))
    alone = SimplifyBodies().apply(LocaliseTemporaries().apply(SimplifyBodies().apply(alone)))
    (only,) = alone.steps
    assert isinstance(only, MapStep)
    back = {name: old for old, name in new.items()}
    return Rewrite({}, access=lambda access: Access(back.get(access.data, access.data), access.indices)).body(only.body)


def _reading(name: str, value: str) -> Declare:
    return Declare(value, np.dtype(np.int32), Code("_0", (("_0", Access(name, (ZERO,))),)))
