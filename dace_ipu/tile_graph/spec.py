"""What a correct tile graph is, as a program: ``check`` finds every violation at once.

Level 1 is what lowering makes (map steps, variables without places), level 2 what the printers need (compute sets,
every variable with a mapping).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import sympy

from dace_ipu.tile_graph.body import DType, Expr, For, If, Statement, While
from dace_ipu.tile_graph.indices import difference
from dace_ipu.tile_graph.nodes import (
    BLOCK,
    WORKER,
    BlockDimension,
    BlockMapping,
    Combine,
    ComputeSet,
    Copy,
    CopyIn,
    CopyOut,
    Direction,
    Field,
    HostArray,
    LaneMapping,
    Layout,
    MapStep,
    Partition,
    Range,
    Repeat,
    Slice,
    Step,
    TileGraph,
    TileMapping,
    Variable,
)
from dace_ipu.tile_graph.spec_bodies import (
    ArrayType,
    Report,
    Scope,
    check_body,
    check_dtype,
    check_index,
    check_name,
    check_reduction,
)

__all__ = ["SpecError", "check"]


class SpecError(Exception):
    """A tile graph breaks its specification: lowering or a pass is wrong. ``faults`` has a sentence for each
    violation."""

    def __init__(self, graph: str, faults: Iterable[str]) -> None:
        self.faults = tuple(dict.fromkeys(faults))
        super().__init__("\n".join([f"the tile graph '{graph}' is not correct:", *(f"  {f}" for f in self.faults)]))


def check(graph: TileGraph, level: int) -> None:
    """Raises SpecError with everything that is wrong with a graph of level 1 or 2; ValueError for other levels."""
    if level not in (1, 2):
        raise ValueError(f"tile graphs have the levels 1 and 2, not {level}")
    faults: list[str] = []
    _Checker(graph, level, faults).check()
    if faults:
        raise SpecError(graph.name, faults)


class _Checker:
    def __init__(self, graph: TileGraph, level: int, faults: list[str]) -> None:
        self._graph = graph
        self._level = level
        self._faults = faults
        self._symbols: dict[str, DType] = dict(graph.symbols)
        self._variables = {v.name: v for v in graph.variables}
        self._hosts = {h.name: h for h in graph.hosts}
        self._partitions = {p.name: p for p in graph.partitions}

    def check(self) -> None:
        self._names()
        for variable in self._graph.variables:
            self._variable(variable, self._at(f"variable '{variable.name}'"))
        for host in self._graph.hosts:
            self._host(host, self._at(f"host array '{host.name}'"))
        for partition in self._graph.partitions:
            self._partition(partition, self._at(f"partition '{partition.name}'"))
        self._steps(self._graph.steps)

    def _at(self, place: str) -> Report:
        return lambda text: self._faults.append(f"{place}: {text}")

    # ---- data ----------------------------------------------------------------------------------------------------

    def _names(self) -> None:
        graph, report = self._graph, self._at("names")
        families = [
            [*(v.name for v in graph.variables), *self._symbols_listed(), *(p.name for p in graph.partitions)],
            [host.name for host in graph.hosts],
            [step.name for step in _walk(graph.steps) if isinstance(step, (MapStep, ComputeSet))],
        ]
        for family in families:
            for name in family:
                check_name(name, report)
            for name in _repeated(family):
                report(f"'{name}' is used twice")

    def _symbols_listed(self) -> list[str]:
        return [name for name, _ in self._graph.symbols]

    def _expressions(self, expressions: Iterable[Expr], what: str, report: Report) -> None:
        for expression in expressions:
            check_index(expression, self._symbols, what, report)

    def _variable(self, variable: Variable, report: Report) -> None:
        check_dtype(variable.dtype, report)
        self._expressions(variable.shape, "shape", report)
        if not variable.shape:
            report("it has no dimensions (a scalar has the shape (1,))")
        if any(sympy.sympify(size).is_negative for size in variable.shape):
            report(f"the shape {variable.shape} is negative")
        if variable.constant is not None:
            _constant(variable, report)
        if variable.lanes_of is not None:
            self._lanes(variable.lanes_of, report)
        self._mapping(variable, report)

    def _lanes(self, lanes: tuple[str, int], report: Report) -> None:
        if lanes[0] not in self._partitions:
            report(f"there is no partition '{lanes[0]}'")
        if lanes[1] < 1:
            report(f"a block has {lanes[1]} lanes")

    def _mapping(self, variable: Variable, report: Report) -> None:
        match variable.mapping:
            case None if self._level == 2:
                report("it has no mapping")
            case TileMapping(tile) if tile < 0:
                report(f"it is mapped to tile {tile}")
            case BlockMapping() as mapping:
                self._block_mapping(mapping, variable, report)
            case LaneMapping(partition, lanes):
                if variable.lanes_of != (partition, lanes):
                    report(f"it is mapped by lanes of {(partition, lanes)}, but has those of {variable.lanes_of}")
                self._lanes((partition, lanes), report)

    def _block_mapping(self, mapping: BlockMapping, variable: Variable, report: Report) -> None:
        partition = self._partitions.get(mapping.partition)
        if partition is None:
            report(f"there is no partition '{mapping.partition}'")
            return
        if len(mapping.follow) != len(variable.shape):
            report(f"its mapping has {len(mapping.follow)} dimensions, it has {len(variable.shape)}")
        follows = [follow for follow in mapping.follow if follow is not None]
        self._expressions((follow.offset for follow in follows), "mapping", report)
        for dimension in _repeated([follow.dimension for follow in follows]):
            report(f"two dimensions follow dimension {dimension} of '{partition.name}'")
        for follow in follows:
            if not 0 <= follow.dimension < len(partition.extents):
                report(f"'{partition.name}' has no dimension {follow.dimension}")
            if follow.stride == 0:
                report("it follows a partition with stride 0")

    def _host(self, host: HostArray, report: Report) -> None:
        self._expressions((*host.shape, *host.strides, host.offset), "layout", report)
        if len(host.shape) != len(host.strides):
            report(f"it has {len(host.shape)} dimensions and {len(host.strides)} strides")
        if host.scalar and any(size != 1 for size in host.shape):
            report(f"it is a scalar of shape {host.shape}")

    def _partition(self, partition: Partition, report: Report) -> None:
        self._expressions(partition.extents, "extent", report)
        if not partition.extents:
            report("it has no dimensions")

    # ---- steps ---------------------------------------------------------------------------------------------------

    def _steps(self, steps: tuple[Step, ...]) -> None:
        methods: dict[type, Callable[[Any, Report], None]] = {
            MapStep: self._map_step,
            ComputeSet: self._compute_set,
            Copy: self._copy,
            CopyIn: self._copy_in,
            CopyOut: self._copy_out,
            Combine: self._combine,
            Repeat: self._repeat,
        }
        for step in steps:
            report = self._at(f"{type(step).__name__} {_title(step)}")
            if isinstance(step, MapStep if self._level == 2 else (ComputeSet, Combine)):
                report(f"does not belong into a graph of level {self._level}")
            methods[type(step)](step, report)

    def _map_step(self, step: MapStep, report: Report) -> None:
        known = dict(self._symbols)
        for dimension in step.domain:
            check_index(dimension.extent, known, f"extent of {dimension.name}", report)
            check_name(dimension.name, report)
            if dimension.name in known or dimension.name in self._variables:
                report(f"'{dimension.name}' is declared twice")
            known[dimension.name] = _INDEX
        arrays = {v.name: ArrayType(len(v.shape), v.dtype) for v in self._graph.variables}
        scope = Scope(arrays, known)
        check_body(step.body, scope, report)
        for name in sorted(scope.stored & set(self._variables)):
            self._target(name, report)

    def _copy(self, step: Copy, report: Report) -> None:
        source, target = (self._slice(box, report) for box in (step.source_slice, step.target_slice))
        if source is None or target is None:
            return
        self._target(target.name, report)
        if source.dtype != target.dtype:
            report(f"copies {source.dtype} to {target.dtype}")
        sizes = [sympy.prod(map(_size, box.ranges)) for box in (step.source_slice, step.target_slice)]
        if difference(*sizes) not in (0, None):
            report(f"copies {sizes[0]} elements to {sizes[1]}")

    def _slice(self, box: Slice, report: Report) -> Variable | None:
        variable = self._named(box.variable, report)
        if variable is not None:
            self._ranges(box.ranges, variable, self._symbols, report)
        return variable

    def _named(self, name: str, report: Report) -> Variable | None:
        if name not in self._variables:
            report(f"there is no variable '{name}'")
        return self._variables.get(name)

    def _target(self, name: str, report: Report) -> None:
        if name in self._variables and self._variables[name].constant is not None:
            report(f"writes the constant '{name}'")

    def _ranges(self, ranges: tuple[Range, ...], variable: Variable, known: Mapping[str, Any], report: Report) -> None:
        if len(ranges) != len(variable.shape):
            report(
                f"a slice of '{variable.name}' has {len(ranges)} ranges, the variable {len(variable.shape)} dimensions"
            )
        sizes = (None, *variable.shape[1:]) if variable.lanes_of else variable.shape
        for range_, size in zip(ranges, sizes, strict=False):
            for bound in (range_.begin, range_.end):
                check_index(bound, known, f"slice of '{variable.name}'", report)
            _within(range_, size, variable.name, report)

    def _copy_in(self, step: CopyIn, report: Report) -> None:
        variable, host = self._transfer(step.variable, step.host, report)
        if variable is not None and host is not None:
            self._target(variable.name, report)
            _convertible(host.dtype, variable.dtype, report)

    def _copy_out(self, step: CopyOut, report: Report) -> None:
        variable, host = self._transfer(step.variable, step.host, report)
        if variable is not None and host is not None:
            _convertible(variable.dtype, host.dtype, report)
            if host.scalar:
                report(f"the host's '{host.name}' is passed by value")

    def _transfer(self, name: str, host_name: str, report: Report) -> tuple[Variable | None, HostArray | None]:
        variable, host = self._named(name, report), self._hosts.get(host_name)
        if host is None:
            report(f"there is no host array '{host_name}'")
        elif variable is not None and not _same_shape(host, variable):
            report(f"the host's '{host_name}' has shape {host.shape}, '{name}' has {variable.shape}")
        return variable, host

    def _combine(self, step: Combine, report: Report) -> None:
        target, partial = self._slice(step.target, report), self._named(step.partial, report)
        if not step.reduction.associative:
            report("the reduction of partial results is not associative")
        if target is None or partial is None:
            return
        self._target(target.name, report)
        check_reduction(step.reduction, target.dtype, report)
        _convertible(partial.dtype, target.dtype, report)
        sizes = tuple(map(_size, step.target.ranges))
        rows = partial.shape[1:]
        if len(rows) != len(sizes) or any(difference(a, b) not in (0, None) for a, b in zip(rows, sizes, strict=True)):
            report(f"the lanes of '{partial.name}' have shape {rows}, the target {sizes}")

    def _repeat(self, step: Repeat, report: Report) -> None:
        check_index(step.count, self._symbols, "count", report)
        self._steps(step.body)

    # ---- compute sets --------------------------------------------------------------------------------------------

    def _compute_set(self, step: ComputeSet, report: Report) -> None:
        known = {**self._symbols, **self._block(step, report)}
        for edge in step.fields:
            self._field(edge, known, lambda text, name=edge.name: report(f"field '{name}': {text}"))  # type: ignore[misc]
        for value in step.values:
            check_dtype(value.dtype, report)
            check_index(value.expr, known, f"value '{value.name}'", report)
        check_index(step.slots, known, "slots", report)
        names = [*(edge.name for edge in step.fields), *(value.name for value in step.values)]
        for name in names:
            check_name(name, report)
        for name in _repeated(names):
            report(f"'{name}' is declared twice")
        self._one_field_a_written_variable(step, report)
        self._vertex_body(step, report)

    def _block(self, step: ComputeSet, report: Report) -> dict[str, DType]:
        """Checks the block's own names and gives them, with their types."""
        if step.partition is None:
            if step.block:
                report("it has dimensions of blocks, but no partition")
            return {}
        if step.partition not in self._partitions:
            report(f"there is no partition '{step.partition}'")
            return {}
        rank = len(self._partitions[step.partition].extents)
        for index in [*_repeated([d.index for d in step.block])]:
            report(f"dimension {index} of the partition is named twice")
        for index in (d.index for d in step.block if not 0 <= d.index < rank):
            report(f"'{step.partition}' has no dimension {index}")
        self._block_names(step.block, report)
        return {name: _INDEX for d in step.block for name in (d.begin, d.size)} | {BLOCK: _INDEX}

    def _block_names(self, block: tuple[BlockDimension, ...], report: Report) -> None:
        names = [name for dimension in block for name in (dimension.begin, dimension.size)]
        for name in names:
            check_name(name, report)
        for name in [*_repeated(names), *(n for n in names if n in self._symbols)]:
            report(f"'{name}' is declared twice")

    def _field(self, edge: Field, known: Mapping[str, Any], report: Report) -> None:
        variable = self._named(edge.variable, report)
        if variable is None:
            return
        self._ranges(edge.ranges, variable, known, report)
        if edge.direction is not Direction.INPUT:
            self._target(edge.variable, report)
        _layout(edge, variable, report)

    def _one_field_a_written_variable(self, step: ComputeSet, report: Report) -> None:
        written = {edge.variable for edge in step.fields if edge.direction is not Direction.INPUT}
        for name in _repeated([edge.variable for edge in step.fields]):
            if name in written:
                report(f"'{name}' is written and has several fields")

    def _vertex_body(self, step: ComputeSet, report: Report) -> None:
        arrays = {edge.name: self._field_type(edge) for edge in step.fields if edge.variable in self._variables}
        scalars = {value.name: value.dtype for value in step.values}
        if step.workers:
            scalars[WORKER] = _INDEX
        scope = Scope(arrays, scalars, workers=step.workers)
        check_body(step.body, scope, report)
        _uses(step, scope, report)
        _workers(step, scope, report)

    def _field_type(self, edge: Field) -> ArrayType:
        rank = 0 if edge.layout is Layout.SCALAR else len(edge.ranges)
        return ArrayType(rank, self._variables[edge.variable].dtype)


_INDEX: DType = np.dtype(np.int32)


# ---- rules without a graph -------------------------------------------------------------------------------------------


def _constant(variable: Variable, report: Report) -> None:
    assert variable.constant is not None
    if variable.persistent:
        report("it is constant and persistent")
    if difference(sympy.prod(variable.shape), sympy.Integer(len(variable.constant))) != 0:
        report(f"{len(variable.constant)} constant values for the shape {variable.shape}")


def _within(range_: Range, size: Expr | None, name: str, report: Report) -> None:
    """Reports a range that certainly leaves a dimension (of unknown size: None) or runs backwards."""
    low, high = (range_.begin, range_.end) if range_.step > 0 else (range_.end + 1, range_.begin + 1)
    below = difference(low, sympy.Integer(0))
    above = None if size is None else difference(high, size)
    length = difference(high, low)
    if (below is not None and below < 0) or (above is not None and above > 0) or (length is not None and length < 0):
        report(f"the slice {range_.begin}:{range_.end}:{range_.step} leaves a dimension of '{name}' of {size} elements")


def _size(range_: Range) -> Expr:
    """The number of elements of a range."""
    length = (range_.end - range_.begin) * (1 if range_.step > 0 else -1)
    step = abs(range_.step)
    return length if step == 1 else sympy.floor((length + step - 1) / step)


def _layout(edge: Field, variable: Variable, report: Report) -> None:
    sizes = [_size(range_) for range_ in edge.ranges]
    if edge.layout is Layout.SCALAR and any(difference(size, sympy.Integer(1)) != 0 for size in sizes):
        report(f"it is a scalar of {sizes} elements")
    if edge.layout is Layout.ROWS and len(sizes) < 2:
        report("there are rows in two and more dimensions only")
    if edge.layout is Layout.VECTOR and _is_certainly_scattered(edge, variable, sizes):
        report("its slice is not one run of the variable")


def _is_certainly_scattered(edge: Field, variable: Variable, sizes: list[Expr]) -> bool:
    """Whether several dimensions are divided, and one behind the first is certainly not whole."""
    divided = [d for d, size in enumerate(sizes) if size != 1]
    if len(divided) < 2:
        return False
    for d in divided[1:]:
        begin, end = edge.ranges[d].begin, difference(edge.ranges[d].end, variable.shape[d])
        if (
            abs(edge.ranges[d].step) != 1
            or difference(begin, sympy.Integer(0)) not in (0, None)
            or end not in (0, None)
        ):
            return True
    return False


def _same_shape(host: HostArray, variable: Variable) -> bool:
    if host.scalar:
        return all(size == 1 for size in variable.shape)
    return len(host.shape) == len(variable.shape) and all(
        difference(a, b) == 0 for a, b in zip(host.shape, variable.shape, strict=True)
    )


def _convertible(source: DType, target: DType, report: Report) -> None:
    if source.kind == "c" and target.kind != "c":
        report(f"{source} does not convert to {target}")


def _uses(step: ComputeSet, scope: Scope, report: Report) -> None:
    """Reports fields and values that the body does not use as they say."""
    for edge in step.fields:
        if edge.name not in scope.used:
            report(f"the field '{edge.name}' is not used")
        elif edge.direction is Direction.INPUT and edge.name in scope.stored:
            report(f"the Input '{edge.name}' is stored into")
        elif edge.direction is not Direction.INPUT and edge.name not in scope.stored:
            report(f"the {edge.direction.value} '{edge.name}' is never stored into")
    for value in step.values:
        if value.name not in scope.used:
            report(f"the value '{value.name}' is not used")


def _workers(step: ComputeSet, scope: Scope, report: Report) -> None:
    shared = _shared_loops(step.body)
    if shared > 1:
        report(f"{shared} shared loops on one path")
    if step.workers and shared == 0 and WORKER not in scope.used:
        report("all workers do the same")


def _shared_loops(body: tuple[Statement, ...]) -> int:
    """The most shared loops on any path."""
    count = 0
    for statement in body:
        match statement:
            case For():
                count += statement.shared + _shared_loops(statement.body)
            case While():
                count += _shared_loops(statement.body)
            case If():
                count += max(_shared_loops(statement.then), _shared_loops(statement.orelse))
    return count


def _walk(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, Repeat):
            yield from _walk(step.body)


def _title(step: Step) -> str:
    match step:
        case MapStep() | ComputeSet():
            return f"'{step.name}'"
        case Copy():
            return f"from '{step.source_slice.variable}' to '{step.target_slice.variable}'"
        case CopyIn():
            return f"from '{step.host}' to '{step.variable}'"
        case CopyOut():
            return f"from '{step.variable}' to '{step.host}'"
        case Combine():
            return f"of '{step.partial}' into '{step.target.variable}'"
        case Repeat():
            return f"of {step.count}"


def _repeated(items: list[Any]) -> list[Any]:
    return [item for item, count in Counter(items).items() if count > 1]
