"""Scalars of the device that a body reads first: what depends on them is the same for all iterations of a map."""

from __future__ import annotations

from dace_ipu.passes.domain import scalar_source
from dace_ipu.passes.rewrite import Body, Rewrite
from dace_ipu.passes.steps import touched, walk_steps
from dace_ipu.tile_graph.body import Declare, Expr, Store, symbol, walk
from dace_ipu.tile_graph.nodes import MapStep, TileGraph

__all__ = ["is_spread", "mentions", "prelude_of", "runtime_names", "without_known"]


def prelude_of(body: Body) -> tuple[Body, Body]:
    """The leading statements that read scalars of the device, and the rest. A scalar that the body writes is none."""
    written = {statement.target.data for statement in walk(body) if isinstance(statement, Store)}
    count = 0
    for statement in body:
        source = scalar_source(statement)
        if source is None or source in written:
            break
        count += 1
    return body[:count], body[count:]


def runtime_names(body: Body) -> frozenset[str]:
    """The names of the scalars that the prelude of a body reads."""
    return frozenset(statement.name for statement in prelude_of(body)[0] if isinstance(statement, Declare))


def without_known(body: Body, before: Body) -> Body:
    """A body that follows another one, with the names that this one has already given to scalars of the device."""
    known = {scalar_source(s): s.name for s in prelude_of(before)[0] if isinstance(s, Declare)}
    written = {statement.target.data for statement in walk(before) if isinstance(statement, Store)}
    prelude, rest = prelude_of(body)
    kept = []
    new: dict[str, str] = {}
    for statement in prelude:
        source = scalar_source(statement)
        if isinstance(statement, Declare) and source in known and source not in written:
            new[statement.name] = known[source]
        else:
            kept.append(statement)
    if not new:
        return body
    return Rewrite({old: symbol(name) for old, name in new.items()}, texts=new).body((*kept, *rest))


def mentions(expr: Expr, names: frozenset[str]) -> bool:
    """Whether an expression uses one of the names."""
    return any(symbol.name in names for symbol in expr.free_symbols)


def is_spread(variable: str, graph: TileGraph) -> bool:
    """Whether a map with a domain touches a variable: then it does not live on one tile."""
    return any(
        isinstance(step, MapStep) and step.domain and variable in touched(step) for step in walk_steps(graph.steps)
    )
