"""Arrays that only hold another one in a different order."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.read_through import ReadThrough
from dace_ipu.tile_graph.nodes import Step, TileGraph

ARRAYS = variables(A="N*M", B="N*M", t="M, N", u="M, N", p="int32 1", h="float16 N*M", s="1")
FILL = map_step("t[j, i] = A[M * i + j]", name="fill", i="N", j="M")
READ = map_step("B[k] = t[k // N, k % N] * 2", name="read", k="N * M")
P = "q: int32 = p[0]\n"
SOME = map_step(P + "if j < M - q:\n    t[j, i] = A[M * i + j]", name="some", i="N", j="M")


def run(*steps: Step, persistent: str = "") -> TileGraph:
    arrays = tuple(dataclasses.replace(v, persistent=v.name == persistent) for v in ARRAYS)
    bounded = tuple(dataclasses.replace(v, bounds=(expr(0), expr("M - 1"))) if v.name == "p" else v for v in arrays)
    result: TileGraph = ReadThrough().apply(graph(bounded, *steps))
    return result


def test_the_array_between_is_gone():
    result = run(FILL, READ)
    assert steps_of(result) == ["read: for k in 0:M * N { B[k] = A[M * (k % N) + k // N] * 2 }"]
    assert "t" not in {variable.name for variable in result.variables}


def test_several_readers():
    other = map_step("s[0] += t[k // N, k % N]", name="sum", k="N * M")
    assert [line.partition(":")[0] for line in steps_of(run(FILL, READ, other))] == ["read", "sum"]


def test_places_that_a_scalar_of_the_device_decides():
    read = map_step("r: int32 = p[0]\nB[k] = t[k % (M - r), 0]", name="read", k="N * M")
    assert steps_of(run(SOME, read)) == [
        "read: for k in 0:M * N {",
        "  const int32 r = p[0]",
        "  B[k] = A[k % (M - r)]",
        "}",
    ]


def test_the_scalars_come_with_the_places():
    fill = map_step(P + "t[j, i] = A[M * i + j - q]", name="fill", i="N", j="M")
    assert steps_of(run(fill, READ))[1:] == ["  const int32 q = p[0]", "  B[k] = A[M * (k % N) - q + k // N] * 2", "}"]


@pytest.mark.parametrize(
    "steps",
    [
        (SOME, READ),  # may read what was not filled
        (FILL, map_step("A[k] = 0", name="change", k="N"), READ),
        (FILL, map_step("A[k] = t[k // N, k % N]", name="in_place", k="N * M")),
        (FILL, map_step("t[0, 0] = 1", name="set"), READ),
        (READ, FILL),
        (map_step("t[j, i] = A[M * i + j] + 1", name="fill", i="N", j="M"), READ),
        (map_step("t[j, i] = h[M * i + j]", name="converts", i="N", j="M"), READ),
        (map_step("t[j, i] += A[M * i + j]", name="adds", i="N", j="M"), READ),
        (map_step("t[j, j] = A[j]", name="diagonal", j="M"), READ),
        (map_step("if A[i] > 0:\n    t[j, i] = A[M * i + j]", name="by_data", i="N", j="M"), READ),
        (SOME, map_step("p[0] = 1", name="moves"), map_step(P + "B[k] = t[k % (M - q), 0]", name="read", k="N")),
        (FILL, map_step("B[k] = t[0, k]", name="plain", k="N")),  # as good as it is
    ],
)
def test_what_stays(steps: tuple[Step, ...]):
    assert run(*steps).steps == steps


def test_an_array_that_outlives_the_program_stays():
    assert run(FILL, READ, persistent="t").steps == (FILL, READ)
