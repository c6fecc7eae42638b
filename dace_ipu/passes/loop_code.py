"""Steps of the device as statements of one codelet, in the order in which the device would run them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import sympy

from dace_ipu.passes.clean_up import map_codes, with_inner
from dace_ipu.passes.device_loops import DeviceLoop, Known, counted_loops
from dace_ipu.passes.domain import ONE, ZERO, loop_over, scalar_source
from dace_ipu.passes.rewrite import Body, Rewrite, claimed, defined_names, rename_locals, replace_names, used_names
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import uses
from dace_ipu.tile_graph.body import Access, Break, Code, Declare, For, If, Statement, Store, While, symbol, walk
from dace_ipu.tile_graph.indices import difference
from dace_ipu.tile_graph.nodes import Branch, Copy, MapStep, Range, Repeat, RepeatWhile, Step, TileGraph

__all__ = ["LoopCode", "NoCodeError"]


class NoCodeError(ValueError):
    """A step that a codelet cannot take over: a product, or what moves data to or from the host."""


@dataclass
class LoopCode:
    """Makes statements of the steps of a graph. Names that they define are claimed from ``taken``."""

    graph: TileGraph
    taken: set[str]
    used: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        self.used = uses(self.graph.steps)

    def body(self, steps: tuple[Step, ...], known: Known) -> Body:
        """The statements of a list of steps; ``known`` has the counters of the loops around. Raises NoCodeError."""
        loops = counted_loops(steps, known, self.graph, self.used)
        starts = {loop.start for loop in loops.values()}
        result: list[Statement] = []
        for place, step in enumerate(steps):
            if place in loops:
                result.append(self.loop(loops[place], known))
            elif place not in starts:
                result.extend(self._step(step, known))
        return tuple(result)

    def loop(self, loop: DeviceLoop, known: Known) -> For:
        """A loop with a counter of its own as a loop of the codelet."""
        variable = claimed(f"{loop.counter}_turn", self.taken)
        body = self.body(loop.body, {**known, loop.counter: symbol(variable)})
        body = self._with_counter(body, loop.counter, variable)
        return For(variable, loop.begin, loop.end, sympy.Integer(loop.step), body)

    def _with_counter(self, body: Body, counter: str, variable: str) -> Body:
        """The body with the loop's variable in indices, and a scalar of the counter's type in computations."""
        value = claimed(f"{counter}_value", self.taken)
        names = [s.name for s in walk(body) if isinstance(s, Declare) and scalar_source(s) == counter]
        body = _without(body, set(names))
        body = Rewrite(dict.fromkeys(names, symbol(variable)), texts=dict.fromkeys(names, value)).body(body)

        def change(_: Statement, code: Code) -> Code:
            new = {read: value for read, access in code.reads if access.data == counter}
            rest = tuple((read, access) for read, access in code.reads if access.data != counter)
            return Code(replace_names(code.text, new), rest) if new else code

        return (Declare(value, self.graph.variable(counter).dtype, Code(variable)), *map_codes(body, change))

    def _step(self, step: Step, known: Known) -> Body:
        match step:
            case MapStep():
                return self._map(step)
            case Copy():
                return self._copy(step)
            case Repeat():
                turn = claimed("turn", self.taken)
                return (For(turn, ZERO, step.count, ONE, self.body(step.body, known)),)
            case RepeatWhile():
                ending = If(replace(_flag(step.predicate), text="not _0"), (Break(),))
                body = (*self.body(step.condition, known), ending, *self.body(step.body, known))
                return (While(Code("True"), body),)
            case Branch():
                then, orelse = self.body(step.then, known), self.body(step.orelse, known)
                return (If(_flag(step.predicate), then, orelse),)
            case _:
                raise NoCodeError(f"a codelet cannot take over a {type(step).__name__}")

    def _map(self, step: MapStep) -> Body:
        """The iterations of a map one after the other, with names of their own."""
        prelude, rest = prelude_of(step.body)
        for dimension in reversed(step.domain):
            rest = (loop_over(dimension, replace(step, body=rest)),)
        body = (*prelude, *rest)
        names = sorted(defined_names(body))
        self.taken |= used_names(body) - set(names)
        new = {name: claimed(name, self.taken) for name in names}
        return rename_locals(body, {old: name for old, name in new.items() if old != name})

    def _copy(self, step: Copy) -> Body:
        """A copy element by element. All is read before anything is written, so source and target must differ."""
        source, target = step.source_slice, step.target_slice
        if source.variable == target.variable:
            raise NoCodeError("a copy within one variable needs memory between")
        running = [[k for k, r in enumerate(part.ranges) if _length(r) != 1] for part in (source, target)]
        lengths = [[_length(part.ranges[k]) for k in ks] for part, ks in zip((source, target), running, strict=True)]
        if len(lengths[0]) != len(lengths[1]) or any(difference(a, b) != 0 for a, b in zip(*lengths, strict=True)):
            raise NoCodeError("a copy that reshapes")
        turns = [claimed("element", self.taken) for _ in lengths[0]]
        read = Access(source.variable, _indices(source.ranges, running[0], turns))
        body: Body = (
            Store(Access(target.variable, _indices(target.ranges, running[1], turns)), Code("_0", (("_0", read),))),
        )
        for turn, length in reversed(list(zip(turns, lengths[0], strict=True))):
            body = (For(turn, ZERO, length, ONE, body),)
        return body


def _indices(ranges: tuple[Range, ...], running: list[int], turns: list[str]) -> tuple[sympy.Expr, ...]:
    places = dict(zip(running, turns, strict=True))
    return tuple(r.begin + (r.step * symbol(places[k]) if k in places else 0) for k, r in enumerate(ranges))


def _length(interval: Range) -> sympy.Expr:
    if interval.step != 1:
        raise NoCodeError("a copy with steps")
    return sympy.expand(interval.end - interval.begin)


def _flag(predicate: str) -> Code:
    return Code("_0", (("_0", Access(predicate, (ZERO,))),))


def _without(body: Body, names: set[str]) -> Body:
    kept = (s for s in body if not (isinstance(s, Declare) and s.name in names))
    return tuple(with_inner(s, lambda inner: _without(inner, names)) for s in kept)
