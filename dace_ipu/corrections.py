"""Corrections of faults in DaCe that change what a program computes, for as long as DaCe has them.

They stand before everything else that happens to a program: DaCe's frontend simplifies what it parses, and what is lost
there never reaches the IPU. Decision 0012 says why they are made for all programs.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

import numpy as np
from dace import dtypes
from dace.sdfg import nodes
from dace.sdfg.state import LoopRegion

from dace_ipu import augmented_assignments, compat, converting_copies, numpy_reductions

__all__ = ["install"]

#: The counter of a loop, and the least and the greatest value it has.
CounterRange = tuple[str, Any, Any]


def install() -> None:
    """Correct DaCe. Repeatable."""
    compat.wrap_guard_ranges(_with_ranges_in_order)
    compat.wrap_result_type(_with_weak_numbers)
    compat.wrap_visit_assign(_with_copies_of_scalars)
    compat.wrap_replacement("dace.reduce", _with_identity)
    compat.wrap_replacement("abs", _with_real_magnitude)
    compat.wrap_parse(lambda original: _with_counters_apart(_with_conversions(original)))
    converting_copies.install(_unless_overwritten)
    numpy_reductions.install()
    augmented_assignments.install()


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
    signed ones, and a power of integers for a float.
    """

    @functools.wraps(original)
    def result_type(arguments: Sequence[Any], operator: str | None = None) -> Any:
        if operator == "USub":
            return original(arguments)
        if operator == "Pow" and all(_is_integer_power(argument) for argument in arguments):
            operator = "Add"  # the type of a sum is that of a power
        return original([_as_the_others(argument, arguments) for argument in arguments], operator)

    return result_type


def _is_integer_power(operand: Any) -> bool:
    """Whether an operand is an integer, and no number below 0."""
    if isinstance(operand, (Number, np.bool_)):
        return isinstance(operand, (int, np.integer)) and not isinstance(operand, bool) and bool(operand >= 0)
    return np.dtype(compat.operand_type(operand).type).kind in "iu"


def _as_the_others(argument: Any, arguments: Sequence[Any]) -> Any:
    """A Python integer as one of the type of the other operands, if they are integers and it fits."""
    others = [compat.operand_type(other) for other in arguments if not isinstance(other, (Number, np.bool_))]
    if type(argument) is not int or not others or any(np.dtype(other.type).kind not in "iu" for other in others):
        return argument
    dtype = np.result_type(*(other.type for other in others))
    if dtype.kind not in "iu" or not np.iinfo(dtype).min <= argument <= np.iinfo(dtype).max:
        return argument
    return dtype.type(argument)


def _with_copies_of_scalars(original: Callable[..., Any]) -> Callable[..., Any]:
    """Assignments in which ``y = x`` of a number gives y a value of its own, as do ``y, z = x, y``.

    DaCe 2.0.0b1 takes y for another name of x: what is assigned to one of them later changes both. (Of arrays that is
    what Python means.)
    """

    @functools.wraps(original)
    def visit_assign(visitor: Any, node: Any, target: ast.expr, op: Any, *more: Any, **options: Any) -> Any:
        if op is None and not options.get("is_return", False):
            node = _with_copies(visitor, node)
        return original(visitor, node, target, op, *more, **options)

    return visit_assign


def _with_copies(visitor: Any, node: Any) -> Any:
    """The assignment with the name of a new scalar for each value that is nothing but a name of one."""
    parts = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else [node.value]
    copies = [_copied(visitor, part) for part in parts]
    if all(new is part for new, part in zip(copies, parts, strict=True)):
        return node
    result = copy.copy(node)
    result.value = ast.Tuple(copies, ast.Load()) if len(copies) > 1 else copies[0]
    return result


def _copied(visitor: Any, value: Any) -> Any:
    name = visitor.variables.get(value.id) if isinstance(value, ast.Name) else None
    return value if name is None else compat.copy_of_scalar(visitor, name) or value


def _with_identity(original: Callable[..., Any]) -> Callable[..., Any]:
    """``dace.reduce`` that returns its result starts from the identity of the operation, if none is given.

    DaCe 2.0.0b1 starts from whatever the new array holds. Simplified, ``C[:] = dace.reduce(f, A)`` reduces to C itself,
    and adds to what was there before.
    """

    @functools.wraps(original)
    def reduced(visitor: Any, sdfg: Any, state: Any, *arguments: Any, **options: Any) -> Any:
        result = original(visitor, sdfg, state, *arguments, **options)
        if isinstance(result, str):  # with an array for the result it returns nothing
            (target,) = [node for node in state.sink_nodes() if getattr(node, "data", None) == result]
            (edge,) = state.in_edges(target)
            kind = compat.reduction_type(edge.src.wcr)
            if edge.src.identity is None and kind is not None:
                edge.src.identity = dtypes.reduction_identity(sdfg.arrays[result].dtype, kind)
        return result

    return reduced


def _with_real_magnitude(original: Callable[..., Any]) -> Callable[..., Any]:
    """``abs`` of complex numbers, which is real. DaCe 2.0.0b1 has it complex."""

    @functools.wraps(original)
    def magnitude(visitor: Any, sdfg: Any, state: Any, value: Any) -> Any:
        desc = sdfg.arrays.get(value) if isinstance(value, str) else None
        if desc is None or np.dtype(desc.dtype.type).kind != "c":
            return original(visitor, sdfg, state, value)
        return compat.call_of_real_result(visitor, sdfg, state, value, "abs")

    return magnitude


def _with_conversions(original: Callable[..., Any]) -> Callable[..., Any]:
    """Programs in which copies that convert are maps."""

    @functools.wraps(original)
    def parsed(*arguments: Any, **options: Any) -> Any:
        sdfg = original(*arguments, **options)
        converting_copies.as_maps(sdfg)
        return sdfg

    return parsed


def _with_counters_apart(original: Callable[..., Any]) -> Callable[..., Any]:
    """Programs in which the counters of functions that are called have other names than those around the call.

    DaCe 2.0.0b1 puts an argument ``A[i]`` into the function without looking: where it counts with an ``i`` of its own,
    ``x[i]`` becomes ``A[i, i]``.
    """

    @functools.wraps(original)
    def parsed(*arguments: Any, **options: Any) -> Any:
        sdfg = original(*arguments, **options)
        _rename_counters(sdfg, frozenset())
        return sdfg

    return parsed


def _rename_counters(sdfg: Any, outside: frozenset[str]) -> None:
    """Rename what nested SDFGs count with and the places where they stand count with too, in place."""
    for state in sdfg.states():
        for node in [n for n in state.nodes() if isinstance(n, nodes.NestedSDFG)]:
            around = outside | _counters_around(node, state)
            for name in sorted(around & _counters(node.sdfg) - node.sdfg.used_symbols(all_symbols=False)):
                node.symbol_mapping.pop(name, None)
                node.sdfg.symbols.pop(name, None)
                node.sdfg.replace(name, _free_name(name, node.sdfg, around))
            _rename_counters(node.sdfg, around)


def _counters_around(node: Any, state: Any) -> set[str]:
    """The parameters of the maps around a node, and the counters of the loops around its state."""
    names: set[str] = set()
    entry = state.entry_node(node)
    while entry is not None:
        names |= set(entry.map.params) if isinstance(entry, nodes.MapEntry) else set()
        entry = state.entry_node(entry)
    region = state.parent_graph
    while region is not None:
        names |= {region.loop_variable} if isinstance(region, LoopRegion) else set()
        region = region.parent_graph
    return names


def _counters(sdfg: Any) -> set[str]:
    """The parameters of maps and the counters of loops in an SDFG, but not in those nested in it."""
    loops = {b.loop_variable for b in sdfg.all_control_flow_blocks() if isinstance(b, LoopRegion)}
    entries = (n for state in sdfg.states() for n in state.nodes() if isinstance(n, nodes.MapEntry))
    return loops | {name for entry in entries for name in entry.map.params}


def _free_name(name: str, sdfg: Any, around: frozenset[str]) -> str:
    taken = around | _counters(sdfg) | sdfg.symbols.keys() | sdfg.arrays.keys() | set(map(str, sdfg.free_symbols))
    return next(new for new in (f"{name}_{k}" for k in itertools.count(1)) if new not in taken)


def _unless_overwritten(original: Callable[..., bool]) -> Callable[..., bool]:
    """Whether a copy is superfluous: not if it is read after the original has been overwritten.

    DaCe 2.0.0b1 removes the copy in ``old = np.copy(A); A[1:-1] = f(old); change = A - old``, and computes ``A - A``.
    """

    @functools.wraps(original)
    def can_be_applied(match: Any, state: Any, *arguments: Any, **options: Any) -> bool:
        applies = original(match, state, *arguments, **options)
        return applies and not _is_read_late(match.in_array, match.out_array, state)

    return can_be_applied


def _is_read_late(source: Any, copied: Any, state: Any) -> bool:
    """Whether something reads a copy of ``source`` that need not run before ``source`` is written again."""
    writers = [n for n in state.data_nodes() if n.data == source.data and n is not source and state.in_degree(n)]
    later = [writer for writer in writers if not compat.has_path(state, writer, source)]
    return any(not compat.has_path(state, reader, w) for reader in state.successors(copied) for w in later)
