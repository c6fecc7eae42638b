"""Computations with scalars share a vertex, and what they hand on becomes local there."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.localise import LocaliseTemporaries
from dace_ipu.passes.merge_singles import MergeSingles
from dace_ipu.tile_graph.nodes import Repeat, TileGraph
from dace_ipu.tile_graph.printer import step_text

ARRAYS = variables(t="1", u="1", r="1", A="N", h="4")
OUT = map_step("r[0] = t[0] * 2", name="last")
USE = map_step("A[i] = r[0] + h[1] + A[i]", name="use", i="N")


def run(*steps, arrays=ARRAYS) -> TileGraph:
    return LocaliseTemporaries().apply(MergeSingles().apply(graph(arrays, *steps)))


def merged(*steps) -> list[str]:
    return [line.strip() for line in steps_of(run(*steps))]


def test_neighbours_become_one_and_the_scalars_between_them_local():
    result = run(map_step("t[0] = A[3] + 1", name="first"), OUT, USE)
    assert [line.strip() for line in steps_of(result)][1:3] == ["const float32 t = A[3] + 1", "r[0] = t * 2"]
    assert [variable.name for variable in result.variables] == ["r", "A", "h"]


def test_a_scalar_that_is_updated_is_not_constant():
    lines = merged(map_step("t[0] = 1\nfor k in range(3):\n    t[0] += A[k]", name="first"), OUT, USE)
    assert lines[1:4] == ["float32 t = 1", "for k in 0:3 { t += A[k] }", "r[0] = t * 2"]


def test_inside_of_loops():
    lines = merged(Repeat(expr("M"), (map_step("t[0] = 1", name="first"), OUT, USE)))
    assert lines[1:4] == ["last: {", "const float32 t = 1", "r[0] = t * 2"]


def test_a_map_in_between_keeps_them_apart():
    between = map_step("A[i] = 1", name="fill", i="N")
    assert len(MergeSingles().apply(graph(ARRAYS, map_step("t[0] = 1"), between, OUT)).steps) == 3


@pytest.mark.parametrize(
    "first",
    [
        "if A[0] > 0:\n    t[0] = 1",  # perhaps not set
        "t[0] += 1",  # the old value counts
        "t[0] = t[0] + 1",
        "u[0] = t[0]\nt[0] = 1",
    ],
)
def test_scalars_that_keep_a_value_from_before_stay_variables(first):
    result = run(Repeat(expr("M"), (map_step(first, name="first"), OUT, USE)))
    assert "t" in [variable.name for variable in result.variables]


def test_variables_that_others_use_or_that_outlive_the_program_stay():
    steps = (map_step("t[0] = 1\nu[0] = 2\nh[1] = 3", name="first"), OUT, map_step("A[i] = t[0]", i="N"))
    arrays = tuple(dataclasses.replace(v, persistent=v.name == "u") for v in ARRAYS)
    result = run(*steps, arrays=arrays)
    assert [variable.name for variable in result.variables] == ["t", "u"], "nobody reads the others"


def test_equal_names_of_locals_are_told_apart():
    first = map_step("x: float32 = A[0]\nt[0] = x", name="first")
    second = map_step("x: int32 = A[1]\nr[0] = x", name="second")
    merged = MergeSingles().apply(graph(ARRAYS, first, second, USE))
    assert len(merged.steps) == 2
    assert "const int32 x_2 = A[1]" in step_text(merged.steps[0])
    assert "r[0] = x_2" in step_text(merged.steps[0])
