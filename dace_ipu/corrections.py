"""Corrections of faults in DaCe that change what a program computes, for as long as DaCe has them.

They stand before everything else that happens to a program: DaCe's frontend simplifies what it parses, and what is lost
there never reaches the IPU. Decision 0012 says why they are made for all programs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from dace.sdfg.state import LoopRegion

from dace_ipu import compat

__all__ = ["install"]

#: The counter of a loop, and the least and the greatest value it has.
CounterRange = tuple[str, Any, Any]


def install() -> None:
    """Correct DaCe. Repeatable."""
    compat.wrap_guard_ranges(_with_ranges_in_order)


def _with_ranges_in_order(original: Callable[..., list[CounterRange]]) -> Callable[..., list[CounterRange]]:
    """Ranges of counters, by which DaCe decides whether a condition always or never holds.

    DaCe 2.0.0b1 gives the first and the last value, whatever the direction: ``if i > 2`` in a loop
    ``for i in range(8, 0, -1)`` is removed as if it never held.
    """

    @functools.wraps(original)
    def ranges(lift: Any, block: Any) -> list[CounterRange]:
        strides = _strides(block)
        found = original(lift, block)
        return [_in_order(*each, strides[each[0]]) for each in found if strides.get(each[0])]

    return ranges


def _strides(block: Any) -> dict[str, int]:
    """The steps of the loops around a block that are numbers; of two loops over one counter, that of the inner one."""
    result: dict[str, int] = {}
    region = block.parent_graph
    while region is not None:
        if isinstance(region, LoopRegion) and region.loop_variable:
            result.setdefault(region.loop_variable, compat.constant_stride(region))
        region = region.parent_graph
    return result


def _in_order(counter: str, first: Any, last: Any, stride: int) -> CounterRange:
    return (counter, first, last) if stride > 0 else (counter, last, first)
