"""Loops whose turns are independent become dimensions; all others stay loops."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.loops_to_dimensions import LoopsToDimensions
from dace_ipu.tile_graph.nodes import Repeat, RepeatWhile, Step, TileGraph

ARRAYS = variables(A="N, M", B="N, M", s="N", t="1", row="M", x="M", i="int32 1", j="int32 1", cube="N, M, K")
V = "v: int32 = i[0]\n"


def loop(*bodies: Step, count: str = "N", begin: str = "0", counter: str = "i", step: str = "1") -> tuple[Step, ...]:
    first = map_step(f"{counter}[0] = {begin}", name=f"first_{counter}")
    following = map_step(f"{counter}[0] = {counter}[0] + {step}", name=f"next_{counter}")
    return first, Repeat(expr(count), (*bodies, following))


def run(*steps: Step, arrays=ARRAYS) -> TileGraph:
    bounded = tuple(dataclasses.replace(v, bounds=(expr("0"), expr("N - 1"))) if v.name in "ij" else v for v in arrays)
    result: TileGraph = LoopsToDimensions().apply(graph(bounded, *steps))
    return result


def stays(*steps: Step) -> bool:
    return any(isinstance(step, Repeat) for step in run(*steps).steps)


def test_each_map_of_the_body_becomes_one_over_all_turns():
    fill = map_step(V + "A[v, k] = 0", name="fill", k="M")
    use = map_step(V + "s[v] += A[v, k]", name="use", k="M")
    result = run(*loop(fill, use))
    assert steps_of(result) == [
        "fill: for i_2 in 0:N for k in 0:M {",
        "  const int32 v = i_2",
        "  A[i_2, k] = 0",
        "}",
        "use: for i_2 in 0:N for k in 0:M {",
        "  const int32 v = i_2",
        "  s[i_2] += A[i_2, k]",
        "}",
    ]
    assert "i" not in {variable.name for variable in result.variables}


def test_a_loop_that_begins_elsewhere_keeps_its_values():
    result = run(*loop(map_step(V + "s[v] = v", name="fill"), count="N - 1", begin="1"))
    assert steps_of(result)[1:3] == ["  const int32 v = i_2 + 1", "  s[i_2 + 1] = v"]


def test_conditions_on_the_counter_become_conditions_on_the_dimension():
    result = run(*loop(map_step("v: int32 = i[0]\nif k < v:\n    A[v, k] = 0", name="fill", k="M")))
    assert steps_of(result)[2] == "  if k < i_2 { A[i_2, k] = 0 }"


def test_sums_into_the_same_elements_may_come_in_any_order():
    result = run(*loop(map_step(V + "row[k] = row[k] + A[v, k]", name="add", k="M")))
    assert "  row[k] += A[i_2, k]" in steps_of(result)


def test_differences_are_sums():
    result = run(*loop(map_step(V + "row[k] = row[k] - A[v, k] * 2", name="add", k="M")))
    assert "  row[k] += -(A[i_2, k] * 2)" in steps_of(result)


def test_nested_loops_become_two_dimensions():
    inner = loop(map_step("v: int32 = i[0]\nw: int32 = j[0]\nA[v, w] = B[v, w]", name="move"), count="M", counter="j")
    assert steps_of(run(*loop(*inner)))[0] == "move: for i_2 in 0:N for j_2 in 0:M {"


def test_a_temporary_gets_an_element_for_each_turn():
    make = map_step(V + "t[0] = s[v]", name="make")
    use = map_step(V + "A[v, k] = t[0]", name="use", k="M")
    result = run(*loop(make, use))
    assert "  t[i_2] = s[i_2]" in steps_of(result)
    assert "  A[i_2, k] = t[i_2]" in steps_of(result)
    assert next(v.shape for v in result.variables if v.name == "t") == (expr("N"),)


def test_a_temporary_row_that_is_filled_where_it_is_read_gets_a_dimension():
    make = map_step(V + "if k < M - v:\n    row[k] = A[v, k]", name="make", k="M")
    use = map_step(V + "if k + 1 <= M - v:\n    B[v, k] = row[k]", name="use", k="M")
    result = run(*loop(make, use))
    assert next(v.shape for v in result.variables if v.name == "row") == (expr("N"), expr("M"))


@pytest.mark.parametrize(
    "use",
    [
        "if k <= M - v:\n    B[v, k] = row[k]",  # one element more than what was filled
        "B[v, k] = row[k]",
        "B[v, k] = row[M - 1 - k]",
    ],
)
def test_a_row_that_is_read_where_it_was_not_filled_carries_values(use: str):
    make = map_step(V + "if k < M - v:\n    row[k] = A[v, k]", name="make", k="M")
    assert stays(*loop(make, map_step(V + use, name="use", k="M")))


def test_triangles_on_both_sides_of_the_diagonal_do_not_meet():
    arrays = variables(A="N, N", i="int32 1")
    fill = map_step(V + "if k < N - 1 - v:\n    A[v, v + k + 1] = 1", name="fill", k="N - 1")
    mirror = map_step(V + "if k < N - 1 - v:\n    A[v + k + 1, v] = A[v, v + k + 1]", name="mirror", k="N - 1")
    assert not any(isinstance(step, Repeat) for step in run(*loop(fill, mirror), arrays=arrays).steps)


@pytest.mark.parametrize(
    "steps",
    [
        loop(map_step(V + "s[v] = s[v - 1] + 1", name="scan"), begin="1", count="N - 1"),
        loop(map_step(V + "row[k] = A[v, k]", name="last", k="M")),  # used behind the loop, for all that is known
        loop(map_step(V + "row[k] = row[k] * A[v, k]", name="power", k="M")),
        loop(
            map_step(V + "row[k] = row[k] + A[v, k]", name="add", k="M"), map_step("x[k] = row[k]", name="use", k="M")
        ),
        loop(map_step(V + "A[0, k] = A[v, k]", name="to_the_first", k="M")),
        loop(map_step(V + "A[v, k] = A[v, k] + A[N - 1 - v, k]", name="mirror", k="M")),
        loop(map_step(V + "s[v] = 1\ni[0] = i[0] + 1", name="jumps")),
        loop(map_step(V + "s[v] = 1", name="fill"), step="2"),
        (*loop(map_step(V + "s[v] = 1", name="fill")), map_step("x[0] = i[0]", name="use")),
        (Repeat(expr("N"), (map_step("s[k] = s[k] + 1", name="time", k="N"),)),),
    ],
)
def test_what_stays_a_loop(steps: tuple[Step, ...]):
    if "last" in str(steps):
        steps = (*steps, map_step("x[k] = row[k]", name="use", k="M"))
    assert stays(*steps)


def test_a_temporary_that_would_be_larger_than_all_else_stays_one():
    make = map_step(V + "row[k] = s[v]", name="make", k="M")
    use = map_step(V + "s[v] += row[k]", name="use", k="M")
    assert stays(*loop(make, use))


def test_a_loop_in_one_vertex_becomes_a_map():
    body = "for k in range(1, N):\n    t[0] = s[k] * k\n    x[0] = x[0] + t[0]"
    assert steps_of(run(map_step(body, name="trace"))) == [
        "trace: for k_2 in 0:N - 1 {",
        "  t[k_2] = s[k_2 + 1] * (k_2 + 1)",
        "  x[0] += t[k_2]",
        "}",
    ]


@pytest.mark.parametrize(
    "body",
    [
        "for k in range(1, N):\n    s[k] = s[k - 1] + 1",
        "for k in range(N):\n    if s[k] > 0:\n        break\n    s[k] = 1",
        "v: int32 = i[0]\nfor k in range(v):\n    s[k] = 1",
        "x[0] = 1\nfor k in range(N):\n    s[k] = 1",
    ],
)
def test_other_loops_stay_in_their_vertex(body: str):
    step = map_step(body, name="trace")
    assert run(step).steps == (step,)


def late_loop(*bodies: Step, begin: str = "i[0]", end: str = "N", test: str = "n < ") -> tuple[Step, ...]:
    """A loop over j from begin + 1, where i is a scalar of the device."""
    condition = map_step(f"n: int32 = j[0] + 1\nj[0] = n\np[0] = {test}{end}", name="next_j")
    return map_step(f"j[0] = {begin}", name="first_j"), RepeatWhile((condition,), "p", bodies)


LATE = (*ARRAYS, *variables(p="bool 1"))


def test_a_range_that_the_device_computes_becomes_a_condition():
    use = map_step("w: int32 = j[0]\nA[w, k] = B[w, k]", name="use", k="M")
    assert steps_of(run(*late_loop(use), arrays=LATE)) == [
        "use: for j_2 in 0:N for k in 0:M {",
        "  const int32 i_value = i[0]",
        "  const int32 w = j_2",
        "  if i_value + 1 <= j_2 and j_2 < N { A[j_2, k] = B[j_2, k] }",
        "}",
    ]


@pytest.mark.parametrize(
    "loop_steps",
    [
        late_loop(map_step("w: int32 = j[0]\ns[w] = s[w - 1] + 1", name="scan")),
        late_loop(map_step("w: int32 = j[0]\ns[w] = 1\ni[0] = w", name="moves")),
        late_loop(map_step("w: int32 = j[0]\ns[w] = 1", name="fill"), test="n <= "),
        late_loop(map_step("w: int32 = j[0]\ns[w] = 1", name="fill"), begin="s[0]"),
        (*late_loop(map_step("w: int32 = j[0]\ns[w] = 1", name="fill")), map_step("x[0] = j[0]", name="use")),
    ],
)
def test_other_ranges_of_the_device_stay_loops(loop_steps: tuple[Step, ...]):
    result = run(*loop_steps, arrays=LATE)
    assert any(isinstance(step, RepeatWhile) for step in result.steps)
