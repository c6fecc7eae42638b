"""Symbols that edges assign inside a codelet: local scalars; and the containers that the expressions of edges read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy
from dace import subsets
from dace.sdfg.sdfg import SDFG

from dace_ipu import compat
from dace_ipu.lowering.queries import assigned_symbols, wide_symbols
from dace_ipu.lowering.references import ScalarReference, window_of
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.symbolic import python_text
from dace_ipu.lowering.tasklets import Pointer, Target, lower_expression
from dace_ipu.tile_graph.body import Assign, Code, Declare, Statement, symbol

__all__ = ["assign", "containers", "declare_symbols", "symbol_type"]


def declare_symbols(sdfg: SDFG, scope: Scope) -> Iterator[Statement]:
    """Symbols that edges assign are local scalars of the codelet."""
    for name in assigned_symbols(sdfg):
        local, dtype = scope.names.fresh(name), symbol_type(sdfg, name)
        value = None
        if name in scope.environment:  # one that comes from outside and is changed here
            value = Code(python_text(scope.environment[name]))
        scope.environment[name] = symbol(local)
        scope.types[local] = dtype
        yield Declare(local, dtype, value, constant=False)


def symbol_type(sdfg: SDFG, name: str) -> np.dtype[Any]:
    """The type that a symbol has on the device. One of 64 bits has 32, as the machine's integers, unless it is data."""
    dtype = compat.symbol_type(sdfg, name)
    narrow = {"int64": "int32", "uint64": "uint32"}.get(dtype.name)
    return dtype if narrow is None or name in wide_symbols(sdfg) else np.dtype(narrow)


def assign(assignments: dict[str, str], scope: Scope) -> list[Statement]:
    """The assignments of an edge: all right sides are evaluated before anything is assigned."""
    before: list[Statement] = []
    result: list[Statement] = []
    several = len(assignments) > 1
    for name, text in sorted(assignments.items()):
        prelude, code = lower_expression(text, scope, containers(text, scope))
        before += prelude
        local = str(scope.environment[name])
        if several and _uses(assignments, name):
            held = scope.names.fresh(f"new_{name}")
            dtype = scope.types[local]
            before.append(Declare(held, dtype, code))
            code = Code(held)
        result.append(Assign(local, code))
    return [*before, *result]


def _uses(assignments: dict[str, str], name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name
        for other, text in assignments.items()
        if other != name
        for node in ast.walk(ast.parse(text.strip(), mode="eval"))
    )


def containers(text: str, scope: Scope) -> dict[str, Target]:
    """The containers that an expression of control flow names, as what it may read."""
    names = {node.id for node in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Name)}
    result: dict[str, Target] = {}
    for name in sorted(names & set(scope.sdfg.arrays)):
        reference, desc = scope.reference(name), scope.sdfg.arrays[name]
        if isinstance(reference, ScalarReference):
            result[name] = reference
        elif all(size == 1 for size in desc.shape):
            result[name] = reference.access((sympy.Integer(0),) * len(desc.shape))
        else:
            whole = subsets.Range.from_array(desc)
            window = window_of(whole, len(desc.shape), scope.environment)
            result[name] = Pointer(reference, window, len(desc.shape))
    return result
