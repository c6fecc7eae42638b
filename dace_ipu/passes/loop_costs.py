"""What a loop costs: as compute sets on all tiles, and as a loop of one vertex."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.anchor_writes import anchored
from dace_ipu.passes.device_loops import DeviceLoop, Known, counted_loops
from dace_ipu.passes.domain import Domain, loop_over, normalised
from dace_ipu.passes.fetch_slices import with_fetches
from dace_ipu.passes.plan import Plan, plan_of
from dace_ipu.passes.rewrite import Body
from dace_ipu.passes.slots import UNKNOWN_TURNS, exact_slots_of
from dace_ipu.passes.steps import touched
from dace_ipu.tile_graph.body import Expr, symbol
from dace_ipu.tile_graph.nodes import (
    WORKERS_PER_TILE,
    MapStep,
    Repeat,
    Step,
    TileGraph,
    inner_steps,
)

__all__ = ["EXCHANGE_BYTES", "SET_CYCLES", "Costs", "vertex_cycles"]

SET_CYCLES = 400
"""Of a compute set with hardly any work: a sync (64 to 117 cycles), an exchange of a word (170 to 214), the launch of
the workers and their few instructions. ``docs/npbench.md``: lu has 420 for each of its sets."""

EXCHANGE_BYTES = 4
"""That a tile receives in a cycle."""


def vertex_cycles(body: Body, graph: TileGraph, step: MapStep | None = None) -> Expr:
    """Cycles of a body that one worker runs, which issues an instruction every six cycles; of one iteration of a step
    if there is one."""
    types = {variable.name: variable.dtype for variable in graph.variables}
    known = _symbols(graph) | (frozenset() if step is None else {dimension.name for dimension in step.domain})
    cycles = WORKERS_PER_TILE * exact_slots_of(body, types, known)
    middle = {} if step is None else {symbol(d.name): (d.extent - 1) / 2 for d in step.domain}
    return cycles.subs(middle)


def _symbols(graph: TileGraph) -> frozenset[str]:
    return frozenset(name for name, _ in graph.symbols)


@dataclass(frozen=True)
class Division:
    """A map, and which of its dimensions are divided."""

    domain: Domain
    plan: Plan


@dataclass(frozen=True)
class Costs:
    """Estimates cycles of steps that stay compute sets of their own, from below: what maps compute is not counted."""

    graph: TileGraph

    def loop(self, loop: DeviceLoop, known: Known) -> Expr:
        """Cycles of a loop."""
        return sympy.expand(loop.turns * self.turn(loop, known))

    def turn(self, loop: DeviceLoop, known: Known) -> Expr:
        """Cycles of a turn in the middle of a loop."""
        variable = symbol(f"{loop.counter}_turn")
        turn = self.steps(loop.body, {**known, loop.counter: variable}) + SET_CYCLES  # of counting
        return sympy.expand(turn.subs(variable, (loop.begin + loop.end - loop.step) / 2))

    def steps(self, steps: tuple[Step, ...], known: Known) -> Expr:
        """Cycles of a list of steps."""
        loops = counted_loops(steps, known, self.graph)
        starts = {loop.start for loop in loops.values()}
        total = sympy.Integer(0)
        joined = False  # whether a step of scalars may join the one before
        for place, step in enumerate(steps):
            if place in loops:
                total += SET_CYCLES + self.loop(loops[place], known)
            elif place not in starts:
                total += 0 if joined and self._is_scalar(step) else self._step(step, known)
            joined = self._is_scalar(step)
        return sympy.expand(total)

    def _is_scalar(self, step: Step) -> bool:
        return (
            isinstance(step, MapStep)
            and not step.domain
            and all(sympy.prod(self.graph.variable(name).shape) == 1 for name in touched(step))
        )

    def _step(self, step: Step, known: Known) -> Expr:
        inner = sum(self.steps(part, known) for part in inner_steps(step))
        match step:
            case MapStep():
                return self._map(step)
            case Repeat():
                return step.count * inner
            case _ if inner_steps(step):
                return (UNKNOWN_TURNS if len(inner_steps(step)) == 1 else 1) * (SET_CYCLES + inner)
            case _:
                return sympy.Integer(SET_CYCLES)

    def _map(self, step: MapStep) -> Expr:
        return sympy.Add(*map(_set_cycles, self.divided(step)))

    def divided(self, step: MapStep) -> Iterator[Division]:
        """How a map will be divided, after what fetches slices for it."""
        steps, graph = with_fetches(anchored(step, self.graph) or step, self.graph)
        for part in steps:
            domain = Domain(graph, normalised(part))
            yield Division(domain, plan_of(domain))


def _set_cycles(division: Division) -> Expr:
    """A set, another one for partial results; what cannot be divided takes its time on one tile."""
    domain, plan = division.domain, division.plan
    if plan.divided:
        return sympy.Integer(SET_CYCLES * (2 if plan.lanes else 1))
    body = domain.step.body
    for dimension in reversed(domain.step.domain):
        body = (loop_over(dimension, replace(domain.step, body=body)),)
    return SET_CYCLES + vertex_cycles(body, domain.graph)
