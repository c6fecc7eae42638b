"""Branches around maps in loops."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.loops_to_dimensions import LoopsToDimensions
from dace_ipu.tile_graph.nodes import Branch, Repeat, Step, TileGraph

ARRAYS = variables(
    A="N, M", B="N, M", s="N", c="int32 N", t="M", i="int32 1", e="int32 1", p="bool 1", x="M", n="int32 1"
)
V = "v: int32 = i[0]\n"
TEST = map_step("p[0] = i[0] - e[0] >= 0", name="test")
SET = map_step(V + "A[v, k] = B[v, k]", name="set", k="M")


def run(*bodies: Step) -> TileGraph:
    bounded = tuple(dataclasses.replace(v, bounds=(expr(0), expr("N - 1"))) if v.name == "i" else v for v in ARRAYS)
    first, following = map_step("i[0] = 0", name="first_i"), map_step("i[0] = i[0] + 1", name="next_i")
    result: TileGraph = LoopsToDimensions().apply(graph(bounded, first, Repeat(expr("N"), (*bodies, following))))
    return result


def test_a_condition_on_integers_of_the_device_goes_into_the_maps():
    assert steps_of(run(TEST, Branch("p", (SET,)))) == [
        "set: for i_2 in 0:N for k in 0:M {",
        "  const int32 e_value = e[0]",
        "  const int32 v = i_2",
        "  if i_2 - e_value >= 0 { A[i_2, k] = B[i_2, k] }",
        "}",
    ]


def test_a_condition_on_data_is_computed_for_each_turn():
    test = map_step(V + "p[0] = s[v] > 1", name="test")
    text = steps_of(run(test, Branch("p", (SET,))))
    assert text[:2] == ["test: for i_2 in 0:N {", "  const int32 v = i_2"]
    assert "  if p[i_2] { A[i_2, k] = B[i_2, k] }" in text


def test_temporaries_that_are_set_and_read_under_one_condition():
    fetch = map_step(V + "n[0] = c[v]", name="fetch")
    fill = map_step("t[k] = x[k]", name="fill", k="M")
    use = map_step(V + "m: int32 = n[0]\nA[v, k] = B[m, k] * t[k]", name="use", k="M")
    result = run(TEST, Branch("p", (fetch, fill, use)))
    assert not any(isinstance(step, Repeat) for step in result.steps)
    assert "    const int32 m = n[i_2]" in steps_of(result)


@pytest.mark.parametrize(
    "bodies",
    [
        (TEST, Branch("p", (SET,), (map_step(V + "s[v] = 0", name="other"),))),
        (TEST, map_step("e[0] = 1", name="moves"), Branch("p", (SET,))),
        (TEST, Branch("p", (map_step(V + "A[v, k] = A[v - 1, k]", name="scan", k="M"),))),
        (TEST, Branch("p", (map_step("t[k] = x[k]", name="fill", k="M"),)), map_step(V + "A[v, k] = t[k]", k="M")),
        (Branch("p", (SET, map_step("p[0] = s[0] > 1", name="change"))),),
    ],
)
def test_what_stays_a_loop(bodies: tuple[Step, ...]):
    assert any(isinstance(step, Repeat) for step in run(*bodies).steps)
