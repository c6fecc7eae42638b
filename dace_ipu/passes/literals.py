"""Numbers and integer expressions in the text of computations."""

from __future__ import annotations

import ast
from collections.abc import Set

import numpy as np
import sympy

from dace_ipu.tile_graph.body import Declare, DType, Expr, symbol
from dace_ipu.tile_graph.expressions import names


def literal(text: str) -> bool | int | float | None:
    """The number that a text spells; None if it is anything else."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, (bool, int, float)) else None


def fits(value: bool | int | float, dtype: DType) -> bool:
    """Whether a number keeps its value in a type, but for the rounding of floats."""
    if isinstance(value, bool) or dtype.kind == "b":
        return isinstance(value, bool) and dtype.kind == "b"
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.str)
        return isinstance(value, int) and limits.min <= value <= limits.max
    return dtype.kind in "fc"


def as_index(declaration: Declare, assigned: Set[str]) -> Expr | None:
    """The value of an integer scalar as an index expression; None if it depends on data or is not of that kind."""
    value, dtype = declaration.value, declaration.dtype
    if value is None or value.reads or dtype.kind not in "iu" or dtype.itemsize < 4 or names(value.text) & assigned:
        return None
    return index_of(ast.parse(value.text.strip(), mode="eval").body)


def index_of(node: ast.expr, powers: bool = False) -> Expr | None:
    """The integer expression that a node of Python's syntax tree spells, with ``powers`` if these are wanted; None for
    what is none.
    """
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return sympy.Integer(value)
        case ast.Name(id=name):
            return symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = index_of(operand, powers)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right):
            operands = index_of(left, powers), index_of(right, powers)
            return None if operands[0] is None or operands[1] is None else _combined(op, *operands, powers)
        case _:
            return None


def _combined(op: ast.operator, left: Expr, right: Expr, powers: bool) -> Expr | None:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv() if right.is_Integer and right > 0:
            return sympy.floor(left / right)
        case ast.Mod() if right.is_Integer and right > 0:
            return sympy.Mod(left, right)
        case ast.Pow() if powers:
            return left**right
        case _:
            return None
