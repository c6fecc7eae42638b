"""Local scalars that are assigned once are declared where they are assigned, as constants."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from dace_ipu.tile_graph.body import Access, Assign, Declare, For, If, Statement, Store, While, children, codes, walk

__all__ = ["mentions", "rewrite", "settle"]


def settle(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """``float t; ...; t = x; y = t`` → ``...; const float t = x; y = t``. Declarations that nothing uses go."""
    for declaration in [s for s in walk(body) if isinstance(s, Declare) and s.value is None]:
        body = _settle_one(body, declaration)
    return body


def _settle_one(body: tuple[Statement, ...], declaration: Declare) -> tuple[Statement, ...]:
    name = declaration.name
    writes = [s for s in walk(body) if isinstance(s, Assign) and s.name == name]
    uses = sum(name in mentions(s) for s in walk(body))
    if not writes and not uses:
        return _without(body, declaration)
    if len(writes) != 1 or writes[0].reduction is not None or name in mentions(writes[0]):
        return body
    home = next(block for block in _blocks(body) if any(s is writes[0] for s in block))
    place = next(k for k, s in enumerate(home) if s is writes[0])
    behind = sum(name in mentions(s) for s in walk(home[place + 1 :]))
    if behind != uses:
        return body
    settled = Declare(name, declaration.dtype, writes[0].value)
    return _replaced(_without(body, declaration), writes[0], settled)


def mentions(statement: Statement) -> frozenset[str]:
    """The scalar names that a statement itself reads, in computations and in indices."""
    names: set[str] = set()
    for code in codes(statement):
        names |= {n.id for n in ast.walk(ast.parse(code.text, mode="eval")) if isinstance(n, ast.Name)}
        names -= {placeholder for placeholder, _ in code.reads}
        for _, access in code.reads:
            names |= _index_names(access)
    if isinstance(statement, Store):
        names |= _index_names(statement.target)
    if isinstance(statement, For):
        names |= {str(s) for e in (statement.begin, statement.end, statement.step) for s in e.free_symbols}
    if isinstance(statement, Assign) and statement.reduction is not None:
        names.add(statement.name)
    return frozenset(names)


def _index_names(access: Access) -> set[str]:
    return {str(s) for index in access.indices for s in index.free_symbols}


def _blocks(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    yield body
    for statement in body:
        for inner in children(statement):
            yield from _blocks(inner)


def _without(body: tuple[Statement, ...], gone: Statement) -> tuple[Statement, ...]:
    return rewrite(body, lambda s: () if s is gone else (s,))


def _replaced(body: tuple[Statement, ...], old: Statement, new: Statement) -> tuple[Statement, ...]:
    return rewrite(body, lambda s: (new,) if s is old else (s,))


def rewrite(body: tuple[Statement, ...], change: Callable[[Statement], tuple[Statement, ...]]) -> tuple[Statement, ...]:
    """The body with each statement, outer ones first, replaced by what ``change`` makes of it."""
    result: list[Statement] = []
    for statement in body:
        for changed in change(statement):
            match changed:
                case For() | While():
                    changed = _keep(changed, body=rewrite(changed.body, change))
                case If():
                    changed = _keep(changed, then=rewrite(changed.then, change), orelse=rewrite(changed.orelse, change))
                case _:
                    pass
            result.append(changed)
    return tuple(result)


def _keep(statement: For | While | If, **fields: Any) -> Statement:
    """The same object where nothing changes: statements are told apart by identity while scalars settle."""
    same = all(
        len(getattr(statement, k)) == len(v) and all(a is b for a, b in zip(getattr(statement, k), v, strict=True))
        for k, v in fields.items()
    )
    return statement if same else replace(statement, **fields)
