"""Forward substitution of local scalars: where it may be done, and doing it."""

from __future__ import annotations

import ast
from collections.abc import Set
from dataclasses import dataclass, replace

from dace_ipu.passes.rewrite import Body, fresh, replace_names, scalar_names
from dace_ipu.tile_graph.body import Access, Assign, Code, Declare, For, If, Statement, Store, While, codes, walk
from dace_ipu.tile_graph.expressions import names


def inlined(outer: Code, name: str, inner: Code) -> Code:
    """``outer`` with the scalar ``name`` replaced by the computation ``inner``. Equal reads share a name."""
    free = names(inner.text) - {read for read, _ in inner.reads}
    outer = _renamed(outer, free, names(outer.text) | free)
    reads, new_names = dict(outer.reads), {}
    for read, access in inner.reads:
        same = next((known for known, other in reads.items() if other == access), None)
        new_names[read] = same or fresh(read, (names(outer.text) - {name}) | reads.keys() | free)
        reads[new_names[read]] = access
    return Code(replace_names(outer.text, {name: _spelled(inner.text, new_names)}), tuple(reads.items()))


def _renamed(code: Code, avoid: Set[str], taken: Set[str]) -> Code:
    """The computation without reads whose names are in ``avoid``."""
    new = {read: fresh(f"{read}_read", taken) for read, _ in code.reads if read in avoid}
    return Code(_spelled(code.text, new), tuple((new.get(read, read), access) for read, access in code.reads))


def _spelled(text: str, new_names: dict[str, str]) -> str:
    return replace_names(text, {old: new for old, new in new_names.items() if old != new})


@dataclass(frozen=True)
class WithScalars:
    """Puts scalars in place of elements that a statement reads."""

    names: dict[Access, str]

    def __call__(self, statement: Statement) -> Statement:
        for code in codes(statement):
            statement = with_code(statement, code, self._code(code))
        return statement

    def _code(self, code: Code) -> Code:
        scalars = {name: self.names[read] for name, read in code.reads if read in self.names}
        reads = tuple((name, read) for name, read in code.reads if name not in scalars)
        return Code(replace_names(code.text, scalars), reads)


def with_code(statement: Statement, old: Code, new: Code) -> Statement:
    """A statement with one of its own computations replaced."""
    match statement:
        case Declare() | Assign() | Store():
            return replace(statement, value=new)
        case While() | If():
            return replace(statement, condition=new)
        case _:
            raise ValueError(f"{statement} computes nothing")


def occurrences(name: str, body: Body) -> int:
    """How often texts mention a scalar; 2 at least if an index or a bound does, where no computation can go."""
    return sum(_own_occurrences(name, statement) for statement in walk(body))


def _own_occurrences(name: str, statement: Statement) -> int:
    if name not in scalar_names(statement):
        return 0
    found = [node for code in codes(statement) for node in ast.walk(ast.parse(code.text.strip(), mode="eval"))]
    count = sum(isinstance(node, ast.Name) and node.id == name for node in found)
    only_texts = any(name in names(code.text) - {read for read, _ in code.reads} for code in codes(statement))
    return count if only_texts and not _outside_texts(name, statement) else 2


def _outside_texts(name: str, statement: Statement) -> bool:
    """Whether an index or a bound mentions a scalar, or an assignment changes it."""
    bare = without_texts(statement)
    return name in scalar_names(bare)


def without_texts(statement: Statement) -> Statement:
    """The statement with empty computations that keep their reads: what is left mentions names in indices only."""
    for code in codes(statement):
        statement = with_code(statement, code, Code("0", code.reads))
    return statement


@dataclass(frozen=True)
class Move:
    """A computation on its way to the only place where its scalar ``name`` is used."""

    name: str
    value: Code

    def into(self, body: Body) -> Body | None:
        """The statements with the computation at its place; None if something in between changes what it reads, or if
        the place is in a loop.
        """
        result = list(body)
        for position, statement in enumerate(body):
            if any(self.name in names(code.text) for code in codes(statement)):
                result[position] = self._at(statement)
                return None if isinstance(statement, While) else tuple(result)
            if self._is_inside(statement):
                inner = self._inside(statement)
                result[position] = inner if inner is not None else statement
                return None if inner is None else tuple(result)
            if self._is_spoiled_by(statement):
                return None
        return None

    def _at(self, statement: Statement) -> Statement:
        for code in codes(statement):
            statement = with_code(statement, code, inlined(code, self.name, self.value))
        return statement

    def _is_inside(self, statement: Statement) -> bool:
        return any(self.name in scalar_names(inner) for inner in walk((statement,)))

    def _inside(self, statement: Statement) -> Statement | None:
        if not isinstance(statement, If):
            return None
        then, orelse = self.into(statement.then), self.into(statement.orelse)
        if then is None and orelse is None:
            return None
        return replace(statement, then=then or statement.then, orelse=orelse or statement.orelse)

    def _is_spoiled_by(self, statement: Statement) -> bool:
        data = {access.data for _, access in self.value.reads}
        scalars = names(self.value.text) | {
            s.name for _, a in self.value.reads for i in a.indices for s in i.free_symbols
        }
        return any(
            (isinstance(inner, Store) and inner.target.data in data)
            or (isinstance(inner, Assign) and inner.name in scalars)
            for inner in walk((statement,))
        )


def everywhere(body: Body, name: str, value: Code) -> Body:
    """The statements with a scalar replaced wherever texts mention it: for values that cost nothing."""
    result = []
    for statement in body:
        for code in codes(statement):
            if name in names(code.text) - {read for read, _ in code.reads}:
                statement = with_code(statement, code, inlined(code, name, value))
        match statement:
            case For() | While():
                statement = replace(statement, body=everywhere(statement.body, name, value))
            case If():
                then, orelse = everywhere(statement.then, name, value), everywhere(statement.orelse, name, value)
                statement = replace(statement, then=then, orelse=orelse)
        result.append(statement)
    return tuple(result)
