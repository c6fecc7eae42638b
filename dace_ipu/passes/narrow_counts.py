"""Partial results that only count are 32 bits wide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import sympy

from dace_ipu.passes.steps import walk_steps
from dace_ipu.tile_graph.body import For, If, Op, Statement, Store, children, symbol, walk
from dace_ipu.tile_graph.nodes import Combine, ComputeSet, Field, TileGraph

__all__ = ["NarrowCounts"]

_COUNT = np.dtype(np.uint32)


@dataclass(frozen=True)
class NarrowCounts:
    """Before: lanes of int64 that start from 0, into which each iteration may add 1, as for a histogram of an array.

    After: lanes of uint32, of half the size, which the machine adds in a third of the time. The target stays as wide
    as it is.

    Only where the iterations are elements of an array of at least 4 bytes each: 2**32 of these are more than the
    memory of 16 IPUs. What the target held before is added last, in its own type.
    """

    name: str = "narrow_counts"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with narrower partial results."""
        narrow = set(_counting(graph))
        variables = tuple(replace(v, dtype=_COUNT) if v.name in narrow else v for v in graph.variables)
        return replace(graph, variables=variables)


def _counting(graph: TileGraph) -> Iterator[str]:
    wide = {v.name for v in graph.variables if v.dtype.kind in "iu" and v.dtype.itemsize == 8}
    for step in walk_steps(graph.steps):
        if isinstance(step, Combine) and step.reduction.op is Op.SUM and step.partial in wide:
            users = [
                (other, edge)
                for other in walk_steps(graph.steps)
                if isinstance(other, ComputeSet)
                for edge in other.fields
                if edge.variable == step.partial
            ]
            if len(users) == 1 and _counts(*users[0]) and _runs_over_an_array(users[0][0], graph):
                yield step.partial


def _counts(compute_set: ComputeSet, edge: Field) -> bool:
    """Whether a vertex sets partial results to 0 and adds 1, at most once for each iteration of its block."""
    stores = [s for s in walk(compute_set.body) if isinstance(s, Store) and s.target.data == edge.name]
    added = [s for s in stores if s.reduction is not None]
    plain = all(not s.value.reads and s.value.text.strip() == ("1" if s.reduction else "0") for s in stores)
    sizes = {symbol(block.size) for block in compute_set.block}
    if not plain or len(added) != 1:
        return False
    own = set(added[0].target.indices)
    return _loops_around(added[0], compute_set.body, own) == sizes


def _loops_around(store: Store, body: tuple[Statement, ...], own: set[sympy.Expr]) -> set[sympy.Expr] | None:
    """How often the loops around a store turn, each another number; None for other loops. Not counted is a loop over
    the elements that are added to: those whose variable is in ``own`` add to another one in each turn.
    """
    for statement in body:
        if statement is store:
            return set()
        inside = [found for part in children(statement) if (found := _loops_around(store, part, own)) is not None]
        if not inside:
            continue
        match statement:
            case If():
                return inside[0]
            case For(variable=variable) if symbol(variable) in own:
                return inside[0]
            case For(begin=begin, end=end, step=step) if begin == 0 and step == 1 and end not in inside[0]:
                return {*inside[0], end}
            case _:
                return None
    return None


def _runs_over_an_array(compute_set: ComputeSet, graph: TileGraph) -> bool:
    """Whether each iteration of all blocks has an element of its own in some array."""
    whole = {(symbol(block.begin), symbol(block.begin) + symbol(block.size)) for block in compute_set.block}
    for edge in compute_set.fields:
        ranges = {(at.begin, at.end) for at in edge.ranges if at.step == 1}
        if whole <= ranges and graph.variable(edge.variable).dtype.itemsize >= 4:
            return True
    return False
