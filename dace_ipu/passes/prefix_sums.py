"""Prefix sums of integers over all tiles: by rows, by planes of rows, and over the planes on one tile."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.new_steps import NewSteps, loop, reading, row_copies, store, turned
from dace_ipu.tile_graph.body import Assign, Code, Declare, DType, Expr, Op, Reduction, symbol
from dace_ipu.tile_graph.nodes import Copy, MapStep, Range, Slice, Step

__all__ = ["ROW", "PlaneSizes", "PrefixSums", "flat_copy"]

ROW = 32  # elements of a row, and rows of a plane: as much as one worker should do one after the other
_SUM = Reduction(Op.SUM)


@dataclass(frozen=True)
class PlaneSizes:
    """How ``extent`` elements lie in planes of 32 rows of 32, with an empty plane behind them."""

    extent: Expr

    @property
    def planes(self) -> Expr:
        """Planes that elements lie in."""
        return sympy.floor((self.extent + ROW * ROW - 1) / (ROW * ROW))

    @property
    def all_planes(self) -> Expr:
        """The empty plane, too."""
        return sympy.expand(self.planes + 1)

    @property
    def rows(self) -> Expr:
        """Rows of all planes."""
        return sympy.expand(ROW * self.all_planes)


@dataclass(frozen=True)
class PrefixSums:
    """``rows[b, k]`` is amount 32 b + k, ``starts[b]`` the sum of all before row b, ``total[0]`` that of all.

    A worker adds up a row, another one the sums of the 32 rows of a plane, one those of all planes; on the way back a
    plane gives its rows their starts. Sums wrap around as those of the loop would, in another order.
    """

    amounts: str
    rows: str
    starts: str
    total: str
    dtype: DType
    sizes: PlaneSizes
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, amounts: str, dtype: DType, sizes: PlaneSizes, new: NewSteps) -> PrefixSums:
        """The sums of a variable of ``sizes.extent`` integers."""
        rows = new.variable(f"{amounts}_rows", dtype, sizes.rows, sympy.Integer(ROW))
        of_rows = new.variable(f"{amounts}_of_rows", dtype, sizes.rows)
        of_planes = new.variable(f"{amounts}_of_planes", dtype, sizes.all_planes)
        before = new.variable(f"{amounts}_before_planes", dtype, sizes.all_planes)
        in_planes = new.variable(f"{amounts}_before_rows_of_planes", dtype, sizes.all_planes, sympy.Integer(ROW))
        starts = new.variable(f"{amounts}_before_rows", dtype, sizes.rows)
        total = new.variable(f"{amounts}_in_all", dtype, sympy.Integer(1))
        work = _Work(dtype, new)
        steps: tuple[Step, ...] = (
            work.cleared(rows, sizes.rows),
            *row_copies(amounts, rows, sizes.extent, ROW),
            work.sums_of_rows(of_rows, rows, sizes.rows),
            work.sums(of_planes, of_rows, sizes.all_planes),
            work.running(before, of_planes, total, sizes.all_planes),
            work.spread(in_planes, before, of_rows, sizes.all_planes),
            flat_copy(in_planes, (sizes.all_planes, sympy.Integer(ROW)), starts, (sizes.rows,)),
        )
        return cls(amounts, rows, starts, total, dtype, sizes, steps)

    def ranks(self, new: NewSteps) -> tuple[str, tuple[Step, ...]]:
        """A variable with the sum of all amounts before each element, and the steps that fill it."""
        by_rows = new.variable(f"{self.amounts}_before_in_rows", self.dtype, self.sizes.rows, sympy.Integer(ROW))
        flat = new.variable(f"{self.amounts}_before", self.dtype, self.sizes.extent)
        row, at, sum_ = (new.name(hint) for hint in ("row", "at", "sum"))
        b, k = symbol(row), symbol(at)
        step = new.map(
            f"count_{self.amounts}_before",
            ((row, self.sizes.rows),),
            Declare(sum_, self.dtype, reading("_0", _0=(self.starts, (b,))), constant=False),
            loop(
                at,
                sympy.Integer(ROW),
                store(by_rows, (b, k), sum_),
                Assign(sum_, reading("_0", _0=(self.rows, (b, k))), _SUM),
            ),
            workers=1,
        )
        return flat, (step, *turned(row_copies(flat, by_rows, self.sizes.extent, ROW)))


@dataclass(frozen=True)
class _Work:
    dtype: DType
    new: NewSteps

    def cleared(self, rows: str, count: Expr) -> MapStep:
        """Rows of 0."""
        row, at = self.new.name("row"), self.new.name("at")
        each = loop(at, sympy.Integer(ROW), store(rows, (symbol(row), symbol(at)), "0"))
        return self.new.map(f"clear_{rows}", ((row, count),), each, workers=1)

    def sums_of_rows(self, target: str, rows: str, count: Expr) -> MapStep:
        """``target[b]`` is the sum of row b."""
        row, at, sum_ = (self.new.name(hint) for hint in ("row", "at", "sum"))
        each = Assign(sum_, reading("_0", _0=(rows, (symbol(row), symbol(at)))), _SUM)
        return self.new.map(
            f"sum_{rows}",
            ((row, count),),
            Declare(sum_, self.dtype, Code("0"), constant=False),
            loop(at, sympy.Integer(ROW), each),
            store(target, (symbol(row),), sum_),
            workers=1,
        )

    def sums(self, target: str, amounts: str, count: Expr) -> MapStep:
        """``target[g]`` is the sum of 32 amounts."""
        group, at, sum_ = (self.new.name(hint) for hint in ("group", "at", "sum"))
        each = Assign(sum_, reading("_0", _0=(amounts, (ROW * symbol(group) + symbol(at),))), _SUM)
        return self.new.map(
            f"sum_{amounts}",
            ((group, count),),
            Declare(sum_, self.dtype, Code("0"), constant=False),
            loop(at, sympy.Integer(ROW), each),
            store(target, (symbol(group),), sum_),
        )

    def running(self, before: str, amounts: str, total: str, count: Expr) -> MapStep:
        """``before[p]`` is the sum of all amounts before p."""
        at, sum_ = self.new.name("at"), self.new.name("sum")
        place = (symbol(at),)
        return self.new.map(
            f"add_up_{amounts}",
            (),
            Declare(sum_, self.dtype, Code("0"), constant=False),
            loop(at, count, store(before, place, sum_), Assign(sum_, reading("_0", _0=(amounts, place)), _SUM)),
            store(total, (ZERO,), sum_),
        )

    def spread(self, target: str, before: str, amounts: str, count: Expr) -> MapStep:
        """``target[g, k]`` is what is before group g and before its amount k."""
        group, at, sum_ = (self.new.name(hint) for hint in ("group", "at", "sum"))
        g, k = symbol(group), symbol(at)
        return self.new.map(
            f"spread_{before}",
            ((group, count),),
            Declare(sum_, self.dtype, reading("_0", _0=(before, (g,))), constant=False),
            loop(
                at,
                sympy.Integer(ROW),
                store(target, (g, k), sum_),
                Assign(sum_, reading("_0", _0=(amounts, (ROW * g + k,))), _SUM),
            ),
        )


def flat_copy(source: str, shape: tuple[Expr, ...], target: str, new_shape: tuple[Expr, ...]) -> Copy:
    """A copy of as many elements, in their order, from the begin of one variable to that of another."""
    return Copy(_first(source, shape), _first(target, new_shape))


def _first(name: str, shape: tuple[Expr, ...]) -> Slice:
    return Slice(name, tuple(Range(ZERO, sympy.expand(size)) for size in shape))
