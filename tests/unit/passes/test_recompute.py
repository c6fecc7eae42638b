"""Arrays whose elements follow from their places."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.recompute import Recompute
from dace_ipu.tile_graph.nodes import Repeat, Step, TileGraph

ARRAYS = variables(X="int64 N, M", F="N", B="K", C="int32 K", Z="N, M")
FILL = map_step("X[i, j] = i", name="fill", i="N", j="M")
READ = map_step("B[k] = X[k, 2] * 0.5", name="read", k="K")


def run(*steps: Step, persistent: str = "") -> TileGraph:
    arrays = tuple(dataclasses.replace(v, persistent=v.name == persistent) for v in ARRAYS)
    result: TileGraph = Recompute().apply(graph(arrays, *steps))
    return result


def test_places_are_computed_in_the_type_of_the_array():
    result = run(FILL, READ)
    assert steps_of(result) == ["read: for k in 0:K { B[k] = dace.int64(k) * 0.5 }"]
    assert "X" not in {variable.name for variable in result.variables}


def test_sums_of_places_and_sizes():
    fill = map_step("F[i] = i - N + 1", name="fill", i="N")
    read = map_step("B[k] = F[k + 1]", name="read", k="K")
    assert steps_of(run(fill, read)) == ["read: for k in 0:K { B[k] = dace.float32(k + 1 - N + 1) }"]


def test_numbers_and_reads_in_loops():
    fill = map_step("Z[i, j] = 1.5", name="fill", j="M", i="N")
    read = map_step("B[k] += Z[k, k] * Z[0, 1]", name="read", k="K")
    result = run(fill, Repeat(expr("N"), (read,)))
    assert "B[k] += dace.float32(1.5) * dace.float32(1.5)" in "".join(steps_of(result))


@pytest.mark.parametrize(
    "steps",
    [
        (FILL, READ, map_step("X[0, 0] = 7", name="set")),
        (READ, FILL),
        (map_step("X[i, j] = i", name="part", i="N", j="M - 1"), READ),
        (map_step("if i > 2:\n    X[i, j] = i", name="some", i="N", j="M"), READ),
        (map_step("X[i, j] = C[i]", name="data", i="N", j="M"), READ),
        (map_step("X[i, j] += i", name="adds", i="N", j="M"), READ),
        (map_step("F[i] = sqrt(i)", name="dear", i="N"), map_step("B[k] = F[k]", name="read", k="K")),
        (FILL,),
        (Repeat(expr("N"), (FILL, READ)),),
    ],
)
def test_what_stays(steps: tuple[Step, ...]):
    assert run(*steps).steps == steps


def test_an_array_that_outlives_the_program_stays():
    assert run(FILL, READ, persistent="X").steps == (FILL, READ)
