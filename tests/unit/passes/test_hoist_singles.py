"""Scalars leave loops and stand together, and stay where they depend on what is around them."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, variables

from dace_ipu.passes.hoist_singles import HoistSingles
from dace_ipu.tile_graph.nodes import CopyIn, MapStep, Repeat, Step, TileGraph

ARRAYS = variables(t="1", u="1", x="1", A="N", h="4")
GIVEN = map_step("x[0] = 1", name="given")
SCALE = map_step("A[i] = A[i] * t[0]", name="scale", i="N")
FILL = map_step("A[i] = 1", name="fill", i="N")


def names(steps: tuple[Step, ...]) -> list[object]:
    """The names of the steps, with loops as lists."""
    return [s.name if isinstance(s, MapStep) else names(s.body) if isinstance(s, Repeat) else "copy" for s in steps]


def run(*steps: Step, persistent: str = "") -> list[object]:
    arrays = tuple(dataclasses.replace(v, persistent=v.name == persistent) for v in ARRAYS)
    result: TileGraph = HoistSingles().apply(graph(arrays, *steps))
    return names(result.steps)


def loop(*steps: Step) -> Repeat:
    return Repeat(expr("M"), steps)


def test_a_scalar_that_no_turn_changes_leaves_all_loops():
    made = map_step("t[0] = x[0] * x[0]", name="made")
    assert run(GIVEN, FILL, loop(loop(made, SCALE), FILL)) == ["given", "made", "fill", [["scale"], "fill"]]


def test_one_that_depends_on_another_follows_it():
    first, second = map_step("u[0] = x[0] + 1", name="first"), map_step("t[0] = u[0] + 1", name="second")
    assert run(GIVEN, loop(first, second, SCALE)) == ["given", "first", "second", ["scale"]]


@pytest.mark.parametrize(
    ("body", "behind"),
    [
        ("t[0] = A[0]", FILL),  # changed in the loop
        ("t[0] = t[0] + x[0]", FILL),  # carried from turn to turn
        ("t[0] += x[0]", FILL),
        ("t[0] = h[0]", FILL),  # h has never been written
        ("t[0] = x[0] // x[0]", FILL),  # an error if the loop never turns
        ("if x[0] > 0:\n    t[0] = x[0]", FILL),
    ],
)
def test_what_stays(body: str, behind: Step):
    assert run(GIVEN, loop(map_step(body, name="made"), SCALE, behind)) == ["given", ["made", "scale", "fill"]]


def test_a_result_that_is_used_behind_the_loop_stays():
    made = map_step("t[0] = x[0]", name="made")
    assert run(GIVEN, loop(made, FILL), SCALE) == ["given", ["made", "fill"], "scale"]


def test_a_result_that_is_read_before_it_is_made_stays():
    made = map_step("t[0] = x[0]", name="made")
    assert run(GIVEN, loop(SCALE, made)) == ["given", ["scale", "made"]]


def test_a_result_that_two_steps_write_stays():
    made, again = map_step("t[0] = x[0]", name="made"), map_step("t[0] = 2 * x[0]", name="again")
    assert run(GIVEN, loop(made, SCALE, again, FILL)) == ["given", ["made", "scale", "again", "fill"]]


def test_a_result_that_outlives_the_call_stays():
    made = map_step("t[0] = x[0]", name="made")
    assert run(GIVEN, loop(made, FILL), persistent="t") == ["given", ["made", "fill"]]


def test_scalars_move_up_to_each_other():
    made = map_step("t[0] = x[0]", name="made")
    assert run(GIVEN, FILL, made, SCALE) == ["given", "made", "fill", "scale"]


def test_but_not_past_what_they_read_or_what_reads_them():
    assert run(GIVEN, FILL, map_step("t[0] = A[0]", name="made")) == ["given", "fill", "made"]
    assert run(GIVEN, SCALE, map_step("t[0] = x[0]", name="made")) == ["given", "scale", "made"]


def test_data_from_the_host_is_there_before():
    made = map_step("t[0] = h[1]", name="made")
    assert run(CopyIn("h", "h"), loop(made, SCALE)) == ["copy", "made", ["scale"]]
