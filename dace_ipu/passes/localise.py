"""Temporary arrays that only carry a value through one iteration become local scalars of the codelet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dace_ipu.passes.clean_up import with_inner
from dace_ipu.passes.rewrite import Body, accesses, defined_names, fresh, replace_names, used_names
from dace_ipu.passes.steps import graph_names, map_steps, uses, walk_steps
from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Code,
    Declare,
    DType,
    For,
    If,
    Statement,
    Store,
    While,
    children,
    walk,
)
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph, Variable

__all__ = ["LocaliseTemporaries", "localised"]


@dataclass(frozen=True)
class LocaliseTemporaries:
    """Memory, and a store and a load an element, for nothing: gone.

    Before: ``t[i] = 2 * A[i]; B[i] = t[i] + 1`` in one map, and ``t`` nowhere else.
    After: ``t = 2 * A[i]; B[i] = t + 1`` (``simplify_bodies`` makes one statement of it).

    A variable becomes local only if no other step touches it, the map names one and the same element of it in an
    iteration, and the body sets that element, unconditionally, before it reads it.
    """

    name: str = "localise"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer variables."""
        used = uses(graph.steps)
        local = {v.name: v for v in graph.variables if not v.persistent and v.constant is None and used[v.name] == 1}
        taken = graph_names(graph)
        names = {step.name for step in walk_steps(graph.steps) if isinstance(step, MapStep)}

        def change(step: Step) -> tuple[Step, ...]:
            return (localised(step, local, taken, names) if isinstance(step, MapStep) else step,)

        steps = map_steps(graph.steps, change)
        left = uses(steps)
        return replace(graph, steps=steps, variables=tuple(v for v in graph.variables if left[v.name]))


def localised(
    step: MapStep, variables: Mapping[str, Variable], taken: set[str], names: set[str] | None = None
) -> MapStep:
    """The step with those of ``variables`` as scalars that carry a value through one iteration of it or of a loop in
    it. ``taken`` are names that the program uses, ``names`` those of its maps, if a map may get another one.
    """
    body = step.body
    for name in sorted({access.data for s in walk(body) for access in accesses(s)} & set(variables)):
        if _is_one_element(body, name):
            inside = defined_names(body) | used_names(body)
            local = fresh(name, taken | inside if name in inside else ())
            body = _local_inside(body, name, local, variables[name].dtype)
    return step if body is step.body else replace(step, body=body, name=_renamed(step, body, names))


def _local_inside(body: Body, name: str, local: str, dtype: DType) -> Body:
    """The body with a variable as a scalar of the innermost statements that hold all of its accesses, if these set it
    first."""
    users = [s for s in body if any(access.data == name for inner in walk((s,)) for access in accesses(inner))]
    if _is_set_first(body, name):
        return _as_local(body, name, local, dtype)
    if len(users) != 1 or any(access.data == name for access in accesses(users[0])):
        return body
    inner = [part for part in children(users[0]) if _touches(part, name)]
    if len(inner) != 1:
        return body
    changed = with_inner(users[0], lambda part: _local_inside(part, name, local, dtype) if part is inner[0] else part)
    return body if changed == users[0] else tuple(changed if s is users[0] else s for s in body)


def _touches(body: Body, name: str) -> bool:
    return any(access.data == name for s in walk(body) for access in accesses(s))


def _renamed(step: MapStep, body: Body, names: set[str] | None) -> str:
    """``update_t`` is called after what is still written, unless the user gave the name."""
    before = {f"update_{s.target.data}" for s in walk(step.body) if isinstance(s, Store)}
    after = [f"update_{s.target.data}" for s in walk(body) if isinstance(s, Store)]
    if names is None or step.name not in before or step.name in after or not after or after[-1] in names:
        return step.name
    names.add(after[-1])
    return after[-1]


def _is_one_element(body: Body, name: str) -> bool:
    return len({access.indices for s in walk(body) for access in accesses(s) if access.data == name}) == 1


def _is_set_first(body: Body, name: str) -> bool:
    """Whether the first statement to touch a variable is a plain Store that only writes it, at the top of the innermost
    list of statements that touches it."""
    users = [s for s in body if any(a.data == name for inner in walk((s,)) for a in accesses(inner))]
    first = users[0]
    if len(users) == 1 and children(first) and not any(a.data == name for a in accesses(first)):
        parts = [part for part in children(first) if any(a.data == name for s in walk(part) for a in accesses(s))]
        return len(parts) == 1 and _is_set_first(parts[0], name)
    return (
        isinstance(first, Store)
        and first.target.data == name
        and first.reduction is None
        and all(access.data != name for _, access in first.value.reads)
    )


def _as_local(body: Body, name: str, local: str, dtype: DType) -> Body:
    stores = [s for s in walk(body) if isinstance(s, Store) and s.target.data == name]
    top = next((k for k, s in enumerate(body) if s is stores[0]), None)
    if top is None:  # it is set further inside
        return tuple(with_inner(s, lambda inner: _as_local_inside(inner, name, local, dtype)) for s in body)
    first = Declare(local, dtype, _code(stores[0].value, name, local), constant=len(stores) == 1)
    return tuple(first if k == top else _statement(s, name, local) for k, s in enumerate(body))


def _as_local_inside(body: Body, name: str, local: str, dtype: DType) -> Body:
    sets = any(isinstance(s, Store) and s.target.data == name for s in walk(body))
    return _as_local(body, name, local, dtype) if sets else body


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
