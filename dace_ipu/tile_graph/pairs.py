"""Loops that run in pairs: what in them are two neighbouring floats, in one register of the machine."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from dace_ipu.tile_graph.body import Access, Code, Declare, Expr, For, If, Store, codes, symbol
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.nodes import Field, Layout

__all__ = ["PAIR_FUNCTIONS", "guard_of", "moves", "odd_strides", "pair_names", "row_accesses"]

#: Functions that the machine computes for two floats: Python's name → that in <ipu_vector_math>.
PAIR_FUNCTIONS = {
    **{name: name for name in ("exp", "exp2", "log", "log2", "log10", "tanh", "sqrt", "floor", "ceil", "rint")},
    **{"abs": "fabs", "absolute": "fabs", "fabs": "fabs"},
}


def moves(loop: For, access: Access) -> bool:
    """Whether an element is another one in each turn of a loop."""
    return any(index.has(symbol(loop.variable)) for index in access.indices)


def guard_of(loop: For) -> If | None:
    """The branch that is all there is in a loop: its condition is computed for two iterations at a time, what it guards
    for each alone.
    """
    match loop.body:
        case (If(orelse=()) as guard,):
            return guard
        case _:
            return None


def row_accesses(loop: For) -> Iterator[Access]:
    """The accesses of a loop without inner ones and what branches guard, targets last in their statements."""
    for statement in loop.body:
        yield from (read for code in codes(statement) for _, read in code.reads)
        if isinstance(statement, Store):
            yield statement.target


def odd_strides(access: Access, field: Field) -> tuple[Expr, ...]:
    """The lengths of rows that have to be even for an element of the last dimension to stay where a pair begins; none
    if that dimension has one element only, as then another one moves.
    """
    if field.layout is not Layout.VECTOR or all(index == 0 for index in access.indices[:-1]):
        return ()
    last = field.ranges[-1]
    length = sympy.expand(sympy.floor((last.end - last.begin + last.step - 1) / last.step))
    return () if length.is_Integer and (length % 2 == 0 or length == 1) else (length,)


def pair_names(loop: For, code: Code) -> set[str]:
    """The names in a computation that stand for a pair: elements that move, and what the loop declares."""
    elements = {name for name, _ in code.reads}
    moving = {name for name, read in code.reads if moves(loop, read)}
    declared = {statement.name for statement in loop.body if isinstance(statement, Declare)}
    return moving | (declared & names(code.text) - elements)
