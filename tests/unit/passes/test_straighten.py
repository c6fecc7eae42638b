"""Indices that are relative to another one, and products of which a triangle is wanted."""

from __future__ import annotations

import pytest
from pass_graphs import graph, map_step, steps_of, variables

from dace_ipu.passes.match_products import MatchProducts
from dace_ipu.passes.split_guards import SplitGuards
from dace_ipu.passes.straighten import Straighten
from dace_ipu.tile_graph.nodes import MapStep

ARRAYS = variables(A="N, K", B="K, N", C="N, N", y="N", D="int32 N, N", E="N, K")


def straight(step: MapStep) -> list[str]:
    return steps_of(Straighten().apply(graph(ARRAYS, step)))


def test_an_element_gets_an_index_of_its_own():
    assert straight(map_step("C[i, i + d + 1] = A[i, d]", i="N", d="K")) == [
        "work: for i in 0:N for element in 0:N {",
        "  if 0 <= element - i - 1 and element - i - 1 < K { C[i, element] = A[i, element - i - 1] }",
        "}",
    ]


def test_a_condition_that_is_there_holds_as_well():
    found = straight(map_step("if d < N - i:\n    C[i + d, i] = d", i="N", d="N"))
    assert "(element - i < N - i)" in found[1]
    assert "C[element, i] = element - i" in found[1]


@pytest.mark.parametrize(
    "body",
    [
        "C[i, d] = 1",
        "C[i, i + 2 * d] = 1",
        "C[i + d, i + d] = 1",
        "C[i, i + d] = 1\nC[i, d] = 2",
        "if C[i, d] > 0:\n    C[i, i + d] = 1",
    ],
)
def test_other_maps_stay(body: str):
    step = map_step(body, i="N", d="N")
    assert Straighten().apply(graph(ARRAYS, step)).steps == (step,)


def split(step: MapStep) -> list[str]:
    return steps_of(MatchProducts().apply(SplitGuards().apply(graph(ARRAYS, step))))


def test_a_triangle_of_a_product_is_taken_from_a_whole_one():
    assert split(map_step("if j <= i:\n    C[i, j] += A[i, k] * A[j, k]", i="N", j="N", k="K")) == [
        "work: C_product[0:N, 0:N] = A[0:N, 0:K] * A[0:N, 0:K] as ik,jk->ij",
        "update_C: for i in 0:N for j in 0:N { if j <= i { C[i, j] += C_product[i, j] } }",
    ]


def test_an_operand_that_is_named_relative_to_another_index_is_taken_whole():
    assert split(map_step("if d < N - i:\n    C[i, d] += B[k, i + d] * B[k, i]", i="N", d="N", k="K")) == [
        "work: C_product[0:N, 0:N] = B[0:K, 0:N] * B[0:K, 0:N] as kj,ki->ij",
        "update_C: for i in 0:N for d in 0:N { if d < N - i { C[i, d] += C_product[i, d + i] } }",
    ]


@pytest.mark.parametrize(
    "body",
    [
        "if k <= i:\n    C[i, j] += A[i, k] * B[k, j]",  # not about what is wanted
        "if A[i, j] > 0:\n    C[i, j] += A[i, k] * B[k, j]",
        "if j <= i:\n    C[i, j] = A[i, k] * B[k, j]",
        "if j <= i:\n    C[i, j] += A[i, k + 1] * B[k, j]",  # the last column may not exist
        "if j <= i:\n    C[i, j] += A[i, k] + B[k, j]",
        "if j <= i:\n    D[i, j] += D[i, k] * D[k, j]",
        "if j <= i:\n    C[i, j] += A[i, k] * B[k, j]\nelse:\n    C[i, j] += 1",
    ],
)
def test_other_conditions_stay(body: str):
    step = map_step(body, i="N", j="N", k="K")
    assert SplitGuards().apply(graph(ARRAYS, step)).steps == (step,)
