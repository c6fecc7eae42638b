"""Runs the inside of maps and vertices: turns statements into Python closures over a frame of values.

Local scalars are NumPy scalars of their declared types; loop variables are Python integers. An element or scalar that
was never written holds a ``poison``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from dace_ipu.tile_graph import functions
from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    DType,
    For,
    If,
    LocalArray,
    Op,
    Reduction,
    Statement,
    Store,
    While,
)
from dace_ipu.tile_graph.expressions import compile_code
from dace_ipu.tile_graph.indices import compile_index
from dace_ipu.tile_graph.reductions import identity

__all__ = ["Array", "Frame", "InterpreterError", "Memory", "Run", "combine", "compile_body", "poison", "start_value"]

Array = np.ndarray[Any, Any]
Element = tuple[str, tuple[int, ...]]


class InterpreterError(Exception):
    """A tile graph does something that has no meaning: an index out of range, two writers of one element, ..."""


class Signal(Enum):
    """How a statement ended that did not just end."""

    BREAK = "break"
    CONTINUE = "continue"


def poison(dtype: DType) -> np.generic:
    """The value of memory that nobody has written: NaN, the least integer, the greatest unsigned one, True."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.name)
        return functions.convert(int(limits.min or limits.max), dtype)
    return functions.convert({"f": np.nan, "c": complex(np.nan, np.nan)}.get(dtype.kind, True), dtype)


class Memory:
    """Arrays by name, accessed element by element. Raises InterpreterError for indices out of range."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        self.arrays = arrays

    def load(self, data: str, indices: tuple[int, ...]) -> np.generic:
        """The element of an array, as a computation sees it."""
        return self.current(data, indices)

    def current(self, data: str, indices: tuple[int, ...]) -> np.generic:
        """The element of an array as it is now: what a reduction goes on from."""
        return self._array(data, indices)[indices]  # type: ignore[no-any-return]

    def store(self, data: str, indices: tuple[int, ...], value: functions.Scalar) -> None:
        """Sets the element of an array to the value, converted to its type."""
        array = self._array(data, indices)
        array[indices] = functions.convert(value, array.dtype)

    def _array(self, data: str, indices: tuple[int, ...]) -> Array:
        array = self.arrays[data]
        if len(indices) != array.ndim or not all(0 <= i < n for i, n in zip(indices, array.shape, strict=True)):
            raise InterpreterError(f"{element_text((data, indices))} is outside of the shape {array.shape}")
        return array


def element_text(element: Element) -> str:
    """``A[1, 2]``."""
    return f"{element[0]}[{', '.join(map(str, element[1]))}]"


@dataclass
class Frame:
    """The values a body computes with. ``share`` gives the iterations of the shared loop that this worker runs."""

    names: dict[str, Any]
    memory: Memory
    share: Callable[[int, int], Iterable[int]] = range
    types: dict[str, DType] = field(default_factory=dict)

    def load(self, data: str, indices: tuple[int, ...]) -> np.generic:
        """The element of an array."""
        return self.memory.load(data, indices)


Run = Callable[[Frame], "Signal | None"]


def combine(reduction: Reduction, old: functions.Scalar, new: functions.Scalar) -> functions.Scalar:
    """``op(old, new)``, in the type that the operands have in common."""
    if reduction.op is Op.CUSTOM:
        return compile_code(Code(reduction.code))(Frame({"old": old, "new": new}, Memory({})))
    return _OPERATIONS[reduction.op](old, new)


def start_value(reduction: Reduction, dtype: DType) -> functions.Scalar:
    """The identity of the reduction. Raises InterpreterError if it has none."""
    text = identity(reduction, dtype)
    if text is None:
        raise InterpreterError(f"a reduction by {reduction.op.value} has no identity")
    return functions.convert(compile_code(Code(text))(Frame({}, Memory({}))), dtype)


_OPERATIONS: dict[Op, functions.Function] = {
    Op.SUM: functions.BINARY[ast.Add],
    Op.PRODUCT: functions.BINARY[ast.Mult],
    Op.MIN: functions.FUNCTIONS["min"],
    Op.MAX: functions.FUNCTIONS["max"],
    Op.LOGICAL_AND: functions.FUNCTIONS["logical_and"],
    Op.LOGICAL_OR: functions.FUNCTIONS["logical_or"],
    Op.LOGICAL_XOR: functions.FUNCTIONS["logical_xor"],
    Op.BITWISE_AND: functions.BINARY[ast.BitAnd],
    Op.BITWISE_OR: functions.BINARY[ast.BitOr],
    Op.BITWISE_XOR: functions.BINARY[ast.BitXor],
}


def compile_body(body: tuple[Statement, ...]) -> Run:
    """The statements as one function, which says whether it ended with a break or continue."""
    runs = [_COMPILERS[type(statement)](statement) for statement in body]

    def run(frame: Frame) -> Signal | None:
        for statement in runs:
            signal = statement(frame)
            if signal is not None:
                return signal
        return None

    return run


def _declare(statement: Declare) -> Run:
    name, dtype = statement.name, statement.dtype
    value = None if statement.value is None else compile_code(statement.value)

    def run(frame: Frame) -> None:
        frame.types[name] = dtype
        frame.names[name] = poison(dtype) if value is None else functions.convert(value(frame), dtype)

    return run


def _assign(statement: Assign) -> Run:
    name, reduction, value = statement.name, statement.reduction, compile_code(statement.value)

    def run(frame: Frame) -> None:
        new = value(frame)
        result = new if reduction is None else combine(reduction, frame.names[name], new)
        frame.names[name] = functions.convert(result, frame.types[name])

    return run


def _local_array(statement: LocalArray) -> Run:
    def run(frame: Frame) -> None:
        frame.memory.arrays[statement.name] = np.full(statement.shape, poison(statement.dtype), statement.dtype)

    return run


def _store(statement: Store) -> Run:
    element, reduction, value = _element(statement.target), statement.reduction, compile_code(statement.value)

    def run(frame: Frame) -> None:
        data, indices = element(frame)
        new = value(frame)
        result = new if reduction is None else combine(reduction, frame.memory.current(data, indices), new)
        frame.memory.store(data, indices, result)

    return run


def _element(access: Access) -> Callable[[Frame], Element]:
    indices = [compile_index(index) for index in access.indices]
    return lambda frame: (access.data, tuple(index(frame.names) for index in indices))


def _for(statement: For) -> Run:
    bounds = [compile_index(bound) for bound in (statement.begin, statement.end, statement.step)]
    variable, body = statement.variable, compile_body(statement.body)

    def run(frame: Frame) -> None:
        begin, end, step = (bound(frame.names) for bound in bounds)
        for i in frame.share(begin, end) if statement.shared else range(begin, end, step):
            frame.names[variable] = i
            if body(frame) is Signal.BREAK:
                return

    return run


def _while(statement: While) -> Run:
    condition, body = compile_code(statement.condition), compile_body(statement.body)

    def run(frame: Frame) -> None:
        while condition(frame):
            if body(frame) is Signal.BREAK:
                return

    return run


def _if(statement: If) -> Run:
    condition = compile_code(statement.condition)
    then, orelse = compile_body(statement.then), compile_body(statement.orelse)
    return lambda frame: then(frame) if condition(frame) else orelse(frame)


_COMPILERS: dict[type, Callable[[Any], Run]] = {
    Declare: _declare,
    Assign: _assign,
    LocalArray: _local_array,
    Store: _store,
    For: _for,
    While: _while,
    If: _if,
    Break: lambda _: lambda frame: Signal.BREAK,
    Continue: lambda _: lambda frame: Signal.CONTINUE,
}
