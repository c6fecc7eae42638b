"""Loops that carry values and have little to do in a turn run whole in one vertex."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import sympy

from dace_ipu.passes.device_loops import DeviceLoop, counted_loops
from dace_ipu.passes.loop_code import LoopCode, NoCodeError
from dace_ipu.passes.loop_costs import EXCHANGE_BYTES, SET_CYCLES, Costs, vertex_cycles
from dace_ipu.passes.narrow_ranges import narrowed_in
from dace_ipu.passes.parallel_turns import as_map
from dace_ipu.passes.rewrite import Body, Rewrite, claimed, defined_names, used_names
from dace_ipu.passes.simplify_bodies import simplified
from dace_ipu.passes.steps import graph_names, touched, uses, walk_steps
from dace_ipu.tile_graph.body import Access, Boolean
from dace_ipu.tile_graph.conditions import condition_text, holds
from dace_ipu.tile_graph.nodes import (
    WORKERS_PER_TILE,
    Choice,
    MapStep,
    Repeat,
    RepeatWhile,
    Source,
    Step,
    TileGraph,
    Variable,
    with_inner_steps,
)

__all__ = ["LoopsToVertices"]

MOST_BYTES = 160_000  # a quarter of a tile: what else lives there needs room, and copies on their way
SMALL = 16  # a size at which a loop must be worth it, for the second form to be made at all
NOTE = (
    "runs on one tile, whole in one vertex: its turns depend on each other, and a compute set for each step of each "
    "turn is estimated to take longer"
)


@dataclass(frozen=True)
class LoopsToVertices:
    """Before: ``i[0] = 0; repeat N times { t[0] = 0; dot: for j in 0:N { if j < i: t[0] += L[i, j] * x[j] }; x[i] =
    (b[i] - t[0]) / L[i, i]; i[0] = i[0] + 1 }``, where ``i`` stands for the value of the counter: four compute sets or
    more for each turn.

    After: ``for i in 0:N { t = 0; for j in 0:i { t += L[i, j] * x[j] }; x[i] = (b[i] - t) / L[i, i] }`` in one vertex.

    If the turns turn out not to depend on each other, now that scalars are local, the loop becomes a map of turns:
    ``for i in 0:M { first = row[i]; s = 0; for k in 0:row[i + 1] - first { s += value[first + k] * x[column[first +
    k]] }; y[i] = s }``.

    Only loops with a step that cannot be divided, whose counter nothing else uses, and where a tile has room for all
    that they touch. The estimates of ``loop_costs`` decide; where they depend on symbols, that is a ``Choice`` when the
    graph is built. All steps keep their order, but the iterations of maps, which have none.
    """

    name: str = "loops_to_vertices"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with loops in vertices, or a choice of both forms."""
        work = _Work(graph)
        steps = work.changed(graph.steps)
        left = uses(steps)
        variables = (*graph.variables, *work.scalars)
        return replace(graph, steps=steps, variables=tuple(v for v in variables if left[v.name] or v.persistent))


@dataclass
class _Work:
    graph: TileGraph
    scalars: list[Variable] = field(default_factory=list)
    names: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.used = uses(self.graph.steps)
        self.names = graph_names(self.graph)
        self.steps = {step.name for step in walk_steps(self.graph.steps) if isinstance(step, MapStep)}

    def changed(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The steps of one list, outer loops first."""
        loops = counted_loops(steps, {}, self.graph, self.used)
        new = {place: self._choice(loop, (steps[loop.start], steps[place])) for place, loop in loops.items()}
        gone = {loops[place].start for place, choice in new.items() if choice is not None}
        result: list[Step] = []
        for place, step in enumerate(steps):
            if new.get(place) is not None:
                result.extend(new[place] or ())
            elif place not in gone:
                result.append(with_inner_steps(step, self.changed))
        return tuple(result)

    def _choice(self, loop: DeviceLoop, steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
        """What takes the place of a loop and of the step that sets its counter; None to leave both."""
        if not self._carries(loop.body):
            return None
        try:
            body = self._body(loop)
        except NoCodeError:
            return None
        parallel = self._in_parallel(loop, body, steps)
        if parallel is not None:
            return parallel
        condition = self._is_better(loop, body, steps)
        if not _may_hold(condition):
            return None
        name = claimed(f"loop_{loop.counter}", self.steps)
        here = MapStep(name, (), body, _source(steps), NOTE if condition == sympy.true else _noted(condition))
        if condition == sympy.true:
            return (here,)
        return (Choice(condition, (self._with_own_scalars(here, steps),), steps),)

    def _in_parallel(self, loop: DeviceLoop, body: Body, steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
        """A map whose iterations run a turn each, where turns do not depend on each other; None where they do."""
        scalars, names = list(self.scalars), set(self.names)
        whole = self._with_own_scalars(MapStep(f"loop_{loop.counter}", (), body, _source(steps)), steps)
        added = self.scalars[len(scalars) :]
        apart = as_map(whole, self.graph, tuple(added))
        slots = None if apart is None else vertex_cycles(apart.body, self.graph, apart) / WORKERS_PER_TILE
        condition = sympy.false if slots is None else self._is_worth_it(slots, loop, steps)
        if apart is None or not _may_hold(condition):
            self.scalars, self.names = scalars, names
            return None
        step = replace(apart, name=claimed(whole.name, self.steps))
        return (step,) if condition == sympy.true else (Choice(condition, (step,), steps),)

    def _is_worth_it(self, slots: sympy.Expr, loop: DeviceLoop, steps: tuple[Step, ...]) -> Boolean:
        """Whether a turn is cheaper even where all turns are on one tile, and that has room for all data."""
        apart = Costs(self.graph).turn(loop, {})
        return sympy.And(_is_at_most(self._bytes(steps), 2 * MOST_BYTES), _is_at_most(slots, apart))

    def _bytes(self, steps: tuple[Step, ...]) -> sympy.Expr:
        found = dict.fromkeys(self.graph.variable(name) for step in steps for name in sorted(touched(step)))
        return sympy.Add(*(sympy.prod(v.shape) * v.dtype.itemsize for v in found))

    def _carries(self, steps: tuple[Step, ...]) -> bool:
        """Whether a step that touches an array cannot be divided."""
        maps = (step for step in walk_steps(steps) if isinstance(step, MapStep))
        return any(self._has_array(step) and not self._is_divided(step) for step in maps)

    def _has_array(self, step: MapStep) -> bool:
        return any(sympy.prod(self.graph.variable(name).shape) != 1 for name in touched(step))

    def _is_divided(self, step: MapStep) -> bool:
        """Whether a map, and not only what fetches slices for it, is divided."""
        return bool(step.domain and tuple(Costs(self.graph).divided(step))[-1].plan.divided)

    def _body(self, loop: DeviceLoop) -> Body:
        body: Body = (LoopCode(self.graph, set(self.names)).loop(loop, {}),)
        arrays = {variable.name: variable.dtype for variable in self.graph.variables}
        return narrowed_in(self.graph, simplified(body, arrays, dict(self.graph.symbols)))

    def _is_better(self, loop: DeviceLoop, body: Body, steps: tuple[Step, ...]) -> Boolean:
        """Whether one vertex is estimated to take fewer cycles, and has room."""
        size = self._bytes(steps)
        here = SET_CYCLES + 2 * size / EXCHANGE_BYTES + vertex_cycles(body, self.graph)  # there and back
        apart = Costs(self.graph).loop(loop, {})
        return sympy.And(_is_at_most(size, MOST_BYTES), _is_at_most(here, apart))

    def _with_own_scalars(self, step: MapStep, steps: tuple[Step, ...]) -> MapStep:
        """The step with scalars of its own for those that only the loop uses: they become local to the vertex."""
        inside, new = uses(steps), {}
        for name in sorted(touched(step)):
            variable = self.graph.variable(name)
            own = inside[name] == self.used[name] and sympy.prod(variable.shape) == 1
            if own and not variable.persistent and variable.constant is None:
                new[name] = claimed(name, self.names)
                self.scalars.append(replace(variable, name=new[name]))
        self.names |= defined_names(step.body) | used_names(step.body)
        return replace(step, body=_renamed(step.body, new))


def _source(steps: tuple[Step, ...]) -> Source:
    loop = steps[-1]
    assert isinstance(loop, (Repeat, RepeatWhile))
    return loop.source


def _renamed(body: Body, new: Mapping[str, str]) -> Body:
    return Rewrite({}, access=lambda access: Access(new.get(access.data, access.data), access.indices)).body(body)


def _is_at_most(low: sympy.Expr, high: sympy.Expr | int) -> Boolean:
    """``low <= high``, in whole numbers."""
    low, high = sympy.expand(low), sympy.expand(sympy.sympify(high))
    factors = [*low.as_coefficients_dict().values(), *high.as_coefficients_dict().values()]
    scale = sympy.ilcm(1, *(factor.q for factor in factors if factor.is_Rational))
    return sympy.sympify(sympy.expand(low * scale) <= sympy.expand(high * scale))


def _may_hold(condition: Boolean) -> bool:
    """Whether a condition is true for small sizes, and can be printed."""
    if condition in (sympy.true, sympy.false):
        return bool(condition)
    try:
        return holds(condition, {symbol.name: SMALL for symbol in condition.free_symbols})
    except ValueError:  # sizes that are no integer arithmetic
        return False


def _noted(condition: Boolean) -> str:
    return f"{NOTE}, as {condition_text(condition)}"
