"""Augmented assignments to parts of arrays: ``u[1::2] += v`` and ``x[1:4] *= row``.

DaCe 2.0.0b1 forgets the steps of the target, so that ``u[1::2] += v`` adds to u[1:9], and makes an SDFG that is not
valid of operands that have to be broadcast.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from dace.memlet import Memlet
from dace.subsets import Range

from dace_ipu import compat

__all__ = ["install"]

#: A container and the part of it.
Part = tuple[str, Range]


def install() -> None:
    """Correct DaCe. Repeatable."""
    compat.wrap_aug_assignment(_with_steps)
    compat.wrap_assignment(_with_steps_in_maps)


def _with_steps(original: Callable[..., None]) -> Callable[..., None]:
    """Add ``target op= operand`` to the program; the original does whole ranges, single elements, masks and indices."""

    @functools.wraps(original)
    def add(visitor: Any, node: Any, read: Any, written: Any, operand: Any, op: str, *more: Any) -> None:
        source, target, other = (_part(visitor.sdfg, each) for each in (read, written, operand))
        counters = None if any(more) else _counters(target, other)
        if source is None or target is None or other is None or counters is None:
            original(visitor, node, read, written, operand, op, *more)
        else:
            own = _own_counters(target)
            reads = {"__in1": _element(source, own), "__in2": _element(other, counters)}
            _add_map(visitor, node, target, reads, f"__out = __in1 {op} __in2", None)

    return add


def _with_steps_in_maps(original: Callable[..., None]) -> Callable[..., None]:
    """Add ``target op= operand`` inside of a map, where several iterations may meet in one element."""

    @functools.wraps(original)
    def add(visitor: Any, node: Any, written: Any, operand: Any, op: str | None = None, *more: Any) -> None:
        target, other = (_part(visitor.sdfg, each) for each in (written, operand))
        counters = None if any(more) or op is None else _counters(target, other)
        if target is None or other is None or counters is None:
            original(visitor, node, written, operand, op, *more)
        else:
            reads = {"__inp": _element(other, counters)}
            _add_map(visitor, node, target, reads, "__out = __inp", f"lambda x, y: x {op} y")

    return add


def _part(sdfg: Any, operand: Any) -> Part | None:
    """A container and a subset of it, which is the whole where none is given; None for a number."""
    name, subset = operand if isinstance(operand, tuple) else (operand, None)
    if not isinstance(name, str) or name not in sdfg.arrays:
        return None
    return name, subset if subset is not None else Range.from_array(sdfg.arrays[name])


def _counters(target: Part | None, operand: Part | None) -> list[str | None] | None:
    """The counter of the target that each dimension of the operand follows, None for one that is broadcast.

    None for the whole if DaCe does it right, or if the two do not fit.
    """
    if target is None or operand is None:
        return None
    sizes, given = target[1].size(), operand[1].size()
    own = [k for k, size in enumerate(sizes) if size != 1]
    plain = all(step == 1 for _, _, step in [*target[1].ranges, *operand[1].ranges])
    if not own or all(size == 1 for size in given):
        return None
    long = [k for k, size in enumerate(given) if size != 1]
    if plain and _equal([sizes[k] for k in own], [given[k] for k in long]):
        return None
    for kept in (list(range(len(given))), long):
        matched = _aligned([sizes[k] for k in own], [given[k] for k in kept])
        if matched is not None:
            followed = {k: own[m] for k, m in zip(kept, matched, strict=True) if m is not None}
            return [f"__i{followed[k]}" if k in followed else None for k in range(len(given))]
    return None


def _aligned(sizes: Sequence[Any], given: Sequence[Any]) -> list[int | None] | None:
    """For each dimension of ``given`` the one of ``sizes`` it meets by NumPy's rules, None where it is broadcast."""
    while len(given) > len(sizes) and given[0] == 1:
        given = given[1:]
    first = len(sizes) - len(given)
    if first < 0 or any(size != 1 and not _equal([size], [sizes[first + k]]) for k, size in enumerate(given)):
        return None
    return [None if size == 1 else first + k for k, size in enumerate(given)]


def _equal(left: Sequence[Any], right: Sequence[Any]) -> bool:
    return len(left) == len(right) and all((a - b) == 0 for a, b in zip(left, right, strict=True))


def _own_counters(target: Part) -> list[str | None]:
    return [f"__i{k}" if size != 1 else None for k, size in enumerate(target[1].size())]


def _add_map(visitor: Any, node: Any, target: Part, reads: dict[str, Memlet], code: str, wcr: str | None) -> None:
    written = _element(target, _own_counters(target))
    written.wcr = wcr
    state = compat.add_state(visitor, f"augassign_{node.lineno}_{node.col_offset}")
    state.add_mapped_tasklet(
        state.label,
        {f"__i{k}": f"0:{size}" for k, size in enumerate(target[1].size()) if size != 1},
        reads,
        code,
        {"__out": written},
        external_edges=True,
        debuginfo=visitor.current_lineinfo,
    )


def _element(part: Part, counters: Sequence[str | None]) -> Memlet:
    """The element at the counters; dimensions without one stay at their first element."""
    name, subset = part
    indices = (
        f"{begin} + ({step}) * {counter}" if counter else f"{begin}"
        for (begin, _, step), counter in zip(subset.ranges, counters, strict=True)
    )
    return Memlet(f"{name}[{', '.join(indices)}]")
