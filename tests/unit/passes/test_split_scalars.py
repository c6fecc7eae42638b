"""Scalars that lists of steps set anew get a variable for each list, and only those."""

from __future__ import annotations

from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.split_scalars import SplitScalars
from dace_ipu.tile_graph.nodes import Branch, Repeat, Step

ARRAYS = variables(A="9", B="9", s="1", t="1", go="bool_ 1")
SET, USE = map_step("s[0] = A[2]", name="set"), map_step("B[3] = s[0]", name="use")


def names(*steps: Step) -> set[str]:
    return {variable.name for variable in SplitScalars().apply(graph(ARRAYS, *steps)).variables}


def repeat(*steps: Step) -> Repeat:
    return Repeat(expr("4"), steps)


def test_the_second_loop_gets_another_scalar():
    result = SplitScalars().apply(graph(ARRAYS, repeat(SET, USE), repeat(SET, USE)))
    assert [line.strip() for line in steps_of(result)] == [
        "repeat 4 times {",
        "set: { s[0] = A[2] }",
        "use: { B[3] = s[0] }",
        "}",
        "repeat 4 times {",
        "set: { s_2[0] = A[2] }",
        "use: { B[3] = s_2[0] }",
        "}",
    ]


def test_one_list_keeps_its_scalar():
    assert "s_2" not in names(repeat(SET, USE, SET, USE))


def test_a_value_from_another_list():
    assert "s_2" not in names(repeat(SET, USE), repeat(USE, SET))
    assert "s_2" not in names(SET, repeat(USE), repeat(SET, USE))


def test_a_scalar_that_is_set_in_part_or_in_a_list_inside():
    in_part = map_step("if A[0] > 0:\n    s[0] = A[2]", name="set")
    assert "s_2" not in names(repeat(SET, USE), repeat(in_part, USE))
    assert "s_2" not in names(repeat(SET, USE), repeat(SET, repeat(USE)))


def test_a_scalar_that_is_added_to():
    assert "s_2" not in names(repeat(SET, USE), repeat(map_step("s[0] += A[1]", name="add"), USE))


def test_predicates():
    chosen = (map_step("go[0] = A[1] > 0", name="test"), Branch("go", (USE,)))
    assert "go_2" not in names(repeat(*chosen), repeat(*chosen))
