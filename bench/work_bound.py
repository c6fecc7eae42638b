"""A lower bound for the cycles of a program, from its maps and loops.

The program is taken map after map, as an SDFG that is shaped but not offloaded yet. For each map every division of its
dimensions among the tiles is tried (powers of two, and one dimension with what is left), and the cheapest counts::

    cycles  = max(arithmetic, memory) + exchange + sync
    arithmetic = iterations of a tile * slots of an iteration; a single iteration takes 6 turns for each of its slots
    slots   = max(float slots, integer slots); both pipelines issue together
    memory  = bytes that the tile reads / 16 + bytes that it writes / 8        (ld2x64, st64; once for each element)
    exchange = 82 + bytes that the tile needs and that are not its share / 8   (64-bit exchange of tile pairs)
    sync    = 83 where anything is exchanged, and once for the program

Float slots are half of the multiplications or of the additions, whichever are more (f32v2axpy does two of both), plus
the slots of functions. Integers of 64 bits, which the machine has no instructions for, take what PopLibs' table of
binary operations (popopsCycleEstimators.cpp) has for them without the 7 slots of its loop: 30 - 7 for a product, 11 - 7
for a sum or a comparison, 115 - 7 for a quotient; the lesser or greater of two a comparison and two moves. Only
elements of arrays, arguments and what is computed from them count as so wide: what is computed from indices fits in 32
bits. What is outside of maps runs in one worker, 6 cycles a slot. Loops repeat their bodies, branches count as the
cheaper one, a ``while`` as one turn, a range that only data know as one element. Nothing is counted for copies, nor for
what a map might keep from the map before; that values need fewer bits than their type has is not seen. The matrix unit
(AMP) is not considered. Slots and figures of the machine: LLVM's scheduling model and PopLibs' tables for instructions,
this package's machine model for the rest.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy
from dace import dtypes, symbolic
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ConditionalBlock, ControlFlowRegion, LoopRegion, SDFGState

WORKERS, SYNC, EXCHANGE_START = 6, 83, 82
EXCHANGE_BYTES, LOAD_BYTES, STORE_BYTES = 8, 16, 8  # a cycle
SAMPLES = 7  # turns of a loop that are looked at
WIDE = {"muls": 23, "adds": 4, "extremes": 6, "quotients": 108}  # slots of an operation on integers of 64 bits
FUNCTIONS = {"exp": 3, "exp2": 3, "log": 6, "tanh": 5, "sqrt": 5, "rsqrt": 4, "sin": 60, "cos": 60, "atan2": 60}

Values = Mapping[str, float]


@dataclass(frozen=True)
class Bound:
    """Cycles by phase."""

    compute: float = 0
    exchange: float = 0
    sync: float = 0

    @property
    def total(self) -> float:
        """All phases."""
        return self.compute + self.exchange + self.sync

    def __add__(self, other: Bound) -> Bound:
        return Bound(self.compute + other.compute, self.exchange + other.exchange, self.sync + other.sync)

    def times(self, factor: float) -> Bound:
        """The bound of ``factor`` turns."""
        return Bound(self.compute * factor, self.exchange * factor, self.sync * factor)


@dataclass
class Slots:
    """Operations of some code, not yet slots."""

    adds: float = 0
    muls: float = 0
    functions: float = 0
    integers: float = 0

    def __add__(self, other: Slots) -> Slots:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Slots(*(a + b for a, b in pairs))

    def times(self, factor: float) -> Slots:
        """The operations of ``factor`` turns."""
        return Slots(*(value * factor for value in vars(self).values()))

    @property
    def issued(self) -> float:
        """The slots, with two floats in each."""
        return max(max(self.adds, self.muls) / 2 + self.functions, self.integers)


def lower_bound(sdfg: SDFG, values: Mapping[str, Any], tiles: int) -> Bound:
    """The bound of one call, without the host's traffic. ``values`` are sizes and scalar arguments."""
    numbers = {name: float(v) for name, v in values.items() if isinstance(v, (int, float)) or _is_scalar(v)}
    return _region(sdfg, numbers, tiles) + Bound(sync=SYNC)


def _is_scalar(value: Any) -> bool:
    return (
        getattr(value, "shape", None) == () and getattr(value, "dtype", None) is not None and value.dtype.kind in "iuf"
    )


# ---- control flow ----------------------------------------------------------------------------------------------------


def _region(region: Any, values: Values, tiles: int) -> Bound:
    parts = (_block(block, values, tiles) for block in region.nodes())
    return sum(parts, Bound())


def _block(block: Any, values: Values, tiles: int) -> Bound:
    if isinstance(block, SDFGState):
        return _state(block, values, tiles)
    if isinstance(block, LoopRegion):
        turns = [_region(block, {**values, **turn}, tiles) for turn in _turns(block, values)]
        return sum(turns, Bound()).times(_count(block, values) / len(turns)) if turns else Bound()
    if isinstance(block, ConditionalBlock):
        branches = [_region(region, values, tiles) for _, region in block.branches]
        otherwise = any(condition is None for condition, _ in block.branches)
        return min([*branches, *([] if otherwise else [Bound()])], key=lambda bound: bound.total)
    return _region(block, values, tiles) if isinstance(block, ControlFlowRegion) else Bound()


def _loop(loop: LoopRegion, values: Values) -> tuple[float, float, float] | None:
    """First value, step and count; None for a ``while``."""
    from dace.transformation.passes.analysis import loop_analysis

    start, end = loop_analysis.get_init_assignment(loop), loop_analysis.get_loop_end(loop)
    stride = loop_analysis.get_loop_stride(loop)
    if start is None or end is None or stride is None:
        return None
    first, last, step = (_number(value, values) for value in (start, end, stride))
    if first is None or last is None or not step:
        return None
    return first, step, max(0.0, (last - first) // step + 1)


def _count(loop: LoopRegion, values: Values) -> float:
    found = _loop(loop, values)
    return 1 if found is None else found[2]


def _turns(loop: LoopRegion, values: Values) -> list[dict[str, float]]:
    """Some turns of a loop, evenly spread: the value of its variable in each."""
    found = _loop(loop, values)
    if found is None:
        return [{}]
    first, step, count = found
    return [{loop.loop_variable: first + step * k} for k in _spread(count)]


def _spread(count: float) -> list[int]:
    if count <= SAMPLES:
        return list(range(int(count)))
    return sorted({int((k + 0.5) * count / SAMPLES) for k in range(SAMPLES)})


def _state(state: SDFGState, values: Values, tiles: int) -> Bound:
    result = Bound()
    for node in state.nodes():
        if state.entry_node(node) is not None:
            continue
        if isinstance(node, nodes.MapEntry):
            result += _map(state, node, values, tiles)
        elif isinstance(node, nodes.Tasklet):
            result += Bound(compute=WORKERS * max(1.0, _tasklet(state, node).issued))
        elif isinstance(node, nodes.NestedSDFG):
            result += _region(node.sdfg, _inside(node, values), tiles)
    return result


def _inside(node: nodes.NestedSDFG, values: Values) -> dict[str, float]:
    mapped = {str(name): _number(value, values) for name, value in node.symbol_mapping.items()}
    return {name: value for name, value in mapped.items() if value is not None}


def _number(value: Any, values: Values) -> float | None:
    """What an expression is worth; None if it holds something that only the device knows."""
    if not isinstance(value, sympy.Basic):
        try:
            return float(value)
        except (TypeError, ValueError):
            value = symbolic.pystr_to_symbolic(str(value))
    known = {symbol: values[str(symbol)] for symbol in value.free_symbols if str(symbol) in values}
    if len(known) != len(value.free_symbols):
        return None
    try:
        return float(value.subs(known))
    except (TypeError, ValueError):
        return None


# ---- work inside of a map --------------------------------------------------------------------------------------------


def _work(state: SDFGState, entry: nodes.EntryNode | None, values: Values) -> Slots:
    """The operations of one iteration of a scope."""
    result = Slots()
    for node in state.nodes():
        if state.entry_node(node) is not entry:
            continue
        if isinstance(node, nodes.Tasklet):
            result += _tasklet(state, node)
        elif isinstance(node, nodes.MapEntry):
            result += _scope_work(state, node, values)
        elif isinstance(node, nodes.NestedSDFG):
            result += _region_work(node.sdfg, _inside(node, values))
    return result


def _scope_work(state: SDFGState, entry: nodes.MapEntry, values: Values) -> Slots:
    samples = list(_samples(entry, values))
    total = sum((_work(state, entry, {**values, **s}).times(weight) for s, weight in samples), Slots())
    return total


def _samples(entry: nodes.MapEntry, values: Values) -> Iterator[tuple[dict[str, float], float]]:
    """Some iterations of a map, each with how many it stands for."""
    pending: list[tuple[dict[str, float], float]] = [({}, 1.0)]
    for param, (begin, _, step) in zip(entry.map.params, entry.map.range.ranges, strict=True):
        grown = []
        for sample, weight in pending:
            inside = {**values, **sample}
            count = _extent(entry, param, inside)
            first, stride = _number(begin, inside) or 0, _number(step, inside) or 1
            spread = _spread(count) if len(entry.map.params) == 1 else _spread(min(count, 1))
            for k in spread:
                middle = k if len(entry.map.params) == 1 else (count - 1) // 2
                grown.append(({**sample, param: first + stride * middle}, weight * count / len(spread)))
        pending = grown
    yield from pending


def _extent(entry: nodes.MapEntry, param: str, values: Values) -> float:
    begin, end, step = entry.map.range.ranges[entry.map.params.index(param)]
    first, last, stride = (_number(value, values) for value in (begin, end, step))
    if first is None or last is None or not stride:
        return 1
    return max(0.0, (last - first) // stride + 1)


def _region_work(region: Any, values: Values) -> Slots:
    result = Slots()
    for block in region.nodes():
        if isinstance(block, SDFGState):
            result += _work(block, None, values)
        elif isinstance(block, LoopRegion):
            turns = [_region_work(block, {**values, **turn}) for turn in _turns(block, values)]
            if turns:
                result += sum(turns, Slots()).times(_count(block, values) / len(turns))
        elif isinstance(block, ConditionalBlock):
            works = [_region_work(branch, values) for _, branch in block.branches]
            complete = any(condition is None for condition, _ in block.branches)
            result += min([*works, *([] if complete else [Slots()])], key=lambda work: work.issued)
    return result


def _tasklet(state: SDFGState, node: nodes.Tasklet) -> Slots:
    kinds = [state.sdfg.arrays[e.data.data].dtype for e in state.all_edges(node) if e.data.data in state.sdfg.arrays]
    data = {e.data.data for e in state.all_edges(node) if e.data.data in state.sdfg.arrays}
    counter = _Counter(kinds, is_wide=bool(data & _wide_names(state.sdfg)))
    if node.language == dtypes.Language.Python:
        for statement in node.code.code:
            counter.visit(statement)
    if any(e.data.wcr is not None for e in state.out_edges(node)):
        counter.add("adds", 1)
    return counter.slots


def _wide_names(sdfg: SDFG) -> frozenset[str]:
    """The integers of 64 bits that come from outside: elements of arrays, arguments, and what is computed from them."""
    wide = {name for name, desc in sdfg.arrays.items() if desc.dtype in (dtypes.int64, dtypes.uint64)}
    found = {name for name in wide if not sdfg.arrays[name].transient or sdfg.arrays[name].total_size != 1}
    edges = [
        ({e.data.data for e in state.in_edges(node)}, {e.data.data for e in state.out_edges(node)} & wide)
        for state in sdfg.states()
        for node in state.nodes()
        if isinstance(node, nodes.Tasklet)
    ]
    while new := {name for sources, targets in edges if sources & found for name in targets} - found:
        found |= new
    return frozenset(found)


@dataclass
class _Counter(ast.NodeVisitor):
    kinds: list[Any]
    is_wide: bool = False
    slots: Slots = field(default_factory=Slots)

    def add(self, kind: str, count: float, operation: str = "") -> None:
        """Count an operation, as an integer one where no operand is a float."""
        is_complex = any(k in (dtypes.complex64, dtypes.complex128) for k in self.kinds)
        is_float = is_complex or any(k in (dtypes.float32, dtypes.float64, dtypes.float16) for k in self.kinds)
        if is_complex:
            count *= 4 if kind == "muls" else 2
        name = kind if is_float else "integers"
        if not is_float and self.is_wide:
            count = WIDE.get(operation or kind, count)
        setattr(self.slots, name, getattr(self.slots, name) + count)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """One operation, and three slots for a division."""
        if isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)):
            self.add("functions", 3, "quotients")
        elif isinstance(node.op, (ast.Mult, ast.Pow)):
            self.add("muls", 1)
        else:
            self.add("adds", 1)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """As an addition."""
        self.add("adds", 1)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """A function of the machine; casts and unknown ones count as nothing."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in FUNCTIONS:
            self.add("functions", FUNCTIONS[name])
        elif name in ("min", "max", "abs"):
            self.add("adds", 1, "extremes")
        self.generic_visit(node)


# ---- a map on the tiles ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Access:
    """What one iteration reads or writes of an array: for each dimension the parameters that move it, where it begins
    with all of them at 0, and how many elements it has.
    """

    name: str
    item_bytes: int
    shape: tuple[float, ...]
    moved_by: tuple[tuple[str, ...], ...]
    begins: tuple[float, ...]
    sizes: tuple[float, ...]
    reduces: bool


def _map(state: SDFGState, entry: nodes.MapEntry, values: Values, tiles: int) -> Bound:
    params = list(entry.map.params)
    middle = next(iter([sample for sample, _ in _samples(entry, values)]), None)
    if middle is None:
        return Bound()
    extents = {p: _extent(entry, p, {**values, **middle}) for p in params}
    if not all(extents.values()):
        return Bound()
    iterations = math.prod(extents.values())
    work = _scope_work(state, entry, values).issued / iterations
    alone = not any(
        isinstance(n, (nodes.MapEntry, nodes.NestedSDFG)) for n in state.scope_subgraph(entry).nodes() if n is not entry
    )
    reads = [a for e in state.out_edges(entry) if (a := _access(state, e, params, values, middle)) is not None]
    exit_ = state.exit_node(entry)
    writes = [a for e in state.in_edges(exit_) if (a := _access(state, e, params, values, middle)) is not None]
    grids = _grids([int(extents[p]) for p in params], tiles)
    costs = (_on_grid(dict(zip(params, grid, strict=True)), extents, work, alone, reads, writes) for grid in grids)
    return min(costs, key=lambda bound: bound.total)


def _access(state: SDFGState, edge: Any, params: list[str], values: Values, middle: Values) -> Access | None:
    memlet = edge.data
    if memlet.is_empty() or memlet.dynamic or memlet.data not in state.sdfg.arrays:
        return None
    desc = state.sdfg.arrays[memlet.data]
    shape = tuple(_number(size, values) or 1 for size in desc.shape)
    zeros = {**values, **dict.fromkeys(params, 0.0)}
    moved, begins, sizes = [], [], []
    for (begin, _, _), size in zip(memlet.subset.ranges, memlet.subset.size(), strict=True):
        names = {str(s) for s in getattr(begin, "free_symbols", ())}
        moved.append(tuple(p for p in params if p in names))
        begins.append(_number(begin, zeros) or 0.0)
        sizes.append(_number(size, {**values, **middle}) or 1.0)
    return Access(
        memlet.data, desc.dtype.bytes, shape, tuple(moved), tuple(begins), tuple(sizes), memlet.wcr is not None
    )


def _grids(extents: list[int], tiles: int) -> set[tuple[int, ...]]:
    """Divisions of the dimensions: all powers of two, and one dimension with the tiles that are left."""
    choices = [[2**k for k in range(12) if 2**k <= min(n, tiles)] for n in extents]
    result = {(1,) * len(extents)}
    for grid in itertools.product(*choices):
        used = math.prod(grid)
        if used > tiles:
            continue
        for k, n in enumerate(extents):
            filled = min(n, grid[k] * (tiles // used))
            result.add((*grid[:k], filled, *grid[k + 1 :]))
    return result


def _on_grid(
    grid: dict[str, int],
    extents: dict[str, float],
    work: float,
    alone: bool,
    reads: list[Access],
    writes: list[Access],
) -> Bound:
    own = {p: math.ceil(extents[p] / grid[p]) for p in grid}
    iterations = math.prod(own.values())
    one, divided = dict(extents), math.prod(grid.values())
    needed, shares = _footprint(reads, own), _footprint(reads, one)
    received = sum(max(0.0, needed[name] - shares[name] / divided) for name in needed)
    partials = [w for w in writes if w.reduces and any(grid[p] > 1 and not _moves(w, p) for p in grid)]
    received += sum(_footprint(partials, own).values())
    written = sum(_footprint(writes, own).values())
    arithmetic = max(iterations * work, WORKERS * work if alone else 0)
    memory = sum(needed.values()) / LOAD_BYTES + written / STORE_BYTES
    exchanged = divided > 1 and received > 0
    exchange = EXCHANGE_START + received / EXCHANGE_BYTES if exchanged else 0
    return Bound(max(arithmetic, memory), exchange, SYNC if exchanged else 0)


def _moves(access: Access, param: str) -> bool:
    return any(param in names for names in access.moved_by)


def _footprint(accesses: list[Access], own: Mapping[str, float]) -> dict[str, float]:
    """Bytes of each array that a tile touches which has ``own[p]`` values of each parameter."""
    groups: dict[tuple[Any, ...], list[Access]] = {}
    for access in accesses:
        groups.setdefault((access.name, access.moved_by), []).append(access)
    result: dict[str, float] = {}
    for (name, _), group in groups.items():
        first = group[0]
        elements = 1.0
        for d, names in enumerate(first.moved_by):
            ends = [a.begins[d] + a.sizes[d] for a in group]
            reach = max(ends) - min(a.begins[d] for a in group) + sum(own[p] - 1 for p in names)
            elements *= min(max(reach, 1.0), first.shape[d])
        result[name] = max(result.get(name, 0.0), elements * first.item_bytes)
    return result
