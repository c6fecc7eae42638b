"""Runs one vertex of a compute set on copies of its slices, worker after worker, and checks who touches what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from dace_ipu.tile_graph import functions
from dace_ipu.tile_graph.indices import evaluate
from dace_ipu.tile_graph.nodes import WORKER, WORKERS_PER_TILE, ComputeSet, Direction, Field, Layout, Value
from dace_ipu.tile_graph.statements import Array, Frame, InterpreterError, Memory, Run, element_text, poison

__all__ = ["Names", "Place", "Vertex", "check_owners"]

Names = dict[str, Any]
Place = tuple[Array, ...]  # an index that selects a box of a variable: one array of indices a dimension

_WORD_BYTES = 4  # what one store of the machine writes: two workers must not share a word


@dataclass(frozen=True)
class Vertex:
    """A vertex of ``step``: the ``values`` of its block's symbols, and the box of each field."""

    step: ComputeSet
    values: Names
    places: dict[str, Place]

    def run(self, body: Run, variables: dict[str, Array]) -> dict[str, Array]:
        """The contents of all fields after the vertex has run. ``variables`` stay as they are."""
        arrays = {field.name: self._content(field, variables[field.variable]) for field in self.step.fields}
        names = {value.name: self._value(value) for value in self.step.values}
        if not self.step.workers:
            body(Frame(names, Memory(dict(arrays))))
            return arrays
        log = _Log(frozenset(f.name for f in self.step.fields if f.direction is not Direction.INPUT))
        for worker in range(WORKERS_PER_TILE):
            memory = _WorkerMemory(dict(arrays), worker, log)
            body(Frame({**names, WORKER: worker}, memory, partial(_share, worker, self._grain(arrays))))
        return arrays

    def _content(self, edge: Field, variable: Array) -> Array:
        array = variable[self.places[edge.name]]
        if edge.direction is Direction.OUTPUT:
            array = np.full(array.shape, poison(array.dtype), array.dtype)
        return array.reshape(()) if edge.layout is Layout.SCALAR else array

    def _value(self, value: Value) -> Any:
        if value.dtype.kind == "f":
            return functions.convert(self.values[str(value.expr)], value.dtype)
        number = evaluate(value.expr, self.values)
        if functions.convert(number, value.dtype) != number:
            raise ValueError(f"the value '{value.name}' is {number}, which does not fit into {value.dtype}")
        return number

    def _grain(self, arrays: dict[str, Array]) -> int:
        sizes = [arrays[f.name].itemsize for f in self.step.fields if f.direction is not Direction.INPUT]
        return max(1, _WORD_BYTES // min(sizes, default=_WORD_BYTES))


def _share(worker: int, grain: int, begin: int, end: int) -> range:
    """A worker's chunk of the iterations: contiguous, of a multiple of ``grain``."""
    grains = -(-(end - begin) // grain)
    each = -(-grains // WORKERS_PER_TILE) * grain
    return range(begin + worker * each, min(end, begin + (worker + 1) * each))


@dataclass
class _Log:
    """Which worker wrote, and which read, the elements of the written fields."""

    fields: frozenset[str]
    writers: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)
    readers: dict[tuple[str, tuple[int, ...]], set[int]] = field(default_factory=dict)


class _WorkerMemory(Memory):
    """Raises InterpreterError where two workers touch an element and one of them writes it."""

    def __init__(self, arrays: dict[str, Array], worker: int, log: _Log) -> None:
        super().__init__(arrays)
        self._worker = worker
        self._log = log

    def current(self, data: str, indices: tuple[int, ...]) -> np.generic:
        element = (data, indices)
        if data in self._log.fields:
            if self._log.writers.get(element, self._worker) != self._worker:
                raise self._conflict(element, {self._log.writers[element]})
            self._log.readers.setdefault(element, set()).add(self._worker)
        return super().current(data, indices)

    def store(self, data: str, indices: tuple[int, ...], value: functions.Scalar) -> None:
        super().store(data, indices, value)
        element = (data, indices)
        if data in self._log.fields:
            writer = self._log.writers.setdefault(element, self._worker)
            others = ({writer} | self._log.readers.get(element, set())) - {self._worker}
            if others:
                raise self._conflict(element, others)

    def _conflict(self, element: tuple[str, tuple[int, ...]], others: set[int]) -> InterpreterError:
        return InterpreterError(f"workers {min(others)} and {self._worker} both touch {element_text(element)}")


def check_owners(vertices: Sequence[Vertex], variables: dict[str, Array]) -> None:
    """Raises InterpreterError if a field that is written overlaps any other field of the compute set."""
    owners: dict[str, Array] = {}
    for direction in (Direction.OUTPUT, Direction.INOUT):
        for number, vertex in enumerate(vertices):
            for edge in vertex.step.fields:
                if edge.direction is direction:
                    owner = owners.setdefault(edge.variable, np.full(variables[edge.variable].shape, -1))
                    _check_free(owner, edge, vertex, number)
                    owner[vertex.places[edge.name]] = number
    for number, vertex in enumerate(vertices):
        for edge in vertex.step.fields:
            if edge.direction is Direction.INPUT and edge.variable in owners:
                _check_free(owners[edge.variable], edge, vertex, number)


def _check_free(owner: Array, edge: Field, vertex: Vertex, number: int) -> None:
    taken = owner[vertex.places[edge.name]]
    if (taken >= 0).any():
        verb = "reads" if edge.direction is Direction.INPUT else "writes"
        raise InterpreterError(
            f"compute set '{vertex.step.name}': vertex {number} {verb} elements of '{edge.variable}' that vertex "
            f"{taken[taken >= 0].flat[0]} writes"
        )
