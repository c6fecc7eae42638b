"""Copies that only move a result on, or fetch an operand, are folded into the map that computes or uses it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.coverage import is_whole
from dace_ipu.passes.footprints import sites
from dace_ipu.passes.rewrite import Body, Rewrite, accesses
from dace_ipu.passes.steps import last_user, map_steps, touched, touched_itself, uses, walk_steps, written
from dace_ipu.tile_graph.body import Access, DType, Store, symbol, walk
from dace_ipu.tile_graph.indices import are_equal
from dace_ipu.tile_graph.nodes import (
    Copy,
    MapStep,
    Range,
    Slice,
    Step,
    TileGraph,
    Variable,
    inner_steps,
    with_inner_steps,
)

__all__ = ["ForwardCopies"]


@dataclass(frozen=True)
class ForwardCopies:
    """Folds copies of temporaries into maps.

    Before: ``t[i] = a * x[i] + y[i]`` in a map, then ``copy t -> y``. After: ``y[i] = a * x[i] + y[i]``; ``t`` is gone.
    Before: ``t[0] = 0``, ``t[0] += A[i]`` in maps, then ``copy t -> s``. After: the same in ``s``.
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
    hold constants, the names of its maps, and the types of its variables.
    """

    used: Counter[str]
    temporaries: dict[str, Variable]
    maps: frozenset[str]
    dtypes: dict[str, DType]

    @classmethod
    def of(cls, graph: TileGraph) -> _Known:
        temporaries = {v.name: v for v in graph.variables if not v.persistent and v.constant is None}
        maps = frozenset(step.name for step in walk_steps(graph.steps) if isinstance(step, MapStep))
        return cls(uses(graph.steps), temporaries, maps, {v.name: v.dtype for v in graph.variables})


def _fold_one(steps: tuple[Step, ...], known: _Known) -> tuple[Step, ...] | None:
    for index, step in enumerate(steps):
        if inner_steps(step):
            changed = _fold_inside(step, known)
            folded = None if changed is None else (*steps[:index], changed, *steps[index + 1 :])
        elif (copy := _as_copy(step, known)) is not None:
            ways = (_into_producer, _into_all_users, _into_consumers)
            folded = next((new for way in ways if (new := way(copy, steps, index, known)) is not None), None)
        else:
            folded = None
        if folded is not None:
            return folded
    return None


def _as_copy(step: Step, known: _Known) -> Copy | None:
    """The copy that a step is; a map that moves one element is one, too."""
    match step:
        case Copy():
            return step
        case MapStep(domain=(), body=(Store(reduction=None) as store,)):
            read = store.value.reads[0] if len(store.value.reads) == 1 else None
            if read is None or store.value.text != read[0]:
                return None
            source, target = read[1], store.target
            same = known.dtypes[source.data] == known.dtypes[target.data] and source.data != target.data
            return Copy(_element(source), _element(target), step.source) if same else None
        case _:
            return None


def _element(access: Access) -> Slice:
    return Slice(access.data, tuple(Range(index, index + 1) for index in access.indices))


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


def _into_producer(copy: Copy, steps: tuple[Step, ...], index: int, known: _Known) -> tuple[Step, ...] | None:
    temporary, target = copy.source_slice.variable, copy.target_slice.variable
    writer = last_user(steps[:index], temporary)
    if writer is None or temporary not in known.temporaries or known.used[temporary] != 2 or not _same_boxes(copy):
        return None
    if not is_whole(copy.source_slice.ranges, known.temporaries[temporary]):
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


def _into_all_users(copy: Copy, steps: tuple[Step, ...], index: int, known: _Known) -> tuple[Step, ...] | None:
    """The target stands for the temporary from its first use to the copy, if nothing else touches the target there."""
    temporary, target = copy.source_slice.variable, copy.target_slice.variable
    if temporary not in known.temporaries or not _same_boxes(copy):
        return None
    if not is_whole(copy.source_slice.ranges, known.temporaries[temporary]):
        return None
    first = next(k for k, step in enumerate(steps) if temporary in touched(step))
    between = steps[first:index]
    if not between or uses((*between, copy))[temporary] != known.used[temporary]:
        return None
    if any(target in touched(step) for step in between) or not all(_only_maps_use(temporary, s) for s in between):
        return None
    if not _fills(between[0], known.temporaries[temporary]):
        return None  # it may hold what the last turn of a loop left there

    def changed(step: Step) -> tuple[Step, ...]:
        if not isinstance(step, MapStep) or temporary not in touched(step):
            return (step,)
        body = _redirected(step.body, copy.source_slice, copy.target_slice)
        return (replace(step, body=body, name=_renamed(step.name, temporary, target, known.maps)),)

    return (*steps[:first], *map_steps(between, changed), *steps[index + 1 :])


def _only_maps_use(variable: str, step: Step) -> bool:
    return all(isinstance(s, MapStep) or variable not in touched_itself(s) for s in walk_steps((step,)))


def _fills(step: Step, variable: Variable) -> bool:
    """Whether a map stores to every element of a variable and reads none."""
    if not isinstance(step, MapStep):
        return False
    found = [site for site in sites(step.body) if site.access.data == variable.name]
    if len(found) != 1 or not found[0].writes or found[0].reduction or found[0].guarded or found[0].loops:
        return False
    extents = {symbol(dimension.name): dimension.extent for dimension in step.domain}
    pairs = tuple(zip(found[0].access.indices, variable.shape, strict=True))
    running = [index for index, size in pairs if not (index == 0 and size == 1)]
    return len(set(running)) == len(running) and all(
        (index == 0 and size == 1) or sympy.expand(extents.get(index, 0) - size) == 0 for index, size in pairs
    )


def _renamed(name: str, temporary: str, target: str, taken: frozenset[str]) -> str:
    """``update_t`` becomes ``update_y`` when it computes y."""
    new = re.sub(rf"(?<![0-9A-Za-z]){re.escape(temporary)}(?![0-9A-Za-z])", target, name)
    return name if new in taken else new


def _into_consumers(copy: Copy, steps: tuple[Step, ...], index: int, known: _Known) -> tuple[Step, ...] | None:
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
    """Whether both ends have the same shape, dimension by dimension, or one element, so that indices carry over."""
    ends = copy.source_slice.ranges, copy.target_slice.ranges
    if all(_is_element(end) for end in ends):
        return True
    if len(ends[0]) != len(ends[1]) or any(r.step < 0 for end in ends for r in end):
        return False
    lengths = [[sympy.floor((r.end - r.begin - 1) / sympy.Integer(r.step)) + 1 for r in end] for end in ends]
    return all(map(are_equal, *lengths))


def _is_element(ranges: tuple[Range, ...]) -> bool:
    return all(sympy.expand(at.end - at.begin) == 1 for at in ranges)


def _redirected(body: Body, old: Slice, new: Slice) -> Body:
    """The body with the elements of one box replaced by those of the other."""

    def move(access: Access) -> Access:
        if access.data != old.variable:
            return access
        if _is_element(old.ranges):
            return Access(new.variable, tuple(at.begin for at in new.ranges))
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
