"""Arrays whose elements follow from their places are computed where they are read."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from dace_ipu.passes.clean_up import map_codes
from dace_ipu.passes.domain import ZERO, normalised
from dace_ipu.passes.inline_operands import Filling
from dace_ipu.passes.rewrite import defined_names
from dace_ipu.passes.steps import map_steps, touched, touched_itself, uses, walk_steps, written
from dace_ipu.passes.substitute import inlined
from dace_ipu.tile_graph.body import Access, Code, Statement
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph

__all__ = ["Recompute"]

_CHEAP = (ast.Expression, ast.Constant, ast.Name, ast.Load, ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub)


@dataclass(frozen=True)
class Recompute:
    """Before: ``for i in 0:N for j in 0:M: X[i, j] = i``, as ``np.mgrid``, then ``for k in 0:L: B[k] = X[k, 0] * 2``.

    After: ``for k in 0:L: B[k] = int64(k) * 2``: no tile has to hold, or to fetch, what it can tell.

    Only for temporaries that one map fills, as a whole and before all else, with numbers, places, and sums of them, and
    that other maps only read.
    """

    name: str = "recompute"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph without such arrays."""
        for position, step in enumerate(graph.steps):
            filling = Filling.of(step, graph) if isinstance(step, MapStep) else None
            if filling is not None and _is_plain(filling, step, graph) and _is_only_read(filling, position, graph):
                return self.apply(_without(filling, position, graph))
        return graph


def _is_plain(filling: Filling, step: Step, graph: TileGraph) -> bool:
    """Whether the elements of a whole array are cheap functions of their places."""
    if filling.value.reads or filling.prelude or filling.guard or filling.scalars or not isinstance(step, MapStep):
        return False
    nodes = ast.walk(ast.parse(filling.value.text.strip(), mode="eval"))
    extents = {d.name: d.extent for d in normalised(step).domain}
    pairs = zip(filling.target.indices, graph.variable(filling.target.data).shape, strict=True)
    whole = all((index == ZERO and size == 1) or extents.get(str(index)) == size for index, size in pairs)
    known = filling.runners.keys() | {name for name, _ in graph.symbols}
    return whole and names(filling.value.text) <= known and all(isinstance(node, _CHEAP) for node in nodes)


def _is_only_read(filling: Filling, position: int, graph: TileGraph) -> bool:
    """Whether all that touches an array, but for the map that fills it, comes after that and is a map that reads it."""
    name = filling.target.data
    users = [step for step in walk_steps(graph.steps) if name in touched_itself(step)]
    before = any(name in touched(step) for step in graph.steps[:position])
    symbols = {symbol for symbol, _ in graph.symbols} & names(filling.value.text)
    return (
        not before
        and len(users) > 1
        and all(isinstance(step, MapStep) for step in users)
        and all(name not in written(step) for step in users if step is not graph.steps[position])
        and not any(symbols & defined_names(step.body) for step in users if isinstance(step, MapStep))
    )


def _without(filling: Filling, position: int, graph: TileGraph) -> TileGraph:
    """The graph with the elements of an array where they are read."""
    cast = f"dace.{graph.variable(filling.target.data).dtype.name}"

    def element(access: Access) -> Code:
        return Code(f"{cast}({filling.at(access.indices).value.text})")

    def change(_: Statement, code: Code) -> Code:
        for read, access in code.reads:
            if access.data == filling.target.data:
                rest = tuple(other for other in code.reads if other[0] != read)
                return change(_, inlined(Code(code.text, rest), read, element(access)))
        return code

    def changed(step: Step) -> tuple[Step, ...]:
        return (replace(step, body=map_codes(step.body, change)) if isinstance(step, MapStep) else step,)

    steps = map_steps((*graph.steps[:position], *graph.steps[position + 1 :]), changed)
    left = uses(steps)
    return replace(graph, steps=steps, variables=tuple(v for v in graph.variables if left[v.name] or v.persistent))
