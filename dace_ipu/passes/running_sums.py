"""Arrays whose elements are sums with the element before: the sum is a counter that each turn stores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy

from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.new_steps import NewSteps, reading, store
from dace_ipu.passes.rewrite import Body
from dace_ipu.passes.turn_loops import TurnLoop
from dace_ipu.passes.turn_stores import added_to
from dace_ipu.tile_graph.body import Access, Code, Declare, Statement, Store, symbol
from dace_ipu.tile_graph.nodes import MapStep, TileGraph

__all__ = ["with_counters"]


def with_counters(loop: TurnLoop, graph: TileGraph, new: NewSteps) -> tuple[TurnLoop, tuple[MapStep, ...]]:
    """Before: ``for k in 0:N { y[k + 1] = y[k] + x[k + 1] }``, where ``y`` has integers.

    After: the map ``s[0] = y[0]``, and ``for k in 0:N { s[0] = s[0] + x[k + 1]; const t = s[0]; y[k + 1] = t }``. The
    map reads an element that is there if the loop turns at all. Other loops come back as they are, with no map.
    """
    first: list[MapStep] = []
    body: list[Statement] = []
    new.source = loop.source
    for statement in loop.body:
        found = None if loop.prelude else _sum_of(statement, loop, graph)
        if found is None or not isinstance(statement, Store):
            body.append(statement)
            continue
        before, by = found
        dtype = graph.variable(statement.target.data).dtype
        name, value = new.variable(f"{statement.target.data}_sum", dtype, sympy.Integer(1)), new.name("sum")
        start = tuple(index.subs(symbol(loop.turn), loop.begin) for index in before.indices)
        first.append(new.map(f"first_{name}", (), store(name, (ZERO,), reading("_0", _0=(before.data, start)))))
        body += _counted(statement, name, value, by, dtype)
    return replace(loop, body=tuple(body)), tuple(first)


def _sum_of(statement: Statement, loop: TurnLoop, graph: TileGraph) -> tuple[Access, Code] | None:
    """The element before that of a store, and what is added to it."""
    if not isinstance(statement, Store) or statement.reduction is not None or len(statement.target.indices) != 1:
        return None
    data, (index,) = statement.target.data, statement.target.indices
    before = Access(data, (sympy.expand(index - 1),))
    names = {name for name, read in statement.value.reads if read == before}
    others = [read for name, read in statement.value.reads if read.data == data and name not in names]
    own = sympy.expand(index - symbol(loop.turn)).is_Integer
    integers = graph.variable(data).dtype in (np.dtype(np.int32), np.dtype(np.int64))
    by = added_to(statement.value, data, names) if own and integers and names and not others else None
    return None if by is None else (before, by)


def _counted(old: Store, name: str, value: str, by: Code, dtype: np.dtype[np.generic]) -> Body:
    text = Code(f"{name}_before + ({by.text})", ((f"{name}_before", Access(name, (ZERO,))), *by.reads))
    now = Declare(value, dtype, reading("_0", _0=(name, (ZERO,))))
    return store(name, (ZERO,), text), now, replace(old, value=Code(value))
