"""Programs for tests of passes, written as Python text."""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sympy

from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Break,
    Code,
    Declare,
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
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Source, TileGraph, Variable
from dace_ipu.tile_graph.printer import statements_text

sys.path.insert(0, str(Path(__file__).parent))  # for pass_graphs, which tests import by name

INT32 = np.dtype(np.int32)
AUGMENTED = {ast.Add: Op.SUM, ast.Mult: Op.PRODUCT, ast.BitOr: Op.MAX, ast.BitAnd: Op.MIN}


class _Reads(ast.NodeTransformer):
    """Takes the array elements out of an expression: ``A[i] + 1`` becomes ``r0 + 1``."""

    def __init__(self) -> None:
        self.found: list[tuple[str, Access]] = []

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.found.append((f"r{len(self.found)}", access(node)))
        return ast.Name(self.found[-1][0])


def access(node: ast.expr) -> Access:
    assert isinstance(node, ast.Subscript)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return Access(ast.unparse(node.value), tuple(expr(ast.unparse(part)) for part in parts))


def expr(text: str) -> sympy.Expr:
    tree = ast.parse(text, mode="eval")
    known = {node.id: symbol(node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known |= {"floor": sympy.floor, "Mod": sympy.Mod, "Min": sympy.Min, "Max": sympy.Max}
    return sympy.sympify(eval(text, {}, known))


def code(node: ast.expr) -> Code:
    reads = _Reads()
    return Code(ast.unparse(reads.visit(ast.parse(ast.unparse(node), mode="eval").body)), tuple(reads.found))


def statement(node: ast.stmt) -> Statement:  # noqa: C901 - one case a kind of statement
    match node:
        case ast.AnnAssign(annotation=ast.Subscript(value=kind, slice=size), target=ast.Name(id=name)):
            return LocalArray(name, np.dtype(ast.unparse(kind)), (ast.literal_eval(size),))
        case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=value):
            return Declare(name, np.dtype(ast.unparse(kind)), code(value) if value else None, constant=False)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return Assign(name, code(value))
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            return Assign(name, code(value), Reduction(AUGMENTED[type(op)]))
        case ast.Assign(targets=[target], value=value):
            return Store(access(target), code(value))
        case ast.AugAssign(target=target, op=op, value=value):
            return Store(access(target), code(value), Reduction(AUGMENTED[type(op)]))
        case ast.For(target=ast.Name(id=name), iter=ast.Call(args=bounds), body=inner):
            begin, end, *step = (expr(ast.unparse(bound)) for bound in bounds)
            return For(name, begin, end, step[0] if step else sympy.Integer(1), block(inner))
        case ast.If(test=test, body=then, orelse=orelse):
            return If(code(test), block(then), block(orelse))
        case ast.While(test=test, body=inner):
            return While(code(test), block(inner))
        case ast.Break():
            return Break()
    raise ValueError(ast.unparse(node))


def block(nodes: list[ast.stmt]) -> tuple[Statement, ...]:
    return tuple(statement(node) for node in nodes if not isinstance(node, ast.Pass))


@pytest.fixture(scope="session")
def body() -> Callable[[str], tuple[Statement, ...]]:
    """Makes statements of Python text."""
    return lambda text: block(ast.parse(textwrap.dedent(text)).body)


@pytest.fixture(scope="session")
def index() -> Callable[[str], sympy.Expr]:
    """Makes an index expression of Python text."""
    return expr


@pytest.fixture(scope="session")
def program(body) -> Callable[..., TileGraph]:
    """Makes a program of one map: types and shapes by name (``A=("float32", "N")``), a domain (``"i: N"``), a body."""

    def make(domain: str, text: str, symbols: str = "N M K", **variables: tuple[str, str]) -> TileGraph:
        pairs = [part.split(":") for part in domain.split(",") if part.strip()]
        dimensions = tuple(Dimension(name.strip(), expr(extent.strip())) for name, extent in pairs)
        step = MapStep("work", dimensions, body(text), Source("prog.py", 12, "work"))
        made = tuple(
            Variable(name, np.dtype(kind), tuple(expr(size.strip()) for size in shape.split(",")))
            for name, (kind, shape) in variables.items()
        )
        return TileGraph("program", tuple((name, INT32) for name in symbols.split()), (), made, (step,))

    return make


@pytest.fixture(scope="session")
def lines() -> Callable[[tuple[Statement, ...]], str]:
    """Writes statements as text, without the layout."""
    return lambda statements: " ".join(statements_text(statements).split())
