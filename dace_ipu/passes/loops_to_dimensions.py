"""Loops of the device whose turns do not depend on each other become dimensions of the maps in them."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import sympy

from dace_ipu.passes.branches import without_branches
from dace_ipu.passes.clean_up import map_codes
from dace_ipu.passes.domain import ZERO, Domain, scalar_source
from dace_ipu.passes.filling import fills_first
from dace_ipu.passes.late_ranges import LateRange, are_scalars, start_of
from dace_ipu.passes.literals import as_index
from dace_ipu.passes.rewrite import (
    Body,
    Rewrite,
    defined_names,
    fresh,
    map_statements,
    replace_names,
    used_names,
)
from dace_ipu.passes.rows import row_of
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import graph_names, last_user, touched, uses, written
from dace_ipu.passes.sums import as_sums
from dace_ipu.passes.turns import Turns
from dace_ipu.tile_graph.body import (
    Access,
    Break,
    Code,
    Continue,
    Declare,
    DType,
    Expr,
    For,
    If,
    Statement,
    Store,
    symbol,
    walk,
)
from dace_ipu.tile_graph.indices import index_text
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Repeat, RepeatWhile, Step, TileGraph, with_inner_steps

__all__ = ["LoopsToDimensions"]

INDEX = np.dtype(np.int32)  # of what counts in a vertex


@dataclass(frozen=True)
class LoopsToDimensions:
    """Before: ``i[0] = 0; repeat N times { rows: for j in 0:M { A[i, j] = 0 }; sums: for j in 0:M { s[i] += A[i, j] };
    i[0] = i[0] + 1 }``, where ``i`` stands for the value of the counter.

    After: ``rows: for i in 0:N for j in 0:M { A[i, j] = 0 }``, then ``sums: for i in 0:N for j in 0:M { s[i] += A[i, j]
    }``: two compute sets, where there were three for each turn.

    Only loops of nothing but maps and branches around them (``branches``), whose counter nothing else uses. No turn may
    touch what another one writes, but for sums and the like, whose terms may come in any order (``C[i] = C[i] + a`` is
    one). A temporary that each turn fills before it reads it gets an element for each turn, if it then has no more
    dimensions than the arrays around it. A range that the device computes becomes all values that the counter may have,
    and a condition (``late_ranges``). Maps whose ranges each turn finds in the data, as those over the rows of a sparse
    matrix, become loops in one map over all turns (``rows``).
    """

    name: str = "loops_to_dimensions"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer loops."""
        work = _Work(graph)
        steps = work.changed(graph.steps)
        left = uses(steps)
        variables = tuple(v for v in work.graph.variables if left[v.name] or v.persistent)
        return replace(work.graph, steps=steps, variables=variables)


@dataclass
class _Work:
    graph: TileGraph  # its variables change on the way
    used: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        self.used = uses(self.graph.steps)

    def changed(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The steps of one list, inner loops first."""
        result: list[Step] = []
        for step in steps:
            step = with_inner_steps(step, self.changed)
            single = self._of_one_vertex(step) if isinstance(step, MapStep) else None
            if single is not None:
                result.extend(single)
                continue
            loop = self._loop(step, result) if isinstance(step, Repeat) else self._late_loop(step, result)
            maps = None if loop is None or _never_turns(loop) else self._as_row(loop) or self._as_maps(loop)
            if loop is None or maps is None:
                result.append(step)
            else:
                self.used = self.used - uses((result[loop.start], step)) + uses(maps)
                del result[loop.start]
                result.extend(maps)
        return tuple(result)

    def _loop(self, repeat: Repeat, before: list[Step]) -> _Loop | None:
        """A loop of maps with a counter of its own, and the position of the step that sets its first value."""
        *body, last = repeat.body
        counter = _increment(last)
        maps = without_branches(tuple(body), self.used, self.graph)
        start = None if counter is None else last_user(before, counter)
        if counter is None or start is None or not maps:
            return None
        begin = _first_value(before[start], counter, self.graph)
        alone = self.used[counter] == 2 + uses(tuple(body))[counter]
        if begin is None or not alone or any(counter in written(step) for step in maps):
            return None
        used = self.used - uses(tuple(body)) + uses(maps)
        return _Loop(counter, self.graph.variable(counter).dtype, begin, repeat.count, maps, start, used)

    def _late_loop(self, step: Step, before: list[Step]) -> _Loop | None:
        """A loop with a range that the device computes, as one over all values that its counter may have."""
        found = LateRange.of(step) if isinstance(step, RepeatWhile) else None
        if found is None or not isinstance(step, RepeatWhile):
            return None
        counter, bounds = found.counter, self.graph.variable(found.counter).bounds
        maps = tuple(inner for inner in step.body if isinstance(inner, MapStep))
        start = last_user(before, counter)
        begin = None if start is None else start_of(before[start], counter)
        if bounds is None or start is None or begin is None or not maps or len(maps) < len(step.body):
            return None
        alone = self.used[counter] == 2 + sum(counter in touched(inner) for inner in maps)
        if not alone or self.used[step.predicate] != 2 or not are_scalars((begin, found.end), self.graph):
            return None
        count = sympy.expand(bounds[1] - bounds[0] + 1)
        dtype = self.graph.variable(counter).dtype
        maps = found.guarded(maps, begin)
        return _Loop(counter, dtype, bounds[0], count, maps, start, self.used - uses(step.body) + uses(maps))

    def _of_one_vertex(self, step: MapStep) -> tuple[MapStep, ...] | None:
        """A map for a step that is one loop in one vertex."""
        known = {symbol(name) for name, _ in self.graph.symbols}
        prelude, body = prelude_of(step.body)
        if step.domain or len(body) != 1 or not isinstance(body[0], For):
            return None
        loop = body[0]
        if loop.step != 1 or not (loop.begin.free_symbols | loop.end.free_symbols) <= known or _may_leave(loop):
            return None
        inside = replace(step, body=(*prelude, *loop.body))
        count = sympy.expand(loop.end - loop.begin)
        return self._as_maps(_Loop(loop.variable, INDEX, loop.begin, count, (inside,), 0, self.used))

    def _as_maps(self, loop: _Loop) -> tuple[MapStep, ...] | None:
        """The maps over all turns, if these do not depend on each other. Adds dimensions to temporaries."""
        name = self._name_of_turn(loop)
        turns = Turns(self.graph, tuple(_over_turns(step, loop, name) for step in loop.maps), name)
        if any(_reads(step, loop.counter) for step in turns.steps):
            return None
        for variable in turns.carried():
            sums = replace(turns, steps=tuple(as_sums(step, variable) for step in turns.steps))
            turns = sums if variable not in sums.carried() else self._expanded(variable, turns, loop) or turns
        if not turns.is_consistent or turns.carried():
            return None
        self.graph = turns.graph
        return turns.steps

    def _as_row(self, loop: _Loop) -> tuple[MapStep, ...] | None:
        """One map over all turns whose iterations are whole turns (``rows``)."""
        name = self._name_of_turn(loop)
        steps = tuple(_over_turns(step, loop, name) for step in loop.maps)
        row = None if any(_reads(step, loop.counter) for step in steps) else row_of(steps, loop.used, self.graph)
        return None if row is None else (row,)

    def _name_of_turn(self, loop: _Loop) -> str:
        taken = graph_names(self.graph)
        for step in loop.maps:
            taken |= defined_names(step.body) | used_names(step.body) | {d.name for d in step.domain}
        return fresh(loop.counter, taken)

    def _expanded(self, name: str, turns: Turns, loop: _Loop) -> Turns | None:
        """The turns with an element of a temporary for each; None if that cannot be."""
        variable = self.graph.variable(name)
        inside = sum(name in touched(step) for step in turns.steps)
        rank = len(_plain(variable.shape)) + 1
        known = {symbol(s) for s, _ in self.graph.symbols}
        if variable.persistent or variable.constant is not None or loop.used[name] != inside:
            return None
        if (
            not _fits(rank, name, turns)
            or not loop.count.free_symbols <= known
            or not fills_first(name, turns.steps, turns.graph)
        ):
            return None
        count = loop.count if _turns_known(loop.count, turns) else sympy.Max(ZERO, loop.count)
        single = not _plain(variable.shape)
        shape = (count,) if single else (count, *variable.shape)
        turn = symbol(turns.counter)

        def moved(access: Access) -> Access:
            return Access(name, (turn,) if single else (turn, *access.indices)) if access.data == name else access

        variables = tuple(replace(v, shape=shape) if v.name == name else v for v in turns.graph.variables)
        steps = tuple(replace(step, body=Rewrite({}, access=moved).body(step.body)) for step in turns.steps)
        return replace(turns, graph=replace(turns.graph, variables=variables), steps=steps)


@dataclass(frozen=True)
class _Loop:
    """``counter`` has the values ``begin``, ``begin + 1``, ...; ``start`` is the position of what sets the first.

    ``used`` counts the steps of the program, with the maps as they are here, that touch each variable.
    """

    counter: str
    dtype: DType
    begin: Expr
    count: Expr
    maps: tuple[MapStep, ...]
    start: int
    used: Counter[str]


def _never_turns(loop: _Loop) -> bool:
    """Whether a loop has no turn: of these everything can be proved, even that they are independent."""
    return bool(loop.count.is_Integer and loop.count <= 0)


def _turns_known(count: Expr, turns: Turns) -> bool:
    """Whether a number of turns is surely not negative."""
    return Domain(turns.graph, turns.steps[0]).facts.holds(count)


def _plain(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return tuple(size for size in shape if size != 1)


def _fits(rank: int, name: str, turns: Turns) -> bool:
    """Whether a temporary of that many dimensions is no larger, in kind, than what the loop works on."""
    others = frozenset().union(*(touched(step) for step in turns.steps)) - {name}
    ranks = [len(_plain(turns.graph.variable(other).shape)) for other in others]
    return rank <= max([1, *ranks])


# ---- counters --------------------------------------------------------------------------------------------------------


def _increment(step: Step) -> str | None:
    """The variable of a step that does nothing but ``v[0] = v[0] + 1``."""
    store = _only_store(step)
    if store is None or len(store.value.reads) != 1 or store.value.reads[0][1] != store.target:
        return None
    match ast.parse(store.value.text.strip(), mode="eval").body:
        case ast.BinOp(left=ast.Name(), op=ast.Add(), right=ast.Constant(value=1)):
            return store.target.data
        case _:
            return None


def _first_value(step: Step, counter: str, graph: TileGraph) -> Expr | None:
    """The integer that a step, and only that, stores to a counter."""
    store = _only_store(step)
    if store is None or store.target.data != counter or store.value.reads:
        return None
    value = as_index(Declare("first", graph.variable(counter).dtype, store.value), frozenset())
    known = {symbol(name) for name, _ in graph.symbols}
    return value if value is not None and value.free_symbols <= known else None


def _only_store(step: Step) -> Store | None:
    if not isinstance(step, MapStep) or step.domain or len(step.body) != 1:
        return None
    statement = step.body[0]
    return statement if isinstance(statement, Store) and statement.reduction is None else None


# ---- bodies ----------------------------------------------------------------------------------------------------------


def _over_turns(step: MapStep, loop: _Loop, name: str) -> MapStep:
    """The map over all turns: what reads the counter has the value in this one."""
    value = sympy.expand(loop.begin + symbol(name))
    names = [s.name for s in walk(step.body) if isinstance(s, Declare) and scalar_source(s) == loop.counter]
    text = index_text(value)
    texts = {n: n for n in names} | {loop.counter: f"({text})"}
    body = Rewrite(dict.fromkeys(texts, value), texts=texts).body(step.body)
    change = _Counter(loop.counter, frozenset(names), text)
    domain = (Dimension(name, loop.count), *step.domain)
    body = _with_prelude_first(_declared(map_statements(body, change), loop, change.text))
    return replace(step, domain=domain, body=body, note="")


def _declared(body: Body, loop: _Loop, text: str) -> Body:
    """The body with a scalar of the counter's type for what still reads the counter, so that results keep theirs."""
    name = fresh(f"{loop.counter}_value", defined_names(body) | used_names(body))

    def change(_: Statement, code: Code) -> Code:
        new = {read: name for read, access in code.reads if access.data == loop.counter}
        rest = tuple((read, access) for read, access in code.reads if access.data != loop.counter)
        return Code(replace_names(code.text, new), rest) if new else code

    changed = map_codes(body, change)
    return body if changed == body else (Declare(name, loop.dtype, Code(text)), *changed)


@dataclass(frozen=True)
class _Counter:
    """Replaces what reads a counter by its value. Only where all are integers, so that types do not matter."""

    variable: str
    names: frozenset[str]
    text: str

    def __call__(self, statement: Statement) -> Statement:
        if isinstance(statement, Declare) and scalar_source(statement) == self.variable:
            return replace(statement, value=Code(self.text))
        if isinstance(statement, If) and all(read.data == self.variable for _, read in statement.condition.reads):
            names = {*self.names, *(name for name, _ in statement.condition.reads)}
            text = replace_names(statement.condition.text, dict.fromkeys(names, f"({self.text})"))
            return replace(statement, condition=Code(text))
        return statement


def _with_prelude_first(body: Body) -> Body:
    """The reads of device scalars before everything else, as other passes look for them there."""
    stored = {s.target.data for s in walk(body) if isinstance(s, Store)}
    first = [s for s in body if scalar_source(s) is not None and scalar_source(s) not in stored]
    return (*first, *(s for s in body if s not in first))


def _may_leave(loop: For) -> bool:
    """Whether a turn may end the loop, or itself, early."""
    return any(isinstance(statement, (Break, Continue)) for statement in walk(loop.body))


def _reads(step: MapStep, counter: str) -> bool:
    return counter in touched(step)
