"""Corrections of faults in DaCe that change what a program computes, for as long as DaCe has them.

They stand before everything else that happens to a program: DaCe's frontend simplifies what it parses, and what is lost
there never reaches the IPU. Decision 0012 says why they are made for all programs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

import numpy as np
from dace.sdfg.state import LoopRegion

from dace_ipu import compat

__all__ = ["install"]

#: The counter of a loop, and the least and the greatest value it has.
CounterRange = tuple[str, Any, Any]


def install() -> None:
    """Correct DaCe. Repeatable."""
    compat.wrap_guard_ranges(_with_ranges_in_order)
    compat.wrap_result_type(_with_weak_numbers)


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


def _with_weak_numbers(original: Callable[..., Any]) -> Callable[..., Any]:
    """The type of an operation on integers, where a Python number has that of the other operand.

    DaCe 2.0.0b1 takes ``x * 100`` with an int8 or int32 array for int64, as NumPy did before version 2, and
    ``x // 3`` with a uint32 one: what wraps around in NumPy does not in DaCe. It takes ``-x`` of unsigned numbers for
    signed ones.
    """

    @functools.wraps(original)
    def result_type(arguments: Sequence[Any], operator: str | None = None) -> Any:
        if operator == "USub":
            return original(arguments)
        return original([_as_the_others(argument, arguments) for argument in arguments], operator)

    return result_type


def _as_the_others(argument: Any, arguments: Sequence[Any]) -> Any:
    """A Python integer as one of the type of the other operands, if they are integers and it fits."""
    others = [compat.operand_type(other) for other in arguments if not isinstance(other, (Number, np.bool_))]
    if type(argument) is not int or not others or any(np.dtype(other.type).kind not in "iu" for other in others):
        return argument
    dtype = np.result_type(*(other.type for other in others))
    if dtype.kind not in "iu" or not np.iinfo(dtype).min <= argument <= np.iinfo(dtype).max:
        return argument
    return dtype.type(argument)
