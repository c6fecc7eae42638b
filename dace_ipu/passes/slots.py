"""Estimates of the work of a vertex, in issue slots of a worker.

A worker issues one bundle at a time; the costs of operations are those of PopLibs' cycle estimators
(popops/popopsCycleEstimators.cpp) and of compiler-rt's routines for division on the IPU. Indices of arrays are free
(post-increment addressing), but for divisions in them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

import sympy

from dace_ipu.passes.footprints import span_of
from dace_ipu.passes.rewrite import Body
from dace_ipu.tile_graph.body import Access, Assign, Code, DType, Expr, For, If, Statement, Store, While, codes, symbol

UNKNOWN_TURNS = 8  # of a loop whose length depends on data
INTEGER_DIVISION, FLOAT_DIVISION, FLOAT_REMAINDER, POWER, NARROW_STORE = 265, 3, 67, 312, 12
_CALLS = {
    "exp": 3,
    "exp2": 3,
    "expm1": 8,
    "log": 6,
    "log2": 7,
    "log10": 7,
    "log1p": 22,
    "sqrt": 5,
    "rsqrt": 4,
    "reciprocal": 3,
    "cbrt": 27,
    "tanh": 5,
    "sigmoid": 5,
    "sin": 45,  # our own polynomials: targets/poplar/helpers.py
    "cos": 45,
    "tan": 5100,
    "asin": 102,
    "acos": 102,
    "atan": 102,
    "atan2": 45,
    "arctan2": 45,
    "sinh": 12,
    "cosh": 12,
    "asinh": 30,
    "acosh": 30,
    "atanh": 30,
    "pow": POWER,
    "hypot": 8,
    "erf": 41,
    "fmod": FLOAT_REMAINDER,
    "int_floor": INTEGER_DIVISION,
    "int_ceil": INTEGER_DIVISION,
    "floor_div": INTEGER_DIVISION,
    "py_floor": INTEGER_DIVISION,
    "py_mod": INTEGER_DIVISION,
    "Mod": INTEGER_DIVISION,
    "gcd": 10 * INTEGER_DIVISION,
    "lcm": 11 * INTEGER_DIVISION,
}


def slots_of(body: Body, types: Mapping[str, DType], known: frozenset[str]) -> Expr:
    """Issue slots of one vertex, all workers added: an integer expression in the names that are ``known``.

    ``types`` gives the element types of the arrays. Both branches of a condition count half.
    """
    return _rounded(exact_slots_of(body, types, known))


def exact_slots_of(body: Body, types: Mapping[str, DType], known: frozenset[str]) -> Expr:
    """The same, not rounded."""
    return _body(body, types, known)


def _rounded(slots: Expr) -> Expr:
    slots = sympy.expand(slots)
    return slots if all(factor.is_Integer for factor in slots.as_coefficients_dict().values()) else sympy.ceiling(slots)


def _body(body: Body, types: Mapping[str, DType], known: frozenset[str]) -> Expr:
    return sympy.Add(*(_statement(statement, types, known) for statement in body))


def _statement(statement: Statement, types: Mapping[str, DType], known: frozenset[str]) -> Expr:
    own = sympy.Integer(sum(_code(code, types) for code in codes(statement)))
    match statement:
        case For():
            return _loop(statement, types, known)
        case While():
            return UNKNOWN_TURNS * (own + 1 + _body(statement.body, types, known))
        case If():
            return own + 1 + (_body(statement.then, types, known) + _body(statement.orelse, types, known)) / 2
        case Store():
            return own + _store(statement, types)
        case Assign(reduction=reduction):
            return own + (reduction is not None)
        case _:
            return own


def _loop(loop: For, types: Mapping[str, DType], known: frozenset[str]) -> Expr:
    """One slot a turn for the loop itself. What depends on the loop variable counts as in the middle of its range."""
    turn = 1 + _body(loop.body, types, known | {loop.variable})
    free = {s.name for bound in (loop.begin, loop.end, loop.step) for s in bound.free_symbols}
    span = span_of(loop)
    if span is None or not free <= known:
        middle, turns = sympy.Integer(0), sympy.Integer(UNKNOWN_TURNS)
    else:
        middle, turns = (span[0] + span[1]) / 2, _plain(span[1] - span[0]) / abs(loop.step) + 1
    return turns * turn.subs(symbol(loop.variable), middle)


def _plain(length: Expr) -> Expr:
    """The length of a range, bounded by a constant if it is the least of several: that of a full tile."""
    length = sympy.expand(length)
    bounds = (sympy.expand(length.subs(least, bound)) for least in length.atoms(sympy.Min) for bound in least.args)
    return next((bound for bound in bounds if bound.is_Integer), length)


def _store(store: Store, types: Mapping[str, DType]) -> int:
    dtype = types.get(store.target.data)
    narrow = dtype is not None and dtype.itemsize < 4
    update = 2 if store.reduction is not None else 0  # a load and an operation
    return update + _index(store.target) + (NARROW_STORE if narrow else 1)


def _index(access: Access) -> int:
    divisions = (atom for index in access.indices for atom in index.atoms(sympy.floor, sympy.Mod))
    return sum(
        2 if _is_power_of_two(sympy.denom(atom.args[0]), atom.args[-1]) else INTEGER_DIVISION for atom in divisions
    )


def _is_power_of_two(*candidates: Expr) -> bool:
    return any(value.is_Integer and value > 1 and int(value) & (int(value) - 1) == 0 for value in candidates)


def _code(code: Code, types: Mapping[str, DType]) -> int:
    loads = sum(1 + _index(read) for _, read in code.reads)
    reads = [types[read.data] for _, read in code.reads if read.data in types]
    return loads + _Operations(all(dtype.kind in "iub" for dtype in reads) and bool(reads)).count(code.text)


class _Operations(ast.NodeVisitor):
    """Counts the slots of the operators of an expression; ``integers`` says that all data in it is."""

    def __init__(self, integers: bool) -> None:
        self.integers = integers
        self.slots = 0

    def count(self, text: str) -> int:
        """The slots of an expression."""
        self.visit(ast.parse(text.strip(), mode="eval"))
        return self.slots

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.slots += self._operator(node)
        self.generic_visit(node)

    def _operator(self, node: ast.BinOp) -> int:
        constant = node.right.value if isinstance(node.right, ast.Constant) else None
        match node.op:
            case ast.Div():
                return FLOAT_DIVISION
            case ast.FloorDiv() | ast.Mod() if self.integers:
                shifts = isinstance(constant, int) and constant > 0 and constant & (constant - 1) == 0
                return 1 if shifts else INTEGER_DIVISION
            case ast.FloorDiv() | ast.Mod():
                return FLOAT_REMAINDER
            case ast.Pow():
                small = isinstance(constant, int) and 0 <= constant <= 16
                return max(1, constant.bit_length()) if isinstance(constant, int) and small else POWER
            case _:
                return 1

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.slots += not isinstance(node.operand, ast.Constant)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.slots += len(node.ops)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.slots += len(node.values) - 1
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.slots += 2
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        self.slots += _CALLS.get(name, 1)
        for argument in node.args:
            self.visit(argument)
