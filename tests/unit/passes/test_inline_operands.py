"""What only feeds a reduction is computed in it."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import graph, map_step, steps_of, variables

from dace_ipu.passes.inline_operands import InlineOperands
from dace_ipu.tile_graph.nodes import Step, TileGraph

ARRAYS = variables(A="N, K", B="K, M", C="N, M", t="N, M, K", y="N", h="float16 N", mask="bool N", z="1")
MAKE = map_step("t[i, j, k] = A[i, k] * B[k, j]", name="make", i="N", j="M", k="K")
SUM = map_step("C[i, j] += t[i, j, k]", name="sum", i="N", j="M", k="K")


def run(*steps: Step, persistent: str = "") -> TileGraph:
    arrays = tuple(dataclasses.replace(v, persistent=v.name == persistent) for v in ARRAYS)
    result: TileGraph = InlineOperands().apply(graph(arrays, *steps))
    return result


def test_the_temporary_is_gone():
    result = run(MAKE, SUM)
    assert steps_of(result) == ["sum: for i in 0:N for j in 0:M for k in 0:K { C[i, j] += A[i, k] * B[k, j] }"]
    assert "t" not in {variable.name for variable in result.variables}


def test_other_names_and_orders_of_dimensions():
    result = run(map_step("t[a, b, c] = A[a, c] - b", name="make", a="N", b="M", c="K"), SUM)
    assert steps_of(result) == ["sum: for i in 0:N for j in 0:M for k in 0:K { C[i, j] += A[i, k] - j }"]


def test_a_condition_is_computed_where_it_is_asked():
    make = map_step("mask[i] = y[i] > 0 and y[i] < 1", name="make", i="N")
    use = map_step("if mask[j]:\n    z[0] += A[j, 0]", name="use", j="N")
    assert steps_of(run(make, use)) == ["use: for j in 0:N { if y[j] > 0 and y[j] < 1 { z[0] += A[j, 0] } }"]


@pytest.mark.parametrize(
    "steps",
    [
        (MAKE, map_step("A[i, 0] = 1", name="change", i="N"), SUM),
        (MAKE, SUM, map_step("y[i] = t[i, 0, 0]", name="use", i="N")),
        (MAKE, map_step("A[i, j] += t[i, j, k]", name="sum", i="N", j="M", k="K")),  # reads what it writes
        (MAKE, map_step("C[i, j] = t[i, j, k]", name="last", i="N", j="M", k="1")),
        (MAKE, map_step("C[i, j] += t[i, j, k] * t[i, j, 0]", name="sum", i="N", j="M", k="K")),
        (MAKE, map_step("C[i, j] += t[i, j, 0]", name="sum", i="N", j="M", k="K")),  # each element K times
        (map_step("if i > 0:\n    t[i, j, k] = A[i, k]", name="make", i="N", j="M", k="K"), SUM),
        (map_step("h[i] = y[i]", name="make", i="N"), map_step("z[0] += h[i]", name="sum", i="N")),  # it rounds
    ],
)
def test_what_stays(steps: tuple[Step, ...]):
    assert run(*steps).steps == steps


def test_what_outlives_the_call_stays():
    assert run(MAKE, SUM, persistent="t").steps == (MAKE, SUM)


GUARDED = map_step("v: int32 = i[0]\nif k < v:\n    c: int32 = column[k]\n    t[k] = x[c]", name="gather", k="N")


@pytest.mark.parametrize(
    ("guard", "inlined"), [("m < v", True), ("m < v + 1", False), ("m <= v", False)], ids=["same", "more", "other"]
)
def test_a_condition_must_be_the_same_for_fill_and_read(guard, inlined):
    arrays = variables(t="N", x="N", column="int32 N", s="1", i="int32 1", w="N")
    read = map_step(f"v: int32 = i[0]\nif {guard}:\n    s[0] += w[m] * t[m]", name="dot", m="N")
    result = InlineOperands().apply(graph(arrays, GUARDED, read))
    text = [line.strip() for line in steps_of(result)]
    assert ("s[0] += w[m] * x[c]" in text) is inlined
    assert ("const int32 c = column[m]" in text) is inlined
