"""Loops inside of maps that are no counted ones: conditions behind the body, and those that read through an index."""

from __future__ import annotations

import dace
import numpy as np
import pytest
from dace.sdfg.state import LoopRegion

from tests.programs.interpreted import interpret

f32, i32 = np.float32, np.int32


def counting(condition: str, update_first: bool) -> dace.SDFG:
    """``i = 0``, then ``x[k, i] += 1`` and ``i = i + 1`` as long as the condition holds behind it, for each k."""
    inner = dace.SDFG("inner")
    inner.add_array("x", [3, 6], dace.float32)
    inner.add_symbol("k", dace.int32)
    loop = LoopRegion("loop", condition, "i", "i = 0", "i = i + 1", True, update_before_condition=update_first)
    inner.add_node(loop, is_start_block=True)
    body = loop.add_state(is_start_block=True)
    tasklet = body.add_tasklet("one", {"b"}, {"a"}, "a = b + 1")
    body.add_edge(body.add_read("x"), None, tasklet, "b", dace.Memlet("x[k, i]"))
    body.add_edge(tasklet, "a", body.add_write("x"), None, dace.Memlet("x[k, i]"))
    sdfg = dace.SDFG("counting")
    sdfg.add_array("A", [3, 6], dace.float32)
    state = sdfg.add_state()
    entry, exit_ = state.add_map("rows", {"k": "0:3"})
    node = state.add_nested_sdfg(inner, {"x"}, {"x"}, {"k": "k"})
    whole = "A[0:3, 0:6]"
    state.add_memlet_path(state.add_read("A"), entry, node, dst_conn="x", memlet=dace.Memlet(whole))
    state.add_memlet_path(node, exit_, state.add_write("A"), src_conn="x", memlet=dace.Memlet(whole))
    return sdfg


@pytest.mark.parametrize(
    ("condition", "update_first", "turns"),
    [
        ("i < k + 1", True, (1, 2, 3)),
        ("i < k + 1", False, (2, 3, 4)),
        ("i < 0", True, (1, 1, 1)),
        ("i < 0", False, (1, 1, 1)),
    ],
)
def test_a_condition_behind_the_body(condition: str, update_first: bool, turns: tuple[int, ...]) -> None:
    A = np.zeros((3, 6), f32)
    interpret(counting(condition, update_first), A=A)
    np.testing.assert_array_equal(A, [[1] * count + [0] * (6 - count) for count in turns])


@dace.program
def lengths(A: dace.float32[3, 6], index: dace.int32[6], n: dace.int32[3]):
    for k in dace.map[0:3]:
        j = 0
        while A[k, index[j]] > 0:
            j = j + 1
        n[k] = j


def test_a_condition_that_reads_through_an_index() -> None:
    A = np.array([[1, 1, -1, 1, 1, 1], [1, 1, 1, 1, -1, 1], [-1] * 6], f32)
    index, n = np.array([1, 0, 3, 4, 5, 2], i32), np.zeros(3, i32)
    interpret(lengths.to_sdfg(), A=A, index=index, n=n)
    assert n.tolist() == [5, 3, 0]
