"""Reductions over inner loops run in registers, where nobody can tell the difference."""

from __future__ import annotations

import pytest
from pass_graphs import bodies_of, graph, map_step, variables

from dace_ipu.passes.accumulate import Accumulate
from dace_ipu.passes.partition import PartitionMaps

ARRAYS = variables(A="N, K", B="K, M", C="N, M", s="N", D="float64 N")


def accumulated(body: str, **domain: str) -> list[str]:
    result = Accumulate().apply(PartitionMaps().apply(graph(ARRAYS, map_step(body, **domain))))
    return [line.strip() for line in bodies_of(result)]


def test_the_sum_of_products():
    lines = accumulated("C[i, j] += A[i, k] * B[k, j]", i="N", j="M", k="K")
    assert lines[2:5] == [
        "float32 C_sum = C[i, j]",
        "for k in 0:K { C_sum += A[i, k] * B[k, j] }",
        "C[i, j] = C_sum",
    ]


def test_a_store_just_before_is_the_start():
    lines = accumulated("s[i] = 1\nfor k in range(K):\n    s[i] += A[i, k]", i="N")
    assert "float32 s_sum = 1" in lines
    assert "s[i] = 1" not in lines


def test_a_whole_nest_accumulates_in_one_register():
    lines = accumulated("for k in range(K):\n    for m in range(M):\n        s[i] += A[i, k] * B[k, m]", i="N")
    assert lines[1:3] == ["float32 s_sum = s[i]", "for k in 0:K { for m in 0:M { s_sum += A[i, k] * B[k, m] } }"]


def test_other_reductions_and_types():
    lines = accumulated("for k in range(K):\n    D[i] |= A[i, k]", i="N")
    assert lines[1:3] == ["float64 D_max = D[i]", "for k in 0:K { D_max = max(D_max, A[i, k]) }"]


def test_names_do_not_collide():
    lines = accumulated("for k in range(K):\n    s_sum: float32 = A[i, k]\n    s[i] += s_sum * s_sum", i="N")
    assert "float32 s_sum_2 = s[i]" in lines


@pytest.mark.parametrize(
    "body",
    [
        "for k in range(K):\n    C[i, k] += A[i, k]",  # another element every turn
        "for k in range(K):\n    s[i] += s[i]",  # read in the loop
        "for k in range(K):\n    s[i] += A[i, k]\n    s[i] = 2",  # written in the loop
        "for k in range(K):\n    s[i] += A[i, k]\n    s[i] |= A[i, k]",  # two reductions
        "for k in range(K):\n    if A[i, k] > 0:\n        s[i] += A[i, k]",  # skipped by some turns
        "for k in range(K):\n    if A[i, k] > 0:\n        break\n    s[i] += A[i, k]",
    ],
)
def test_what_would_change_the_result_stays(body):
    lines = accumulated(body, i="N")
    assert not any("s_sum" in line or "C_sum" in line for line in lines)


def test_an_element_that_may_not_exist_is_not_touched():
    """The loop is empty where i is 0, and the element before the first one is not there to start from."""
    lines = accumulated("for k in range(i):\n    C[i, i - 1] += A[i, k]", i="N")
    assert not any("C_sum" in line for line in lines)
