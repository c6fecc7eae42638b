"""Starts of reductions go where partial results overwrite the target, and stay everywhere else."""

from __future__ import annotations

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.fold_starts import FoldStarts
from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.tile_graph.nodes import Repeat

ARRAYS = variables(A="N, M", s="1", t="1", h="16", b="uint8 N", u="2")
ADD = map_step("s[0] += A[i, j]", name="add", i="N", j="M")


def folded(*steps) -> list[str]:
    """The lines that set or combine, after the maps were divided."""
    result = FoldStarts().apply(PartitionMaps().apply(graph(ARRAYS, *steps)))
    return [line.strip() for line in steps_of(result) if "lanes of" in line or "start" in line]


@pytest.mark.parametrize("start", ["s[0] = 0", "s[0] = 0.0", "s[0] = -0.0"])
def test_a_start_that_only_sets_the_identity_goes(start):
    assert folded(map_step(start, name="start"), ADD) == ["s[0:1] = sum of lanes of s_partial"]


def test_the_others_that_a_step_sets_stay():
    lines = folded(map_step("s[0] = 0\nt[0] = 5", name="start"), ADD)
    assert lines[0].startswith("start: once") and "in 1 slots" in lines[0]
    assert lines[1] == "s[0:1] = sum of lanes of s_partial"


def test_arrays_start_in_blocks():
    lines = folded(
        map_step("h[k] = 0", name="start", k="16"), map_step("x: int32 = b[i]\nh[x] += 1", name="add", i="N")
    )
    assert lines == ["h[0:16] = sum of lanes of h_partial"]


def test_each_operation_has_its_own_identity():
    largest = map_step("s[0] |= A[i, j]", name="largest", i="N", j="M")
    assert folded(map_step("s[0] = -math.inf", name="start"), largest) == ["s[0:1] = max of lanes of s_partial"]
    assert len(folded(map_step("s[0] = 0", name="start"), largest)) == 2


@pytest.mark.parametrize(
    "steps",
    [
        (map_step("s[0] = 1", name="start"), ADD),  # another value
        (map_step("s[0] = A[0, 0]", name="start"), ADD),
        (map_step("s[0] = 0", name="start"), map_step("t[0] = s[0]", name="reads"), ADD),
        (map_step("s[0] = 0", name="start"), Repeat(expr("N"), (ADD,))),  # goes on from the turn before
        (
            map_step("h[k] = 0", name="start", k="15"),
            map_step("x: int32 = b[i]\nh[x] += 1", name="add", i="N"),
        ),  # only a part
        (map_step("u[0] = 0", name="start"), map_step("u[0] += A[i, j]", name="add", i="N", j="M")),
        (map_step("s[0] = 0\ns[0] += t[0]", name="start"), ADD),
        (ADD,),
    ],
)
def test_other_starts_stay(steps):
    assert any("+= lanes" in line for line in folded(*steps))


def test_starts_inside_of_a_loop():
    lines = folded(Repeat(expr("N"), (map_step("s[0] = 0", name="start"), ADD)))
    assert lines == ["s[0:1] = sum of lanes of s_partial"]
