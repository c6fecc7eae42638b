"""Lanes that only count are 32 bits wide."""

from __future__ import annotations

import numpy as np
import pytest
from pass_graphs import graph, map_step, variables

from dace_ipu.passes.fold_starts import FoldStarts
from dace_ipu.passes.narrow_counts import NarrowCounts
from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.tile_graph.nodes import Step

ARRAYS = variables(h="int64 16", f="16", A="int32 N", B="int8 N", C="int32 N, M", s="int64 1", x="int64 N")
START = map_step("h[k] = 0", name="start", k="16")
COUNT = map_step("a: int32 = A[i]\nh[a] += 1", name="count", i="N")


def lanes(*steps: Step, of: str = "h") -> np.dtype:
    result = NarrowCounts().apply(FoldStarts().apply(PartitionMaps().apply(graph(ARRAYS, *steps))))
    return result.variable(f"{of}_partial").dtype


@pytest.mark.parametrize(
    "count",
    [
        COUNT,
        map_step("a: int32 = A[i]\nif a > 3:\n    h[a] += 1", name="count", i="N"),
        map_step("a: int32 = C[i, j]\nh[a] += 1", name="count", i="N", j="M"),
        map_step("for k in range(16):\n    if f[k] <= A[i]:\n        h[k] += 1", name="count", i="N"),
    ],
)
def test_counts_are_narrow(count: Step) -> None:
    assert lanes(START, count) == np.uint32


@pytest.mark.parametrize(
    "steps",
    [
        (START, map_step("a: int32 = A[i]\nh[a] += 2", name="count", i="N")),
        (START, map_step("a: int32 = A[i]\nh[a] += x[i]", name="count", i="N")),
        (START, map_step("a: int32 = A[i]\nfor k in range(M):\n    h[a] += 1", name="count", i="N")),
        (START, map_step("for k in range(16):\n    h[k // 2] += 1", name="count", i="N")),  # twice in an iteration
        (START, map_step("a: int32 = A[i]\nh[a] += 1", name="count", i="N", j="M")),  # more than there are elements
        (START, map_step("a: int8 = B[i]\nh[a] += 1", name="count", i="N")),  # of one byte
        (START, map_step("a: int32 = A[i]\nh[a] += 1\nh[0] += 1", name="count", i="N")),
        (START, map_step("a: int32 = A[i]\nh[a] |= 1", name="count", i="N")),
    ],
)
def test_what_stays_wide(steps: tuple[Step, ...]) -> None:
    assert lanes(*steps) == np.int64


def test_what_the_target_holds_is_added_to_in_its_own_type() -> None:
    assert lanes(COUNT) == np.uint32


def test_other_types_keep_theirs() -> None:
    start = map_step("f[k] = 0", name="start", k="16")
    count = map_step("a: int32 = A[i]\nf[a] += 1", name="count", i="N")
    assert lanes(start, count, of="f") == np.float32
