"""DaCe's write-conflict resolutions as reductions of the tile graph."""

from __future__ import annotations

import ast

import sympy
from dace.dtypes import ReductionType

from dace_ipu import compat
from dace_ipu.tile_graph.body import Op, Reduction

__all__ = ["reduction_of"]

_OPS: dict[ReductionType | None, Op] = {
    ReductionType.Sum: Op.SUM,
    ReductionType.Product: Op.PRODUCT,
    ReductionType.Min: Op.MIN,
    ReductionType.Max: Op.MAX,
    ReductionType.Logical_And: Op.LOGICAL_AND,
    ReductionType.Logical_Or: Op.LOGICAL_OR,
    ReductionType.Logical_Xor: Op.LOGICAL_XOR,
    ReductionType.Bitwise_And: Op.BITWISE_AND,
    ReductionType.Bitwise_Or: Op.BITWISE_OR,
    ReductionType.Bitwise_Xor: Op.BITWISE_XOR,
}


def reduction_of(wcr: object) -> Reduction | None:
    """The reduction behind the ``wcr`` of a memlet: a lambda of the old and the new value. None if there is none."""
    if wcr is None:
        return None
    kind = compat.reduction_type(wcr)
    if kind in _OPS:
        return Reduction(_OPS[kind])
    code = _renamed(_lambda(wcr))
    return Reduction(Op.CUSTOM, code, associative=_is_associative(code))


def _lambda(wcr: object) -> ast.Lambda:
    tree = wcr if isinstance(wcr, ast.AST) else ast.parse(str(wcr).strip())
    return next(node for node in ast.walk(tree) if isinstance(node, ast.Lambda))


def _renamed(function: ast.Lambda) -> str:
    names = dict(zip((argument.arg for argument in function.args.args), ("old", "new"), strict=True))
    body = ast.parse(ast.unparse(function.body), mode="eval")
    for node in ast.walk(body):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return ast.unparse(body)


def _is_associative(code: str) -> bool:
    """Whether f(x, y) = f(y, x) and f(f(x, y), z) = f(x, f(y, z)) can be proven: only then may partial results be
    combined by f.
    """
    x, y, z = sympy.symbols("x y z", real=True)
    try:
        expression = sympy.sympify(code, locals={"old": x, "new": y, "min": sympy.Min, "max": sympy.Max})
    except (sympy.SympifyError, TypeError, SyntaxError, AttributeError):
        return False
    if not isinstance(expression, sympy.Expr):
        return False

    def apply(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
        return expression.subs({x: a, y: b}, simultaneous=True)

    commutes = sympy.simplify(apply(x, y) - apply(y, x)) == 0
    return bool(commutes and sympy.simplify(apply(apply(x, y), z) - apply(x, apply(y, z))) == 0)
