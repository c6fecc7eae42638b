"""Whether a loop's turn fills a temporary before it reads it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dace_ipu.passes.domain import ZERO, Domain
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.footprints import facts_of, span_of
from dace_ipu.passes.literals import index_of
from dace_ipu.passes.rewrite import Body
from dace_ipu.tile_graph.body import Access, Code, Expr, For, If, Store, While, codes, symbol
from dace_ipu.tile_graph.nodes import MapStep, TileGraph

__all__ = ["fills_first", "known_from"]


def fills_first(name: str, steps: tuple[MapStep, ...], graph: TileGraph) -> bool:
    """Whether steps that run one after the other store to every element of a variable that they read, and that before
    they read it: all of it, or where a condition holds that holds for the reads as well.
    """
    uses = [(step, use) for step in steps for use in _uses(step.body, ()) if use.access.data == name]
    step, first = uses[0]
    own = [use for other, use in uses if other is step]
    if not first.is_plain_store or any(use.access != first.access for use in own):
        return False
    runners = _runners(first.access, step, graph)
    if runners is None:
        return False
    wanted = [fact for guard in first.guards for fact in _parts(guard)]
    return all(
        _implies(use, other, _filled(wanted, runners, use.access), graph) for other, use in uses if other is not step
    )


@dataclass(frozen=True)
class _Use:
    """An access, in its order, with the conditions that hold where it is made and the loops around it."""

    access: Access
    is_plain_store: bool
    guards: tuple[Code, ...]
    loops: tuple[For, ...] = ()


def _uses(body: Body, guards: tuple[Code, ...], loops: tuple[For, ...] = ()) -> Iterator[_Use]:
    for statement in body:
        yield from (_Use(read, False, guards, loops) for code in codes(statement) for _, read in code.reads)
        match statement:
            case Store(target=target, reduction=reduction):
                yield _Use(target, reduction is None and not loops, guards, loops)
            case If():
                yield from _uses(statement.then, (*guards, statement.condition), loops)
                yield from _uses(statement.orelse, (*guards, Code("False or unknown")), loops)
            case For():
                yield from _uses(statement.body, guards, (*loops, statement))
            case While():
                yield from _uses(statement.body, (*guards, Code("False or unknown")), loops)


def _runners(access: Access, step: MapStep, graph: TileGraph) -> dict[Expr, int] | None:
    """The dimensions of a map that run along those of a variable, each over all of it; None if they do not."""
    extents = {symbol(d.name): d.extent for d in step.domain}
    runners: dict[Expr, int] = {}
    for position, (index, size) in enumerate(zip(access.indices, graph.variable(access.data).shape, strict=True)):
        if index in runners or not (size == 1 if index == 0 else extents.get(index) == size):
            return None
        if index != 0:
            runners[index] = position
    return runners


def _filled(wanted: list[Expr | None], runners: dict[Expr, int], access: Access) -> list[Expr | None]:
    """What has to hold for an element to be filled, in terms of another access."""
    new = {runner: access.indices[position] for runner, position in runners.items()}
    return [None if fact is None else fact.subs(new, simultaneous=True) for fact in wanted]


def _implies(use: _Use, step: MapStep, wanted: list[Expr | None], graph: TileGraph) -> bool:
    known = [fact for d in step.domain for fact in facts_of(d.name, (ZERO, d.extent - 1))]
    spans = ((loop.variable, span_of(loop)) for loop in use.loops)
    known += [fact for name, span in spans if span is not None for fact in facts_of(name, span)]
    known += [fact for guard in use.guards for fact in known_from(guard)]
    facts: Facts = Domain(graph, step).facts.and_also(*known)
    return all(fact is not None and facts.holds(fact) for fact in wanted)


def known_from(condition: Code) -> tuple[Expr, ...]:
    """Expressions that are >= 0 where a condition holds, as far as it compares integers; none for other conditions."""
    return tuple(fact for fact in _parts(condition) if fact is not None)


def _parts(condition: Code) -> tuple[Expr | None, ...]:
    """Expressions that are >= 0 if and only if a condition holds; None for a part of it that is of another kind."""
    return (None,) if condition.reads else tuple(_facts(ast.parse(condition.text.strip(), mode="eval").body))


def _facts(node: ast.expr) -> Iterator[Expr | None]:
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from _facts(value)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            sides = [index_of(side) for side in (left, *comparators)]
            for low, op, high in zip(sides, ops, sides[1:], strict=False):
                yield from (None,) if low is None or high is None else _of_comparison(low, op, high)
        case _:
            yield None


def _of_comparison(low: Expr, op: ast.cmpop, high: Expr) -> Iterator[Expr | None]:
    match op:
        case ast.Lt():
            yield high - low - 1
        case ast.LtE():
            yield high - low
        case ast.Gt():
            yield low - high - 1
        case ast.GtE():
            yield low - high
        case ast.Eq():
            yield from (high - low, low - high)
        case _:
            yield None
