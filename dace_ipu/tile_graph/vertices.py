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
from dace_ipu.tile_graph.statements import Array, Element, Frame, InterpreterError, Memory, Run, element_text, poison

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
        log = _Log({edge.name: edge for edge in self.step.fields if edge.direction is not Direction.INPUT})
        if self.step.workers:
            for worker in range(WORKERS_PER_TILE):
                memory = _WorkerMemory(dict(arrays), worker, log)
                body(Frame({**names, WORKER: worker}, memory, partial(_share, worker, self._grain(arrays))))
        else:
            body(Frame(names, _WorkerMemory(dict(arrays), 0, log)))
        log.check_complete(arrays)
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
    """Which worker wrote, and which read, the elements of the written fields; and who wrote into each word."""

    fields: dict[str, Field]
    writers: dict[Element, int] = field(default_factory=dict)
    words: dict[Element, int] = field(default_factory=dict)
    readers: dict[Element, set[int]] = field(default_factory=dict)

    def check_complete(self, arrays: dict[str, Array]) -> None:
        """Raises InterpreterError if an output is not written as a whole: the rest would be undefined."""
        for edge in self.fields.values():
            written = sum(data == edge.name for data, _ in self.writers)
            if edge.direction is Direction.OUTPUT and written < arrays[edge.name].size:
                size = arrays[edge.name].size
                raise InterpreterError(
                    f"only {written} of {size} elements of the output field '{edge.name}' are written"
                )


class _WorkerMemory(Memory):
    """Raises InterpreterError where two workers touch an element and one of them writes it, or write into one word."""

    def __init__(self, arrays: dict[str, Array], worker: int, log: _Log) -> None:
        super().__init__(arrays)
        self._worker = worker
        self._log = log

    def current(self, data: str, indices: tuple[int, ...]) -> np.generic:
        value = super().current(data, indices)
        if data in self._log.fields:
            self._note_read((data, indices))
        return value

    def store(self, data: str, indices: tuple[int, ...], value: functions.Scalar) -> None:
        super().store(data, indices, value)
        if data in self._log.fields:
            self._note_write((data, indices))

    def _note_read(self, element: Element) -> None:
        writer = self._log.writers.get(element)
        if writer is None and self._log.fields[element[0]].direction is Direction.OUTPUT:
            raise InterpreterError(f"{element_text(element)} of an output field is read before it is written")
        if writer is not None and writer != self._worker:
            raise self._conflict(element, {writer})
        self._log.readers.setdefault(element, set()).add(self._worker)

    def _note_write(self, element: Element) -> None:
        writer = self._log.writers.setdefault(element, self._worker)
        neighbour = self._log.words.setdefault(self._word(element), self._worker)
        others = ({writer, neighbour} | self._log.readers.get(element, set())) - {self._worker}
        if others:
            raise self._conflict(element, others)

    def _word(self, element: Element) -> Element:
        """The 32-bit word of an element: rows begin at words, other fields do as a whole."""
        data, indices = element
        array = self.arrays[data]
        outer = indices[:-1] if self._log.fields[data].layout is Layout.ROWS else ()
        position = int(np.ravel_multi_index(indices, array.shape)) if indices and not outer else 0
        return data, (*outer, (indices[-1] if outer else position) * array.itemsize // _WORD_BYTES)

    def _conflict(self, element: Element, others: set[int]) -> InterpreterError:
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
