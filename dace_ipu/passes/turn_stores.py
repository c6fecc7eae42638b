"""What the turns of a loop store, and where: at counters that turns advance, at their own place, or where data says."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import numpy as np
import sympy

from dace_ipu.passes.domain import ZERO, scalar_source
from dace_ipu.passes.reshape_reads import places_of
from dace_ipu.passes.rewrite import Body, local_arrays, scalar_names
from dace_ipu.passes.types import WEAK_INT, Types
from dace_ipu.passes.visits import Visit, visits
from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    Expr,
    For,
    LocalArray,
    Op,
    Statement,
    Store,
    codes,
    symbol,
)
from dace_ipu.tile_graph.expressions import names as expression_names
from dace_ipu.tile_graph.nodes import TileGraph

__all__ = ["Advance", "At", "Counts", "Placed", "added_to", "stores_of"]


class At(Enum):
    """Where a store stores."""

    OWN = "at the place of the turn"
    COUNT = "at a counter"
    DATA = "where data says"


@dataclass(frozen=True)
class Advance:
    """``counter[0] = counter[0] + by``, where ``by`` is an integer that depends on no counter."""

    counter: str
    by: Code
    visit: Visit

    @property
    def is_one(self) -> bool:
        """Whether a turn advances by one, if at all."""
        return not self.by.reads and self.by.text.strip() == "1"


@dataclass(frozen=True)
class Placed:
    """A store to an array. ``offset`` is what an index at a counter has more than that counter has before it is
    advanced."""

    visit: Visit
    store: Store
    at: At
    counter: str = ""
    offset: Expr = ZERO
    in_place: bool = False  # turns read, at their own place, what they store at a counter


@dataclass(frozen=True)
class Counts:
    """The counters of a loop, the stores to arrays, and the names of counters and of all that depends on one."""

    advances: dict[str, Advance]
    stores: tuple[Placed, ...]
    names: frozenset[str]
    late: frozenset[int]

    def is_late(self, placed: Placed) -> bool:
        """Whether what a turn stores, or whether it does, or at what place that data chooses, needs a counter."""
        if placed.at is At.COUNT:
            return bool(_mentioned(placed.store.value) & self.names)
        return placed.visit.number in self.late


def stores_of(body: Body, turn: str, graph: TileGraph) -> Counts | None:
    """What a loop's body stores and counts; None if its turns do anything else, or depend on each other otherwise."""
    work = _Work(body, turn, graph)
    return work.counts() if work.is_plain() else None


@dataclass
class _Work:
    body: Body
    turn: str
    graph: TileGraph
    advances: dict[str, Advance] = field(default_factory=dict)

    @cached_property
    def visits(self) -> tuple[Visit, ...]:
        """All statements."""
        return visits(self.body)

    @cached_property
    def stores(self) -> list[tuple[Visit, Store]]:
        """The stores to variables."""
        local = local_arrays(self.body)
        found = ((v, v.statement) for v in self.visits if isinstance(v.statement, Store))
        return [(v, s) for v, s in found if s.target.data not in local]

    def is_plain(self) -> bool:
        """Whether all turns run to their end, and each variable is stored to in one place."""
        jumps = any(isinstance(v.statement, (Break, Continue)) and not v.looped for v in self.visits)
        times = Counter(store.target.data for _, store in self.stores)
        return not jumps and all(number == 1 for number in times.values())

    def counts(self) -> Counts | None:
        """The findings."""
        for visit, store in self.stores:
            advance = self._advance(visit, store)
            if advance is not None:
                self.advances[advance.counter] = advance
        late = self._late()
        if any(self._is_carried(advance, late) for advance in self.advances.values()):
            return None
        placed = []
        for visit, store in self.stores:
            if store.target.data not in self.advances:
                found = self._placed(visit, store)
                found = None if found is None else self._checked(found)
                if found is None:
                    return None
                placed.append(found)
        return Counts(self.advances, tuple(placed), frozenset(self._late_names(late)), late)

    def _advance(self, visit: Visit, store: Store) -> Advance | None:
        counter, value = store.target.data, store.value
        variable = self.graph.variable(counter)
        scalar = store.target.indices == (ZERO,) and variable.shape == (1,)
        if visit.looped or not scalar or variable.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
            return None
        names = {name for name, read in value.reads if read.data == counter} | self._aliases(counter, visit.number)
        by = added_to(value, counter, names) if store.reduction is None else value
        if store.reduction is not None and store.reduction.op is not Op.SUM:
            return None
        return Advance(counter, by, visit) if by is not None and self._is_integer(by) else None

    def _aliases(self, counter: str, until: int) -> set[str]:
        """The scalars that hold the value of a counter, of those before a statement."""
        return {
            v.statement.name
            for v in self.visits[:until]
            if isinstance(v.statement, Declare) and scalar_source(v.statement) == counter
        }

    def _is_integer(self, code: Code) -> bool:
        types = {v.statement.name: v.statement.dtype for v in self.visits if isinstance(v.statement, Declare)}
        types |= {v.statement.variable: WEAK_INT for v in self.visits if isinstance(v.statement, For)}
        types |= {name: self._type_of(read) for name, read in code.reads}
        found = Types({**types, self.turn: WEAK_INT}).of_text(code.text)
        return found is not None and (found == WEAK_INT or found.kind in "biu")

    def _type_of(self, access: Access) -> np.dtype[np.generic]:
        local = {v.statement.name: v.statement.dtype for v in self.visits if isinstance(v.statement, LocalArray)}
        return local[access.data] if access.data in local else self.graph.variable(access.data).dtype

    def _late(self) -> frozenset[int]:
        """The statements that need a counter: they read it, or a scalar or local array that needs it, or run only
        where such a condition holds."""
        names = set(self.advances)
        before = -1
        late: set[int] = set()
        while before != len(late):
            before = len(late)
            for visit in self.visits:
                own = any(visit.number == advance.visit.number for advance in self.advances.values())
                inside = bool(visit.around & late)
                if own and not inside:
                    continue
                if inside or self._mentions(visit.statement, names):
                    late.add(visit.number)
                    names |= self._defined(visit.statement)
        return frozenset(late)

    def _defined(self, statement: Statement) -> set[str]:
        """What a statement changes, but for variables: turns read of these what was there before the loop."""
        match statement:
            case Declare(name=name) | Assign(name=name) | For(variable=name):
                return {name}
            case Store(target=target):
                return {target.data} & local_arrays(self.body)
            case _:
                return set()

    def _mentions(self, statement: Statement, names: set[str]) -> bool:
        reads = {access.data for code in codes(statement) for _, access in code.reads}
        return bool((reads | scalar_names(statement)) & names)

    def _is_carried(self, advance: Advance, late: frozenset[int]) -> bool:
        """Whether how far or whether a turn advances depends on a counter."""
        return bool(advance.visit.around & late) or bool(_mentioned(advance.by) & self._late_names(late))

    def _late_names(self, late: frozenset[int]) -> set[str]:
        return set(self.advances).union(*(self._defined(v.statement) for v in self.visits if v.number in late))

    def _placed(self, visit: Visit, store: Store) -> Placed | None:
        shape = self.graph.variable(store.target.data).shape
        turn, indices = symbol(self.turn), store.target.indices
        if _is_own(indices, turn, shape):
            return Placed(visit, store, At.OWN) if store.reduction is None else None
        if visit.looped or store.reduction is not None:
            return None
        return self._at_count(visit, store, shape) or self._at_data(visit, store)

    def _at_count(self, visit: Visit, store: Store, shape: tuple[Expr, ...]) -> Placed | None:
        for other in self.visits[: visit.number]:
            counter = scalar_source(other.statement)
            if counter not in self.advances or not isinstance(other.statement, Declare):
                continue
            advance = self.advances[counter]
            number = symbol(other.statement.name)
            offset = _offset(store.target.indices, number, shape)
            fixed = offset is not None and not offset.free_symbols - {symbol(name) for name, _ in self.graph.symbols}
            if fixed and offset is not None and advance.is_one and visit.path == advance.visit.path:
                passed = 1 if other.number > advance.visit.number else 0
                return Placed(visit, store, At.COUNT, counter, sympy.expand(offset + passed))
        return None

    def _at_data(self, visit: Visit, store: Store) -> Placed | None:
        """Only indices that differ from turn to turn: a scalar that the last turn sets is no array."""
        fixed = {symbol(name) for name, _ in self.graph.symbols}
        varies = any(index.free_symbols - fixed for index in store.target.indices)
        return Placed(visit, store, At.DATA) if varies else None

    def _checked(self, placed: Placed) -> Placed | None:
        """The store, if all reads of what it changes find what was there before the loop or what the turn has set."""
        shape = self.graph.variable(placed.store.target.data).shape
        own = symbol(self.turn)
        targets = {
            At.OWN: (placed.store.target.indices,),
            At.COUNT: ((own,), places_of(own, shape)),
            At.DATA: (),
        }[placed.at]
        reads = [(v.number, r) for v in self.visits for c in codes(v.statement) for _, r in c.reads]
        mine = [(number, read) for number, read in reads if read.data == placed.store.target.data]
        if any(number > placed.visit.number or read.indices not in targets for number, read in mine):
            return None
        if placed.at is At.COUNT and mine and placed.offset != 0:
            return None
        return replace(placed, in_place=placed.at is At.COUNT and bool(mine))


def _mentioned(code: Code) -> set[str]:
    """All names of arrays, scalars and loop variables that a computation reads, in indices, too."""
    found = set(expression_names(code.text)) - {name for name, _ in code.reads}
    for _, read in code.reads:
        found |= {read.data, *(str(s) for index in read.indices for s in index.free_symbols)}
    return found


def _is_own(indices: tuple[Expr, ...], turn: Expr, shape: tuple[Expr, ...]) -> bool:
    """Whether each turn has an element, or a part of the array along one dimension, to itself."""
    alone = any(index.is_polynomial(turn) and sympy.expand(index - turn).is_Integer for index in indices)
    return alone or indices == places_of(turn, shape)


def _offset(indices: tuple[Expr, ...], number: sympy.Symbol, shape: tuple[Expr, ...]) -> Expr | None:
    """What an index has more than a number; None if it is not the place of that number."""
    if len(indices) == 1:
        offset = sympy.expand(indices[0] - number)
        return None if number in offset.free_symbols else offset
    return ZERO if indices == places_of(number, shape) else None


def added_to(value: Code, counter: str, names: set[str]) -> Code | None:
    """``by`` of ``counter + by`` or ``by + counter``, where any of ``names`` is the counter; None for anything else."""
    node = ast.parse(value.text.strip(), mode="eval").body
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    for one, other in ((node.left, node.right), (node.right, node.left)):
        mentioned = {n.id for n in ast.walk(other) if isinstance(n, ast.Name)}
        if isinstance(one, ast.Name) and one.id in names and not names & mentioned:
            return Code(ast.unparse(other), tuple((n, r) for n, r in value.reads if r.data != counter))
    return None
