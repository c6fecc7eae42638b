"""The part of the specification about bodies: scopes, accesses, computations, loops."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy

from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    DType,
    Expr,
    For,
    If,
    LocalArray,
    Op,
    Reduction,
    Statement,
    Store,
    While,
)
from dace_ipu.tile_graph.expressions import compile_code, names
from dace_ipu.tile_graph.indices import compile_index
from dace_ipu.tile_graph.nodes import BLOCK, WORKER

__all__ = ["ArrayType", "Report", "Scope", "check_body", "check_dtype", "check_index", "check_name", "check_reduction"]

Report = Callable[[str], None]

#: The types that variables, values and local scalars may have; the machine has no others.
DEVICE_TYPES = frozenset(
    np.dtype(name)
    for name in (
        *("float16", "float32", "complex64", "bool"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    )
)
_ORDERED = (Op.MIN, Op.MAX)
_BITWISE = (Op.BITWISE_AND, Op.BITWISE_OR, Op.BITWISE_XOR)


@dataclass(frozen=True)
class ArrayType:
    """What a body has to know of an array: the number of indices of an access, and the type of elements."""

    rank: int
    dtype: DType
    local: bool = False


@dataclass(frozen=True)
class Scope:
    """What can be named at a place of a body. ``scalars`` has the types of all named values.

    ``assignable``: those that an Assign may change. ``workers``: whether a shared loop may stand here. ``stored``
    collects the arrays that are stored into, ``used`` all names and arrays that the body mentions.
    """

    arrays: Mapping[str, ArrayType]
    scalars: Mapping[str, DType]
    assignable: frozenset[str] = frozenset()
    workers: bool = False
    in_loop: bool = False
    in_shared: bool = False
    breaks_shared: bool = False  # a Break here would leave the shared loop
    stored: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)

    def knows(self, name: str) -> bool:
        """Whether the name is taken."""
        return name in self.arrays or name in self.scalars

    def with_scalar(self, name: str, dtype: DType, assignable: bool) -> Scope:
        """The scope behind a declaration."""
        changeable = self.assignable | {name} if assignable else self.assignable - {name}
        return replace(self, scalars={**self.scalars, name: dtype}, assignable=changeable)

    def with_array(self, array: LocalArray) -> Scope:
        """The scope behind the declaration of a local array."""
        return replace(self, arrays={**self.arrays, array.name: ArrayType(len(array.shape), array.dtype, local=True)})


# ---- names and types -------------------------------------------------------------------------------------------------


def check_name(name: str, report: Report) -> None:
    """Names are Python identifiers other than keywords, and not those of a vertex's worker and block."""
    if not name.isidentifier() or keyword.iskeyword(name):
        report(f"'{name}' is not a name")
    if name in (WORKER, BLOCK):
        report(f"the name '{name}' is reserved")


def check_dtype(dtype: DType, report: Report) -> None:
    """Types are those of the machine."""
    if dtype not in DEVICE_TYPES:
        report(f"the machine has no type {dtype}")


def check_index(expression: Expr, known: Mapping[str, Any] | frozenset[str], what: str, report: Report) -> None:
    """An index expression is integer arithmetic over known names."""
    expression = sympy.sympify(expression)
    try:
        compile_index(expression)
    except ValueError as error:
        report(f"{what}: {error}")
    for name in sorted(s.name for s in expression.free_symbols):
        if name not in known:
            report(f"{what}: nothing is called '{name}'")


def check_reduction(reduction: Reduction | None, dtype: DType | None, report: Report) -> None:
    """A reduction fits the type of what it changes; a custom one is an expression over ``old`` and ``new``."""
    if reduction is None:
        return
    kind = dtype.kind if dtype is not None else ""
    if (reduction.op in _ORDERED and kind == "c") or (reduction.op in _BITWISE and kind in "fc" and kind):
        report(f"there is no reduction {reduction.op.value} of {dtype}")
    if reduction.op is Op.CUSTOM:
        for name in sorted(_checked_names(Code(reduction.code), report) - {"old", "new"}):
            report(f"the reduction '{reduction.code}' uses '{name}', not only old and new")


# ---- statements ------------------------------------------------------------------------------------------------------


def check_body(body: tuple[Statement, ...], scope: Scope, report: Report) -> None:
    """Checks the statements of a block in order. Declarations hold to its end."""
    for statement in body:
        scope = _CHECKS[type(statement)](statement, scope, report)


def _declare(statement: Declare, scope: Scope, report: Report) -> Scope:
    _fresh(statement.name, scope, report)
    check_dtype(statement.dtype, report)
    if statement.value is not None:
        _code(statement.value, scope, report)
    elif statement.constant:
        report(f"the constant '{statement.name}' has no value")
    return scope.with_scalar(statement.name, statement.dtype, not statement.constant)


def _assign(statement: Assign, scope: Scope, report: Report) -> Scope:
    scope.used.add(statement.name)
    if statement.name not in scope.scalars:
        report(f"nothing is called '{statement.name}', which is assigned to")
    elif statement.name not in scope.assignable:
        report(f"'{statement.name}' is constant, but assigned to")
    check_reduction(statement.reduction, scope.scalars.get(statement.name), report)
    _code(statement.value, scope, report)
    return scope


def _local_array(statement: LocalArray, scope: Scope, report: Report) -> Scope:
    _fresh(statement.name, scope, report)
    check_dtype(statement.dtype, report)
    if not statement.shape or not all(isinstance(size, int) and size > 0 for size in statement.shape):
        report(f"the local array '{statement.name}' has the shape {statement.shape}, not positive numbers")
    return scope.with_array(statement)


def _store(statement: Store, scope: Scope, report: Report) -> Scope:
    target = statement.target
    _access(target, scope, report)
    scope.stored.add(target.data)
    array = scope.arrays.get(target.data)
    check_reduction(statement.reduction, array.dtype if array else None, report)
    _code(statement.value, scope, report)
    mentioned = {s.name for index in target.indices for s in sympy.sympify(index).free_symbols}
    if scope.workers and not scope.in_shared and array and not array.local and WORKER not in mentioned:
        report(f"all workers store into the same element of '{target.data}'")
    return scope


def _for(statement: For, scope: Scope, report: Report) -> Scope:
    _fresh(statement.variable, scope, report)
    for bound, what in ((statement.begin, "begin"), (statement.end, "end"), (statement.step, "step")):
        _index(bound, scope, f"the {what} of the loop over {statement.variable}", report)
    if sympy.sympify(statement.step) == 0:
        report(f"the loop over {statement.variable} has step 0")
    if statement.shared:
        _shared(statement, scope, report)
    inner = replace(
        scope.with_scalar(statement.variable, np.dtype(np.int32), False),
        in_loop=True,
        in_shared=scope.in_shared or statement.shared,
        breaks_shared=statement.shared,
    )
    check_body(statement.body, inner, report)
    return scope


def _shared(statement: For, scope: Scope, report: Report) -> None:
    if not scope.workers:
        report(f"the loop over {statement.variable} is shared, but there are no workers to share it")
    if sympy.sympify(statement.step) != 1:
        report(f"the shared loop over {statement.variable} has step {statement.step}")


def _while(statement: While, scope: Scope, report: Report) -> Scope:
    _code(statement.condition, scope, report)
    check_body(statement.body, replace(scope, in_loop=True, breaks_shared=False), report)
    return scope


def _if(statement: If, scope: Scope, report: Report) -> Scope:
    _code(statement.condition, scope, report)
    check_body(statement.then, scope, report)
    check_body(statement.orelse, scope, report)
    return scope


def _break(statement: Break, scope: Scope, report: Report) -> Scope:
    if scope.breaks_shared:
        report("a Break leaves the shared loop")
    return _continue(statement, scope, report)


def _continue(statement: Break | Continue, scope: Scope, report: Report) -> Scope:
    if not scope.in_loop:
        report(f"a {type(statement).__name__} outside of loops")
    return scope


_CHECKS: dict[type, Callable[[Any, Scope, Report], Scope]] = {
    Declare: _declare,
    Assign: _assign,
    LocalArray: _local_array,
    Store: _store,
    For: _for,
    While: _while,
    If: _if,
    Break: _break,
    Continue: _continue,
}


# ---- expressions -----------------------------------------------------------------------------------------------------


def _fresh(name: str, scope: Scope, report: Report) -> None:
    check_name(name, report)
    if scope.knows(name):
        report(f"'{name}' is declared twice")


def _code(code: Code, scope: Scope, report: Report) -> None:
    found = _checked_names(code, report)
    reads = dict(code.reads)
    if len(reads) != len(code.reads):
        report(f"'{code.text}' reads two elements by one name")
    for name in sorted(set(reads) - found):
        report(f"'{code.text}' does not use '{name}', which it reads")
    for access in reads.values():
        _access(access, scope, report)
    for name in sorted(found - set(reads)):
        scope.used.add(name)
        if name not in scope.scalars:
            report(f"'{code.text}': nothing is called '{name}'")


def _checked_names(code: Code, report: Report) -> frozenset[str]:
    """The names in a computation; reports what is not in the language, and then gives none."""
    try:
        compile_code(Code(code.text))
        return names(code.text)
    except SyntaxError as error:
        report(f"'{code.text}' is not an expression: {error.msg}")
    except ValueError as error:
        report(f"'{code.text}': {error}")
    return frozenset(name for name, _ in code.reads)


def _access(access: Access, scope: Scope, report: Report) -> None:
    scope.used.add(access.data)
    text = f"{access.data}[{', '.join(map(str, access.indices))}]"
    array = scope.arrays.get(access.data)
    if array is None:
        report(f"{text}: there is no array '{access.data}'")
    elif len(access.indices) != array.rank:
        report(f"{text}: '{access.data}' takes {array.rank} indices")
    for index in access.indices:
        _index(index, scope, text, report)


def _index(expression: Expr, scope: Scope, what: str, report: Report) -> None:
    check_index(expression, scope.scalars, what, report)
    for name in sorted(s.name for s in sympy.sympify(expression).free_symbols):
        scope.used.add(name)
        if name in scope.scalars and scope.scalars[name].kind not in "biu":
            report(f"{what}: '{name}' is no integer but {scope.scalars[name]}")
