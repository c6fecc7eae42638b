"""The order in which a state is lowered."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest

from dace_ipu.lowering.queries import order
from tests.programs.interpreted import interpret


def overwritten_behind_a_view(through_view: bool) -> dace.SDFG:
    """``B = 2 * flat(C)[4:8]; C[1] = -C[1]`` in one state, as state fusion leaves it: nothing orders the two maps."""
    sdfg = dace.SDFG("overwritten_behind_a_view")
    sdfg.add_array("B", [4], dace.float32)
    sdfg.add_array("C", [2, 4], dace.float32)
    sdfg.add_view("flat", [8], dace.float32)
    state = sdfg.add_state()
    before, after = state.add_access("C"), state.add_access("C")

    def add(label: str, source: Any, element: str, code: str, target: Any, written: str) -> None:
        state.add_mapped_tasklet(
            label,
            {"i": "0:4"},
            {"x": dace.Memlet(f"{source.data}[{element}]")},
            code,
            {"y": dace.Memlet(f"{target.data}[{written}]")},
            input_nodes={source.data: source},
            output_nodes={target.data: target},
            external_edges=True,
        )

    add("negate", before, "1, i", "y = -x", after, "1, i")
    source = before
    if through_view:
        source = state.add_access("flat")
        state.add_edge(before, None, source, "views", dace.Memlet("C[0:2, 0:4]"))
    add("double", source, "i + 4" if through_view else "1, i", "y = 2 * x", state.add_write("B"), "i")
    return sdfg


@pytest.mark.parametrize("through_view", [True, False])
def test_what_reads_a_container_comes_before_what_overwrites_it(through_view: bool) -> None:
    sdfg = overwritten_behind_a_view(through_view)
    (state,) = sdfg.states()
    labels = [node.map.label for node in order(state, None) if isinstance(node, dace.nodes.MapEntry)]
    assert labels == ["double_map", "negate_map"]
    B, C = np.zeros(4, np.float32), np.arange(8, dtype=np.float32).reshape(2, 4)
    interpret(sdfg, B=B, C=C)
    np.testing.assert_array_equal(B, [8, 10, 12, 14])
    np.testing.assert_array_equal(C, [[0, 1, 2, 3], [-4, -5, -6, -7]])
