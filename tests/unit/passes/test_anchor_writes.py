"""Stores to elements that the device chooses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

from dace_ipu.passes.anchor_writes import AnchorWrites
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.body import Access, Code, Declare, Store, symbol
from dace_ipu.tile_graph.nodes import CopyIn, CopyOut, Dimension, HostArray, MapStep, TileGraph, Variable
from dace_ipu.tile_graph.printer import step_text
from dace_ipu.tile_graph.spec import check

F32, I32 = np.dtype(np.float32), np.dtype(np.int32)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
N, p, t = symbol("N"), symbol("p"), symbol("t_value")
READ_T = Declare("t_value", I32, Code("_0", (("_0", Access("t", (ZERO,))),)))
SPREAD = MapStep("spread", (Dimension("i", N),), (Store(Access("A", (symbol("i"),)), Code("1.0")),))


def graph(*steps: MapStep) -> TileGraph:
    hosts = (HostArray("A", F32, (N,), (ONE,), ZERO), HostArray("t", I32, (ONE,), (ONE,), ZERO, scalar=True))
    variables = (Variable("A", F32, (N,)), Variable("B", F32, (N,)), Variable("t", I32, (ONE,)))
    ends = (CopyIn("A", "A"), CopyIn("t", "t")), (CopyOut("A", "A"),)
    return TileGraph("g", (("N", I32),), hosts, variables, (*ends[0], *steps, *ends[1]))


def single(index: sympy.Expr) -> MapStep:
    return MapStep("set", (), (READ_T, Store(Access("A", (index,)), Code("7.0"))))


def moving(extent: sympy.Expr, index: sympy.Expr) -> MapStep:
    body = (READ_T, Store(Access("A", (index,)), Code("7.0 + p")))
    return MapStep("set", (Dimension("p", extent),), body)


def outcome(found: TileGraph, at: int) -> list[float]:
    check(found, 1)
    array = np.zeros(8, np.float32)
    interpreter.run(found, {"N": 8}, {"A": array, "t": np.array([at], np.int32)}, tiles=3)
    return array.tolist()


def test_one_element() -> None:
    before = graph(SPREAD, single(t + 1))
    after = AnchorWrites().apply(before)
    assert step_text(after.steps[3]).splitlines() == [
        "set: for element in 0:N {",
        "  const int32 t_value = t[0]",
        "  if element == t_value + 1 { A[element] = 7.0 }",
        "}",
    ]
    assert outcome(after, 4) == outcome(before, 4) == [1, 1, 1, 1, 1, 7, 1, 1]


@pytest.mark.parametrize("at", [0, 3, 5])
def test_several_elements(at: int) -> None:
    before = graph(SPREAD, moving(sympy.Integer(3), p + t))
    after = AnchorWrites().apply(before)
    assert after.steps[3] != before.steps[3]
    assert outcome(after, at) == outcome(before, at)


def test_stays_where_nothing_else_spreads_the_array() -> None:
    before = graph(single(t))
    assert AnchorWrites().apply(before) == before


def test_stays_where_the_map_can_be_divided() -> None:
    rows = replace(moving(N, p), body=(READ_T, Store(Access("A", (p,)), Code("1.0 + t_value"))))
    before = graph(SPREAD, rows)
    assert AnchorWrites().apply(before) == before


def test_stays_where_two_elements_are_written() -> None:
    twice = single(t)
    before = graph(SPREAD, replace(twice, body=(*twice.body, Store(Access("A", (t + 1,)), Code("1.0")))))
    assert AnchorWrites().apply(before) == before


def test_stays_where_the_index_runs_twice_as_fast() -> None:
    before = graph(SPREAD, moving(sympy.Integer(3), 2 * p + t))
    assert AnchorWrites().apply(before) == before
