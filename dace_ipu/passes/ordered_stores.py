"""Stores at places that data chooses, in order: who owns the elements goes through all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy

from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.new_steps import INT, NewSteps, loop, reading, row_copies, store, turned
from dace_ipu.passes.prefix_sums import ROW
from dace_ipu.tile_graph.body import Code, Declare, Expr, If, symbol
from dace_ipu.tile_graph.nodes import MapStep, RepeatWhile, Step

__all__ = ["OrderedStore", "ordered_stores"]

_ROW = sympy.Integer(ROW)
PLANE = ROW * ROW
OWNED = 64  # elements of an array of one dimension that one worker owns


@dataclass(frozen=True)
class OrderedStore:
    """``target[places[0][k], places[1][k], ...] = values[k]`` for k = 0, 1, ... in order.

    ``places`` and ``values`` are variables of shape (planes, 32, 32), ``shape`` is that of the target.
    """

    target: str
    shape: tuple[Expr, ...]
    places: tuple[str, ...]
    values: str


def ordered_stores(stores: tuple[OrderedStore, ...], total: str, new: NewSteps) -> tuple[Step, ...]:
    """Stores the first ``total[0]`` elements, those of a plane at a time: every vertex that owns elements of a target
    gets all places and values of the plane, goes through them in order, and keeps what is its own. The last store to an
    element so wins, as in the loop. Vertices own a row of a target with several dimensions, or 64 elements.
    """
    work = _Work(new)
    targets = tuple(work.owned(each) for each in stores)
    plane = new.variable("plane_of_stores", INT, sympy.Integer(1))
    left = new.variable("stores_left", np.dtype(np.bool_), sympy.Integer(1))
    names = tuple(dict.fromkeys(name for each in stores for name in (*each.places, each.values)))
    fetched = {name: new.variable(f"{name}_plane", _dtype(name, new), _ROW, _ROW) for name in names}
    test = store(left, (ZERO,), reading(f"_0 * {PLANE} < _1", _0=(plane, (ZERO,)), _1=(total, (ZERO,))))
    body = (
        *(work.fetched(name, target, plane) for name, target in fetched.items()),
        *(work.kept(group, fetched, plane, total) for group in _together(targets)),
        new.map("next_plane_of_stores", (), store(plane, (ZERO,), reading("_0 + 1", _0=(plane, (ZERO,))))),
    )
    return (
        *work.before,
        new.map("first_plane_of_stores", (), store(plane, (ZERO,), "0")),
        RepeatWhile((new.map("are_stores_left", (), test),), left, body, new.source),
        *work.after,
    )


def _together(stores: tuple[OrderedStore, ...]) -> tuple[tuple[OrderedStore, ...], ...]:
    """The stores to the same places of arrays of one shape, which one vertex does on one way through the plane."""
    groups: dict[tuple[tuple[str, ...], tuple[Expr, ...]], list[OrderedStore]] = {}
    for each in stores:
        groups.setdefault((each.places, each.shape), []).append(each)
    return tuple(map(tuple, groups.values()))


def _dtype(name: str, new: NewSteps) -> np.dtype[np.generic]:
    return next(variable.dtype for variable in new.added if variable.name == name)


class _Work:
    """Collects the copies before and after."""

    def __init__(self, new: NewSteps) -> None:
        self.new = new
        self.before: list[Step] = []
        self.after: list[Step] = []

    def owned(self, each: OrderedStore) -> OrderedStore:
        """The store, to a target of several dimensions: one of a single dimension is copied to rows of 64, and back."""
        if len(each.shape) > 1:
            return each
        (size,) = each.shape
        count = sympy.floor(size / OWNED) + 1
        dtype = _dtype(each.values, self.new)
        rows = self.new.variable(f"{each.target}_owned", dtype, count, sympy.Integer(OWNED))
        there = row_copies(each.target, rows, size, OWNED)
        self.before += there
        self.after += turned(there)
        return OrderedStore(rows, (count, sympy.Integer(OWNED)), each.places, each.values)

    def fetched(self, name: str, target: str, plane: str) -> MapStep:
        """One plane of a variable, for everybody."""
        row, column, number = (self.new.name(hint) for hint in ("row", "column", "number"))
        place = (symbol(row), symbol(column))
        return self.new.map(
            f"fetch_{target}",
            ((row, _ROW), (column, _ROW)),
            Declare(number, INT, reading("_0", _0=(plane, (ZERO,)))),
            store(target, place, reading("_0", _0=(name, (symbol(number), *place)))),
        )

    def kept(self, stores: tuple[OrderedStore, ...], fetched: dict[str, str], plane: str, total: str) -> MapStep:
        """What of a plane belongs to a row of the targets, all at the same places."""
        each = stores[0]
        owner, row, column, number, rows, first = (
            self.new.name(hint) for hint in ("owner", "row", "column", "number", "rows", "first")
        )
        place = (symbol(row), symbol(column))
        inner = tuple(self.new.name("inner") for _ in each.shape[1:])
        inner_codes: tuple[Code, ...]
        if len(each.places) == 1:  # rows of 64
            mine = f"{first} >= {owner} * {OWNED} and {first} < {owner} * {OWNED} + {OWNED}"
            inner_codes = (Code(f"{first} - {owner} * {OWNED}"),)
        else:
            mine = f"{first} == {owner}"
            inner_codes = tuple(reading("_0", _0=(fetched[name], place)) for name in each.places[1:])
        declared = tuple(Declare(name, INT, code) for name, code in zip(inner, inner_codes, strict=True))
        here = tuple(map(symbol, (owner, *inner)))
        kept = tuple(store(one.target, here, reading("_0", _0=(fetched[one.values], place))) for one in stores)
        in_order = loop(
            row,
            symbol(rows),
            loop(
                column,
                _ROW,
                Declare(first, INT, reading("_0", _0=(fetched[each.places[0]], place))),
                If(Code(f"{mine} and {row} * {ROW} + {column} < {number}"), (*declared, *kept)),
            ),
        )
        left = reading(f"_0 - _1 * {PLANE}", _0=(total, (ZERO,)), _1=(plane, (ZERO,)))
        return self.new.map(
            f"keep_{each.target}",
            ((owner, each.shape[0]),),
            Declare(number, INT, left),
            Declare(rows, INT, Code(f"min(({number} + {ROW - 1}) // {ROW}, {ROW})")),
            in_order,
            workers=1,
        )
