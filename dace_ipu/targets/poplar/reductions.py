"""``old = op(old, new)`` in C++."""

from __future__ import annotations

import ast
from dataclasses import replace

from dace_ipu.targets.poplar.expressions import ExpressionPrinter, Term, arithmetic_type
from dace_ipu.tile_graph.body import Op, Reduction

__all__ = ["combined", "compound_operator", "operand"]

_OPERATORS: dict[Op, type[ast.operator]] = {
    Op.SUM: ast.Add,
    Op.PRODUCT: ast.Mult,
    Op.BITWISE_AND: ast.BitAnd,
    Op.BITWISE_OR: ast.BitOr,
    Op.BITWISE_XOR: ast.BitXor,
}
_FUNCTIONS = {
    Op.MIN: "min",
    Op.MAX: "max",
    Op.LOGICAL_AND: "logical_and",
    Op.LOGICAL_OR: "logical_or",
    Op.LOGICAL_XOR: "logical_xor",
}
_COMPOUND = {Op.SUM: "+=", Op.PRODUCT: "*=", Op.BITWISE_AND: "&=", Op.BITWISE_OR: "|=", Op.BITWISE_XOR: "^="}


def compound_operator(reduction: Reduction, target: Term) -> str | None:
    """``+=`` and its like where it does the same as the long form; None for the others."""
    arithmetic = reduction.op in (Op.SUM, Op.PRODUCT)
    return None if arithmetic and target.dtype.kind == "b" else _COMPOUND.get(reduction.op)


def operand(printer: ExpressionPrinter, target: Term, value: Term) -> Term:
    """The right side of a compound assignment. C++ computes it in the common type, which is what the reduction means;
    integers wrap, so that their own type will do.
    """
    if target.is_integer and value.is_integer:
        return printer.assigned(value, target.dtype)
    return printer.unified(target, value, arithmetic_type(target, value))[1]


def combined(printer: ExpressionPrinter, reduction: Reduction, old: Term, new: Term) -> Term:
    """``op(old, new)`` in their common type, converted to that of ``old``."""
    if reduction.op in _OPERATORS:
        result = printer.binary(_OPERATORS[reduction.op], old, new)
    elif reduction.op in _FUNCTIONS:
        result = printer.call(_FUNCTIONS[reduction.op], [old, new])
    else:
        outer = printer.lookup
        terms = {"old": old, "new": new}
        inner = replace(printer, lookup=lambda name: terms.get(name) or outer(name))
        result = inner.term(reduction.code)
        printer.cmath |= inner.cmath
    return printer.converted(result, old.dtype)
