"""Loops over rows of data become maps over the rows; all others stay loops."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.loops_to_dimensions import LoopsToDimensions
from dace_ipu.tile_graph.nodes import Repeat, Step, TileGraph

ARRAYS = variables(
    r="int32 N + 1", c="int32 K", v="K", x="M", y="N", z="N", w="K", i="int32 1", a="int32 1", b="int32 1", s="1", t="K"
)
V = "n: int32 = i[0]\n"
BEGIN = map_step(V + "a[0] = r[n]\nb[0] = r[n + 1]\ns[0] = 0", name="begin")
NAMES = "p: int32 = a[0]\nq: int32 = b[0]\n"
FETCH = map_step(NAMES + "if k <= q - p - 1:\n    m: int32 = c[k + p]\n    t[k] = x[m]", name="fetch", k="K")
DOT = map_step(NAMES + "if k <= q - p - 1:\n    s[0] += v[k + p] * t[k]", name="dot", k="K")
RESULTS = map_step("x[0] += y[0] + z[0] + w[0]", name="results")
END = map_step(V + "y[n] = s[0]", name="end")


def run(*bodies: Step, arrays=ARRAYS, after: tuple[Step, ...] = ()) -> TileGraph:
    bounded = tuple(dataclasses.replace(v, bounds=(expr("0"), expr("N - 1"))) if v.name == "i" else v for v in arrays)
    first, following = map_step("i[0] = 0", name="first_i"), map_step("i[0] = i[0] + 1", name="next_i")
    steps = (first, Repeat(expr("N"), (*bodies, following)), RESULTS, *after)
    result: TileGraph = LoopsToDimensions().apply(graph(bounded, *steps))
    return result


def test_the_turns_of_a_loop_over_the_rows_of_a_matrix_become_iterations():
    result = run(BEGIN, FETCH, DOT, END)
    assert steps_of(result)[:-1] == [
        "fetch: for i_2 in 0:N {",
        "  const int32 a = r[i_2]",
        "  const int32 b = r[i_2 + 1]",
        "  float32 s = 0",
        "  const int32 stop = b - a",
        "  for k in 0:min(K, stop) {",
        "    const int32 m = c[a + k]",
        "    s += v[a + k] * x[m]",
        "  }",
        "  y[i_2] = s",
        "}",
    ]
    assert {variable.name for variable in result.variables} == {"r", "c", "v", "x", "y", "z", "w"}


def test_two_sums_over_one_row_share_the_loop():
    first = map_step(V + NAMES + "if k < q - p:\n    y[n] += v[k + p]", name="first", k="K")
    second = map_step(V + NAMES + "if k < q - p:\n    z[n] += w[k + p]", name="second", k="K")
    text = steps_of(run(BEGIN, first, second))
    assert sum("for k" in line for line in text) == 1
    assert {"    y[i_2] += v[a + k]", "    z[i_2] += w[a + k]"} <= set(text)


def test_a_short_loop_beside_one_over_a_row_is_the_workers():
    few = map_step(V + "y[n] += x[j]", name="few", j="3")
    text = steps_of(run(BEGIN, FETCH, DOT, END, few))
    assert "  for j in 0:3 { y[i_2] += x[j] }" in text


@pytest.mark.parametrize(
    "bodies",
    [
        (BEGIN, map_step(V + NAMES + "if k < q - p:\n    w[k + p] = y[n]", name="fill", k="K")),  # rows may overlap
        (BEGIN, map_step(V + NAMES + "if k < q - p:\n    y[n] = y[n - 1] + 1", name="scan", k="K")),
        (BEGIN, FETCH, DOT, map_step(V + "y[n] = s[0]\nx[0] = y[n]", name="end")),
        (BEGIN, FETCH, map_step("s[0] += t[0]", name="first_of_row"), END),  # of the row before, if this one is empty
        (BEGIN, map_step(V + "y[n] += x[m]", name="wide", m="M"), END),  # better divided than left to a worker
        (map_step(V + "y[n] = s[0]\ns[0] = x[n]", name="carries"), BEGIN, FETCH, DOT),
    ],
)
def test_what_stays_a_loop(bodies: tuple[Step, ...]):
    assert any(isinstance(step, Repeat) for step in run(*bodies).steps) or "wide" in str(bodies)


def test_a_temporary_that_is_read_behind_the_loop_is_none():
    use = map_step("z[0] = t[0] + s[0]", name="use")
    assert any(isinstance(step, Repeat) for step in run(BEGIN, FETCH, DOT, END, after=(use,)).steps)


def test_a_loop_that_reads_another_element_of_a_temporary_is_not_joined():
    shifted = map_step(NAMES + "if k <= q - p - 1:\n    s[0] += t[K - 1 - k]", name="shifted", k="K")
    assert any(isinstance(step, Repeat) for step in run(BEGIN, FETCH, shifted, END).steps)
