"""A loop that lowering has put into one vertex, taken out again: its scalars become variables of the device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.clean_up import with_inner
from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.new_steps import NewSteps, reading
from dace_ipu.passes.rewrite import Body, Rewrite, scalar_names
from dace_ipu.passes.turn_loops import TurnLoop, with_own_scalars
from dace_ipu.tile_graph.body import Access as Element
from dace_ipu.tile_graph.body import Assign, Declare, For, If, LocalArray, Statement, Store, While, symbol, walk
from dace_ipu.tile_graph.nodes import MapStep, TileGraph, Variable

__all__ = ["VertexLoop"]


@dataclass(frozen=True)
class VertexLoop:
    """Before: ``n_2 = n[0]; for i in 0:N { if A[i] > 0 { out[n_2] = A[i]; n_2 = n_2 + 1 } }; n[0] = n_2``.

    After: ``first``, the map ``v[0] = n[0]``; the loop, with ``const n_3 = v[0]; out[n_3] = A[i]`` and ``const n_4 =
    v[0]; v[0] = n_4 + 1``; ``then``, the map ``const n_5 = v[0]; n[0] = n_5``.
    """

    loop: TurnLoop
    first: tuple[MapStep, ...]
    then: tuple[MapStep, ...]

    @classmethod
    def of(cls, step: MapStep, graph: TileGraph, used: Counter[str], new: NewSteps) -> VertexLoop | None:
        """The only loop of a step without a domain; None if there is none, or more around it than plain statements."""
        if step.domain or not any(isinstance(s, For) for s in step.body):
            return None
        body = with_own_scalars(step.body, graph, {name for name, count in used.items() if count == 1}, new.taken)
        at = next((k for k, s in enumerate(body) if isinstance(s, For)), len(body))
        before, loop, after = body[:at], body[at : at + 1], body[at + 1 :]
        if not loop or not isinstance(loop[0], For) or not _is_plain(before, loop[0], after):
            return None
        return cls._taken_out(before, loop[0], after, step, new)

    @classmethod
    def _taken_out(cls, before: Body, loop: For, after: Body, step: MapStep, new: NewSteps) -> VertexLoop:
        outside: dict[str, Variable] = {}
        first = []
        new.source = step.source
        for declared in before:
            assert isinstance(declared, Declare)
            (*aliases, value) = _outside((declared,), outside, new)
            name = new.variable(declared.name, declared.dtype, sympy.Integer(1))
            outside[declared.name] = new.added[-1]
            assert isinstance(value, Declare) and value.value is not None
            stored = Store(Element(name, (ZERO,)), value.value)
            first.append(new.map(f"set_{name}", (), *aliases, stored))
        (*prelude, taken_out) = _outside((loop,), outside, new)
        assert isinstance(taken_out, For)
        turns = TurnLoop(loop.variable, taken_out.begin, taken_out.end, tuple(prelude), taken_out.body, 0, step.source)
        then = (new.map(f"{step.name}_end", (), *_outside(after, outside, new)),) if after else ()
        return cls(turns, tuple(first), then)


def _is_plain(before: Body, loop: For, after: Body) -> bool:
    """Whether scalars are declared before the loop, and no array of the vertex lives across it."""
    declared = all(isinstance(s, Declare) and s.value is not None for s in before)
    names = {s.name for s in before if isinstance(s, Declare)}
    waits = any(isinstance(s, While) and scalar_names(s) & names for s in walk(loop.body))
    plain = all(isinstance(s, (Declare, Assign, Store, If)) for s in walk(after))
    arrays = any(isinstance(s, LocalArray) for s in after)
    return declared and plain and not arrays and not waits and loop.step == 1


def _outside(body: Body, outside: Mapping[str, Variable], new: NewSteps) -> Body:
    """The body with variables for some scalars: each statement reads those that it needs just before it."""
    result: list[Statement] = []
    for statement in body:
        names = sorted(scalar_names(statement) & outside.keys())
        aliases = {name: new.name(f"{name}_value") for name in names}
        for name, alias in aliases.items():
            variable = outside[name]
            result.append(Declare(alias, variable.dtype, reading("_0", _0=(variable.name, (ZERO,)))))
        own = with_inner(statement, lambda _: ())
        own = Rewrite({name: symbol(alias) for name, alias in aliases.items()}, texts=aliases).statement(own)
        if isinstance(own, Assign) and own.name in outside:
            own = Store(Element(outside[own.name].name, (ZERO,)), own.value, own.reduction)
        result.append(_with_parts(own, statement, outside, new))
    return tuple(result)


def _with_parts(own: Statement, old: Statement, outside: Mapping[str, Variable], new: NewSteps) -> Statement:
    """A statement with the changed parts of the old one."""
    match own, old:
        case For(), For(body=body):
            return replace(own, body=_outside(body, outside, new))
        case While(), While(body=body):
            return replace(own, body=_outside(body, outside, new))
        case If(), If():
            then, orelse = (_outside(part, outside, new) for part in (old.then, old.orelse))
            return replace(own, then=then, orelse=orelse)
        case _:
            return own
