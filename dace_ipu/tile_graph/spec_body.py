"""The rules for bodies of maps and vertices: a part of ``spec``."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy

from dace_ipu.tile_graph import functions
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
    children,
    codes,
    symbol,
    walk,
)
from dace_ipu.tile_graph.expressions import compile_code, names
from dace_ipu.tile_graph.indices import compile_index
from dace_ipu.tile_graph.nodes import WORKER

__all__ = ["DEVICE_TYPES", "BodyRules", "Faults", "name_fault", "reduction_faults", "used_names"]

Faults = Iterator[str]

#: The types that the machine has.
DEVICE_TYPES: tuple[DType, ...] = tuple(dict.fromkeys(functions.TYPES.values()))

#: Kinds of types (as NumPy names them) that an operation does not exist for.
_NOT_FOR = {
    **dict.fromkeys((Op.BITWISE_AND, Op.BITWISE_OR, Op.BITWISE_XOR), "fc"),
    **dict.fromkeys((Op.MIN, Op.MAX), "c"),
}


@dataclass(frozen=True)
class _Scope:
    """What is known at a statement: scalars by name, with their type (None for integers without one), and more."""

    scalars: Mapping[str, DType | None]
    constant: frozenset[str]  # scalars that cannot be assigned
    loop: bool = False  # whether there is a loop to leave
    leaves_shared: bool = False  # whether that loop is the shared one
    divided: bool = (
        False  # whether workers do different things here: in the shared loop, or where they tell themselves apart
    )

    def also(self, name: str, dtype: DType | None, constant: bool) -> _Scope:
        fixed = self.constant | {name} if constant else self.constant - {name}
        return _Scope({**self.scalars, name: dtype}, fixed, self.loop, self.leaves_shared, self.divided)


@dataclass
class BodyRules:
    """The rules for one body. ``arrays`` has the rank and type of each array; ``read_only`` ones are not stored to.

    ``scalars`` are the symbols and values that are known, with their types. ``workers`` allows a shared loop.
    ``stored`` collects the arrays that the body writes, ``local`` those that live in it.
    """

    arrays: dict[str, tuple[int, DType]]
    read_only: frozenset[str]
    scalars: Mapping[str, DType | None]
    workers: bool = False
    stored: set[str] = field(default_factory=set)
    local: set[str] = field(default_factory=set)

    def faults(self, body: tuple[Statement, ...]) -> Faults:
        """All faults of the body, in its order."""
        yield from self._body(body, _Scope(self.scalars, frozenset(self.scalars)))
        if _shared_loops(body) > 1:
            yield "two shared loops one after the other"
        if self.workers and not _shared_loops(body) and WORKER not in used_names(body):
            yield "six workers, but they do all the same: no loop is shared, and nothing depends on the worker"

    def _body(self, body: tuple[Statement, ...], scope: _Scope) -> Faults:
        rules: dict[type, Callable[[Any, _Scope], Faults]] = {
            Declare: self._declare,
            Assign: self._assign,
            LocalArray: self._local_array,
            Store: self._store,
            For: self._for,
            While: self._while,
            If: self._if,
            Break: self._jump,
            Continue: self._jump,
        }
        for statement in body:
            yield from rules[type(statement)](statement, scope)
            if isinstance(statement, Declare):
                scope = scope.also(statement.name, statement.dtype, statement.constant)

    # ---- statements --------------------------------------------------------------------------------------------------

    def _declare(self, statement: Declare, scope: _Scope) -> Faults:
        yield from self._new_name("scalar", statement.name, scope)
        yield from self._type(statement.name, statement.dtype)
        if statement.value is not None:
            yield from self._code(statement.value, scope)
        elif statement.constant:
            yield f"the constant scalar '{statement.name}' has no value"

    def _assign(self, statement: Assign, scope: _Scope) -> Faults:
        dtype = scope.scalars.get(statement.name)
        if statement.name not in scope.scalars:
            yield f"an assignment to '{statement.name}', which is not declared"
        elif statement.name in scope.constant:
            yield f"an assignment to '{statement.name}', which is constant"
        yield from self._code(statement.value, scope)
        if statement.reduction is not None and dtype is not None:
            yield from reduction_faults(statement.reduction, dtype)

    def _local_array(self, statement: LocalArray, scope: _Scope) -> Faults:
        yield from self._new_name("local array", statement.name, scope)
        yield from self._type(statement.name, statement.dtype)
        if not statement.shape or not all(isinstance(size, int) and size > 0 for size in statement.shape):
            yield f"the local array '{statement.name}' has the shape {statement.shape}"
        self.arrays[statement.name] = (len(statement.shape), statement.dtype)
        self.local.add(statement.name)

    def _store(self, statement: Store, scope: _Scope) -> Faults:
        target = statement.target.data
        self.stored.add(target)
        yield from self._access(statement.target, scope)
        yield from self._code(statement.value, scope)
        if target in self.read_only:
            yield f"a store to '{target}', which can only be read"
        if self.workers and not scope.divided and symbol(WORKER) not in _symbols(statement.target):
            yield from self._raced(target)
        if statement.reduction is not None and target in self.arrays:
            yield from reduction_faults(statement.reduction, self.arrays[target][1])

    def _raced(self, target: str) -> Faults:
        if target not in self.local:
            yield f"all workers store to '{target}', outside of the shared loop"

    def _for(self, statement: For, scope: _Scope) -> Faults:
        yield from self._new_name("loop variable", statement.variable, scope)
        for bound in (statement.begin, statement.end, statement.step):
            yield from self._index(bound, scope)
        if statement.step == 0:
            yield f"the loop over '{statement.variable}' has a step of 0"
        if statement.shared:
            yield from self._shared(statement, scope)
        if statement.pairs and (statement.begin, statement.step) != (0, 1):
            yield f"the loop over '{statement.variable}' runs in pairs, but not from 0 in steps of 1"
        inner = scope.also(statement.variable, None, constant=True)
        divided = scope.divided or statement.shared
        yield from self._body(statement.body, _Scope(inner.scalars, inner.constant, True, statement.shared, divided))

    def _shared(self, statement: For, scope: _Scope) -> Faults:
        if not self.workers:
            yield f"the loop over '{statement.variable}' is shared, but there are no workers"
        if scope.divided:
            yield f"the loop over '{statement.variable}' is shared inside of a shared loop"
        if statement.step != 1:
            yield f"the shared loop over '{statement.variable}' has the step {statement.step}"

    def _while(self, statement: While, scope: _Scope) -> Faults:
        yield from self._code(statement.condition, scope)
        yield from self._body(statement.body, _Scope(scope.scalars, scope.constant, True, False, scope.divided))

    def _if(self, statement: If, scope: _Scope) -> Faults:
        yield from self._code(statement.condition, scope)
        divided = scope.divided or WORKER in statement.condition.text
        inner = _Scope(scope.scalars, scope.constant, scope.loop, scope.leaves_shared, divided)
        yield from self._body(statement.then, inner)
        yield from self._body(statement.orelse, inner)

    def _jump(self, statement: Break | Continue, scope: _Scope) -> Faults:
        name = type(statement).__name__.lower()
        if not scope.loop:
            yield f"a {name} outside of a loop"
        elif isinstance(statement, Break) and scope.leaves_shared:
            yield "a break out of a shared loop"

    # ---- names, types, accesses, computations ------------------------------------------------------------------------

    def _new_name(self, kind: str, name: str, scope: _Scope) -> Faults:
        yield from name_fault(kind, name)
        if name in scope.scalars:
            yield f"{kind} '{name}' hides another one"
        if name in self.arrays:
            yield f"{kind} '{name}' has the name of an array"

    def _type(self, name: str, dtype: DType) -> Faults:
        if dtype not in DEVICE_TYPES:
            yield f"'{name}' is {dtype}, which does not exist on the machine"

    def _access(self, access: Access, scope: _Scope) -> Faults:
        rank, _ = self.arrays.get(access.data, (None, None))
        if rank is None:
            yield f"unknown array '{access.data}'"
        elif rank != len(access.indices):
            yield f"{len(access.indices)} indices for '{access.data}', which takes {rank}"
        for index in access.indices:
            yield from self._index(index, scope)

    def _index(self, expr: Expr, scope: _Scope) -> Faults:
        for free in sorted(sympy.sympify(expr).free_symbols, key=str):
            name = str(free)
            dtype = scope.scalars.get(name)
            if free != symbol(name):
                yield f"index '{expr}': the symbol '{name}' is not the one that body.symbol makes"
            elif name not in scope.scalars:
                yield f"index '{expr}': '{name}' is not known here"
            elif dtype is not None and dtype.kind not in "biu":
                yield f"index '{expr}': '{name}' is no integer"
        try:
            compile_index(expr)
        except (ValueError, SyntaxError) as error:
            yield f"index: {error}"

    def _code(self, code: Code, scope: _Scope) -> Faults:
        reads = [name for name, _ in code.reads]
        yield from (f"'{code.text}' reads '{name}' twice" for name in sorted(set(reads)) if reads.count(name) > 1)
        for _, access in code.reads:
            yield from self._access(access, scope)
        yield from code_faults(code, scope.scalars.keys() | set(reads))


def _symbols(access: Access) -> set[Expr]:
    return {free for index in access.indices for free in sympy.sympify(index).free_symbols}


def _shared_loops(body: tuple[Statement, ...]) -> int:
    """The most shared loops that lie on one way through the body."""
    return sum(_shared_loops_in(statement) for statement in body)


def _shared_loops_in(statement: Statement) -> int:
    own = isinstance(statement, For) and statement.shared
    return own or max(map(_shared_loops, children(statement)), default=0)


def used_names(body: tuple[Statement, ...]) -> set[str]:
    """The names of all arrays, scalars and symbols in a body, but for those that it cannot be parsed for."""
    found: set[str] = set()
    for statement in walk(body):
        found |= {read.data for code in codes(statement) for _, read in code.reads}
        found |= {name for code in codes(statement) for name in _names(code)}
        found |= {str(free) for expr in _exprs(statement) for free in sympy.sympify(expr).free_symbols}
        if isinstance(statement, Store):
            found.add(statement.target.data)
    return found


def _names(code: Code) -> frozenset[str]:
    try:
        return names(code.text)
    except SyntaxError:  # reported where the computation is checked
        return frozenset()


def _exprs(statement: Statement) -> list[Expr]:
    accesses = [read for code in codes(statement) for _, read in code.reads]
    if isinstance(statement, Store):
        accesses.append(statement.target)
    bounds = [statement.begin, statement.end, statement.step] if isinstance(statement, For) else []
    return [*bounds, *(index for access in accesses for index in access.indices)]


def code_faults(code: Code, known: set[str]) -> Faults:
    """Faults of the text of a computation: syntax, functions, names."""
    try:
        unknown = names(code.text) - known
    except SyntaxError as error:
        yield f"'{code.text}' is no expression: {error.msg}"
        return
    yield from (f"'{code.text}': '{name}' is not known here" for name in sorted(unknown))
    try:
        compile_code(code)
    except (ValueError, SyntaxError) as error:
        yield f"'{code.text}': {error}"


def reduction_faults(reduction: Reduction, dtype: DType) -> Faults:
    """Faults of a reduction of values of a type. A custom one is an expression of ``old`` and ``new``."""
    if reduction.op is Op.CUSTOM:
        yield from code_faults(Code(reduction.code), {"old", "new"})
    if dtype.kind in _NOT_FOR.get(reduction.op, ""):
        yield f"the reduction '{reduction.op.value}' of {dtype}"


def name_fault(kind: str, name: str) -> Faults:
    """The fault of a name that Python could not use, if it has one."""
    if not name.isidentifier() or keyword.iskeyword(name):
        yield f"{kind} '{name}' is no name"
