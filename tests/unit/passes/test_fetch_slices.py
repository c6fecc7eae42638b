"""Slices that the device chooses and that many tiles read."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from dace_ipu import passes
from dace_ipu.passes.fetch_slices import FetchSlices
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.body import Access, Code, Declare, If, Statement, Store, symbol
from dace_ipu.tile_graph.nodes import CopyIn, CopyOut, Dimension, HostArray, MapStep, TileGraph, Variable
from dace_ipu.tile_graph.printer import step_text
from dace_ipu.tile_graph.spec import check

F32, I32 = np.dtype(np.float32), np.dtype(np.int32)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
N, i, j, k = symbol("N"), symbol("i"), symbol("j"), symbol("k_value")
READ_K = Declare("k_value", I32, Code("_0", (("_0", Access("k", (ZERO,))),)))


def graph(*body: Statement) -> TileGraph:
    """A map over i and j of two matrices A and B; k is a scalar of the device."""
    hosts = (
        *(HostArray(n, F32, (N, N), (N, ONE), ZERO) for n in "AB"),
        HostArray("k", I32, (ONE,), (ONE,), ZERO, True),
    )
    variables = (*(Variable(n, F32, (N, N)) for n in "AB"), Variable("k", I32, (ONE,)))
    step = MapStep("update", (Dimension("i", N), Dimension("j", N)), (READ_K, *body))
    steps = (*(CopyIn(n, n) for n in ("A", "B", "k")), step, CopyOut("A", "A"))
    return TileGraph("g", (("N", I32),), hosts, variables, steps)


def store(*reads: tuple[str, tuple[sympy.Expr, ...]]) -> Store:
    names = [f"_{n}" for n in range(len(reads))]
    pairs = tuple((name, Access(*read)) for name, read in zip(names, reads, strict=True))
    return Store(Access("A", (i, j)), Code(" + ".join(names), pairs))


def outcome(found: TileGraph, at: int) -> list[float]:
    a, b = np.arange(25, dtype=np.float32).reshape(5, 5), np.arange(25, dtype=np.float32).reshape(5, 5) * 10
    interpreter.run(found, {"N": 5}, {"A": a, "B": b, "k": np.array([at], np.int32)}, tiles=4)
    return a.ravel().tolist()  # type: ignore[no-any-return]


OUTER = store(("A", (i, j)), ("A", (i, k)), ("A", (k, j)))


def test_a_row_and_a_column() -> None:
    before = graph(OUTER)
    after = FetchSlices().apply(before)
    check(after, 1)
    assert [step_text(step).splitlines()[0] for step in after.steps[3:6]] == [
        "fetch_A: for at_0 in 0:N {", "fetch_A_2: for at_1 in 0:N {", "update: for i in 0:N for j in 0:N {",
    ]  # fmt: skip
    assert "A[i, j] = A[i, j] + A_slice[i] + A_slice_2[j]" in step_text(after.steps[5])
    for at in (0, 2, 4):
        assert outcome(after, at) == outcome(before, at) == outcome(passes.run(before), at)


def test_neighbours_share_a_slice() -> None:
    after = FetchSlices().apply(graph(store(("B", (k, j)), ("B", (k, i)))))
    assert [type(step).__name__ for step in after.steps[3:]] == ["MapStep", "MapStep", "CopyOut"]


def test_what_is_read_under_a_condition_may_lie_outside() -> None:
    guarded = If(Code("k_value < 5"), (OUTER,))
    after = FetchSlices().apply(graph(guarded))
    assert "max(0, min(k_value, N - 1))" in step_text(after.steps[3])
    assert outcome(after, 9) == outcome(graph(guarded), 9) == np.arange(25).tolist()


@pytest.mark.parametrize("read", [("B", (i, j)), ("B", (i, j + k))])
def test_what_runs_with_the_map_is_indexed_in_place(read: tuple[str, tuple[sympy.Expr, ...]]) -> None:
    before = graph(store(read))
    assert FetchSlices().apply(before) == before


def test_what_the_iteration_has_written_is_read_in_place() -> None:
    before = graph(store(("B", (i, j))), Store(Access("B", (i, j)), Code("_0", (("_0", Access("A", (k, j))),))))
    assert FetchSlices().apply(before) == before
