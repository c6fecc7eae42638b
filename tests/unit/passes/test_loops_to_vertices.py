"""Loops that carry values and do little become one vertex; what costs less as compute sets stays, and what cannot."""

from __future__ import annotations

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.localise import LocaliseTemporaries
from dace_ipu.passes.loops_to_vertices import NOTE, LoopsToVertices
from dace_ipu.passes.simplify_bodies import SimplifyBodies
from dace_ipu.tile_graph.nodes import Branch, Choice, CopyIn, MapStep, Repeat, RepeatWhile, Step, TileGraph, walk_steps

ARRAYS = variables(
    L="9, 9", x="9", b="9", t="1", big="N, N", y="N", i="int32 1", j="int32 1", go="bool_ 1", more="bool_ 1"
)
V = "v: int32 = i[0]\n"
SOLVE = (
    map_step("t[0] = 0", name="start"),
    map_step(V + "if k <= v - 1:\n    t[0] += L[v, k] * x[k]", name="dot", k="8"),
    map_step(V + "x[v] = (b[v] - t[0]) / L[v, v]", name="update"),
)


def loop(*bodies: Step, count: str = "9", begin: str = "0", counter: str = "i", step: str = "1") -> tuple[Step, ...]:
    first = map_step(f"{counter}[0] = {begin}", name=f"first_{counter}")
    following = map_step(f"{counter}[0] = {counter}[0] + {step}", name=f"next_{counter}")
    return first, Repeat(expr(count), (*bodies, following))


def run(*steps: Step) -> TileGraph:
    result = LoopsToVertices().apply(graph(ARRAYS, *steps))
    return SimplifyBodies().apply(LocaliseTemporaries().apply(result))


def lines(*steps: Step) -> list[str]:
    return [line.strip() for line in steps_of(run(*steps)) if "# runs on one tile" not in line]


def test_a_loop_of_maps_and_scalars_becomes_loops_of_a_codelet():
    assert lines(*loop(*SOLVE)) == [
        "loop_i: {",
        "for i_turn in 0:9 {",
        "float32 t = 0",
        "for k in 0:i_turn { t += L[i_turn, k] * x[k] }",
        "x[i_turn] = (b[i_turn] - t) / L[i_turn, i_turn]",
        "}",
        "}",
    ]


def test_the_note_says_why():
    (step,) = run(*loop(*SOLVE)).steps
    assert isinstance(step, MapStep)
    assert step.note == NOTE


def test_descending_loops():
    assert "for i_turn in 8:-1:-1 {" in lines(*loop(*SOLVE, begin="8", step="-1"))


def test_a_range_that_depends_on_the_outer_counter():
    inner = RepeatWhile(
        (map_step("n: int32 = j[0] + 1\nj[0] = n\ngo[0] = n < i[0]", name="next_j"),),
        "go",
        (map_step("v: int32 = i[0]\nw: int32 = j[0]\nx[v] = x[v] - L[v, w] * x[w]", name="update"),),
    )
    outer = loop(map_step("j[0] = -1", name="first_j"), inner)
    assert lines(*outer)[1:4] == [
        "for i_turn in 0:9 {",
        "for j_turn in 0:i_turn { x[i_turn] = x[i_turn] - L[i_turn, j_turn] * x[j_turn] }",
        "}",
    ]


def test_conditions_of_the_device():
    body = Branch("more", (map_step(V + "x[v] = x[v] / b[v]", name="update"),))
    assert lines(*loop(body)) == ["loop_i: { if more[0] { for i_turn in 0:9 { x[i_turn] = x[i_turn] / b[i_turn] } } }"]


def test_while_loops_keep_their_order():
    inner = RepeatWhile(
        (map_step("go[0] = x[0] < 1", name="test"),), "go", (map_step("x[0] = x[0] + x[1]", name="grow"),)
    )
    got = lines(*loop(*SOLVE, inner))
    start = got.index("while True {")
    assert got[start + 1 : start + 3] == ["if not x[0] < 1 { break }", "x[0] = x[0] + x[1]"]


def test_the_counter_keeps_its_type_in_computations():
    got = lines(*loop(map_step(V + "x[v] = x[0] + v * 0.5", name="update")))
    assert "const int32 i_value = i_turn" in got
    assert "x[i_turn] = x[0] + i_value * 0.5" in got


@pytest.mark.parametrize(
    ("reason", "steps"),
    [
        ("all maps are divided", loop(map_step(V + "x[k] = x[k] + b[v]", name="add", k="9"))),
        ("more work than the sets cost", loop(map_step(V + "y[v] = y[v] + big[k, v]", name="add", k="N"), count="N")),
        ("somebody reads the counter", (*loop(*SOLVE), map_step("t[0] = i[0]", name="after"))),
        ("a codelet cannot stream", loop(*SOLVE, CopyIn("A", "x"))),
    ],
)
def test_stays_a_loop(reason, steps):
    kinds = [type(step) for step in walk_steps(LoopsToVertices().apply(graph(ARRAYS, *steps)).steps)]
    assert Repeat in kinds
    assert Choice not in kinds


def test_sizes_that_are_symbols_choose_when_the_graph_is_built():
    dot = map_step(V + "if k <= v - 1:\n    t[0] += big[v, k] * y[k]", name="dot", k="N - 1")
    update = map_step(V + "y[v] = y[v] - t[0]", name="update")
    result = LoopsToVertices().apply(graph(ARRAYS, *loop(map_step("t[0] = 0"), dot, update, count="N")))
    (choice,) = result.steps
    assert isinstance(choice, Choice)
    assert [type(step) for step in choice.orelse] == [MapStep, Repeat]
    (whole,) = choice.then
    assert isinstance(whole, MapStep)
    assert whole.note.startswith(f"{NOTE}, as ")
    own = [variable.name for variable in result.variables if variable.name.startswith("t")]
    assert own == ["t", "t_2"]  # each form has a scalar of its own, which can be local


def test_what_others_read_stays_a_variable():
    result = run(*loop(*SOLVE), map_step("b[0] = t[0]", name="after"))
    assert "t" in {variable.name for variable in result.variables}
