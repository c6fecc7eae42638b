"""What a tile graph means: runs it on NumPy arrays.

Slow and plain on purpose: this is the definition that passes and printed programs are tested against. It refuses what a
machine with exchange phases cannot do: slices out of range, vertices that write what others read or write, workers that
get in each other's way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial, reduce
from typing import Any

import numpy as np

from dace_ipu.tile_graph import functions
from dace_ipu.tile_graph.blocks import Block, blocks
from dace_ipu.tile_graph.body import DType, LocalArray, Statement, Store, codes, walk
from dace_ipu.tile_graph.conditions import holds
from dace_ipu.tile_graph.indices import evaluate
from dace_ipu.tile_graph.nodes import (
    BLOCK,
    Branch,
    Choice,
    Combine,
    ComputeSet,
    Copy,
    CopyIn,
    CopyOut,
    Dimension,
    Direction,
    HostArray,
    MapStep,
    Moves,
    Product,
    Range,
    Repeat,
    RepeatWhile,
    Slice,
    Step,
    TileGraph,
    Variable,
)
from dace_ipu.tile_graph.products import Notation
from dace_ipu.tile_graph.statements import (
    Array,
    Frame,
    InterpreterError,
    Memory,
    combine,
    compile_body,
    poison,
    start_value,
)
from dace_ipu.tile_graph.vertices import Names, Place, Vertex, check_owners

__all__ = ["InterpreterError", "run"]

Numbers = Mapping[str, Any]


def run(
    graph: TileGraph,
    symbols: Mapping[str, int | float],
    arrays: Mapping[str, Array],
    tiles: int = 1472,
    state: dict[str, Array] | None = None,
) -> None:
    """Run the program on ``tiles`` tiles. Works on graphs of both levels, and on those in between.

    ``arrays`` holds the caller's arrays by the name of the ``HostArray``, updated in place: each has the shape of its
    ``HostArray`` (and strides of its own), or is a flat buffer that the strides and the offset apply to. ``state``
    keeps the persistent variables between calls.

    Maps read what was there before the map, except for elements that the same iteration has written.

    Raises InterpreterError for a program without a meaning, and for arrays or symbols that are missing or do not fit.
    """
    _Machine(graph, symbols, arrays, tiles, {} if state is None else state).execute(graph.steps)


class _Machine:
    def __init__(
        self, graph: TileGraph, symbols: Numbers, arrays: Mapping[str, Array], tiles: int, state: dict[str, Array]
    ) -> None:
        self._symbols = {name: _symbol(name, dtype, symbols) for name, dtype in graph.symbols}
        self._blocks = {
            p.name: blocks(tuple(map(self._number, p.extents)), tiles, p.workers, p.of_rows) for p in graph.partitions
        }
        self._hosts = {host.name: self._host(host, arrays) for host in graph.hosts}
        self._variables = {variable.name: self._variable(variable, state) for variable in graph.variables}

    # ---- data --------------------------------------------------------------------------------------------------------

    def _number(self, expr: Any) -> int:
        return evaluate(expr, self._symbols)

    def _host(self, host: HostArray, arrays: Mapping[str, Array]) -> Array:
        if host.name not in arrays:
            raise InterpreterError(f"no array for '{host.name}'")
        array = np.asarray(arrays[host.name])
        shape = tuple(map(self._number, host.shape))
        if array.dtype != host.dtype:
            raise InterpreterError(f"'{host.name}' is {host.dtype}, the array is {array.dtype}")
        if array.shape == shape:
            return array
        if host.scalar and array.ndim == 0:
            return array.reshape(shape)
        strides = tuple(map(self._number, host.strides))
        return _strided(host.name, array, shape, strides, self._number(host.offset))

    def _variable(self, variable: Variable, state: dict[str, Array]) -> Array:
        shape = self._shape(variable)
        if variable.constant is not None:
            return np.array(variable.constant, variable.dtype).reshape(shape)
        if variable.persistent and variable.name in state and state[variable.name].shape == shape:
            return state[variable.name]
        array = np.full(shape, poison(variable.dtype), variable.dtype)
        if variable.persistent:
            state[variable.name] = array
        return array

    def _shape(self, variable: Variable) -> tuple[int, ...]:
        shape = tuple(map(self._number, variable.shape))
        if variable.lanes_of is not None:
            partition, factor = variable.lanes_of
            shape = (shape[0] * factor * len(self._blocks[partition]), *shape[1:])
        if any(size < 0 for size in shape):
            raise InterpreterError(f"'{variable.name}' has the shape {shape}")
        return shape

    def _place(self, variable: str, ranges: tuple[Range, ...], values: Numbers) -> Place:
        """The box that ranges select, as an index. Empty ranges select nothing wherever they lie."""
        shape = self._variables[variable].shape
        spans = [range(evaluate(r.begin, values), evaluate(r.end, values), r.step) for r in ranges]
        empty = any(len(span) == 0 for span in spans)
        for span, size in zip(spans, shape, strict=True):
            if not empty and not (0 <= min(span) and max(span) < size):
                raise InterpreterError(f"{_span_text(variable, spans)} is outside of the shape {shape}")
        return np.ix_(*[np.arange(span.start, span.stop, span.step) for span in spans])

    # ---- steps -------------------------------------------------------------------------------------------------------

    def execute(self, steps: tuple[Step, ...]) -> None:
        methods: dict[type, Callable[[Any], None]] = {
            MapStep: self._map,
            ComputeSet: self._compute_set,
            Copy: self._copy,
            Moves: self._moves,
            CopyIn: self._copy_in,
            CopyOut: self._copy_out,
            Combine: self._combine,
            Product: self._product,
            Repeat: self._repeat,
            RepeatWhile: self._repeat_while,
            Branch: self._branch,
            Choice: self._choice,
        }
        for step in steps:
            try:
                methods[type(step)](step)
            except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
                raise InterpreterError(f"{_step_text(step)}: {type(error).__name__}: {error}") from error

    def _map(self, step: MapStep) -> None:
        body = compile_body(step.body)
        stale = {name: self._variables[name].copy() for name in _read_and_stored(step.body)}
        for names in _points(step.domain, self._symbols):
            body(Frame(names, _MapMemory(dict(self._variables), stale)))

    def _compute_set(self, step: ComputeSet) -> None:
        body = compile_body(step.body)
        vertices = [Vertex(step, values, self._fields(step, values)) for values in self._block_values(step)]
        contents = [vertex.run(body, self._variables) for vertex in vertices]
        check_owners(vertices, self._variables)
        for vertex, arrays in zip(vertices, contents, strict=True):
            for field in step.fields:
                if field.direction is not Direction.INPUT:
                    self._variables[field.variable][vertex.places[field.name]] = arrays[field.name]

    def _block_values(self, step: ComputeSet) -> list[Names]:
        """The symbols that each vertex's slices and values are made of."""
        if step.partition is None:
            return [dict(self._symbols)]
        return [self._values(step, number, block) for number, block in enumerate(self._blocks[step.partition])]

    def _values(self, step: ComputeSet, number: int, block: Block) -> Names:
        values = {**self._symbols, BLOCK: number}
        for dimension in step.block:
            values[dimension.begin] = block.begins[dimension.index]
            values[dimension.size] = block.sizes[dimension.index]
        return values

    def _fields(self, step: ComputeSet, values: Names) -> dict[str, Place]:
        return {field.name: self._place(field.variable, field.ranges, values) for field in step.fields}

    def _copy(self, step: Copy) -> None:
        source = self._slice(step.source_slice)
        target = self._place(step.target_slice.variable, step.target_slice.ranges, self._symbols)
        array = self._variables[step.target_slice.variable]
        array[target] = source.reshape(array[target].shape)

    def _moves(self, step: Moves) -> None:
        values = [np.copy(self._slice(m.value)) if isinstance(m.value, Slice) else m.value for m in step.moves]
        for move, value in zip(step.moves, values, strict=True):
            place = self._place(move.target.variable, move.target.ranges, self._symbols)
            array = np.asarray(value)
            self._variables[move.target.variable][place] = array.reshape(()) if array.size == 1 else array

    def _slice(self, box: Slice) -> Array:
        return self._variables[box.variable][self._place(box.variable, box.ranges, self._symbols)]

    def _copy_in(self, step: CopyIn) -> None:
        _convert_into(self._variables[step.variable], self._hosts[step.host])

    def _copy_out(self, step: CopyOut) -> None:
        _convert_into(self._hosts[step.host], self._variables[step.variable])

    def _combine(self, step: Combine) -> None:
        partials = self._variables[step.partial]
        variable = self._variables[step.target.variable]
        place = self._place(step.target.variable, step.target.ranges, self._symbols)
        old = variable[place]
        if step.overwrites:
            old = np.full_like(old, start_value(step.reduction, old.dtype))
        if partials.shape[1:] != old.shape:
            raise ValueError(f"rows of {partials.shape[1:]} partial results for {old.shape} elements")
        for element in np.ndindex(old.shape):
            lanes = partials[(slice(None), *element)]
            old[element] = functions.convert(reduce(partial(combine, step.reduction), lanes, old[element]), old.dtype)
        variable[place] = old

    def _product(self, step: Product) -> None:
        """Sums in float32, as the machine does."""
        pairs = zip((step.left, step.right), Notation.of(step), strict=False)
        left, right = (_without_single(self._slice(box), runs).astype(np.float32) for box, runs in pairs)
        place = self._place(step.target.variable, step.target.ranges, self._symbols)
        array = self._variables[step.target.variable]
        result = np.einsum(step.notation.replace(".", ""), left, right).reshape(array[place].shape)
        array[place] = (array[place] + result if step.adds else result).astype(array.dtype)

    def _repeat(self, step: Repeat) -> None:
        for _ in range(self._number(step.count)):
            self.execute(step.body)

    def _repeat_while(self, step: RepeatWhile) -> None:
        self.execute(step.condition)
        while self._is_true(step.predicate):
            self.execute(step.body)
            self.execute(step.condition)

    def _branch(self, step: Branch) -> None:
        self.execute(step.then if self._is_true(step.predicate) else step.orelse)

    def _choice(self, step: Choice) -> None:
        self.execute(step.then if holds(step.condition, self._symbols) else step.orelse)

    def _is_true(self, predicate: str) -> bool:
        return bool(self._variables[predicate].item())


def _symbol(name: str, dtype: DType, symbols: Numbers) -> Any:
    """Integers are weak, floats are typed."""
    if name not in symbols:
        raise InterpreterError(f"no value for the symbol '{name}'")
    return int(symbols[name]) if dtype.kind in "biu" else functions.convert(symbols[name], dtype)


def _without_single(array: Array, runs: str) -> Array:
    """The array without the dimensions along which no index runs."""
    return array.reshape([size for size, index in zip(array.shape, runs, strict=True) if index != "."])


def _strided(name: str, buffer: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Array:
    """A view of a flat buffer."""
    if buffer.ndim != 1:
        raise InterpreterError(f"'{name}' has the shape {shape}, the array {buffer.shape}")
    reach = [(n - 1) * stride for n, stride in zip(shape, strides, strict=True)]
    first, last = offset + sum(min(r, 0) for r in reach), offset + sum(max(r, 0) for r in reach)
    if 0 in shape:
        return np.empty(shape, buffer.dtype)
    if first < 0 or last >= len(buffer):
        raise InterpreterError(f"'{name}' needs elements {first} to {last} of a buffer of {len(buffer)}")
    stride_bytes = tuple(stride * buffer.strides[0] for stride in strides)
    return np.lib.stride_tricks.as_strided(buffer[offset:], shape, stride_bytes)


def _convert_into(target: Array, source: Array) -> None:
    if target.shape != source.shape:
        raise ValueError(f"a copy from shape {source.shape} to {target.shape}")
    with np.errstate(all="ignore"):
        target[...] = source.astype(target.dtype)


def _step_text(step: Step) -> str:
    name = f" '{step.name}'" if isinstance(step, (MapStep, ComputeSet)) else ""
    return type(step).__name__ + name


def _span_text(variable: str, spans: Iterable[range]) -> str:
    return f"{variable}[{', '.join(f'{s.start}:{s.stop}' + (f':{s.step}' if s.step != 1 else '') for s in spans)}]"


# ---- maps ------------------------------------------------------------------------------------------------------------


def _points(domain: tuple[Dimension, ...], values: Names) -> Iterator[Names]:
    """The values of all names at each point, row-major. An extent may depend on the dimensions before it."""
    if not domain:
        yield dict(values)
        return
    first, rest = domain[0], domain[1:]
    for i in range(evaluate(first.extent, values)):
        yield from _points(rest, {**values, first.name: i})


def _read_and_stored(body: tuple[Statement, ...]) -> list[str]:
    """The variables that some statement reads and some statement stores into."""
    read = {access.data for statement in walk(body) for code in codes(statement) for _, access in code.reads}
    stored = {statement.target.data for statement in walk(body) if isinstance(statement, Store)}
    local = {statement.name for statement in walk(body) if isinstance(statement, LocalArray)}
    return sorted(read & stored - local)


class _MapMemory(Memory):
    """Gives what was there before the map, except for elements that this iteration has written."""

    def __init__(self, arrays: dict[str, Array], stale: dict[str, Array]) -> None:
        super().__init__(arrays)
        self._stale = stale
        self._own: set[tuple[str, tuple[int, ...]]] = set()

    def load(self, data: str, indices: tuple[int, ...]) -> np.generic:
        if data in self._stale and (data, indices) not in self._own:
            self._array(data, indices)  # checks the indices
            return self._stale[data][indices]  # type: ignore[no-any-return]
        return self.current(data, indices)

    def store(self, data: str, indices: tuple[int, ...], value: functions.Scalar) -> None:
        super().store(data, indices, value)
        self._own.add((data, indices))
