"""Stable compaction over all tiles: chosen elements move to the place that their number among the chosen ones says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy

from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.new_steps import INT, NewSteps, loop, reading, row_copies, store
from dace_ipu.passes.prefix_sums import ROW, PrefixSums
from dace_ipu.tile_graph.body import Assign, Code, Declare, DType, Expr, If, Statement, symbol
from dace_ipu.tile_graph.nodes import MapStep, Step

__all__ = ["compacted"]

_ROW = sympy.Integer(ROW)
_BITS = ROW.bit_length() - 1


def compacted(sums: PrefixSums, values: Mapping[str, DType], new: NewSteps) -> tuple[dict[str, str], tuple[Step, ...]]:
    """Variables of shape (planes, 32, 32) whose first ``sums.total`` elements, row-major, are the chosen ones of
    variables of ``sums.sizes.extent`` elements, and the steps that fill them. ``sums.amounts`` is 1 where an element
    is chosen, 0 elsewhere.

    An element at place p whose number is r has to move by p - r, which never decreases from one to the next. First it
    moves by (p - r) % 32, to a place in its row or in the one before; then by whole rows, in its plane or in the one
    before; then by whole planes. No two meet on their way: after each part the distance of any two is still at least 1,
    as what the first has left to move is no more than what the second has (the 'compress' of Hacker's Delight, section
    7-4, with digits of five bits for bits). So its place in a row is r % 32 after the first part, its row in a plane
    r // 32 % 32 after the second, and the pattern of exchange is fixed. Numbers are -1 where nothing is.
    """
    work = _Work(sums, dict(values), new)
    return work.done, work.steps()


@dataclass
class _Work:
    sums: PrefixSums
    values: dict[str, DType]
    new: NewSteps

    def __post_init__(self) -> None:
        planes, rows = self.sums.sizes.planes, self.sums.sizes.rows
        self.given = self._values("rows", rows, _ROW)
        self.in_rows = self._layout("in_rows", rows, _ROW)
        self.in_planes = self._layout("in_planes", _ROW, planes, _ROW)
        self.done = self._values("compact", planes, _ROW, _ROW)

    def _layout(self, hint: str, *shape: Expr) -> dict[str, str]:
        """A new variable for the numbers, by the name '', and one for each value."""
        return {"": self.new.variable(f"{self.sums.amounts}_{hint}", INT, *shape), **self._values(hint, *shape)}

    def _values(self, hint: str, *shape: Expr) -> dict[str, str]:
        return {name: self.new.variable(f"{name}_{hint}", dtype, *shape) for name, dtype in self.values.items()}

    def steps(self) -> tuple[Step, ...]:
        """The values in rows, and the three parts of their way."""
        given = [c for name, rows in self.given.items() for c in row_copies(name, rows, self.sums.sizes.extent, ROW)]
        return (*given, self.within_rows(), self.within_planes(), self.among_planes())

    def within_rows(self) -> MapStep:
        """Elements of each row, and of the next, whose place is in the row."""
        row, number = self.new.name("row"), self.new.name("number")
        b = symbol(row)
        count = self.sums.sizes.rows
        first = reading("_0", _0=(self.sums.starts, (b,)))
        return self.new.map(
            f"compact_{self.sums.amounts}_within_rows",
            ((row, count),),
            Declare(number, INT, first, constant=False),
            self._emptied(self.in_rows[""], b),
            self._counted(b, b, "<=", number),
            self._counted(b, sympy.Min(b + 1, count - 1), ">", number),  # nothing is in the last row
            workers=1,
        )

    def _counted(self, row: Expr, of: Expr, side: str, number: str) -> Statement:
        """The chosen elements of a row that are on one side of their place in the same or another row."""
        at, place = self.new.name("at"), self.new.name("place")
        source = (of, symbol(at))
        moves = self._moves(self.in_rows, (row, symbol(place)), source, number, self.given)
        chosen = reading("_0 != 0", _0=(self.sums.rows, source))
        here = Declare(place, INT, Code(f"{number} & {ROW - 1}"))
        then = (here, If(Code(f"{place} {side} {at}"), moves), Assign(number, Code(f"{number} + 1")))
        return loop(at, _ROW, If(chosen, then))

    def within_planes(self) -> MapStep:
        """Elements of each plane, and of the next, whose row is in the plane; each place in the rows alone."""
        column, plane = self.new.name("column"), self.new.name("plane")
        e, c = symbol(column), symbol(plane)
        return self.new.map(
            f"compact_{self.sums.amounts}_within_planes",
            ((column, _ROW), (plane, self.sums.sizes.planes)),
            self._emptied(self.in_planes[""], e, c),
            self._fallen(e, c, ZERO, "<="),
            self._fallen(e, c, _ROW, ">"),
            workers=1,
        )

    def _fallen(self, column: Expr, plane: Expr, offset: Expr, side: str) -> Statement:
        at, place, number = (self.new.name(hint) for hint in ("at", "place", "number"))
        source = (sympy.expand(ROW * plane + offset + symbol(at)), column)
        moves = self._moves(self.in_planes, (column, plane, symbol(place)), source, number, self.in_rows)
        here = Declare(place, INT, Code(f"({number} >> {_BITS}) & {ROW - 1}"))
        return loop(
            at,
            _ROW,
            Declare(number, INT, reading("_0", _0=(self.in_rows[""], source))),
            If(Code(f"{number} >= 0"), (here, If(Code(f"{place} {side} {at}"), moves))),
        )

    def among_planes(self) -> MapStep:
        """Elements of all planes, each place of a plane alone."""
        row, column, plane, number, place = (
            self.new.name(hint) for hint in ("row", "column", "plane", "number", "place")
        )
        m, e, c = symbol(row), symbol(column), symbol(plane)
        source = (e, c, m)
        moves = tuple(
            store(self.done[name], (symbol(place), m, e), reading("_0", _0=(self.in_planes[name], source)))
            for name in self.values
        )
        return self.new.map(
            f"compact_{self.sums.amounts}_among_planes",
            ((row, _ROW), (column, _ROW)),
            loop(
                plane,
                self.sums.sizes.planes,
                Declare(number, INT, reading("_0", _0=(self.in_planes[""], source))),
                If(
                    Code(f"{number} >= 0"),
                    (Declare(place, INT, Code(f"{number} >> {2 * _BITS}")), *moves),
                ),
            ),
            workers=1,
        )

    def _emptied(self, numbers: str, *around: Expr) -> Statement:
        at = self.new.name("at")
        return loop(at, _ROW, store(numbers, (*around, symbol(at)), "-1"))

    def _moves(
        self,
        target: Mapping[str, str],
        place: tuple[Expr, ...],
        source: tuple[Expr, ...],
        number: str,
        names: Mapping[str, str],
    ) -> tuple[Statement, ...]:
        """The number, and the values from where they are."""
        values = (store(target[name], place, reading("_0", _0=(names[name], source))) for name in self.values)
        return (store(target[""], place, number), *values)
