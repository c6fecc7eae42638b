"""Loops along contiguous rows of float32 run two iterations at a time, in the two floats of a register."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dace_ipu.passes.codelets import changed_names
from dace_ipu.passes.fields import size_of
from dace_ipu.passes.rewrite import map_statements
from dace_ipu.passes.steps import map_steps
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
    codes,
    symbol,
    walk,
)
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.nodes import ComputeSet, Field, Layout, Step, TileGraph
from dace_ipu.tile_graph.pairs import PAIR_FUNCTIONS, guard_of, moves, odd_strides, pair_names, row_accesses

_FLOAT, _BOOL, _COUNT = np.dtype(np.float32), np.dtype(np.bool_), np.dtype(np.int32)
_UPDATES = {None, Op.SUM, Op.PRODUCT}  # of elements
MOST_GUARDED = 8  # statements under a condition: they are printed for each of the two iterations
_ACCUMULATIONS = {Op.SUM, Op.PRODUCT, Op.MIN, Op.MAX}  # into a scalar


@dataclass(frozen=True)
class PairLanes:
    """Before: ``for j in 0:M: C[i, j] = a_i * B[i, j]``. After: ``pairs of j in 0:M``: the same.

    Only innermost loops over float32, of operations that the machine has for pairs, whose iterations touch element
    ``j`` of rows and nothing else, so that a pair begins at a multiple of eight bytes. Where rows follow each other in
    one vector, that is so if their length is even: the printed code looks. A loop may also sum up what it
    reads: then even and odd elements are summed apart, as any parallel sum is; products, least and greatest values
    likewise. Of a loop that is all under a condition on rows, ``for j in 0:M: if low[j] <= x: count[j] += 1``, only the
    condition is computed in pairs; what it guards may be anything that does not change it.
    """

    name: str = "pair_lanes"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with such loops marked in all compute sets."""

        def change(step: Step) -> tuple[Step, ...]:
            return (_paired(step, graph),) if isinstance(step, ComputeSet) else (step,)

        return replace(graph, steps=map_steps(graph.steps, change))


def _paired(compute_set: ComputeSet, graph: TileGraph) -> ComputeSet:
    fields = {edge.name: edge for edge in compute_set.fields}
    types = {edge.name: graph.variable(edge.variable).dtype for edge in compute_set.fields}
    scalars = {value.name: value.dtype for value in compute_set.values}
    scalars |= {s.name: s.dtype for s in walk(compute_set.body) if isinstance(s, Declare)}
    arrays = {s.name for s in walk(compute_set.body) if isinstance(s, LocalArray)}

    def change(statement: Statement) -> Statement:
        if not isinstance(statement, For) or statement.pairs:
            return statement
        row = _Row(statement, fields, types, scalars)
        return replace(statement, pairs=True) if not arrays and row.goes_in_pairs() else statement

    return replace(compute_set, body=map_statements(compute_set.body, change))


@dataclass(frozen=True)
class _Row:
    """One loop. ``types`` of fields, ``scalars`` of the values and local scalars of the whole codelet."""

    loop: For
    fields: Mapping[str, Field]
    types: Mapping[str, DType]
    scalars: Mapping[str, DType]

    def goes_in_pairs(self) -> bool:
        """Whether two iterations may run at once."""
        loop = self.loop
        plain = loop.begin == 0 and loop.step == 1 and bool(loop.body)
        return plain and self._has_kinds() and self._is_apart() and all(map(self._is_row, row_accesses(loop)))

    def _is_row(self, access: Access) -> bool:
        """Whether an access is to the float that the loop stands at in a row, or to the same float in all turns."""
        if self.types.get(access.data) != _FLOAT:
            return False
        return not moves(self.loop, access) or self._is_at_counter(access)

    def _is_at_counter(self, access: Access) -> bool:
        field = self.fields[access.data]
        at = [index == symbol(self.loop.variable) for index in access.indices]
        if field.layout is Layout.ROWS:
            return at[-1] and not moves(self.loop, replace(access, indices=access.indices[:-1]))
        if at[-1] and not moves(self.loop, replace(access, indices=access.indices[:-1])):
            return not odd_strides(access, field) or not self.loop.shared
        position = at.index(True) if True in at else len(at)
        before = all(index == 0 for index in access.indices[:position])
        return position < len(at) and before and all(size_of(r) == 1 for r in field.ranges[position + 1 :])

    def _is_apart(self) -> bool:
        """Whether no iteration touches what another one writes."""
        written = {s.target.data: s.target for s in self.loop.body if isinstance(s, Store)}
        same = all(written.get(access.data, access) == access for access in row_accesses(self.loop))
        guard = guard_of(self.loop)
        return same and all(moves(self.loop, t) for t in written.values()) and (not guard or self._stays(guard))

    def _stays(self, guard: If) -> bool:
        """Whether what a branch guards leaves its condition alone, and the loop to its end."""
        inside = tuple(walk(guard.then))
        read = {self.fields[access.data].variable for _, access in guard.condition.reads if access.data in self.fields}
        changed = {self.fields[s.target.data].variable for s in inside if isinstance(s, Store)}
        leaves = any(isinstance(s, (Break, Continue)) for s in inside)
        short = len(inside) <= MOST_GUARDED
        return short and not self.loop.shared and not leaves and not read & changed

    def _has_kinds(self) -> bool:
        """Whether all that is computed has a form for pairs."""
        kinds = _Kinds(self.scalars, self.loop, set())
        return all(kinds.takes(statement) for statement in self.loop.body)


@dataclass
class _Kinds:
    """Follows what is a pair of floats, a pair of answers, and a single number."""

    scalars: Mapping[str, DType]
    loop: For
    answers: set[str]

    def takes(self, statement: Statement) -> bool:
        """Whether a statement can be printed for pairs."""
        match statement:
            case Declare(name=name, dtype=dtype, value=Code() as value, constant=True) if dtype == _BOOL:
                self.answers.add(name)
                return self._is_answer(_tree(value), pair_names(self.loop, value))
            case Declare(dtype=dtype, value=Code() as value, constant=True):
                return dtype == _FLOAT and self._is_pair_code(value)
            case Store(value=value, reduction=reduction):
                return _op(reduction) in _UPDATES and self._is_code(value)
            case Assign(name=name, value=value, reduction=Reduction(op=op)):
                accumulates = op in _ACCUMULATIONS and self.scalars.get(name) == _FLOAT
                return accumulates and self._is_pair_code(value) and self._is_accumulator(name)
            case If(condition=condition):
                return guard_of(self.loop) is not None and self._is_guard(condition)
            case _:
                return False

    def _is_guard(self, condition: Code) -> bool:
        """Whether a condition consists of comparisons of pairs."""
        tree, pairs = _tree(condition), pair_names(self.loop, condition)
        parts = tree.values if isinstance(tree, ast.BoolOp) else [tree]
        return self._scalars_fit(condition) and all(self._is_answer(part, pairs) for part in parts)

    def _is_accumulator(self, name: str) -> bool:
        """Whether one statement updates a scalar, and none reads it."""
        updates = sum(isinstance(s, Assign) and s.name == name for s in self.loop.body)
        return updates == 1 and not any(name in names(c.text) for s in self.loop.body for c in codes(s))

    def _is_pair_code(self, code: Code) -> bool:
        return bool(pair_names(self.loop, code)) and self._is_code(code)

    def _is_code(self, code: Code) -> bool:
        if not self._scalars_fit(code):
            return False
        tree, pairs = _tree(code), pair_names(self.loop, code)
        if isinstance(tree, ast.IfExp):
            chosen = all(
                _is_arithmetic(part) and not self.answers & _names_in(part) for part in (tree.body, tree.orelse)
            )
            return chosen and self._is_answer(tree.test, pairs)
        return _is_arithmetic(tree) and not self.answers & _names_in(tree)

    def _is_answer(self, tree: ast.expr, pairs: set[str]) -> bool:
        if isinstance(tree, ast.Name):
            return tree.id in self.answers
        sides = [tree.left, *tree.comparators] if isinstance(tree, ast.Compare) else []
        fits = len(sides) == 2 and all(_is_arithmetic(s) and not self.answers & _names_in(s) for s in sides)
        return fits and any(pairs & _names_in(side) for side in sides)

    def _scalars_fit(self, code: Code) -> bool:
        """Whether the single numbers in a computation are float32, or sizes and counters that become so."""
        outer = names(code.text) - {name for name, _ in code.reads} - pair_names(self.loop, code)
        types = [self.scalars.get(name, _COUNT) for name in outer]
        changed = changed_names(self.loop.body) | {self.loop.variable}
        return not outer & changed and all(dtype == _FLOAT or dtype.kind in "iu" for dtype in types)


def _op(reduction: Reduction | None) -> Op | None:
    return None if reduction is None else reduction.op


def _tree(code: Code) -> ast.expr:
    return ast.parse(code.text.strip(), mode="eval").body


def _names_in(tree: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _is_arithmetic(tree: ast.expr) -> bool:
    """Whether an expression consists of the four operations, and of functions that exist for pairs."""
    match tree:
        case ast.Constant(value=value):
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case ast.Name():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_arithmetic(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            return _is_arithmetic(left) and _is_arithmetic(right)
        case ast.BinOp(left=ast.Name(), op=ast.Pow(), right=ast.Constant(value=value)):
            return isinstance(value, int) and value in (2, 3)
        case ast.Call(func=function, args=[argument], keywords=[]):
            return _called(function) in (*PAIR_FUNCTIONS, "float32") and _is_arithmetic(argument)
        case _:
            return False


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
