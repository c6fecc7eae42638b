"""Stencils: which maps are ones, and how programs with stencils are cut."""

from __future__ import annotations

import pytest
from pass_graphs import bodies_of, graph, map_step, variables

from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.passes.stencils import is_stencil

ARRAYS = variables(A="N + 2, M + 2", B="N + 2, M + 2", C="N, M", V="N + 2")
CROSS = "C[i, j] = A[i + 1, j] + A[i + 1, j + 2] + A[i, j + 1] + A[i + 2, j + 1]"


@pytest.mark.parametrize("body", [CROSS, "C[i, j] = A[i, j + 1] - A[i, j] + B[i + 1, j] - B[i, j]"])
def test_stencils(body):
    assert is_stencil(map_step(body, i="N", j="M"))


@pytest.mark.parametrize(
    "body",
    [
        "C[i, j] = A[i, j] + B[i + 1, j + 1]",  # one element of each
        "C[i, j] = A[i, j] + A[i + 1, j]",  # across the rows alone
        "C[i, j] = A[i, j] + A[i, j + 1]",  # along the rows alone
        "C[i, j] = A[i, j] + A[i, 2 * j] + A[2 * i, j]",  # no constants apart
    ],
)
def test_other_maps(body):
    assert not is_stencil(map_step(body, i="N", j="M"))


def test_one_dimension_is_none():
    assert not is_stencil(map_step("V[i] = A[i, i] + A[i, i + 1] + A[i + 1, i]", i="N"))


def test_workers_share_the_rows_of_all_maps():
    steps = (map_step(CROSS, "stencil", i="N", j="M"), map_step("C[i, j] = 2 * C[i, j]", "other", i="N", j="M"))
    result = PartitionMaps().apply(graph(ARRAYS, *steps))
    assert [partition.of_rows for partition in result.partitions] == [True]
    assert sum("share j in" in line for line in bodies_of(result)) == 2


def test_rows_of_a_few_elements_are_not_shared():
    result = PartitionMaps().apply(graph(ARRAYS, map_step(CROSS, i="N", j="3")))
    assert [partition.of_rows for partition in result.partitions] == [False]
