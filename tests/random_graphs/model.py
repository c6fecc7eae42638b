"""Random programs as text, and what they compute by a model in NumPy.

A tensor of the model is an array of the numbers of its elements; the memory is one array for each type. So a view is
what NumPy does to that array, and every rule of the API that matters here is one line.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Program", "generate"]

Elements = np.ndarray[Any, np.dtype[np.int64]]
_DTYPES = {"float": np.float32, "uint": np.uint32, "uchar": np.uint8}
_MAX_ELEMENTS = 600


@dataclass
class Program:
    """The lines for driver.cpp, and ``expected``: what each ``read`` gives after two runs."""

    lines: list[str] = field(default_factory=list)
    expected: list[np.ndarray[Any, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class _Tensor:
    number: int
    type: str
    elements: Elements

    @property
    def is_writable(self) -> bool:
        return np.unique(self.elements).size == self.elements.size


_Step = Callable[[dict[str, Any]], None]


def generate(seed: int) -> Program:
    """Return the program of a seed: the same in every process."""
    return _Generator(random.Random(seed)).generate()


class _Generator:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.tiles = rng.choice((1, 2, 5, 8))
        self.program = Program()
        self.tensors: list[_Tensor] = []
        self.initial: dict[str, list[np.ndarray[Any, Any]]] = {name: [] for name in _DTYPES}
        self.variables = 0

    def generate(self) -> Program:
        self.emit("program", self.tiles, self.rng.randrange(2))
        for _ in range(self.rng.randint(2, 4)):
            self.variable()
        for _ in range(self.rng.randint(6, 24)):
            self.view()
        steps = self.block(self.rng.randint(2, 7), depth=0)
        memory = {
            name: np.concatenate([*parts, np.empty(0)]).astype(_DTYPES[name]) for name, parts in self.initial.items()
        }
        with np.errstate(over="ignore"):  # bytes wrap on both sides
            for step in steps * 2:
                step(memory)
        for tensor in self.tensors:
            self.emit("read", tensor.number)
            self.program.expected.append(memory[tensor.type][tensor.elements.ravel()])
        self.emit("run")
        return self.program

    def emit(self, *words: object) -> None:
        self.program.lines.append(" ".join(str(word) for word in words))

    def variable(self) -> None:
        least = 0 if self.rng.random() < 0.1 else 1
        shape = [self.rng.randint(least, 7) for _ in range(self.rng.randint(0, 4))]
        kind = self.rng.choice(list(_DTYPES))
        count = int(np.prod(shape, dtype=int))
        start = sum(part.size for part in self.initial[kind])
        self.initial[kind].append((7 * np.arange(count) + 13 * self.variables) % 100)
        self.variables += 1
        self.emit("variable", kind, self.rng.randint(1, 9), self.rng.randint(1, 7), *_list(shape))
        self.add(kind, np.arange(start, start + count).reshape(shape))

    def add(self, kind: str, elements: Elements) -> None:
        self.tensors.append(_Tensor(len(self.tensors), kind, elements))

    # Views

    def view(self) -> None:
        source = self.rng.choice(self.tensors)
        operations = ["reshape", "shuffle", "expand", "concat"]
        if source.elements.ndim > 0:
            operations += ["slice", "slice", "index", "reverse", "sample", "broadcast", "upsample", "roll"]
        operation = self.rng.choice(operations)
        getattr(self, f"_{operation}")(source)

    def derive(self, source: _Tensor, operation: str, result: Elements, *arguments: object) -> None:
        if result.size <= _MAX_ELEMENTS and result.ndim <= 6:
            self.emit(operation, source.number, *arguments)
            self.add(source.type, result)

    def _dim(self, source: _Tensor) -> int:
        return self.rng.randrange(source.elements.ndim)

    def _reshape(self, source: _Tensor) -> None:
        rest, shape = source.elements.size, []
        while rest > 1:
            shape.append(self.rng.choice([d for d in range(1, rest + 1) if rest % d == 0]))
            rest //= shape[-1]
        if source.elements.size == 0:
            shape = [0, self.rng.randint(1, 3)]
        self.derive(source, "reshape", source.elements.reshape(shape), *_list(shape))

    def _shuffle(self, source: _Tensor) -> None:
        order = self.rng.sample(range(source.elements.ndim), source.elements.ndim)
        self.derive(source, "shuffle", source.elements.transpose(order), *_list(order))

    def _expand(self, source: _Tensor) -> None:
        dim = self.rng.randint(0, source.elements.ndim)
        self.derive(source, "expand", np.expand_dims(source.elements, dim), dim)

    def _concat(self, source: _Tensor) -> None:
        if source.elements.ndim == 0:
            return
        dim = self._dim(source)

        def fits(other: _Tensor) -> bool:
            shape, wanted = list(other.elements.shape), list(source.elements.shape)
            if other.type != source.type or len(shape) != len(wanted):
                return False
            return shape[:dim] + shape[dim + 1 :] == wanted[:dim] + wanted[dim + 1 :]

        parts = self.rng.choices([tensor for tensor in self.tensors if fits(tensor)], k=self.rng.randint(1, 3))
        result = np.concatenate([part.elements for part in parts], axis=dim)
        if result.size <= _MAX_ELEMENTS:
            self.emit("concat", dim, *_list([part.number for part in parts]))
            self.add(source.type, result)

    def _slice(self, source: _Tensor) -> None:
        dim = self._dim(source)
        begin, end = sorted(self.rng.randint(0, source.elements.shape[dim]) for _ in range(2))
        result = source.elements.take(np.arange(begin, end), axis=dim)
        self.derive(source, "slice", result, dim, begin, end)

    def _index(self, source: _Tensor) -> None:
        dim = self._dim(source)
        if source.elements.shape[dim] > 0:
            at = self.rng.randrange(source.elements.shape[dim])
            self.derive(source, "index", source.elements.take(at, axis=dim), dim, at)

    def _reverse(self, source: _Tensor) -> None:
        dim = self._dim(source)
        self.derive(source, "reverse", np.flip(source.elements, dim), dim)

    def _sample(self, source: _Tensor) -> None:
        dim, step = self._dim(source), self.rng.randint(1, 4)
        result = source.elements.take(np.arange(0, source.elements.shape[dim], step), axis=dim)
        self.derive(source, "sample", result, dim, step)

    def _broadcast(self, source: _Tensor) -> None:
        dim, times = self._dim(source), self.rng.randint(1, 3)
        self.derive(source, "broadcast", np.concatenate([source.elements] * times, axis=dim), dim, times)

    def _upsample(self, source: _Tensor) -> None:
        dim, times = self._dim(source), self.rng.randint(1, 3)
        self.derive(source, "upsample", np.repeat(source.elements, times, axis=dim), dim, times)

    def _roll(self, source: _Tensor) -> None:
        dim, to = self._dim(source), self._dim(source)
        self.derive(source, "roll", np.moveaxis(source.elements, dim, to), dim, to)

    # Programs

    def block(self, count: int, depth: int) -> list[_Step]:
        steps: list[_Step] = []
        for _ in range(count):
            kind = self.rng.choice(("copy", "copy", "vertices", "vertices", "repeat"))
            if kind == "repeat" and depth < 2:
                times = self.rng.randint(0, 3)
                self.emit("repeat", times)
                steps += self.block(self.rng.randint(1, 3), depth + 1) * times
                self.emit("end")
            elif kind == "vertices":
                steps.append(self.vertices())
            else:
                steps += self.copy()
        return steps

    def writable(self) -> Iterator[_Tensor]:
        candidates = [tensor for tensor in self.tensors if tensor.is_writable]
        yield from self.rng.sample(candidates, len(candidates))

    def source_for(self, target: _Tensor, same_shape: bool) -> _Tensor | None:
        def fits(tensor: _Tensor) -> bool:
            if tensor.type != target.type or tensor.elements.size != target.elements.size:
                return False
            return not same_shape or tensor.elements.shape == target.elements.shape

        found = [tensor for tensor in self.tensors if fits(tensor) and tensor is not target]
        return self.rng.choice(found) if found else None

    def copy(self) -> list[_Step]:
        for target in self.writable():
            source = self.source_for(target, same_shape=False)
            if source is not None:
                self.emit("copy", source.number, target.number)
                return [_copy_step(source, target)]
        return []

    def vertices(self) -> _Step:
        """A compute set: a vertex on each of some tiles, which write different elements."""
        self.emit("vertices")
        written: dict[str, set[int]] = {name: set() for name in _DTYPES}
        free = iter(self.rng.sample(range(self.tiles), self.tiles))
        chosen = []
        for target in self.writable():
            elements = set(target.elements.ravel().tolist())
            kind = self.rng.choice(("Add", "Next"))
            if target.elements.ndim == 2 and self.rng.random() < 0.7:
                kind = "AddRows"
            source = self.source_for(target, same_shape=kind == "AddRows")
            # A vertex whose edges overlap would see its own writes, or not, as they are contiguous or not.
            if source is None or elements & written[target.type] or elements & set(source.elements.ravel().tolist()):
                continue
            tile = next(free, None)
            if tile is None:
                break
            written[target.type] |= elements
            self.emit("vertex", kind, tile, source.number, target.number)
            chosen.append((kind, source, target))
        return _vertices_step(chosen)


def _copy_step(source: _Tensor, target: _Tensor) -> _Step:
    def step(memory: dict[str, Any]) -> None:
        array = memory[target.type]
        array[target.elements.ravel()] = array[source.elements.ravel()]

    return step


def _vertices_step(chosen: list[tuple[str, _Tensor, _Tensor]]) -> _Step:
    def step(memory: dict[str, Any]) -> None:
        before = {name: array.copy() for name, array in memory.items()}
        for kind, source, target in chosen:
            old = before[source.type]
            value = old[source.elements].reshape(target.elements.shape)
            if kind == "Next":
                memory[target.type][target.elements] = value + old.dtype.type(1)
            elif kind == "Add":
                memory[target.type][target.elements] = old[target.elements] + value
            else:
                rows = np.arange(target.elements.shape[0], dtype=old.dtype)[:, None]
                memory[target.type][target.elements] = old[target.elements] + (rows + value)

    return step


def _list(values: list[int]) -> list[int]:
    return [len(values), *values]
