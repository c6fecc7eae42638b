"""The types of computations, as far as they are plain to see."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dace_ipu.tile_graph.body import DType

WEAK_INT, WEAK_FLOAT = np.dtype("V1"), np.dtype("V2")  # stand-ins: Python numbers take the type of what they meet
_BOOL = np.dtype(np.bool_)
_SAME_TYPE_CALLS = {"abs", "min", "max", "exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "fabs", "Min", "Max"}


@dataclass(frozen=True)
class Types:
    """Infers the type of an expression from those of its names. None means unknown, never a guess."""

    of_names: Mapping[str, DType]

    def of_text(self, text: str) -> DType | None:
        """The type of a Python expression; WEAK_INT or WEAK_FLOAT for one of Python numbers only."""
        return self.of(ast.parse(text.strip(), mode="eval").body)

    def of(self, node: ast.expr) -> DType | None:
        """The type of a node of an expression."""
        match node:
            case ast.Constant(value=bool()):
                return _BOOL
            case ast.Constant(value=int()):
                return WEAK_INT
            case ast.Constant(value=float()):
                return WEAK_FLOAT
            case ast.Name(id=name):
                return self.of_names.get(name)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return _widened(self.of(operand))
            case ast.BinOp():
                return self._of_operator(node)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return _BOOL
            case ast.IfExp(body=body, orelse=orelse):
                return common(self.of(body), self.of(orelse))
            case ast.Call():
                return self._of_call(node)
            case _:
                return self._of_choice(node)

    def _of_choice(self, node: ast.expr) -> DType | None:
        """``and`` and ``or`` of bools are bools; those of other types are one of their operands, in Python."""
        are_bools = isinstance(node, ast.BoolOp) and all(self.of(value) == _BOOL for value in node.values)
        return _BOOL if are_bools else None

    def _of_operator(self, node: ast.BinOp) -> DType | None:
        found = common(self.of(node.left), self.of(node.right))
        if isinstance(node.op, ast.Div) and (found is None or found.kind not in "fc"):
            return None
        if isinstance(node.op, ast.Pow) and (found is None or found.kind != "f"):
            return None
        return _widened(found)

    def _of_call(self, node: ast.Call) -> DType | None:
        """Casts have the type they name; functions of floats mostly that of their arguments."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in np.sctypeDict and len(node.args) == 1 and name not in ("abs", "int", "float", "bool"):
            return np.dtype(name)
        if name not in _SAME_TYPE_CALLS or not node.args:
            return None
        found = self.of(node.args[0])
        for argument in node.args[1:]:
            found = common(found, self.of(argument))
        floats_only = name not in ("abs", "min", "max", "Min", "Max")
        return None if floats_only and (found is None or found.kind != "f") else found


def common(a: DType | None, b: DType | None) -> DType | None:
    """The type of both operands of an operation, or of the one that is not a Python number; floats swallow integers."""
    if a is None or b is None or a == b:
        return a if a == b else None
    for narrow, wide in ((a, b), (b, a)):
        if narrow == WEAK_INT and (wide == WEAK_FLOAT or wide.kind in "iufc"):
            return wide
        if narrow == WEAK_FLOAT and wide.kind in "fc":
            return wide
        if narrow.kind in "iu" and wide == np.float32:
            return wide
    return None


def _widened(dtype: DType | None) -> DType | None:
    """The type that arithmetic on small integers is done in, as in C."""
    if dtype is None or is_weak(dtype) or dtype.kind not in "biu" or dtype.itemsize >= 4:
        return dtype
    return np.dtype(np.int32)


def is_weak(dtype: DType | None) -> bool:
    """Whether a type is that of a Python number."""
    return dtype in (WEAK_INT, WEAK_FLOAT)
