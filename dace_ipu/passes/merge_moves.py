"""Borders: copies within arrays and constants along their edges that follow each other become one copy."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.boxes import Assumed, Box, overlap, shifted, without
from dace_ipu.passes.domain import Domain, normalised
from dace_ipu.passes.footprints import Site
from dace_ipu.passes.steps import touched, uses, walk_steps, written
from dace_ipu.tile_graph.body import Expr, Store, symbol
from dace_ipu.tile_graph.nodes import (
    Choice,
    Copy,
    MapStep,
    Move,
    Moves,
    Range,
    Slice,
    Source,
    Step,
    TileGraph,
    with_inner_steps,
)

__all__ = ["MergeMoves"]

MOST_PIECES = 24  # of one copy: more would be no pleasure to read


@dataclass(frozen=True)
class MergeMoves:
    """Conditions at borders, as one writes them in NumPy, become one exchange.

    Before: ``copy p[:, N-2] → t; copy t → p[:, N-1]`` (a copy within an array, which might overlap), then ``copy p[1,
    :] → t2; copy t2 → p[0, :]`` and ``for j: p[M-1, j] = 0``. After, at once: ``p[1:M-1, N-1] = p[1:M-1, N-2]``,
    ``p[0, 0:N-1] = p[1, 0:N-1]``, ``p[0, N-1] = p[1, N-2]``, ``p[M-1, :] = 0``: what is read after it has been written
    is read where it came from, what is overwritten is not written. Where these boxes are right for large arrays only,
    the old steps remain for small ones: a Choice.

    They need not be neighbours if what lies between touches other elements; they come behind what they do not touch,
    so that maps get new neighbours to be fused with. Constants, and single elements of variables, are taken along that
    a map of one dimension stores in an array of several: two of them at least, beside copies, or along the border of
    what a map of several dimensions computes. No result changes.
    """

    name: str = "merge_moves"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with one copy for each border, and without the variables that nothing uses any more."""
        steps = _Work(graph, uses(graph.steps)).merged(graph.steps)
        left = uses(steps)
        gone = {name for name in uses(graph.steps) if not left[name]}
        return replace(graph, steps=steps, variables=tuple(v for v in graph.variables if v.name not in gone))


_Value = tuple[str, Box] | float | int


@dataclass(frozen=True)
class _Move:
    """A box that gets the content of another one, or of one element if it ``spreads``, or a number; ``steps`` do the
    same.
    """

    variable: str
    target: Box
    value: _Value
    steps: tuple[Step, ...]
    source: Source
    spreads: bool = False

    def part(self, target: Box) -> _Move:
        """The same for a part of the target."""
        if self.spreads or not isinstance(self.value, tuple):
            return replace(self, target=target)
        name, box = self.value
        return replace(self, target=target, value=(name, shifted(target, self.target, box)))

    def alone(self) -> tuple[Step, ...]:
        """Steps that do the same, whatever the sizes are."""
        is_copy = isinstance(self.value, tuple) and not self.spreads
        return self.steps if is_copy else (Moves((self.as_node(),), self.source),)

    def as_node(self) -> Move:
        """The node of the tile graph."""
        value = Slice(*self.value) if isinstance(self.value, tuple) else self.value
        return Move(Slice(self.variable, self.target), value)


@dataclass(frozen=True)
class _Work:
    graph: TileGraph
    used: Counter[str]

    def merged(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """A list of steps with its moves merged, inside of other steps as well."""
        items = self._gathered(self._items(steps))
        result: list[Step] = []
        waiting: list[_Move] = []
        for number, item in enumerate(items):
            if isinstance(item, _Move):
                waiting.append(item)
                continue
            may_wait = len(waiting) > 1 or any(isinstance(later, _Move) for later in items[number + 1 :])
            if not may_wait or not all(self._is_apart(move, item) for move in waiting):
                result += self._at_once(waiting)
                waiting = []
            result.append(with_inner_steps(item, self.merged))
        return (*result, *self._at_once(waiting))

    def _gathered(self, items: Iterable[_Move | Step]) -> list[_Move | Step]:
        """The items with each move directly behind the one before, if what lies between touches other elements."""
        result: list[_Move | Step] = []
        behind: int | None = None  # the last move
        for item in items:
            if not isinstance(item, _Move):
                result.append(item)
                continue
            between = [step for step in result[behind:] if not isinstance(step, _Move)]
            is_free = behind is not None and all(self._is_apart(item, step) for step in between)
            place = behind if behind is not None and is_free else len(result)
            result.insert(place, item)
            behind = place + 1
        return result

    def _items(self, steps: tuple[Step, ...]) -> Iterator[_Move | Step]:
        position = 0
        while position < len(steps):
            pair = self._by_way_of_temporary(steps[position : position + 2])
            move = pair or self._line(steps[position])
            yield move or steps[position]
            position += 2 if pair else 1

    def _by_way_of_temporary(self, steps: tuple[Step, ...]) -> _Move | None:
        """The copy within an array that two copies are."""
        match steps:
            case (Copy() as first, Copy() as second):
                source, between, target = first.source_slice, first.target_slice, second.target_slice
            case _:
                return None
        same = between == second.source_slice and source.variable == target.variable
        if not same or self.used[between.variable] != 2 or self.graph.variable(between.variable).persistent:
            return None
        if any(at.step != 1 for at in (*source.ranges, *target.ranges)) or _differ(source.ranges, target.ranges):
            return None
        return _Move(target.variable, target.ranges, (source.variable, source.ranges), steps, first.source)

    def _line(self, step: Step) -> _Move | None:
        """The line of an array that a map fills with a number or with an element."""
        if not isinstance(step, MapStep):
            return None
        match normalised(step):
            case MapStep(domain=(dimension,), body=(Store(reduction=None, target=target) as store,)):
                value = self._number(store) or self._element(store)
            case _:
                return None
        runner = symbol(dimension.name)
        ranges = tuple(_range_of(index, runner, dimension.extent) for index in target.indices)
        sizes = self.graph.variable(target.data).shape
        runs = [runner in index.free_symbols for index in target.indices]
        is_line = sum(runs) == 1 and any(size != 1 and not run for run, size in zip(runs, sizes, strict=True))
        known = all(self._is_known(at.begin) and self._is_known(at.end) for at in ranges)
        if value is None or not is_line or not known or dimension.extent == 1:
            return None
        return _Move(target.data, ranges, value[0], (step,), step.source, isinstance(value[0], tuple))

    def _is_known(self, index: Expr) -> bool:
        return {s.name for s in index.free_symbols} <= {name for name, _ in self.graph.symbols}

    def _number(self, store: Store) -> tuple[_Value] | None:
        """The literal that is stored as an element of float32 or int32."""
        kinds: dict[str, tuple[type, ...]] = {"f4": (float, int), "i4": (int,)}
        try:
            value = ast.literal_eval(store.value.text.strip())
        except (SyntaxError, ValueError):
            return None
        fits = kinds.get(self.graph.variable(store.target.data).dtype.str[1:], ())
        return (value,) if type(value) in fits and not store.value.reads else None

    def _element(self, store: Store) -> tuple[_Value] | None:
        """The one element of another variable that is stored as it is."""
        if len(store.value.reads) != 1 or store.value.text.strip() != store.value.reads[0][0]:
            return None
        access = store.value.reads[0][1]
        variables = self.graph.variable(access.data), self.graph.variable(store.target.data)
        if access.data == store.target.data or variables[0].dtype != variables[1].dtype:
            return None
        if not all(map(self._is_known, access.indices)):
            return None
        return ((access.data, tuple(Range(index, index + 1) for index in access.indices)),)

    def _is_apart(self, move: _Move, step: Step) -> bool:
        """Whether a step touches nothing that a move writes, and writes nothing that it reads."""
        boxes = [(move.variable, move.target), *([move.value] if isinstance(move.value, tuple) else [])]
        together = touched(step) & {name for name, _ in boxes}
        if not together:
            return True
        if not isinstance(step, MapStep):
            return False
        domain = Domain(self.graph, normalised(step))
        return all(_misses(site, box, domain) for name, box in boxes for site in domain.of(name))

    def _at_once(self, moves: list[_Move]) -> tuple[Step, ...]:
        """The steps for moves that follow each other."""
        unchanged = tuple(step for move in moves for step in move.steps)
        if all(isinstance(step, MapStep) for step in unchanged) and len(moves) < 2:
            return tuple(step for move in moves for step in (move.alone() if self._is_border(move) else move.steps))
        assumed = Assumed(Domain(self.graph, MapStep("", (), ())).facts)
        pieces = _simultaneous(moves, assumed)
        if pieces is None:
            return unchanged
        merged = Moves(tuple(piece.as_node() for piece in pieces), moves[0].source)
        condition = assumed.condition()
        if condition == sympy.true:
            return (merged,)
        return (Choice(condition, (merged,), tuple(step for move in moves for step in move.alone()), merged.source),)

    def _is_border(self, move: _Move) -> bool:
        """Whether a map of several dimensions writes the array of a move."""
        maps = (step for step in walk_steps(self.graph.steps) if isinstance(step, MapStep) and len(step.domain) > 1)
        return any(move.variable in written(step) for step in maps)


def _simultaneous(moves: list[_Move], assumed: Assumed) -> list[_Move] | None:
    """Moves with the same result that read only what was there before all; None if they are too many, or if they write
    what they read.
    """
    done: list[_Move] = []
    for move in moves:
        if not all(assumed.at_most(at.begin + 1, at.end) for at in move.target):
            return None
        pieces = _from_the_start(move, done, assumed)
        done = [piece for old in done for piece in _not_overwritten(old, move, assumed)] + pieces
        if len(done) > MOST_PIECES:
            return None
    reads = [piece.value for piece in done if isinstance(piece.value, tuple)]
    clashes = (overlap(box, piece.target, assumed) for name, box in reads for piece in done if piece.variable == name)
    return None if any(common is not None for common in clashes) else done


def _from_the_start(move: _Move, done: list[_Move], assumed: Assumed) -> list[_Move]:
    """A move in pieces that read what was there before those that are done."""
    found, open_pieces = [], [move]
    for old in done:
        rest: list[_Move] = []
        for piece in open_pieces:
            box = _read_from(piece, old.variable)
            common = overlap(box, old.target, assumed) if box is not None else None
            if box is None or common is None:
                rest.append(piece)
                continue
            target = piece.target if piece.spreads else shifted(common, box, piece.target)
            found.append(replace(old.part(common), target=target, variable=piece.variable, spreads=piece.spreads))
            rest += [piece.part(shifted(other, box, piece.target)) for other in without(box, common, assumed)]
        open_pieces = rest
    return found + open_pieces


def _read_from(move: _Move, variable: str) -> Box | None:
    """The box of a variable that a move reads."""
    return move.value[1] if isinstance(move.value, tuple) and move.value[0] == variable else None


def _not_overwritten(old: _Move, new: _Move, assumed: Assumed) -> list[_Move]:
    """What is left of a move when another one comes after it."""
    common = overlap(old.target, new.target, assumed) if old.variable == new.variable else None
    return [old] if common is None else [old.part(box) for box in without(old.target, common, assumed)]


def _misses(site: Site, box: Box, domain: Domain) -> bool:
    """Whether an access surely touches nothing of a box."""
    whole = domain.whole()
    facts = whole.facts.and_also(*(extent - 1 for extent in domain.extents.values()))
    touched_box = replace(whole, facts=facts).clamped(site, domain.shape(site.access.data))
    return any(
        facts.at_most(at.end, interval.low) or facts.at_most(interval.high + 1, at.begin)
        for at, interval in zip(box, touched_box, strict=True)
    )


def _range_of(index: Expr, runner: Expr, extent: Expr) -> Range:
    """What an index runs over, in steps of one, or the one element that it stays at; else the runner is left in it."""
    begin = sympy.expand(index - runner) if runner in index.free_symbols else index
    return Range(begin, sympy.expand(begin + (1 if begin is index else extent)))


def _differ(a: Box, b: Box) -> bool:
    """Whether two boxes may differ in an extent."""
    return len(a) != len(b) or any(
        sympy.expand(x.end - x.begin - y.end + y.begin) != 0 for x, y in zip(a, b, strict=True)
    )
