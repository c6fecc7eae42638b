"""What the inside of a map does: the statements that become the body of a codelet.

Indices and ranges are sympy expressions over integer symbols (``symbol``); computations are Python text (``Code``), as
DaCe's tasklets are. Names of scalars, loop variables and program symbols share one namespace per body, so an index may
use a local scalar (``h[col_index]``) and a computation may use a loop variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import sympy

Expr: TypeAlias = sympy.Expr
Boolean: TypeAlias = sympy.logic.boolalg.Boolean
DType: TypeAlias = np.dtype[np.generic]


@lru_cache(maxsize=10_000)
def symbol(name: str) -> sympy.Symbol:
    """The one sympy symbol of this name (integer, no other assumption: two spellings would be two symbols)."""
    return sympy.Symbol(name, integer=True)


class Op(Enum):
    """What combines an old value with a new one (a write-conflict resolution)."""

    SUM = "sum"
    PRODUCT = "product"
    MIN = "min"
    MAX = "max"
    LOGICAL_AND = "logical_and"
    LOGICAL_OR = "logical_or"
    LOGICAL_XOR = "logical_xor"
    BITWISE_AND = "bitwise_and"
    BITWISE_OR = "bitwise_or"
    BITWISE_XOR = "bitwise_xor"
    CUSTOM = "custom"


@dataclass(frozen=True)
class Reduction:
    """``old = op(old, new)``. A CUSTOM one holds a Python expression over the names ``old`` and ``new``.

    ``associative`` says whether partial results may be combined with the same operation, in any order.
    """

    op: Op
    code: str = ""
    associative: bool = True

    def __post_init__(self) -> None:
        if (self.op is Op.CUSTOM) != bool(self.code):
            raise ValueError("a custom reduction, and only that, has code")


@dataclass(frozen=True)
class Access:
    """One element of an array: a variable, a field of a vertex or a local array, indexed in its own coordinates."""

    data: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True)
class Code:
    """A Python expression. Each name in ``reads`` stands for an element of an array; other names are scalars and
    symbols."""

    text: str
    reads: tuple[tuple[str, Access], ...] = ()


@dataclass(frozen=True)
class Declare:
    """A local scalar. ``value`` is None for one that is assigned later; ``constant`` says that it never is."""

    name: str
    dtype: DType
    value: Code | None
    constant: bool = True


@dataclass(frozen=True)
class Assign:
    """``name = value``, or ``name = op(name, value)``, of a local scalar that is not constant."""

    name: str
    value: Code
    reduction: Reduction | None = None


@dataclass(frozen=True)
class LocalArray:
    """An array that lives in the codelet, row-major, uninitialised. ``shape`` is constant."""

    name: str
    dtype: DType
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Store:
    """``target = value``, or ``target = op(target, value)``."""

    target: Access
    value: Code
    reduction: Reduction | None = None


@dataclass(frozen=True)
class For:
    """``for variable in range(begin, end, step)``; ``step`` is not zero and may be negative.

    ``shared`` marks the loop whose iterations the workers of a tile divide among themselves (``step`` is 1 then).
    ``pairs`` marks one whose iterations may run two at a time, on pairs of floats (``begin`` is 0, ``step`` is 1).
    """

    variable: str
    begin: Expr
    end: Expr
    step: Expr
    body: tuple[Statement, ...]
    shared: bool = False
    pairs: bool = False


@dataclass(frozen=True)
class While:
    """``while condition``; the condition is evaluated before each turn."""

    condition: Code
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class If:
    """``if condition: then else: orelse``."""

    condition: Code
    then: tuple[Statement, ...]
    orelse: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Break:
    """Leaves the innermost For or While."""


@dataclass(frozen=True)
class Continue:
    """Goes on with the next turn of the innermost For or While."""


Statement = Declare | Assign | LocalArray | Store | For | While | If | Break | Continue


def children(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The lists of statements inside a statement."""
    match statement:
        case For() | While():
            return (statement.body,)
        case If():
            return (statement.then, statement.orelse)
        case _:
            return ()


def walk(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements of a body, outer before inner, in order."""
    for statement in body:
        yield statement
        for inner in children(statement):
            yield from walk(inner)


def codes(statement: Statement) -> tuple[Code, ...]:
    """The computations that stand in a statement itself, not in those inside it."""
    match statement:
        case Declare(value=Code() as value):
            return (value,)
        case Assign(value=value) | Store(value=value):
            return (value,)
        case While(condition=condition) | If(condition=condition):
            return (condition,)
        case _:
            return ()
