"""Scalars that only an update of one element needs are computed by who owns the element."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.anchor_writes import anchored
from dace_ipu.passes.clean_up import map_codes
from dace_ipu.passes.domain import ZERO, scalar_source
from dace_ipu.passes.rewrite import Rewrite, accesses, defined_names, fresh, used_names
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import touched, uses, written
from dace_ipu.passes.substitute import inlined
from dace_ipu.passes.types import Types
from dace_ipu.tile_graph.body import Code, Declare, DType, Statement, Store, symbol, walk
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph, with_inner_steps

__all__ = ["InlineSingles"]


@dataclass(frozen=True)
class InlineSingles:
    """Before: ``d[0] = L[t, t]; r[0] = b[t] - s[0]; x[t] = r[0] / d[0]``, where ``t`` is a scalar of the device: three
    steps, of which the first brings a row of ``L`` to one tile.

    After: ``x[t] = (b[t] - s[0]) / L[t, t]``, which ``anchor_writes`` gives to the owner of ``x[t]``, as a map over the
    elements of ``x``; what it reads of ``b`` and ``L`` has the same index, so that it can lie on the same tile.

    Only where that is so for all arrays that the update then reads. The scalars must have the type of their values, and
    nothing else may use them or change what they are made of in between. The same is computed, in the same order.
    """

    name: str = "inline_singles"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer single steps."""
        steps = _changed(graph.steps, graph, uses(graph.steps))
        left = uses(steps)
        return replace(graph, steps=steps, variables=tuple(v for v in graph.variables if left[v.name] or v.persistent))


def _changed(steps: tuple[Step, ...], graph: TileGraph, used: Counter[str]) -> tuple[Step, ...]:
    result = [with_inner_steps(step, lambda inner: _changed(inner, graph, used)) for step in steps]
    for step in list(result):
        if isinstance(step, MapStep) and not step.domain:
            place = next(k for k, other in enumerate(result) if other is step)
            whole, gone = _with_values(step, tuple(result[:place]), graph, used)
            if gone and _is_local(whole, graph):
                result = [whole if s is step else s for s in result if not any(s is g for g in gone)]
    return tuple(result)


def _with_values(
    step: MapStep, before: tuple[Step, ...], graph: TileGraph, used: Counter[str]
) -> tuple[MapStep, list[Step]]:
    """A step with the values of scalars in their place, and the steps that set them, the last first."""
    gone: list[Step] = []
    for place in reversed(range(len(before))):
        setter = before[place]
        value = _Value.of(setter, graph) if isinstance(setter, MapStep) else None
        if value is None or used[value.scalar] != 2 or value.scalar not in touched(step):
            continue
        between = [s for s in before[place + 1 :] if not any(s is g for g in gone)]
        if not any(value.operands & written(s) for s in between):
            step = value.put_into(step)
            gone.append(setter)
    return step, gone


def _is_local(step: MapStep, graph: TileGraph) -> bool:
    """Whether the owner of the element that a step updates may own all that it reads of arrays."""
    owners = anchored(step, graph)
    if owners is None:
        return False
    element = symbol(owners.domain[0].name)
    arrays = [a for s in walk(owners.body) for a in accesses(s) if sympy.prod(graph.variable(a.data).shape) != 1]
    return all(any(element in index.free_symbols for index in access.indices) for access in arrays)


@dataclass(frozen=True)
class _Value:
    """``scalar[0] = code``, where ``prelude`` reads the scalars of the device that its indices use."""

    scalar: str
    code: Code
    prelude: tuple[Declare, ...]

    @classmethod
    def of(cls, step: MapStep, graph: TileGraph) -> _Value | None:
        """The value that a step, which does nothing else, gives a scalar; None for another step."""
        prelude, rest = prelude_of(step.body)
        if step.domain or len(rest) != 1 or not isinstance(rest[0], Store) or rest[0].reduction is not None:
            return None
        variable, code = graph.variable(rest[0].target.data), rest[0].value
        names = tuple(s for s in prelude if isinstance(s, Declare))
        types = Types({**dict(graph.symbols), **{s.name: s.dtype for s in names}, **_read_types(code, graph)})
        plain = sympy.prod(variable.shape) == 1 and not variable.persistent and variable.constant is None
        own = any(read.data == variable.name for _, read in code.reads)
        return (
            cls(variable.name, code, names)
            if plain and not own and types.of_text(code.text) == variable.dtype
            else None
        )

    @property
    def operands(self) -> frozenset[str]:
        """The variables that the value is made of."""
        sources = (scalar_source(statement) for statement in self.prelude)
        return frozenset(read.data for _, read in self.code.reads) | {name for name in sources if name}

    def put_into(self, step: MapStep) -> MapStep:
        """A step with the value where it reads the scalar."""
        prelude, rest = prelude_of(step.body)
        known = {scalar_source(s): s.name for s in prelude if isinstance(s, Declare)}
        taken = defined_names(step.body) | used_names(step.body)
        new: dict[str, str] = {}
        added: list[Declare] = []
        for statement in self.prelude:
            source = scalar_source(statement)
            name = known.get(source) or fresh(statement.name, taken | set(new.values()))
            new[statement.name] = name
            added += [] if source in known else [replace(statement, name=name)]
        code = Rewrite({old: symbol(name) for old, name in new.items()}, texts=new).code(self.code)

        def change(_: Statement, old: Code) -> Code:
            for name, read in old.reads:
                if read.data == self.scalar and read.indices == (ZERO,):
                    rest = tuple(other for other in old.reads if other[0] != name)
                    return change(_, inlined(Code(old.text, rest), name, code))
            return old

        return replace(step, body=(*prelude, *added, *map_codes(rest, change)))


def _read_types(code: Code, graph: TileGraph) -> dict[str, DType]:
    return {name: graph.variable(read.data).dtype for name, read in code.reads}
