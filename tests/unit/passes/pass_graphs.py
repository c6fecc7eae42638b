"""Tile graphs from text: bodies of maps are written in Python.

``A[i + 1] += x * B[i]`` is a store with a reduction, ``x: float32 = A[i]`` a constant scalar, ``x: float32`` one that
is assigned later, ``t: float32[2, 3]`` a local array, and ``A[i] = max(A[i], x)`` a plain store; ``A[i] |= x`` stands
for the maximum (there is no operator for it).
"""

from __future__ import annotations

import ast
from textwrap import dedent

import numpy as np
import sympy

from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    Expr,
    For,
    If,
    LocalArray,
    Op,
    Reduction,
    Statement,
    Store,
    While,
    symbol,
)
from dace_ipu.tile_graph.nodes import ComputeSet, Dimension, MapStep, Step, TileGraph, Variable
from dace_ipu.tile_graph.printer import statements_text, step_text, to_text

INT32 = np.dtype(np.int32)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
_FUNCTIONS = {"Min": sympy.Min, "Max": sympy.Max, "Mod": sympy.Mod, "floor": sympy.floor}
_REDUCTIONS = {ast.Add: Op.SUM, ast.Mult: Op.PRODUCT, ast.BitOr: Op.MAX, ast.BitAnd: Op.MIN}


def expr(text: object) -> Expr:
    """An index expression; every name is an integer symbol."""
    text = str(text).strip()
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} - _FUNCTIONS.keys()
    return sympy.sympify(text, locals={**{name: symbol(name) for name in names}, **_FUNCTIONS})


def variables(**shapes: str) -> tuple[Variable, ...]:
    """``A="N, M"`` is a float32 array; ``A="int8 N, M"`` one of another type."""
    return tuple(_variable(name, text) for name, text in shapes.items())


def _variable(name: str, text: str) -> Variable:
    dtype, shape = text.split(" ", 1) if text.split(" ", 1)[0] in np.sctypeDict else ("float32", text)
    return Variable(name, np.dtype(dtype), tuple(map(expr, shape.split(","))))


def map_step(body: str, name: str = "work", **domain: object) -> MapStep:
    """A map over dimensions with the given extents."""
    return MapStep(name, tuple(Dimension(d, expr(extent)) for d, extent in domain.items()), statements(body))


def graph(arrays: tuple[Variable, ...], *steps: Step, symbols: str = "N M K") -> TileGraph:
    """A program with integer parameters."""
    return TileGraph("test", tuple((name, INT32) for name in symbols.split()), (), arrays, steps)


def access(text: str) -> Access:
    """``A[i + 1, j]``."""
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Subscript)
    return _access(node)


def statements(text: str) -> tuple[Statement, ...]:
    """The statements that a text of Python stands for."""
    return _body(ast.parse(dedent(text).strip()).body)


def _body(nodes: list[ast.stmt]) -> tuple[Statement, ...]:
    return tuple(_statement(node) for node in nodes)


def _statement(node: ast.stmt) -> Statement:
    match node:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Subscript() as array):
            shape = ast.literal_eval(f"({ast.unparse(array.slice)},)".replace("((", "(").replace("),)", ",)"))
            return LocalArray(name, np.dtype(ast.unparse(array.value)), shape)
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
            dtype = np.dtype(ast.unparse(annotation))
            return Declare(name, dtype, None if value is None else code(value), constant=value is not None)
        case ast.Assign(targets=[target], value=value):
            return _update(target, code(value), None)
        case ast.AugAssign(target=target, op=operator, value=value):
            return _update(target, code(value), Reduction(_REDUCTIONS[type(operator)]))
        case ast.For(target=ast.Name(id=name), iter=ast.Call(args=args), body=body):
            begin, end, step = _range(args)
            return For(name, begin, end, step, _body(body))
        case ast.While(test=test, body=body):
            return While(code(test), _body(body))
        case ast.If(test=test, body=then, orelse=orelse):
            return If(code(test), _body(then), _body(orelse))
        case ast.Break():
            return Break()
        case ast.Continue():
            return Continue()
        case _:
            raise ValueError(ast.unparse(node))


def _range(args: list[ast.expr]) -> tuple[Expr, ...]:
    found = [expr(ast.unparse(arg)) for arg in args]
    return (ZERO, *found, ONE) if len(found) == 1 else (*found, ONE)[:3]


def _update(target: ast.expr, value: Code, reduction: Reduction | None) -> Statement:
    if isinstance(target, ast.Subscript):
        return Store(_access(target), value, reduction)
    return Assign(ast.unparse(target), value, reduction)


def _access(node: ast.Subscript) -> Access:
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return Access(ast.unparse(node.value), tuple(expr(ast.unparse(index)) for index in indices))


def code(node: ast.expr | str) -> Code:
    """A computation; elements of arrays in it become reads named after the array."""
    tree = ast.parse(node, mode="eval").body if isinstance(node, str) else node
    reads = _Reads()
    return Code(ast.unparse(reads.visit(tree)), tuple(reads.found.items()))


class _Reads(ast.NodeTransformer):
    def __init__(self) -> None:
        self.found: dict[str, Access] = {}

    def visit_Subscript(self, node: ast.Subscript) -> ast.Name:
        name = f"{ast.unparse(node.value)}_read{len(self.found)}"
        self.found[name] = _access(node)
        return ast.Name(name)


def lines(text: str) -> list[str]:
    """The lines of an expected text."""
    return dedent(text).strip("\n").splitlines()


def steps_of(result: TileGraph) -> list[str]:
    """The lines of the steps of a program."""
    return [line for step in result.steps for line in step_text(step).splitlines()]


def bodies_of(result: TileGraph) -> list[str]:
    """The lines of the bodies of the maps and compute sets of a program."""
    bodies = [step.body for step in result.steps if isinstance(step, (MapStep, ComputeSet))]
    return [line for body in bodies for line in statements_text(body).splitlines()]


__all__ = [
    "INT32",
    "access",
    "bodies_of",
    "code",
    "expr",
    "graph",
    "lines",
    "map_step",
    "statements",
    "steps_of",
    "to_text",
    "variables",
]
