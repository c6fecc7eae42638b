"""A scaled matrix times a vector is scaled afterwards."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from pass_graphs import graph, map_step, steps_of, variables

from dace_ipu.passes.match_products import MatchProducts
from dace_ipu.passes.scale_products import ScaleProducts
from dace_ipu.tile_graph.nodes import Step, TileGraph

ARRAYS = variables(A="N, K", t="N, K", x="K", y="N", a="1", B="K, M", C="N, M")
SCALE = map_step("t[i, j] = a[0] * A[i, j]", name="scale", i="N", j="K")
ZERO = map_step("y[i] = 0", name="zero", i="N")
TIMES = map_step("y[i] += t[i, k] * x[k]", name="times", i="N", k="K")


def run(*steps: Step) -> TileGraph:
    matched = MatchProducts().apply(graph(ARRAYS, *steps))
    result: TileGraph = ScaleProducts().apply(matched)
    return result


def test_the_vector_is_scaled_instead_of_the_matrix():
    result = run(SCALE, ZERO, TIMES)
    assert steps_of(result) == [
        "times: y[0:N] = A[0:N, 0:K] * x[0:K] as ij,j->i",
        "scale_y: for i0 in 0:N { y[i0] = a[0] * y[i0] }",
    ]
    assert "t" not in {variable.name for variable in result.variables}


@pytest.mark.parametrize(
    "steps",
    [
        (SCALE, TIMES),  # it adds to what y holds
        (SCALE, map_step("a[0] = 2", name="change"), ZERO, TIMES),
        (SCALE, map_step("A[i, 0] = 2", name="change", i="N"), ZERO, TIMES),
        (SCALE, ZERO, TIMES, map_step("C[i, 0] = t[i, 0]", name="use", i="N")),
        (map_step("t[i, j] = a[0] + A[i, j]", name="scale", i="N", j="K"), ZERO, TIMES),
        (map_step("t[i, j] = x[j] * A[i, j]", name="scale", i="N", j="K"), ZERO, TIMES),
        (map_step("t[i, j] = a[0] * A[i, j]", name="scale", i="N", j="K - 1"), ZERO, TIMES),
    ],
)
def test_what_stays(steps: tuple[Step, ...]):
    assert "scale: " in " ".join(steps_of(run(*steps)))


def test_a_scaled_vector_is_scaled_behind_the_product():
    arrays = variables(A="N, K", x="N", u="N", y="K", a="1")
    scale = map_step("u[i] = a[0] * x[i]", name="scale", i="N")
    zero = map_step("y[j] = 0", name="zero", j="K")
    times = map_step("y[j] += u[i] * A[i, j]", name="times", i="N", j="K")
    result = ScaleProducts().apply(MatchProducts().apply(graph(arrays, scale, zero, times)))
    assert steps_of(result)[1] == "scale_y: for i0 in 0:K { y[i0] = a[0] * y[i0] }"


def test_a_matrix_as_the_result_is_not_smaller():
    zero = map_step("C[i, j] = 0", name="zero", i="N", j="M")
    times = map_step("C[i, j] += t[i, k] * B[k, j]", name="times", i="N", j="M", k="K")
    assert "scale: " in " ".join(steps_of(run(SCALE, zero, times)))


def test_float16_might_overflow():
    halves = tuple(dataclasses.replace(v, dtype=np.dtype(np.float16)) for v in ARRAYS)
    matched = MatchProducts().apply(graph(halves, SCALE, ZERO, TIMES))
    assert "scale: " in " ".join(steps_of(ScaleProducts().apply(matched)))
