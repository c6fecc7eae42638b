"""Loops of the device in the form of a codelet's loops: a counter, where it begins and where it ends."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

import sympy

from dace_ipu.passes.late_ranges import LateRange, start_of
from dace_ipu.passes.literals import index_of
from dace_ipu.passes.rewrite import replace_names
from dace_ipu.passes.steps import last_user, touched_itself, uses, written
from dace_ipu.tile_graph.body import Code, Expr, Store, symbol
from dace_ipu.tile_graph.nodes import MapStep, Repeat, RepeatWhile, Step, TileGraph

__all__ = ["DeviceLoop", "Known", "counted_loops"]

Known = dict[str, Expr]  # counters of the loops around, and what stands for their values


@dataclass(frozen=True)
class DeviceLoop:
    """``for counter in range(begin, end, step)``, where ``step`` is 1 or -1. ``start`` is the position, in the list of
    steps around, of the step that sets the counter and that the loop does without.
    """

    counter: str
    begin: Expr
    end: Expr
    step: int
    body: tuple[Step, ...]
    start: int

    @property
    def turns(self) -> Expr:
        """The number of turns, if it is not negative."""
        return sympy.expand((self.end - self.begin) * self.step)


def counted_loops(
    steps: tuple[Step, ...], known: Known, graph: TileGraph, used: Counter[str] | None = None
) -> dict[int, DeviceLoop]:
    """The loops in a list of steps, by position, whose counter (and predicate) only they and their first step use."""
    used = uses(graph.steps) if used is None else used
    found = {}
    for place, step in enumerate(steps):
        loop = _loop(step, steps[:place], known, graph)
        own = () if loop is None else (loop.counter, *touched_itself(step))
        inside = uses((step,) if loop is None else (steps[loop.start], step))
        if loop is not None and all(inside[name] == used[name] for name in own):
            found[place] = loop
    return found


def _loop(step: Step, before: tuple[Step, ...], known: Known, graph: TileGraph) -> DeviceLoop | None:
    match step:
        case Repeat() if step.body:
            return _repeat(step, before, known, graph)
        case RepeatWhile():
            return _late(step, before, known, graph)
        case _:
            return None


def _repeat(repeat: Repeat, before: tuple[Step, ...], known: Known, graph: TileGraph) -> DeviceLoop | None:
    *body, last = repeat.body
    found = _count(last)
    if found is None or any(found[0] in written(inner) for inner in body):
        return None
    counter, step = found
    start = last_user(before, counter)
    begin = None if start is None else _begin(before[start], counter, known, graph)
    if start is None or begin is None:
        return None
    end = sympy.expand(begin + step * repeat.count)
    return DeviceLoop(counter, begin, end, step, tuple(body), start)


def _late(loop: RepeatWhile, before: tuple[Step, ...], known: Known, graph: TileGraph) -> DeviceLoop | None:
    late = LateRange.of(loop)
    if late is None or any({late.counter, loop.predicate} & written(inner) for inner in loop.body):
        return None
    start = last_user(before, late.counter)
    begin = None if start is None else _begin(before[start], late.counter, known, graph)
    end = _index(late.end, known, graph)
    changes = frozenset().union(*(written(inner) for inner in loop.body))
    if start is None or begin is None or end is None or any(read.data in changes for _, read in late.end.reads):
        return None
    return DeviceLoop(late.counter, begin + 1, end, 1, loop.body, start)


def _begin(step: Step, counter: str, known: Known, graph: TileGraph) -> Expr | None:
    value = start_of(step, counter)
    return None if value is None else _index(value, known, graph)


def _index(code: Code, known: Known, graph: TileGraph) -> Expr | None:
    """A computation as an index in the symbols of the program and what stands for counters; None if it is none."""
    names = {read: access.data for read, access in code.reads}
    if any(name not in known for name in names.values()):
        return None
    text = replace_names(code.text, {read: str(known[name]) for read, name in names.items()})
    value = index_of(ast.parse(text.strip(), mode="eval").body)
    plain = {symbol(name) for name, dtype in graph.symbols if dtype.kind in "iu"}
    plain |= {s for expr in known.values() for s in expr.free_symbols}
    return value if value is not None and value.free_symbols <= plain else None


def _count(step: Step) -> tuple[str, int] | None:
    """The variable and the sign of a step that does nothing but ``v[0] = v[0] + 1``, or ``+ -1``, or ``- 1``."""
    if not isinstance(step, MapStep) or step.domain or len(step.body) != 1:
        return None
    store = step.body[0]
    if not isinstance(store, Store) or store.reduction is not None or len(store.value.reads) != 1:
        return None
    name, read = store.value.reads[0]
    value = index_of(ast.parse(store.value.text.strip(), mode="eval").body)
    change = None if value is None else sympy.expand(value - symbol(name))
    return (store.target.data, int(change)) if read == store.target and change in (1, -1) else None
