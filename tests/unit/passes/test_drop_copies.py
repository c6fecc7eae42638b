"""Copies from the host that nothing reads go; all others stay."""

from __future__ import annotations

import numpy as np
import sympy

from dace_ipu import passes
from dace_ipu.tile_graph.body import Access, Code, Store, symbol
from dace_ipu.tile_graph.nodes import (
    CopyIn,
    CopyOut,
    Dimension,
    HostArray,
    MapStep,
    Repeat,
    Step,
    TileGraph,
    Variable,
)

N = symbol("N")
i = symbol("i")
FLOAT = np.dtype(np.float32)


def copied_in(*steps: Step) -> set[str]:
    """Which of A and B the program brings in, if these steps run on both."""
    one, zero = sympy.Integer(1), sympy.Integer(0)
    hosts = tuple(HostArray(name, FLOAT, (N,), (one,), zero) for name in "AB")
    variables = tuple(Variable(name, FLOAT, (N,)) for name in "AB")
    around = (CopyIn("A", "A"), CopyIn("B", "B"), *steps, CopyOut("B", "B"))
    graph = passes.run(TileGraph("p", (("N", np.dtype(np.int32)),), hosts, variables, around))
    return {step.variable for step in graph.steps if isinstance(step, CopyIn)}


def write_b(offset: int = 0, extent: sympy.Expr = N) -> MapStep:
    """B[i + offset] = A[i + offset] for i in 0:extent."""
    at = (i + offset,)
    return MapStep("m", (Dimension("i", extent),), (Store(Access("B", at), Code("a", (("a", Access("A", at)),))),))


def test_overwritten_data_is_not_brought_in() -> None:
    assert copied_in(write_b()) == {"A"}


def test_a_part_is_not_all() -> None:
    assert copied_in(write_b(1, N - 2)) == {"A", "B"}


def test_a_loop_that_turns() -> None:
    assert copied_in(Repeat(sympy.Integer(3), (write_b(),))) == {"A"}


def test_a_loop_that_may_not_turn() -> None:
    assert copied_in(Repeat(N, (write_b(),))) == {"A", "B"}


def test_data_that_is_read_first() -> None:
    both = (("a", Access("A", (i,))), ("b", Access("B", (i,))))
    add = MapStep("m", (Dimension("i", N),), (Store(Access("B", (i,)), Code("a + b", both)),))
    assert copied_in(add) == {"A", "B"}
