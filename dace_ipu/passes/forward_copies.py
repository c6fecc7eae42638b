"""Copies that only move a result on, or fetch an operand, are folded into the map that computes or uses it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.footprints import sites
from dace_ipu.passes.rewrite import Body, Rewrite, accesses
from dace_ipu.passes.steps import touched, uses, walk_steps, written
from dace_ipu.tile_graph.body import Access, Store, walk
from dace_ipu.tile_graph.nodes import Copy, MapStep, Slice, Step, TileGraph, Variable, inner_steps, with_inner_steps

__all__ = ["ForwardCopies"]


@dataclass(frozen=True)
class ForwardCopies:
    """Folds copies of temporaries into maps.

    Before: ``t[i] = a * x[i] + y[i]`` in a map, then ``copy t -> y``. After: ``y[i] = a * x[i] + y[i]``; ``t`` is gone.
    Before: ``copy A[3:4] -> t``, then ``s = t[0] + 1``. After: ``s = A[3] + 1``.

    The pass may not change what any variable but the temporary holds. It leaves a copy alone whose target the map
    also reads elsewhere (a stencil needs the old values) or after the temporary is set, whose source is written again
    before the use, that takes only a part of what the map computes, or that changes the shape.
    """

    name: str = "forward_copies"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph without the copies that could be folded, and without the variables that nothing uses any more."""
        while True:
            steps = _fold_one(graph.steps, _Known.of(graph))
            if steps is None:
                return graph
            left = uses(steps)
            graph = replace(graph, steps=steps, variables=tuple(v for v in graph.variables if left[v.name]))


@dataclass(frozen=True)
class _Known:
    """Of the whole graph: in how many steps each variable appears, the variables that neither outlive the program nor
    hold constants, and the names of its maps.
    """

    used: Counter[str]
    temporaries: dict[str, Variable]
    maps: frozenset[str]

    @classmethod
    def of(cls, graph: TileGraph) -> _Known:
        temporaries = {v.name: v for v in graph.variables if not v.persistent and v.constant is None}
        maps = frozenset(step.name for step in walk_steps(graph.steps) if isinstance(step, MapStep))
        return cls(uses(graph.steps), temporaries, maps)


def _fold_one(steps: tuple[Step, ...], known: _Known) -> tuple[Step, ...] | None:
    for index, step in enumerate(steps):
        if inner_steps(step):
            changed = _fold_inside(step, known)
            folded = None if changed is None else (*steps[:index], changed, *steps[index + 1 :])
        elif isinstance(step, Copy):
            folded = _into_producer(steps, index, known) or _into_consumers(steps, index, known)
        else:
            folded = None
        if folded is not None:
            return folded
    return None


def _fold_inside(step: Step, known: _Known) -> Step | None:
    """A step of control flow with one copy folded in one of its parts; None if there is none."""
    folded: list[tuple[Step, ...]] = []

    def fold(part: tuple[Step, ...]) -> tuple[Step, ...]:
        changed = None if folded else _fold_one(part, known)
        if changed is None:
            return part
        folded.append(changed)
        return changed

    changed = with_inner_steps(step, fold)
    return changed if folded else None


def _into_producer(steps: tuple[Step, ...], index: int, known: _Known) -> tuple[Step, ...] | None:
    copy = steps[index]
    assert isinstance(copy, Copy)
    temporary, target = copy.source_slice.variable, copy.target_slice.variable
    writer = _last_user(steps[:index], temporary)
    if writer is None or temporary not in known.temporaries or known.used[temporary] != 2 or not _same_boxes(copy):
        return None
    if not _is_all_of(copy.source_slice, known.temporaries[temporary]):
        return None
    if any(target in touched(step) for step in steps[writer + 1 : index]):
        return None
    producer = steps[writer]
    if not isinstance(producer, MapStep) or not _writes_once(producer.body, temporary):
        return None
    if not _is_last_use(producer.body, temporary, target):
        return None
    body = _redirected(producer.body, copy.source_slice, copy.target_slice)
    if not _is_pointwise(body, target):
        return None
    producer = replace(producer, body=body, name=_renamed(producer.name, temporary, target, known.maps))
    return (*steps[:writer], producer, *steps[writer + 1 : index], *steps[index + 1 :])


def _renamed(name: str, temporary: str, target: str, taken: frozenset[str]) -> str:
    """``update_t`` becomes ``update_y`` when it computes y."""
    new = re.sub(rf"(?<![0-9A-Za-z]){re.escape(temporary)}(?![0-9A-Za-z])", target, name)
    return name if new in taken else new


def _into_consumers(steps: tuple[Step, ...], index: int, known: _Known) -> tuple[Step, ...] | None:
    copy = steps[index]
    assert isinstance(copy, Copy)
    source, temporary = copy.source_slice.variable, copy.target_slice.variable
    behind = steps[index + 1 :]
    readers = [k for k, step in enumerate(behind) if temporary in touched(step)]
    if (
        temporary not in known.temporaries
        or not readers
        or known.used[temporary] != 1 + len(readers)
        or not _same_boxes(copy)
    ):
        return None
    if any(interval.step != 1 for interval in copy.target_slice.ranges):
        return None
    if any(source in written(step) for step in behind[: readers[-1] + 1]):
        return None
    consumers = [behind[k] for k in readers]
    if not all(isinstance(step, MapStep) and temporary not in written(step) for step in consumers):
        return None
    changed = list(behind)
    for k in readers:
        step = behind[k]
        assert isinstance(step, MapStep)
        changed[k] = replace(step, body=_redirected(step.body, copy.target_slice, copy.source_slice))
    return (*steps[:index], *changed)


def _last_user(steps: tuple[Step, ...], variable: str) -> int | None:
    return next((k for k in range(len(steps) - 1, -1, -1) if variable in touched(steps[k])), None)


def _is_all_of(box: Slice, variable: Variable) -> bool:
    """Whether a slice is the whole variable: then whatever is stored to it is inside."""
    pairs = zip(box.ranges, variable.shape, strict=True)
    return all(at.step == 1 and at.begin == 0 and sympy.expand(at.end - size) == 0 for at, size in pairs)


def _is_last_use(body: Body, temporary: str, target: str) -> bool:
    """Whether an iteration only reads the target, and that before it sets the temporary: no loop holds both."""
    found = sites(body)
    (store,) = (site for site in found if site.access.data == temporary)
    loops = {id(loop) for loop in store.loops}
    return not any(
        site.writes or site.position > store.position or any(id(loop) in loops for loop in site.loops)
        for site in found
        if site.access.data == target
    )


def _same_boxes(copy: Copy) -> bool:
    """Whether both ends have the same shape, dimension by dimension, so that indices carry over."""
    ends = copy.source_slice.ranges, copy.target_slice.ranges
    if len(ends[0]) != len(ends[1]) or any(r.step < 0 for end in ends for r in end):
        return False
    lengths = [[sympy.floor((r.end - r.begin - 1) / sympy.Integer(r.step)) + 1 for r in end] for end in ends]
    return all(sympy.simplify(a - b) == 0 for a, b in zip(*lengths, strict=True))


def _redirected(body: Body, old: Slice, new: Slice) -> Body:
    """The body with the elements of one box replaced by those of the other."""

    def move(access: Access) -> Access:
        if access.data != old.variable:
            return access
        pairs = zip(access.indices, old.ranges, new.ranges, strict=True)
        return Access(
            new.variable, tuple(n.begin + n.step * ((i - o.begin) / sympy.Integer(o.step)) for i, o, n in pairs)
        )

    return Rewrite({}, access=move).body(body)


def _writes_once(body: Body, variable: str) -> bool:
    """Whether one plain Store, and nothing else, touches the variable."""
    found = [s for s in walk(body) if any(access.data == variable for access in accesses(s))]
    return (
        len(found) == 1
        and isinstance(found[0], Store)
        and found[0].reduction is None
        and found[0].target.data == variable
        and all(access.data != variable for access in accesses(found[0])[:-1])
    )


def _is_pointwise(body: Body, variable: str) -> bool:
    """Whether all accesses of the variable are to one and the same element of an iteration."""
    found = {access.indices for s in walk(body) for access in accesses(s) if access.data == variable}
    return len(found) == 1
