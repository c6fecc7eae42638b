"""Integers of their own for the ends of loops that depend on what the device has read."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dace_ipu.passes.clean_up import assigned_in, with_inner
from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.literals import index_of
from dace_ipu.passes.rewrite import Body, claimed, defined_names
from dace_ipu.passes.types import WEAK_INT, Types
from dace_ipu.tile_graph.body import Access, Code, Declare, DType, For, If, Statement, Store, walk
from dace_ipu.tile_graph.expressions import names

__all__ = ["with_late_bounds"]

INDEX = np.dtype(np.int32)


def with_late_bounds(body: Body, arrays: Mapping[str, DType], taken: set[str]) -> Body:
    """The body with integers of their own for the ends of loops that are computed from what the device has read.

    Before: ``for j in 0:N: if j <= dace.int32(stop) - 1: s += A[j]``. After: ``const int32 j_last = dace.int32(stop) -
    1; for j in 0:N: if j <= j_last: s += A[j]``, which ``narrowed`` can use. ``arrays`` are the types of variables.
    """
    scalars = {s.name: s.dtype for s in walk(body) if isinstance(s, Declare)}
    scalars |= {s.variable: WEAK_INT for s in walk(body) if isinstance(s, For)}
    return _LateBounds(arrays, scalars, assigned_in(body), taken).body(body)


@dataclass(frozen=True)
class _LateBounds:
    arrays: Mapping[str, DType]
    scalars: Mapping[str, DType]
    assigned: set[str]
    taken: set[str]

    def body(self, body: Body) -> Body:
        """The statements, with declarations before the loops."""
        result: list[Statement] = []
        for statement in body:
            statement = with_inner(statement, self.body)
            last = self._last(statement) if isinstance(statement, For) else None
            if last is not None and isinstance(statement, For) and isinstance(statement.body[0], If):
                name = claimed(f"{statement.variable}_last", self.taken)
                test = replace(statement.body[0], condition=Code(f"{statement.variable} <= {name}"))
                result.append(Declare(name, INDEX, last))
                statement = replace(statement, body=(test,))
            result.append(statement)
        return tuple(result)

    def _last(self, loop: For) -> Code | None:
        """What a loop's variable must not exceed, if a condition says just that, in integers of 32 bits."""
        if len(loop.body) != 1 or not isinstance(loop.body[0], If) or loop.body[0].orelse:
            return None
        reads = loop.body[0].condition.reads
        match ast.parse(loop.body[0].condition.text.strip(), mode="eval").body:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.LtE()], comparators=[last]) if name == loop.variable:
                late = index_of(last) is None or reads
                fixed = self._is_fixed(ast.unparse(last), reads, loop)
                return Code(ast.unparse(last), reads) if late and fixed else None
            case _:
                return None

    def _is_fixed(self, text: str, reads: tuple[tuple[str, Access], ...], loop: For) -> bool:
        """Whether a computation of integers gives the same in all turns of a loop."""
        stored = {s.target.data for s in walk(loop.body) if isinstance(s, Store)}
        inside = defined_names(loop.body) | self.assigned | {loop.variable}
        scalar = all(read.indices == (ZERO,) and read.data not in stored for _, read in reads)
        types = Types({**self.scalars, **{name: self.arrays[read.data] for name, read in reads if scalar}})
        return scalar and not names(text) & inside and types.of_text(text) == INDEX
