"""Small repairs of bodies: late declarations, loops that turn once, and what nobody needs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import sympy

from dace_ipu.passes.rewrite import Body, Rewrite, defined_names, map_statements, scalar_names
from dace_ipu.passes.substitute import with_code
from dace_ipu.tile_graph.body import (
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    For,
    If,
    LocalArray,
    Statement,
    Store,
    While,
    codes,
    walk,
)
from dace_ipu.tile_graph.expressions import names


def with_inner(statement: Statement, change: Callable[[Body], Body]) -> Statement:
    """The statement with the lists of statements in it changed."""
    match statement:
        case For() | While():
            return replace(statement, body=change(statement.body))
        case If():
            return replace(statement, then=change(statement.then), orelse=change(statement.orelse))
        case _:
            return statement


def assigned_in(body: Body) -> set[str]:
    """The scalars that are assigned after their declaration."""
    return {statement.name for statement in walk(body) if isinstance(statement, Assign)}


def map_codes(body: Body, change: Callable[[Statement, Code], Code]) -> Body:
    """The body with every computation replaced by what ``change`` makes of it and of the statement it stands in."""

    def changed(statement: Statement) -> Statement:
        for code in codes(statement):
            statement = with_code(statement, code, change(statement, code))
        return statement

    return map_statements(body, changed)


def declared_late(body: Body) -> Body:
    """``x: float; ...; x = value`` becomes ``...; x: float = value``, if nothing in between mentions it."""
    result = list(body)
    for declaration in body:
        if not isinstance(declaration, Declare) or declaration.value is not None:
            continue
        rest = result[result.index(declaration) + 1 :]
        first = next((s for s in rest if _mentions(declaration.name, s)), None)
        if isinstance(first, Assign) and first.reduction is None and declaration.name not in names(first.value.text):
            result[result.index(first)] = replace(declaration, value=first.value)
            result.remove(declaration)
    return tuple(with_inner(statement, declared_late) for statement in result)


def _mentions(name: str, statement: Statement) -> bool:
    return any(name in scalar_names(s) or (isinstance(s, Assign) and s.name == name) for s in walk((statement,)))


def settled(body: Body) -> Body:
    """Scalars that nothing assigns are constant."""
    assigned = assigned_in(body)

    def settle(statement: Statement) -> Statement:
        fixed = isinstance(statement, Declare) and statement.value is not None and statement.name not in assigned
        return replace(statement, constant=True) if isinstance(statement, Declare) and fixed else statement

    return map_statements(body, settle)


def without_single_turns(body: Body) -> Body:
    """The body without loops that turn once (what is inside stays) or never, for ranges of constant length."""
    counts = Counter(name for statement in walk(body) for name in _introduced(statement))
    return _without_single_turns(body, {name for name, count in counts.items() if count > 1})


def _introduced(statement: Statement) -> tuple[str, ...]:
    return (statement.name,) if isinstance(statement, (Declare, LocalArray)) else ()


def _without_single_turns(body: Body, repeated: set[str]) -> Body:
    """``repeated`` are the names of several scopes: what introduces them must not move to another scope."""
    result: list[Statement] = []
    for statement in body:
        statement = with_inner(statement, lambda inner: _without_single_turns(inner, repeated))
        turns = (
            sympy.ceiling((statement.end - statement.begin) / statement.step) if isinstance(statement, For) else None
        )
        if not isinstance(statement, For) or turns is None or not turns.is_Integer or turns > 1:
            result.append(statement)
        elif turns == 1:
            result.extend(_only_turn(statement, repeated))
    return tuple(result)


def _only_turn(loop: For, repeated: set[str]) -> Body:
    leaves = any(isinstance(statement, (Break, Continue)) for statement in walk(loop.body))
    if leaves or loop.shared or defined_names(loop.body) & repeated:
        return (loop,)
    return Rewrite({loop.variable: loop.begin}).body(loop.body)


def without_idle(body: Body) -> Body:
    """The body without scalars and local arrays that nobody reads, and without loops and conditions around nothing."""
    read = {name for statement in walk(body) for name in _read_by(statement)}
    arrays = {access.data for statement in walk(body) for code in codes(statement) for _, access in code.reads}
    idle_arrays = {s.name for s in walk(body) if isinstance(s, LocalArray)} - arrays

    def is_idle(statement: Statement) -> bool:
        match statement:
            case Declare(name=name) | Assign(name=name):
                return name not in read
            case LocalArray(name=name):
                return name in idle_arrays
            case Store(target=target):
                return target.data in idle_arrays
            case For(body=()) | If(then=(), orelse=()):
                return True
            case _:
                return False

    def busy(statements: Body) -> Body:
        inner = (with_inner(statement, busy) for statement in statements)
        return tuple(_without_empty_branch(statement) for statement in inner if not is_idle(statement))

    return busy(body)


def _read_by(statement: Statement) -> set[str]:
    found = scalar_names(statement)
    return found - {statement.name} if isinstance(statement, Assign) else found


def _without_empty_branch(statement: Statement) -> Statement:
    if not isinstance(statement, If) or statement.then:
        return statement
    negated = ast.UnaryOp(ast.Not(), ast.parse(statement.condition.text.strip(), mode="eval").body)
    return If(Code(ast.unparse(negated), statement.condition.reads), statement.orelse)
