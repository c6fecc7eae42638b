"""Rewriting of bodies: one place that knows where statements keep accesses, index expressions, names and texts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Code,
    Declare,
    Expr,
    For,
    If,
    LocalArray,
    Statement,
    Store,
    While,
    codes,
    symbol,
    walk,
)
from dace_ipu.tile_graph.expressions import names

Body = tuple[Statement, ...]


def _same_access(access: Access) -> Access:
    return access


@dataclass(frozen=True)
class Rewrite:
    """Replacements that are applied everywhere in a body: of scalars by expressions, of accesses, and of reads alone.

    ``scalars`` maps names to sympy expressions: they replace the symbol in indices and loop bounds, and the name in
    texts. An access is rewritten after the scalars in its indices. ``texts`` says how a scalar is spelled in texts,
    if not as sympy does.
    """

    scalars: Mapping[str, Expr]
    access: Callable[[Access], Access] = _same_access
    read: Callable[[Access], Access] = _same_access
    texts: Mapping[str, str] = field(default_factory=dict)

    def expr(self, expr: Expr) -> Expr:
        """The expression with the scalars replaced."""
        new = {symbol(name): value for name, value in self.scalars.items() if symbol(name) in expr.free_symbols}
        return expr.subs(new, simultaneous=True) if new else expr

    def element(self, access: Access) -> Access:
        """The access with the scalars replaced, then rewritten itself."""
        return self.access(Access(access.data, tuple(self.expr(index) for index in access.indices)))

    def code(self, code: Code) -> Code:
        """The computation with its reads and scalars replaced. A name in ``reads`` hides a scalar of the same name."""
        hidden = {name for name, _ in code.reads}
        texts = {name: self.texts.get(name, str(new)) for name, new in self.scalars.items() if name not in hidden}
        return Code(
            replace_names(code.text, texts), tuple((name, self.read(self.element(read))) for name, read in code.reads)
        )

    def body(self, body: Body) -> Body:
        """The statements with everything replaced."""
        return tuple(self.statement(statement) for statement in body)

    def statement(self, statement: Statement) -> Statement:
        """The statement, and all inside it, with everything replaced."""
        match statement:
            case Declare(value=Code() as value):
                return replace(statement, value=self.code(value))
            case Assign():
                return replace(statement, value=self.code(statement.value))
            case Store():
                return replace(statement, target=self.element(statement.target), value=self.code(statement.value))
            case For():
                bounds = {key: self.expr(getattr(statement, key)) for key in ("begin", "end", "step")}
                return replace(statement, **bounds, body=self.body(statement.body))
            case While():
                return replace(statement, condition=self.code(statement.condition), body=self.body(statement.body))
            case If():
                then, orelse = self.body(statement.then), self.body(statement.orelse)
                return If(self.code(statement.condition), then, orelse)
            case _:
                return statement


class _Names(ast.NodeTransformer):
    """Replaces names by expressions."""

    def __init__(self, new: Mapping[str, ast.expr]) -> None:
        self.new = new

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.new.get(node.id, node)


def replace_names(text: str, new: Mapping[str, str]) -> str:
    """The Python expression ``text`` with names replaced by expressions, parenthesised where needed."""
    parsed = {name: ast.parse(value, mode="eval").body for name, value in new.items() if value != name}
    if not names(text) & parsed.keys():
        return text
    return ast.unparse(_Names(parsed).visit(ast.parse(text.strip(), mode="eval")))


def expressions(statement: Statement) -> tuple[Expr, ...]:
    """The sympy expressions in a statement itself: indices and loop bounds."""
    indices = [index for access in accesses(statement) for index in access.indices]
    bounds = [statement.begin, statement.end, statement.step] if isinstance(statement, For) else []
    return (*indices, *bounds)


def accesses(statement: Statement) -> tuple[Access, ...]:
    """The accesses in a statement itself: reads, then the target."""
    reads = [read for code in codes(statement) for _, read in code.reads]
    return (*reads, statement.target) if isinstance(statement, Store) else tuple(reads)


def scalar_names(statement: Statement) -> set[str]:
    """The names of scalars, loop variables and symbols that a statement itself reads."""
    found = {symbol.name for expr in expressions(statement) for symbol in expr.free_symbols}
    for code in codes(statement):
        found |= names(code.text) - {name for name, _ in code.reads}
    if isinstance(statement, Assign) and statement.reduction is not None:
        found.add(statement.name)
    return found


def used_names(body: Body) -> set[str]:
    """The names of all scalars, loop variables and symbols that a body reads."""
    return {name for statement in walk(body) for name in scalar_names(statement)}


def defined_names(body: Body) -> set[str]:
    """The names that a body itself introduces: local scalars and arrays, loop variables."""
    found = set()
    for statement in walk(body):
        match statement:
            case Declare(name=name) | LocalArray(name=name) | For(variable=name):
                found.add(name)
    return found


def local_arrays(body: Body) -> set[str]:
    """The names of the arrays that live in the body."""
    return {statement.name for statement in walk(body) if isinstance(statement, LocalArray)}


def fresh(hint: str, taken: Iterable[str]) -> str:
    """``hint``, or the first of ``hint_2``, ``hint_3``, ... that is not taken."""
    used = set(taken)
    candidate, number = hint, 1
    while candidate in used:
        number += 1
        candidate = f"{hint}_{number}"
    return candidate


def claimed(hint: str, taken: set[str]) -> str:
    """A fresh name, which is taken from then on."""
    name = fresh(hint, taken)
    taken.add(name)
    return name


def map_statements(body: Body, change: Callable[[Statement], Statement]) -> Body:
    """The body with every statement replaced by what ``change`` makes of it, after the statements inside it."""
    result = []
    for statement in body:
        match statement:
            case For() | While():
                statement = replace(statement, body=map_statements(statement.body, change))
            case If():
                then, orelse = map_statements(statement.then, change), map_statements(statement.orelse, change)
                statement = replace(statement, then=then, orelse=orelse)
        result.append(change(statement))
    return tuple(result)


def rename_locals(body: Body, new: Mapping[str, str]) -> Body:
    """The body with the scalars, arrays and loop variables that it defines renamed."""

    def access(old: Access) -> Access:
        return Access(new.get(old.data, old.data), old.indices)

    def defined(statement: Statement) -> Statement:
        match statement:
            case Declare() | Assign() | LocalArray():
                return replace(statement, name=new.get(statement.name, statement.name))
            case For():
                return replace(statement, variable=new.get(statement.variable, statement.variable))
            case _:
                return statement

    scalars = {old: symbol(name) for old, name in new.items() if old != name}
    return map_statements(Rewrite(scalars, access).body(body), defined)
