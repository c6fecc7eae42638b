"""``match`` in programs. DaCe 2.0.0b1 does not know it and runs the bodies of all cases, one after another."""

from __future__ import annotations

import ast
from typing import Any

from dace_ipu import compat

__all__ = ["as_branches", "install"]


def install() -> None:
    """Let DaCe's frontend read ``match`` as ``if`` and ``elif``. Repeatable; a DaCe that knows it keeps its own."""
    compat.add_visit("Match", _visit)


def _visit(visitor: Any, node: ast.Match) -> None:
    try:
        branches = as_branches(node)
    except NotImplementedError as error:
        raise compat.syntax_error(visitor, node, str(error)) from error
    for statement in branches:
        visitor.visit_TopLevel(statement)


def as_branches(node: ast.Match) -> list[ast.stmt]:
    """A match statement as branches. Raises NotImplementedError for patterns of sequences, mappings and classes."""
    before: list[ast.stmt] = []
    subject = node.subject
    if not isinstance(subject, (ast.Name, ast.Constant)):
        subject = ast.Name(f"__match_{node.lineno}", ast.Load())
        before.append(ast.Assign([ast.Name(subject.id, ast.Store())], node.subject))
    rest: list[ast.stmt] = []
    for case in reversed(node.cases):
        name, test = _name(case.pattern), _test(case.pattern, subject)
        if case.guard is not None:
            guard = _Renamed(name, subject).visit(case.guard)
            test = guard if test is None else ast.BoolOp(ast.And(), [test, guard])
        bound = [ast.Assign([ast.Name(name, ast.Store())], subject)] if name else []
        body = [*bound, *case.body]
        rest = body if test is None else [ast.If(test, body, rest)]
    return [ast.fix_missing_locations(ast.copy_location(statement, node)) for statement in (*before, *rest)]


def _test(pattern: ast.pattern, subject: ast.expr) -> ast.expr | None:
    """Whether the subject matches; None for a pattern that always does."""
    match pattern:
        case ast.MatchValue(value=value):
            return ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(value=bool() as value):
            return ast.Compare(subject, [ast.Eq()], [ast.Constant(value)])
        case ast.MatchOr(patterns=patterns):
            tests = [_test(each, subject) for each in patterns]
            known = [test for test in tests if test is not None]
            return ast.BoolOp(ast.Or(), known) if len(known) == len(tests) else None
        case ast.MatchAs(pattern=None):
            return None
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _test(inner, subject)
        case _:
            raise NotImplementedError(f"the pattern '{ast.unparse(pattern)}': only numbers can be matched")


def _name(pattern: ast.pattern) -> str | None:
    return pattern.name if isinstance(pattern, ast.MatchAs) else None


class _Renamed(ast.NodeTransformer):
    """Puts the subject where a guard uses the name that the pattern gives it."""

    def __init__(self, name: str | None, subject: ast.expr) -> None:
        self.name, self.subject = name, subject

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The subject for its name."""
        return self.subject if node.id == self.name else node
