"""Steps of a single vertex that follow each other become one, and the scalars between them its local variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dace_ipu.passes.rewrite import Body, accesses, defined_names, fresh, replace_names, used_names
from dace_ipu.passes.steps import touched, walk_steps
from dace_ipu.tile_graph.body import Access, Assign, Code, Declare, DType, For, If, Statement, Store, While, walk
from dace_ipu.tile_graph.nodes import MapStep, Repeat, Step, TileGraph, Variable

__all__ = ["MergeSingles"]


@dataclass(frozen=True)
class MergeSingles:
    """One compute set for a run of scalar computations: an exchange and a sync less for each.

    Before: three maps without dimensions, ``t[0] = N``, ``u[0] = total[0] / t[0]``, ``result[0] = u[0]``.
    After: one, with ``t`` and ``u`` as local scalars (``simplify_bodies`` inlines them).

    Only neighbours are merged, in their order. A variable becomes local only if nothing else touches it and the body
    sets it, unconditionally, before it reads it.
    """

    name: str = "merge_singles"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer, longer single steps."""
        steps = _merged(graph.steps)
        single = (step for step in walk_steps(steps) if not isinstance(step, Repeat))
        uses = Counter(name for step in single for name in touched(step))
        local = {
            v.name: v
            for v in graph.variables
            if not v.persistent and v.constant is None and v.shape == (1,) and uses[v.name] == 1
        }
        taken = {v.name for v in graph.variables} | {name for name, _ in graph.symbols}
        steps = tuple(_each(step, lambda s: _localised(s, local, taken)) for step in steps)
        left = {name for step in walk_steps(steps) for name in touched(step)}
        return replace(graph, steps=steps, variables=tuple(v for v in graph.variables if v.name in left))


def _merged(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    result: list[Step] = []
    for step in steps:
        if isinstance(step, Repeat):
            step = replace(step, body=_merged(step.body))
        last = result[-1] if result else None
        if isinstance(last, MapStep) and isinstance(step, MapStep) and _can_merge(last, step):
            result[-1] = replace(step, body=last.body + step.body)
        else:
            result.append(step)
    return tuple(result)


def _can_merge(first: MapStep, second: MapStep) -> bool:
    clash = defined_names(first.body) & (defined_names(second.body) | used_names(second.body))
    return (
        not first.domain and not second.domain and not clash and not defined_names(second.body) & used_names(first.body)
    )


def _each(step: Step, change: Callable[[MapStep], MapStep]) -> Step:
    if isinstance(step, Repeat):
        return replace(step, body=tuple(_each(inner, change) for inner in step.body))
    return change(step) if isinstance(step, MapStep) else step


def _localised(step: MapStep, variables: Mapping[str, Variable], taken: set[str]) -> MapStep:
    if step.domain:
        return step
    body = step.body
    for name in sorted({access.data for s in walk(body) for access in accesses(s)} & set(variables)):
        if _is_set_first(body, name):
            local = fresh(
                name,
                taken | defined_names(body) | used_names(body)
                if name in defined_names(body) | used_names(body)
                else (),
            )
            body = _as_local(body, name, local, variables[name].dtype)
    return replace(step, body=body)


def _is_set_first(body: Body, name: str) -> bool:
    """Whether the first statement to touch a variable is a plain Store, at the top of the body, that only writes it."""
    first = next(s for s in body if any(a.data == name for inner in walk((s,)) for a in accesses(inner)))
    return (
        isinstance(first, Store)
        and first.target.data == name
        and first.reduction is None
        and all(access.data != name for _, access in first.value.reads)
    )


def _as_local(body: Body, name: str, local: str, dtype: DType) -> Body:
    stores = [s for s in walk(body) if isinstance(s, Store) and s.target.data == name]
    result: list[Statement] = []
    for statement in body:
        if statement is stores[0]:
            assert isinstance(statement, Store)
            result.append(Declare(local, dtype, _code(statement.value, name, local), constant=len(stores) == 1))
        else:
            result.append(_statement(statement, name, local))
    return tuple(result)


def _statement(statement: Statement, name: str, local: str) -> Statement:
    match statement:
        case Store(target=Access(data=data), value=value, reduction=reduction) if data == name:
            return Assign(local, _code(value, name, local), reduction)
        case Store() | Assign():
            return replace(statement, value=_code(statement.value, name, local))
        case Declare(value=Code() as value):
            return replace(statement, value=_code(value, name, local))
        case For():
            return replace(statement, body=tuple(_statement(s, name, local) for s in statement.body))
        case While():
            body = tuple(_statement(s, name, local) for s in statement.body)
            return replace(statement, condition=_code(statement.condition, name, local), body=body)
        case If():
            then, orelse = (
                tuple(_statement(s, name, local) for s in part) for part in (statement.then, statement.orelse)
            )
            return replace(statement, condition=_code(statement.condition, name, local), then=then, orelse=orelse)
        case _:
            return statement


def _code(code: Code, name: str, local: str) -> Code:
    gone = {placeholder: local for placeholder, access in code.reads if access.data == name}
    reads = tuple((placeholder, access) for placeholder, access in code.reads if access.data != name)
    return Code(replace_names(code.text, gone), reads)
