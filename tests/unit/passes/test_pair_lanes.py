"""Which loops run in pairs of floats."""

from __future__ import annotations

import pytest
from pass_graphs import bodies_of, graph, map_step, variables

from dace_ipu.passes.accumulate import Accumulate
from dace_ipu.passes.hoist_reads import HoistReads
from dace_ipu.passes.pair_lanes import PairLanes
from dace_ipu.passes.partition import PartitionMaps

ARRAYS = variables(A="N, M", B="N, M", C="N, M", s="N", column="N", h="float16 N, M", n="int32 N, M", wide="N, M + 2")


def paired(body: str, **domain: str) -> bool:
    result = PartitionMaps().apply(graph(ARRAYS, map_step(body, **domain)))
    for step in (Accumulate(), HoistReads(), PairLanes()):
        result = step.apply(result)
    return any("pairs of" in line for line in bodies_of(result))


@pytest.mark.parametrize(
    "body",
    [
        "C[i, j] = A[i, j] + 2 * B[i, j] - column[i]",
        "C[i, j] = A[i, j] / column[i]",
        "C[i, j] = exp(-A[i, j])",
        "C[i, j] = A[i, j] ** 2",
        "C[i, j] += A[i, j]",
        "C[i, j] = 0",
        "C[i, j] = A[i, j] if A[i, j] > B[i, j] else 0",
        "t: float32 = A[i, j] - B[i, j]\nC[i, j] = t * t",
        "t: bool = A[i, j] < 1\nC[i, j] = A[i, j] if t else B[i, j]",
    ],
)
def test_rows(body):
    assert paired(body, i="N", j="M")


@pytest.mark.parametrize(
    "body",
    [
        "if A[i, j] > 0:\n    C[i, j] = A[i, j]",
        "if A[i, j] <= column[i] and column[i] < B[i, j]:\n    n[i, j] += 1",
        "if A[i, j] > 0 or B[i, j] > 0:\n    C[i, j] = sin(A[i, j])",
    ],
)
def test_conditions_on_rows(body):
    assert paired(body, i="N", j="M")


def test_vectors_and_reductions():
    assert paired("s[i] = 2 * column[i]", i="N")
    for operator in ("+=", "*=", "|=", "&="):
        assert paired(f"for k in range(M):\n    s[i] {operator} A[i, k]", i="N")


@pytest.mark.parametrize(
    "body",
    [
        "C[i, j] = wide[i, j] + wide[i, j + 1]",  # the second is not aligned
        "C[i, j] = A[i, j] % B[i, j]",  # no form for pairs
        "C[i, j] = A[i, j] ** 0.5",
        "C[i, j] = sin(A[i, j])",
        "C[i, j] = j * A[i, j]",  # a number of its own in each
        "C[i, j] = n[i, j] * A[i, j]",  # integers
        "h[i, j] = 2 * h[i, j]",  # four of these fit
        "if A[i, j] > 0:\n    A[i, j] = C[i, j]",  # the condition of the other iteration, for all that is known
        "if A[i, j] > 0 and n[i, j] > 0:\n    C[i, j] = 1",
        "if A[i, j] > 0:\n    C[i, j] = 1\nelse:\n    C[i, j] = 2",
        "if column[i] > 0:\n    C[i, j] = 1",
        "C[i, j] = A[i, j] if column[i] > 0 else 0",  # one answer for both
        "C[i, j] = A[i, j]\nC[i, j] = A[i, j] if A[i, j] > 0 and B[i, j] > 0 else 0",
        "t: float32\nt = A[i, j]\nC[i, j] = t",
    ],
)
def test_what_stays(body):
    assert not paired(body, i="N", j="M")


@pytest.mark.parametrize(
    "body",
    [
        "for k in range(1, M):\n    C[i, k] = A[i, k]",  # begins at the second
        "for k in range(M - 1):\n    C[i, k] = C[i, k] + C[i, k + 1]",  # a turn reads what the next one writes
        "for k in range(M):\n    s[i] += A[i, k] * s[i]",
        "t: float32[4, 4]\nfor k in range(4):\n    t[0, k] = A[i, k]",
    ],
)
def test_loops_of_the_body_that_stay(body):
    assert not paired(body, i="N")
