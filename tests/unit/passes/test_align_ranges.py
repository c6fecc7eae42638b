"""Maps over slices that a scalar of the device chooses run over the elements of what they read."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.align_ranges import AlignRanges

ARRAYS = variables(A="N, N", x="N", y="M", s="1", i="int32 1")
V = "v: int32 = i[0]\n"


def run(step) -> list[str]:
    bounds = (expr("0"), expr("N - 1"))
    arrays = tuple(dataclasses.replace(v, bounds=bounds) if v.name == "i" else v for v in ARRAYS)
    return [line.strip() for line in steps_of(AlignRanges().apply(graph(arrays, step)))]


def test_a_range_that_ends_early_anyhow_has_one_iteration_for_each_element():
    step = map_step(V + "if k <= v - 1:\n    s[0] += A[v, k] * x[k]", name="dot", k="N - 1")
    assert run(step) == [
        "dot: for k in 0:N {",
        "const int32 v = i[0]",
        "if k <= v - 1 { s[0] += A[v, k] * x[k] }",
        "}",
    ]


def test_a_slice_that_begins_at_the_scalar_runs_over_elements():
    step = map_step(V + "if k <= N - v - 2:\n    s[0] += A[v, k + v + 1] * x[k + v + 1]", name="dot", k="N - 1")
    got = run(step)
    assert got[0] == "dot: for element in 0:N {"
    assert got[2] == "if 0 <= element - v - 1 { s[0] += A[v, element] * x[element] }"


def test_conditions_that_are_not_known_stay():
    step = map_step(V + "s[0] += x[k + v]", name="sum", k="3")
    assert run(step)[2] == "if 0 <= element - v and element - v < 3 { s[0] += x[element] }"


@pytest.mark.parametrize(
    "step",
    [
        map_step(V + "s[0] += A[v, k] * x[k]", name="no_condition", k="N - 1"),
        map_step(V + "if k <= v:\n    s[0] += A[v, k] * x[k]", name="may_go_further", k="N - 1"),
        map_step(V + "if k <= v - 1:\n    s[0] += x[k] * y[k]", name="two_sizes", k="N - 1"),
        map_step(V + "if k <= v - 1:\n    s[0] += x[k]\nelse:\n    s[0] += 1", name="both_ways", k="N - 1"),
        map_step(V + "x[k + v] = y[k]", name="writes", k="3"),
        map_step(V + "s[0] += x[k + v] * y[k]", name="two_offsets", k="3"),
        map_step(V + "s[0] += x[2 * k + v]", name="strided", k="3"),
        map_step("s[0] += x[k + 1]", name="nothing_late", k="3"),
    ],
    ids=lambda step: step.name,
)
def test_stays_as_it_is(step):
    assert run(step) == [line.strip() for line in steps_of(graph(ARRAYS, step))]
