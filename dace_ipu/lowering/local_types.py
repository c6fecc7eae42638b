"""The types of the names that the code of a tasklet introduces."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dace_ipu import compat
from dace_ipu.tile_graph.body import DType

__all__ = ["local_types", "matched"]

_NARROWED = {"float64": "float32", "complex128": "complex64"}


def local_types(body: Sequence[ast.stmt], types: Mapping[str, DType]) -> dict[str, DType]:
    """The type of each name that is assigned in ``body`` and has none in ``types``.

    A name has room for all that it is ever assigned: ``s = 0`` and then ``s += x`` of float32 is float32, as in Python,
    and not an integer, as in C++. An annotation decides. Python's floats are float32, for the machine has no float64.
    """
    found: dict[str, DType] = {}
    before: dict[str, DType] | None = None
    while found != before:  # values may depend on names that are assigned further down, in a loop
        before = dict(found)
        for name, value in (pair for statement in body for pair in _assigned(statement)):
            if name not in types:
                dtype = value if isinstance(value, np.dtype) else _of(value, {**types, **found})
                found[name] = dtype if name not in found else _common(found[name], dtype)
    return found


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr | DType]]:
    """Names and what they are assigned, or its type, in the order of the code."""
    match node:
        case ast.Assign(targets=targets, value=value):
            pairs = [pair for target in targets for pair in matched(target, value)]
            yield from ((target.id, part) for target, part in pairs if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
            written = _annotated(annotation)
            yield name, written if written is not None else value or ast.Constant(0)
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            yield name, ast.BinOp(ast.Name(name, ast.Load()), op, value)
        case ast.For(target=ast.Name(id=name)):
            yield name, np.dtype(np.int32)
    for inner in (*getattr(node, "body", ()), *getattr(node, "orelse", ())):
        yield from _assigned(inner)


def matched(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Each target of an assignment with its value: ``a, b = b, a`` are two."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _of(value: ast.expr, types: Mapping[str, DType]) -> DType:
    return _narrow(compat.infer_dtype(ast.unparse(_Casts(types).visit(copy.deepcopy(value))), types))


@dataclass(frozen=True)
class _Casts(ast.NodeTransformer):
    """``decltype(x)(value)`` → ``dace.float32(value)``, which DaCe can tell the type of."""

    types: Mapping[str, DType]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Give a cast the name of its type."""
        if isinstance(node.func, ast.Call) and ast.unparse(node.func.func) == "decltype":
            name = _of(node.func.args[0], self.types).name
            node.func = ast.Attribute(ast.Name("dace", ast.Load()), name, ast.Load())
        return self.generic_visit(node)


def _annotated(annotation: ast.expr) -> DType | None:
    """The type that an annotation such as ``dace.int32`` or ``float`` names; None if it names none."""
    try:
        return _narrow(np.dtype(ast.unparse(annotation).rpartition(".")[2].removesuffix("_")))
    except TypeError:
        return None


def _narrow(dtype: DType) -> DType:
    return np.dtype(_NARROWED.get(dtype.name, dtype.name))


def _common(a: DType, b: DType) -> DType:
    """A type for both. An integer meets a float as a Python number does: the float stays what it is."""
    if {a.kind, b.kind} <= set("biu"):
        found = np.promote_types(a, b)
        return found if found.kind in "biu" else np.dtype(np.uint64)
    if "f" in (a.kind, b.kind) and not {a.kind, b.kind} <= set("fc"):
        return a if a.kind == "f" else b
    return _narrow(np.promote_types(a, b))
