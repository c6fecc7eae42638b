"""The rules of tile graphs, as a program: what lowering may produce and every pass must keep.

``check`` looks at everything and reports all faults at once. A fault is an error of this package, not of its user.
Sizes are compared as far as expanding expressions shows a difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import numpy as np
import sympy

from dace_ipu.tile_graph.body import DType, Expr, symbol
from dace_ipu.tile_graph.conditions import comparisons, condition_text
from dace_ipu.tile_graph.indices import compile_index, difference
from dace_ipu.tile_graph.nodes import (
    BLOCK,
    WORKER,
    BlockMapping,
    Branch,
    Choice,
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
    Moves,
    OperandMapping,
    Partition,
    Product,
    Range,
    Repeat,
    RepeatWhile,
    Slice,
    Step,
    TileGraph,
    TileMapping,
    Value,
    Variable,
    walk_steps,
)
from dace_ipu.tile_graph.products import operand_faults, product_faults
from dace_ipu.tile_graph.reductions import identity
from dace_ipu.tile_graph.spec_body import DEVICE_TYPES, BodyRules, Faults, name_fault, reduction_faults, used_names

__all__ = ["SpecError", "check"]

#: Types of the caller's arrays.
HOST_TYPES = (*DEVICE_TYPES, np.dtype(np.float64), np.dtype(np.complex128))


class SpecError(Exception):
    """A tile graph breaks rules. ``faults`` has one sentence for each, in the order of the graph."""

    def __init__(self, graph: str, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(graph, self.faults)
        self._text = f"tile graph '{graph}':\n" + "\n".join(f"  {fault}" for fault in self.faults)

    def __str__(self) -> str:
        return self._text


def check(graph: TileGraph, level: int) -> None:
    """Raise SpecError, with all faults, if the graph is not a good one of that level.

    Level 1 allows maps and compute sets side by side, and variables without a mapping: what lies between lowering and
    the last pass. Level 2 is what can be printed: no maps, and a mapping for every variable.
    """
    if level not in (1, 2):
        raise ValueError(f"tile graphs have the levels 1 and 2, not {level}")
    faults = tuple(dict.fromkeys(_Checker(graph, level).faults()))
    if faults:
        raise SpecError(graph.name, faults)


class _Checker:
    def __init__(self, graph: TileGraph, level: int) -> None:
        self._graph = graph
        self._level = level
        self._integers = frozenset(name for name, dtype in graph.symbols if dtype.kind in "iu")
        self._symbols = frozenset(name for name, _ in graph.symbols)
        self._variables = {variable.name: variable for variable in graph.variables}
        self._hosts = {host.name: host for host in graph.hosts}
        self._partitions = {partition.name: partition for partition in graph.partitions}

    def faults(self) -> Faults:
        yield from self._names()
        for name, dtype in self._graph.symbols:
            yield from _type(f"symbol '{name}'", dtype, DEVICE_TYPES)
        for host in self._graph.hosts:
            yield from _within(f"host array '{host.name}'", self._host(host))
        for variable in self._graph.variables:
            yield from _within(f"variable '{variable.name}'", self._variable(variable))
        for partition in self._graph.partitions:
            yield from _within(f"partition '{partition.name}'", self._exprs("extent", partition.extents))
        yield from self._steps(self._graph.steps)

    # ---- names and expressions ---------------------------------------------------------------------------------------

    def _names(self) -> Faults:
        graph = self._graph
        data = [*[name for name, _ in graph.symbols], *[variable.name for variable in graph.variables]]
        groups = {
            "program": [graph.name],
            "symbol or variable": data,
            "host array": [host.name for host in graph.hosts],
            "partition": [partition.name for partition in graph.partitions],
            "step": [step.name for step in walk_steps(graph.steps) if isinstance(step, (MapStep, ComputeSet, Product))],
        }
        for kind, names in groups.items():
            yield from _distinct(kind, names)
            yield from (fault for name in names for fault in name_fault(kind, name))
        yield from (f"symbol '{name}' has a reserved name" for name in data if name in self._symbols & {WORKER, BLOCK})

    def _exprs(self, what: str, exprs: Iterable[Expr], extra: Iterable[str] = ()) -> Faults:
        for expr in exprs:
            yield from expression_faults(what, expr, self._integers.union(extra))

    # ---- data --------------------------------------------------------------------------------------------------------

    def _host(self, host: HostArray) -> Faults:
        yield from _type("it", host.dtype, HOST_TYPES)
        yield from self._exprs("shape", host.shape)
        yield from self._exprs("stride", host.strides)
        yield from self._exprs("offset", (host.offset,))
        if len(host.shape) != len(host.strides):
            yield f"{len(host.shape)} dimensions but {len(host.strides)} strides"
        if host.scalar and (math.prod(host.shape) != 1 or host.offset != 0):
            yield "a scalar has the shape (1,) and the offset 0"

    def _variable(self, variable: Variable) -> Faults:
        yield from _type("it", variable.dtype, DEVICE_TYPES)
        yield from self._exprs("shape", variable.shape)
        if not variable.shape:
            yield "it has no dimensions; a scalar has the shape (1,)"
        if variable.constant is not None:
            yield from self._constant(variable, len(variable.constant))
        if variable.lanes_of is not None:
            yield from self._lanes(variable, *variable.lanes_of)
        yield from self._exprs("bound", variable.bounds or ())
        yield from self._mapping(variable)

    def _constant(self, variable: Variable, values: int) -> Faults:
        if difference(math.prod(variable.shape), values) != 0:
            yield f"{values} constant values for the shape {variable.shape}"
        if variable.persistent:
            yield "it is constant and persistent"

    def _lanes(self, variable: Variable, partition: str, factor: int) -> Faults:
        if partition not in self._partitions:
            yield f"its lanes follow the unknown partition '{partition}'"
        if factor < 1:
            yield f"{factor} lanes a block"
        if variable.shape[:1] != (1,):
            yield "the first dimension of partial results is 1, times the lanes"

    def _mapping(self, variable: Variable) -> Faults:
        match variable.mapping:
            case None:
                if self._level == 2:
                    yield "it has no mapping"
            case TileMapping(tile=tile):
                if tile < 0:
                    yield f"it is mapped to tile {tile}"
            case BlockMapping() as mapping:
                yield from self._block_mapping(variable, mapping)
            case LaneMapping(partition=partition, lanes_per_block=lanes):
                if variable.lanes_of != (partition, lanes):
                    yield f"it is mapped to {lanes} lanes a block of '{partition}', but has {variable.lanes_of}"
            case OperandMapping(product=product, is_left=is_left):
                known = {step.name: step for step in walk_steps(self._graph.steps) if isinstance(step, Product)}
                yield from operand_faults(variable, known.get(product), is_left)

    def _block_mapping(self, variable: Variable, mapping: BlockMapping) -> Faults:
        partition = self._partitions.get(mapping.partition)
        if partition is None:
            yield f"it is mapped to the unknown partition '{mapping.partition}'"
            return
        if len(mapping.follow) != len(variable.shape):
            yield f"its mapping has {len(mapping.follow)} entries for {len(variable.shape)} dimensions"
        followed = [follow for follow in mapping.follow if follow is not None]
        yield from _distinct("dimension of the partition in the mapping:", [str(f.dimension) for f in followed])
        for follow in followed:
            yield from self._exprs("offset in its mapping", (follow.offset,))
            if not 0 <= follow.dimension < len(partition.extents):
                yield f"its mapping follows dimension {follow.dimension} of '{partition.name}'"
            if follow.stride == 0:
                yield "its mapping has a stride of 0"

    # ---- steps -------------------------------------------------------------------------------------------------------

    def _steps(self, steps: tuple[Step, ...]) -> Faults:
        rules: dict[type, Callable[[Any], Faults]] = {
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
            yield from _within(_label(step), rules[type(step)](step))

    def _map(self, step: MapStep) -> Faults:
        if self._level == 2:
            yield "a map in a graph of level 2"
        names = [dimension.name for dimension in step.domain]
        yield from _distinct("dimension", names)
        yield from (f"dimension '{name}' hides a symbol" for name in names if name in self._symbols)
        yield from (fault for name in names for fault in name_fault("dimension", name))
        for k, dimension in enumerate(step.domain):
            yield from self._exprs("extent", (dimension.extent,), names[:k])
        arrays = {variable.name: (len(variable.shape), variable.dtype) for variable in self._graph.variables}
        constant = frozenset(name for name, variable in self._variables.items() if variable.constant is not None)
        scalars = {**dict(self._graph.symbols), **dict.fromkeys(names)}
        yield from BodyRules(arrays, constant, scalars).faults(step.body)

    def _compute_set(self, step: ComputeSet) -> Faults:
        partition = None if step.partition is None else self._partitions.get(step.partition)
        if step.partition is not None and partition is None:
            yield f"unknown partition '{step.partition}'"
        yield from self._block_dimensions(step, partition)
        block = [name for dimension in step.block for name in (dimension.begin, dimension.size)]
        names = [*block, *([BLOCK] if step.partition is not None else [])]
        yield from self._exprs("slots", (step.slots,), block)
        yield from _distinct("field or value", [*[f.name for f in step.fields], *[v.name for v in step.values]])
        for field in step.fields:
            yield from _within(f"field '{field.name}'", self._field(field, names))
        for value in step.values:
            yield from _within(f"value '{value.name}'", self._value(value, names))
        yield from _written_once(step)
        yield from self._vertex_body(step)

    def _block_dimensions(self, step: ComputeSet, partition: Partition | None) -> Faults:
        rank = 0 if partition is None else len(partition.extents)
        names = [name for dimension in step.block for name in (dimension.begin, dimension.size)]
        yield from _distinct("block symbol", names)
        yield from _distinct("block dimension", [str(dimension.index) for dimension in step.block])
        yield from (f"block symbol '{name}' hides a symbol" for name in names if name in self._symbols)
        for dimension in step.block:
            if not 0 <= dimension.index < rank:
                yield f"block dimension {dimension.index} of a partition with {rank}"

    def _field(self, field: Field, names: list[str]) -> Faults:
        yield from name_fault("it:", field.name)
        variable = self._variables.get(field.variable)
        if variable is None:
            yield f"unknown variable '{field.variable}'"
            return
        yield from self._ranges(field.ranges, variable, names)
        yield from _layout(field, variable)
        if variable.constant is not None and field.direction is not Direction.INPUT:
            yield f"it writes the constant '{field.variable}'"

    def _value(self, value: Value, names: list[str]) -> Faults:
        yield from name_fault("it:", value.name)
        yield from _type("it", value.dtype, DEVICE_TYPES)
        if value.dtype.kind in "fb":
            if str(value.expr) not in self._symbols:
                yield f"'{value.expr}' is not a symbol; a value of type {value.dtype} is one"
        else:
            yield from self._exprs("expression", (value.expr,), names)

    def _vertex_body(self, step: ComputeSet) -> Faults:
        fields = [field for field in step.fields if field.variable in self._variables]
        ranks = {f.name: 0 if f.layout is Layout.SCALAR else len(f.ranges) for f in fields}
        arrays = {f.name: (ranks[f.name], self._variables[f.variable].dtype) for f in fields}
        inputs = frozenset(f.name for f in fields if f.direction is Direction.INPUT)
        scalars = {**{value.name: value.dtype for value in step.values}, **({WORKER: None} if step.workers else {})}
        rules = BodyRules(arrays, inputs, scalars, step.workers)
        yield from rules.faults(step.body)
        used = used_names(step.body)
        for field in fields:
            if field.direction is not Direction.INPUT and field.name not in rules.stored:
                yield f"field '{field.name}' is {field.direction.value}, but the body does not write it"
        yield from (f"field '{field.name}' is not used" for field in step.fields if field.name not in used)
        yield from (f"value '{value.name}' is not used" for value in step.values if value.name not in used)

    def _ranges(self, ranges: tuple[Range, ...], variable: Variable, names: Iterable[str] = ()) -> Faults:
        if len(ranges) != len(variable.shape):
            yield f"{len(ranges)} ranges for '{variable.name}', which has {len(variable.shape)} dimensions"
            return
        first = variable.lanes_of is not None  # its size is not that of the shape
        for k, (interval, size) in enumerate(zip(ranges, variable.shape, strict=True)):
            yield from self._exprs("range", (interval.begin, interval.end), names)
            if not (first and k == 0):
                yield from _bounds(interval, size, variable.name)

    def _slice(self, box: Slice) -> Faults:
        if box.variable not in self._variables:
            yield f"unknown variable '{box.variable}'"
        else:
            yield from self._ranges(box.ranges, self._variables[box.variable])

    def _writable(self, name: str) -> Faults:
        variable = self._variables.get(name)
        if variable is not None and variable.constant is not None:
            yield f"it writes the constant '{name}'"

    def _copy(self, step: Copy) -> Faults:
        faults = [*self._slice(step.source_slice), *self._slice(step.target_slice)]
        yield from faults
        yield from self._writable(step.target_slice.variable)
        if faults:
            return
        source, target = (self._variables[box.variable] for box in (step.source_slice, step.target_slice))
        if source.dtype != target.dtype:
            yield f"a copy from {source.dtype} to {target.dtype}"
        missing = difference(_count(step.source_slice), _count(step.target_slice))
        if missing not in (None, 0):
            yield f"a copy of {_count(step.source_slice)} elements to {_count(step.target_slice)}"

    def _moves(self, step: Moves) -> Faults:
        for move in step.moves:
            if isinstance(move.value, Slice) and _count(move.value) != 1:
                yield from self._copy(Copy(move.value, move.target))
            elif isinstance(move.value, Slice):
                element = Slice(move.target.variable, tuple(Range(at.begin, at.begin + 1) for at in move.target.ranges))
                yield from self._copy(Copy(move.value, element))
            else:
                yield from self._slice(move.target)
                yield from self._writable(move.target.variable)

    def _copy_in(self, step: CopyIn) -> Faults:
        yield from self._transfer(step.host, step.variable)
        yield from self._writable(step.variable)

    def _copy_out(self, step: CopyOut) -> Faults:
        yield from self._transfer(step.host, step.variable)
        if step.host in self._hosts and self._hosts[step.host].scalar:
            yield f"a copy to the scalar '{step.host}', which the caller passes by value"

    def _transfer(self, host_name: str, variable_name: str) -> Faults:
        host, variable = self._hosts.get(host_name), self._variables.get(variable_name)
        if host is None:
            yield f"unknown host array '{host_name}'"
        if variable is None:
            yield f"unknown variable '{variable_name}'"
        if host is None or variable is None:
            return
        if len(host.shape) != len(variable.shape) or _differ(host.shape, variable.shape):
            yield f"host array '{host_name}' has the shape {host.shape}, '{variable_name}' {variable.shape}"
        if (host.dtype.kind == "c") != (variable.dtype.kind == "c"):
            yield f"a conversion between {host.dtype} and {variable.dtype}"

    def _combine(self, step: Combine) -> Faults:
        yield from self._slice(step.target)
        yield from self._writable(step.target.variable)
        partial, target = self._variables.get(step.partial), self._variables.get(step.target.variable)
        if not step.reduction.associative:
            yield "partial results of a reduction that is not associative"
        if step.overwrites and target is not None and identity(step.reduction, target.dtype) is None:
            yield "an overwriting reduction that has no identity"
        if partial is None:
            yield f"unknown variable '{step.partial}'"
        elif target is not None:
            yield from _combine_fits(step, partial, target)

    def _product(self, step: Product) -> Faults:
        boxes = (step.left, step.right, step.target)
        faults = [fault for box in boxes for fault in self._slice(box)]
        yield from faults
        yield from self._writable(step.target.variable)
        if not faults:
            yield from product_faults(step, [self._variables[box.variable].dtype for box in boxes])

    def _repeat(self, step: Repeat) -> Faults:
        yield from self._exprs("count", (step.count,))
        yield from self._steps(step.body)

    def _repeat_while(self, step: RepeatWhile) -> Faults:
        yield from self._predicate(step.predicate)
        yield from self._steps(step.condition)
        yield from self._steps(step.body)

    def _branch(self, step: Branch) -> Faults:
        yield from self._predicate(step.predicate)
        yield from self._steps(step.then)
        yield from self._steps(step.orelse)

    def _choice(self, step: Choice) -> Faults:
        try:
            condition_text(step.condition)
        except ValueError as error:
            yield f"condition: {error}"
        yield from self._exprs("condition", comparisons(step.condition))
        yield from self._steps(step.then)
        yield from self._steps(step.orelse)

    def _predicate(self, name: str) -> Faults:
        variable = self._variables.get(name)
        if variable is None:
            yield f"unknown predicate '{name}'"
        elif variable.dtype != np.dtype(np.bool_) or difference(math.prod(variable.shape), 1) != 0:
            yield f"the predicate '{name}' is {variable.dtype} of the shape {variable.shape}, not one bool"


def expression_faults(what: str, expr: Expr, known: frozenset[str]) -> Faults:
    """Faults of an integer expression: symbols that are unknown, no integers or spelt otherwise; what is no integer."""
    for free in sorted(sympy.sympify(expr).free_symbols, key=str):
        if free != symbol(str(free)):
            yield f"{what} '{expr}': the symbol '{free}' is not the one that body.symbol makes"
        elif str(free) not in known:
            yield f"{what} '{expr}': '{free}' is not an integer that is known here"
    try:
        compile_index(expr)
    except (ValueError, SyntaxError) as error:
        yield f"{what}: {error}"


def _combine_fits(step: Combine, partial: Variable, target: Variable) -> Faults:
    if partial.lanes_of is None:
        yield f"'{partial.name}' has no lanes"
    sizes = tuple(map(_size, step.target.ranges))
    if len(partial.shape) != len(sizes) + 1 or _differ(partial.shape[1:], sizes):
        yield f"rows of '{partial.name}' have the shape {partial.shape[1:]}, the target {sizes}"
    counts = {target.dtype.kind, partial.dtype.kind} <= {"i", "u"}
    if not np.can_cast(target.dtype, partial.dtype, "same_kind") and target.dtype.kind != "b" and not counts:
        yield f"partial results of type {partial.dtype} for {target.dtype}"
    yield from reduction_faults(step.reduction, target.dtype)


def _written_once(step: ComputeSet) -> Faults:
    """A variable that is written has one field, or fields that lie apart: no two are names of the same memory."""
    for a, b in combinations(step.fields, 2):
        is_written = a.variable == b.variable and {a.direction, b.direction} != {Direction.INPUT}
        if is_written and not _lie_apart(a.ranges, b.ranges):
            yield f"fields '{a.name}' and '{b.name}' both stand for '{a.variable}', which is written"


def _lie_apart(a: tuple[Range, ...], b: tuple[Range, ...]) -> bool:
    """Whether boxes have nothing in common where sizes are large; the interpreter checks all sizes that it meets."""
    gaps = [gap for x, y in zip(a, b, strict=True) for gap in (y.begin - x.end, x.begin - y.end)]
    return any(gap.subs(dict.fromkeys(gap.free_symbols, 1000)) >= 0 for gap in map(sympy.expand, gaps))


def _layout(field: Field, variable: Variable) -> Faults:
    wide = [k for k, interval in enumerate(field.ranges) if difference(_size(interval), 1) != 0]
    if field.layout is Layout.SCALAR and wide:
        yield "a scalar of more than one element"
    if field.layout is Layout.ROWS and len(field.ranges) < 2:
        yield "rows of a variable with one dimension"
    if field.layout is Layout.VECTOR and len(wide) > 1 and len(wide) <= len(variable.shape):
        whole = all(_is_whole(field.ranges[k], variable.shape[k]) for k in range(wide[0] + 1, len(variable.shape)))
        if not whole or field.ranges[wide[0]].step != 1:
            yield "a vector that is not one run of the variable; it has to be rows"


def _is_whole(interval: Range, size: Expr) -> bool:
    return interval.step == 1 and interval.begin == 0 and difference(interval.end, size) == 0


def _bounds(interval: Range, size: Expr, name: str) -> Faults:
    below = difference(interval.begin, 0)
    beyond = difference(interval.end, size)
    if interval.step > 0 and ((below is not None and below < 0) or (beyond is not None and beyond > 0)):
        yield f"the range {interval.begin}:{interval.end} leaves '{name}', which has {size} there"


def _size(interval: Range) -> Expr:
    """The number of elements of a range that is not empty."""
    span = interval.end - interval.begin
    return span if interval.step == 1 else -((-span) // interval.step)


def _count(box: Slice) -> Expr:
    return math.prod(map(_size, box.ranges))


def _differ(a: tuple[Expr, ...], b: tuple[Expr, ...]) -> bool:
    """Whether two shapes surely differ."""
    return any(difference(x, y) not in (None, 0) for x, y in zip(a, b, strict=True))


def _type(what: str, dtype: DType, allowed: tuple[DType, ...]) -> Faults:
    if dtype not in allowed:
        yield f"{what} is {dtype}, which does not exist there"


def _distinct(kind: str, names: list[str]) -> Faults:
    yield from (f"{kind} '{name}' exists twice" for name in sorted(set(names)) if names.count(name) > 1)


def _within(place: str, faults: Faults) -> Faults:
    yield from (f"{place}: {fault}" for fault in faults)


def _label(step: Step) -> str:
    match step:
        case MapStep():
            return f"map '{step.name}'"
        case ComputeSet():
            return f"compute set '{step.name}'"
        case Copy():
            return f"copy of '{step.source_slice.variable}' to '{step.target_slice.variable}'"
        case CopyIn():
            return f"copy in of '{step.variable}'"
        case CopyOut():
            return f"copy out of '{step.variable}'"
        case Combine():
            return f"combination of '{step.partial}'"
        case Product():
            return f"product '{step.name}'"
        case RepeatWhile() | Branch():
            return f"control flow on '{step.predicate}'"
        case Repeat() | Choice() | Moves():
            return type(step).__name__.lower()
