"""Loops over the same turns, one behind the other, as one loop: what both choose is then moved once."""

from __future__ import annotations

from dataclasses import replace

from dace_ipu.passes.rewrite import Body, Rewrite, accesses, claimed, defined_names, local_arrays, rename_locals
from dace_ipu.passes.turn_loops import TurnLoop
from dace_ipu.tile_graph.body import Code, Declare, If, Statement, Store, symbol, walk

__all__ = ["fused_turns"]


def fused_turns(first: TurnLoop, second: TurnLoop, taken: set[str]) -> TurnLoop | None:
    """One loop for two, ``second`` right behind ``first``; None if their ranges differ, or one of them touches what the
    other one stores.

    Before: ``for i in 0:n { if m[i] { A[p[i]] = i } }; for j in 0:n { if m[j] { B[p[j]] = x[j] } }``.
    After: ``for i in 0:n { if m[i] { A[p[i]] = i; B[p[i]] = x[i] } }``. A turn of the second loop runs earlier than
    before, but reads and stores nothing that turns of the first do not leave alone.
    """
    scalars = {_source(s): s.name for s in first.prelude if isinstance(s, Declare)}
    new = {s.name: scalars.get(_source(s), s.name) for s in second.prelude if isinstance(s, Declare)}
    new[second.turn] = first.turn
    same = Rewrite({name: symbol(other) for name, other in new.items()}, texts=new)
    ranges = [(same.expr(loop.begin), same.expr(loop.end)) for loop in (first, second)]
    apart = not (_stored(first.body) & _touched(second.body) or _stored(second.body) & _touched(first.body))
    if ranges[0] != ranges[1] or not apart:
        return None
    locals_ = {name: claimed(name, taken) for name in sorted(defined_names(second.body) & defined_names(first.body))}
    body = rename_locals(same.body(second.body), locals_)
    return replace(first, body=_joined(first.body, body))


def _source(statement: Statement) -> str:
    assert isinstance(statement, Declare) and statement.value is not None
    return statement.value.reads[0][1].data


def _stored(body: Body) -> set[str]:
    local = local_arrays(body)
    return {s.target.data for s in walk(body) if isinstance(s, Store)} - local


def _touched(body: Body) -> set[str]:
    return {access.data for s in walk(body) for access in accesses(s)} - local_arrays(body)


def _joined(first: Body, second: Body) -> Body:
    """Both bodies, as one list: under one condition if both have nothing but the same one, and no scalar twice."""
    match first, second:
        case (If(condition=a, then=then, orelse=()),), (If(condition=b, then=other, orelse=()),) if a == b:
            return (If(a, _joined(then, other)),)
        case _:
            return (*first, *_without_known(first, second))


def _without_known(first: Body, second: Body) -> Body:
    """The second list, with the scalars of the first where it computes the same ones: nothing that they read is stored
    to by either."""
    stored = _stored(first) | _stored(second)
    known = {_key(s): s.name for s in first if isinstance(s, Declare) and _is_fixed(s, stored)}
    new = {
        s.name: known[_key(s)] for s in second if isinstance(s, Declare) and _is_fixed(s, stored) and _key(s) in known
    }
    rest = tuple(s for s in second if not (isinstance(s, Declare) and s.name in new))
    return Rewrite({old: symbol(name) for old, name in new.items()}, texts=new).body(rest)


def _key(statement: Declare) -> tuple[str, Code | None]:
    return statement.dtype.str, statement.value


def _is_fixed(statement: Declare, stored: set[str]) -> bool:
    reads = () if statement.value is None else statement.value.reads
    return statement.constant and bool(reads) and not any(read.data in stored for _, read in reads)
