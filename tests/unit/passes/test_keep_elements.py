"""Elements that a loop reads and writes are kept in registers, where nobody can tell the difference."""

from __future__ import annotations

import pytest
from pass_graphs import bodies_of, graph, map_step, variables

from dace_ipu.passes.keep_elements import KeepElements
from dace_ipu.passes.partition import PartitionMaps

ARRAYS = variables(z="N", c="N", last="int64 N", A="N, K", w="complex64 N", few="4")
LOOP = "for t in range(K):\n    if z[i] < 2:\n        z[i] = z[i] * z[i] + c[i]\n        last[i] = t"


def kept(body: str, **domain: str) -> list[str]:
    result = KeepElements().apply(PartitionMaps().apply(graph(ARRAYS, map_step(body, **domain))))
    return [line.strip() for line in bodies_of(result)]


def test_what_a_condition_guards():
    lines = kept(LOOP, i="N")
    assert lines[1:3] == ["float32 z_kept = z[i]", "int64 last_kept = last[i]"]
    assert "z_kept = z_kept * z_kept + c[i]" in lines
    assert lines[-3:-1] == ["z[i] = z_kept", "last[i] = last_kept"]


def test_outer_loops_first():
    lines = kept("for t in range(K):\n    for u in range(M):\n        w[i] = w[i] * w[i]", i="N")
    assert lines[1:3] == ["complex64 w_kept = w[i]", "for t in 0:K { for u in 0:M { w_kept = w_kept * w_kept } }"]


@pytest.mark.parametrize(
    "body",
    [
        "for t in range(K):\n    A[i, t] = A[i, t] * 2",  # another one each turn
        "for t in range(K - 1):\n    A[i, t + 1] = A[i, 0] * 2",  # two of them
        "for t in range(4):\n    c[i] = t",  # written only: nothing comes with the field
        "z[i] = z[i] * 2",  # no loop
        "for t in range(K):\n    if z[i] < 0:\n        few[t] = few[t] + z[i]",
    ],
)
def test_what_stays(body):
    assert not any("_kept" in line for line in kept(body, i="N"))
