"""The maps and movements that take the place of a loop with counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

import sympy

from dace_ipu.passes.clean_up import without_idle
from dace_ipu.passes.compaction import compacted
from dace_ipu.passes.conditions import all_of
from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.late_ranges import start_of
from dace_ipu.passes.literals import literal
from dace_ipu.passes.new_steps import INT, NewSteps, reading, store
from dace_ipu.passes.ordered_stores import OrderedStore, ordered_stores
from dace_ipu.passes.prefix_sums import ROW, PlaneSizes, PrefixSums, flat_copy
from dace_ipu.passes.reshape_reads import places_of
from dace_ipu.passes.rewrite import Body, Rewrite, local_arrays
from dace_ipu.passes.steps import last_user
from dace_ipu.passes.turn_bodies import Ranked, changed
from dace_ipu.passes.turn_loops import TurnLoop
from dace_ipu.passes.turn_stores import Advance, At, Counts, Placed
from dace_ipu.passes.visits import visits
from dace_ipu.tile_graph.body import Access, Code, Declare, DType, Expr, If, codes, symbol
from dace_ipu.tile_graph.indices import index_text
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph

__all__ = ["ScanSteps"]

Path = tuple[tuple[int, bool], ...]


@dataclass(frozen=True)
class ScanSteps:
    """``steps`` do what the loop did; ``turns`` is how many turns it has at most."""

    turns: Expr
    steps: tuple[Step, ...]

    @classmethod
    def of(
        cls, loop: TurnLoop, counts: Counts, before: tuple[Step, ...], graph: TileGraph, new: NewSteps
    ) -> ScanSteps | None:
        """The steps for a loop; None if nothing says how many turns there may be, or an array that is compacted in
        place might be overtaken. ``before`` is what runs before the loop, in its list of steps.
        """
        turns = _most_turns(loop, graph)
        if turns is None:
            return None
        first = {counter: _first_value(before, counter, graph) for counter in counts.advances}
        for each in counts.stores:
            if each.in_place and not _is_behind(first[each.counter], loop.begin):
                return None
            if each.at is At.COUNT and len(graph.variable(each.store.target.data).shape) > 1:
                if first[each.counter] != 0 or each.offset != 0:
                    return None
        new.source = loop.source
        return cls(turns, _Work(loop, counts, graph, new, turns, first).steps())


def _most_turns(loop: TurnLoop, graph: TileGraph) -> Expr | None:
    """What the counter stays below: the loop's end, or the size of what each turn reads or stores at its place."""
    if not loop.prelude:
        return loop.end if loop.begin.is_Integer and loop.begin >= 0 else None
    turn = symbol(loop.turn)
    for visit in visits(loop.body):
        if visit.path or visit.loops:
            continue
        for code in codes(visit.statement):
            for _, read in code.reads:
                shape = () if read.data in local_arrays(loop.body) else graph.variable(read.data).shape
                if shape and read.indices == places_of(turn, shape):
                    return sympy.expand(sympy.prod(shape))
                found = (size for index, size in zip(read.indices, shape, strict=False) if index == turn)
                size = next(found, None)
                if size is not None:
                    return size
    return None


def _first_value(before: tuple[Step, ...], counter: str, graph: TileGraph) -> int | None:
    """The number that a counter has before the loop; None if it is not known."""
    place = last_user(before, counter)
    if place is None:
        return None
    value = start_of(before[place], counter)
    match value:
        case Code(text=text, reads=((name, Access(data=other, indices=(index,))),)) if text == name and index == 0:
            return _first_value(before[:place], other, graph)
        case Code(text=text, reads=()):
            number = literal(text)
            return number if isinstance(number, int) and not isinstance(number, bool) else None
        case _:
            return None


def _is_behind(first: int | None, begin: Expr) -> bool:
    return first is not None and bool(begin.is_Integer and first <= begin)


@dataclass
class _Group:
    """What is chosen where the same conditions hold: 1 or 0 for each turn, and the values that move."""

    chosen: str
    values: dict[str, DType] = field(default_factory=dict)
    places: dict[Expr, str] = field(default_factory=dict)
    counted: list[tuple[Placed, str]] = field(default_factory=list)
    ordered: list[tuple[Placed, tuple[str, ...], str]] = field(default_factory=list)


@dataclass
class _Work:
    loop: TurnLoop
    counts: Counts
    graph: TileGraph
    new: NewSteps
    turns: Expr
    first: dict[str, int | None]

    def __post_init__(self) -> None:
        self.sizes = PlaneSizes(self.turns)
        self.turn = symbol(self.loop.turn)
        self.changes: dict[int, Body] = {}  # what takes the place of stores, by the number of the statement
        self.groups: dict[Path, _Group] = {}
        self.rows: dict[str, str] = {}  # copies, in a row, of arrays of several dimensions
        self.amounts = {c: self._amount(a) for c, a in counts_in_order(self.counts)}

    def _amount(self, advance: Advance) -> str:
        variable = self.graph.variable(advance.counter)
        name = self.new.variable(f"{advance.counter}_amounts", variable.dtype, self.turns)
        if advance.is_one:
            self.groups.setdefault(advance.visit.path, _Group(name))
        return name

    def steps(self) -> tuple[Step, ...]:
        """All steps, in order."""
        advances = {a.visit.number: self._once(self.amounts[a.counter], a.by) for a in self.counts.advances.values()}
        own_masks = self._prepared()
        late = any(self.counts.is_late(each) for each in self.counts.stores)
        early = advances if late else {**advances, **self.changes}
        cleared = [*self.amounts.values(), *([] if late else own_masks)]
        result: list[Step] = [*self._copies_in(), *self._map(early, cleared, {})]
        sums = {
            counter: PrefixSums.of(name, self.graph.variable(counter).dtype, self.sizes, self.new)
            for counter, name in self.amounts.items()
        }
        result += [step for each in sums.values() for step in each.steps]
        if late:
            ranks = {counter: each.ranks(self.new) for counter, each in sums.items()}
            result += [step for _, steps in ranks.values() for step in steps]
            names = {counter: name for counter, (name, _) in ranks.items()}
            result += self._map(self.changes, own_masks, names)
        result += self._moved({each.amounts: each for each in sums.values()})
        result += [self._advanced(counter, each.total) for counter, each in sums.items()]
        return tuple(result)

    def _prepared(self) -> list[str]:
        """Decides what takes the place of each store. The masks of conditions that no counter stands for."""
        masks = []
        for each in self.counts.stores:
            if each.at is At.OWN:
                self.changes[each.visit.number] = (each.store,)
                continue
            mask: Body = ()
            if each.visit.path not in self.groups:
                masks.append(self.new.variable("chosen", INT, self.turns))
                self.groups[each.visit.path] = _Group(masks[-1])
                mask = self._once(masks[-1], Code("1"))
            self.changes[each.visit.number] = (*mask, *self._carried(each, self.groups[each.visit.path]))
        return masks

    def _carried(self, each: Placed, group: _Group) -> Body:
        """Stores of what is to move: the value and, where data says the place, the indices."""
        target = self.graph.variable(each.store.target.data)
        value = self.new.variable(f"{target.name}_values", target.dtype, self.turns)
        group.values[value] = target.dtype
        result = self._once(value, each.store.value)
        if each.at is At.COUNT:
            group.counted.append((each, value))
            return result
        places = []
        for index in each.store.target.indices:
            if index not in group.places:
                group.places[index] = self.new.variable(f"{target.name}_places", INT, self.turns)
                group.values[group.places[index]] = INT
                result += self._once(group.places[index], Code(index_text(index)))
            places.append(group.places[index])
        group.ordered.append((each, tuple(places), value))
        return result

    def _once(self, name: str, value: Code) -> Body:
        return (store(name, (self.turn,), value),)

    # ---- maps over the turns

    def _map(self, changes: Mapping[int, Body], cleared: list[str], ranks: Mapping[str, str]) -> list[Step]:
        """A map over all places of turns, with other stores; where there is no turn, ``cleared`` are 0."""
        zeros = tuple(store(name, (self.turn,), "0") for name in cleared)
        ranked = Ranked(self.counts, self.amounts, ranks, self.turn)
        body = changed(self.loop.body, changes, count(), local_arrays(self.loop.body), ranked.statement)
        body = self._reads_in_rows(without_idle(body))
        conditions = [] if self.loop.begin == 0 else [f"{index_text(self.loop.begin)} <= {self.loop.turn}"]
        conditions += [f"{self.loop.turn} < {index_text(self.loop.end)}"] if self.loop.prelude else []
        guarded: Body = (If(Code(all_of(conditions)), body),) if conditions else body
        turn = ((self.loop.turn, self.turns),)
        hint = f"choose_{cleared[0]}" if cleared else "store_own"
        return [self.new.map(hint, turn, *self.loop.prelude, *zeros, *guarded)]

    def _copies_in(self) -> list[Step]:
        """Copies, in a row, of what turns read or store at the place of a number in several dimensions."""
        found = [a for v in visits(self.loop.body) for code in codes(v.statement) for _, a in code.reads]
        local = local_arrays(self.loop.body)
        for access in found:
            if access.data not in local and self._is_own_place(access):
                self._row_of(access.data)
        for each in self.counts.stores:
            if each.at is At.COUNT and len(self.graph.variable(each.store.target.data).shape) > 1:
                self._row_of(each.store.target.data)
        shapes = {name: self.graph.variable(name).shape for name in self.rows}
        return [flat_copy(name, shapes[name], row, (sympy.prod(shapes[name]),)) for name, row in self.rows.items()]

    def _is_own_place(self, access: Access) -> bool:
        shape = self.graph.variable(access.data).shape
        stored = {each.store.target.data for each in self.counts.stores if each.at is At.OWN}
        return len(shape) > 1 and access.data not in stored and access.indices == places_of(self.turn, shape)

    def _row_of(self, name: str) -> None:
        variable = self.graph.variable(name)
        if name not in self.rows:
            self.rows[name] = self.new.variable(f"{name}_in_a_row", variable.dtype, sympy.prod(variable.shape))

    def _reads_in_rows(self, body: Body) -> Body:
        def read(access: Access) -> Access:
            if access.data in self.rows and self._is_own_place(access):
                return Access(self.rows[access.data], (self.turn,))
            return access

        return Rewrite({}, read=read).body(body)

    # ---- what moves

    def _moved(self, sums: dict[str, PrefixSums]) -> list[Step]:
        result: list[Step] = []
        for group in self.groups.values():
            if not group.values:
                continue
            if group.chosen not in sums:
                sums[group.chosen] = PrefixSums.of(group.chosen, INT, self.sizes, self.new)
                result += sums[group.chosen].steps
            done, steps = compacted(sums[group.chosen], group.values, self.new)
            result += steps
            total = sums[group.chosen].total
            for each, value in group.counted:
                result += self._counted(each, done[value], total)
            stores = tuple(
                OrderedStore(
                    each.store.target.data,
                    self.graph.variable(each.store.target.data).shape,
                    tuple(done[place] for place in places),
                    done[value],
                )
                for each, places, value in group.ordered
            )
            result += ordered_stores(stores, total, self.new) if stores else ()
        return result

    def _counted(self, each: Placed, values: str, total: str) -> list[Step]:
        """Stores of compacted values, from the counter on."""
        target = self.graph.variable(each.store.target.data)
        planes, row = self.sizes.planes, sympy.Integer(ROW)
        flat = self.new.variable(f"{values}_in_a_row", target.dtype, sympy.expand(ROW * ROW * planes))
        copy = flat_copy(values, (planes, row, row), flat, (sympy.expand(ROW * ROW * planes),))
        number, chosen, base = self.new.name("number"), self.new.name("total"), self.new.name("base")
        first = self.first[each.counter]
        start = symbol(base) if first is None else sympy.Integer(first)
        size = sympy.prod(target.shape)
        turns = self.turns if first is None else _least(self.turns, sympy.expand(size - first - each.offset))
        name = self.rows.get(target.name, target.name)
        place = sympy.expand(start + each.offset + symbol(number))
        prelude: Body = (Declare(chosen, INT, reading("_0", _0=(total, (ZERO,)))),)
        if first is None:
            prelude = (*prelude, Declare(base, INT, reading("_0", _0=(each.counter, (ZERO,)))))
        kept = If(Code(f"{number} < {chosen}"), (store(name, (place,), reading("_0", _0=(flat, (symbol(number),)))),))
        steps: list[Step] = [copy, self.new.map(f"store_{target.name}", ((number, turns),), *prelude, kept)]
        if name != target.name:
            steps.append(flat_copy(name, (size,), target.name, target.shape))
        return steps

    def _advanced(self, counter: str, total: str) -> MapStep:
        value = reading("_0 + _1", _0=(counter, (ZERO,)), _1=(total, (ZERO,)))
        return self.new.map(f"advance_{counter}", (), store(counter, (ZERO,), value))


def counts_in_order(counts: Counts) -> list[tuple[str, Advance]]:
    """The counters, in the order in which a turn advances them."""
    return sorted(counts.advances.items(), key=lambda item: item[1].visit.number)


def _least(a: Expr, b: Expr) -> Expr:
    difference = sympy.expand(a - b)
    if difference.is_Integer:
        return a if difference <= 0 else b
    return sympy.Min(a, b)
