"""Which symbols have one value wherever they are used."""

from __future__ import annotations

import dace
import pytest
from dace.sdfg.state import ConditionalBlock, ControlFlowRegion, LoopRegion

from dace_ipu.lowering.assigned import Assigned
from dace_ipu.lowering.loops import straight_line
from dace_ipu.lowering.symbolic import Unsupported


def looped(assignment: dict[str, str], used_before: bool, used_after: bool) -> dace.SDFG:
    """``for i: [use s]; s = ...; use s`` and perhaps a use behind the loop."""
    sdfg = dace.SDFG("looped")
    sdfg.add_array("A", [9], dace.int32)
    sdfg.add_symbol("s", dace.int32)
    loop = LoopRegion("loop", "i < 9", "i", "i = 0", "i = i + 1")
    sdfg.add_node(loop, is_start_block=True)
    first, second = loop.add_state("first", is_start_block=True), loop.add_state("second")
    loop.add_edge(first, second, dace.InterstateEdge(assignments=assignment))
    states = [second]
    if used_before:
        states.append(first)
    if used_after:
        states.append(sdfg.add_state_after(loop, "after"))
    for state in states:
        tasklet = state.add_tasklet("t", {}, {"o"}, "o = s")
        state.add_edge(tasklet, "o", state.add_write("A"), None, dace.Memlet("A[s]"))
    return sdfg


@pytest.mark.filterwarnings("ignore:Using sets for connectors:UserWarning")
@pytest.mark.parametrize(
    ("before", "after", "once"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_a_symbol_that_is_used_only_behind_its_assignment(before: bool, after: bool, once: bool) -> None:
    assigned = Assigned(looped({"s": "i + 1"}, before, after))
    assert assigned.once("s") is once
    assert assigned.carried() == ([] if once else ["s"])


@pytest.mark.filterwarnings("ignore:Using sets for connectors:UserWarning")
def test_a_symbol_that_counts_itself_is_carried() -> None:
    assert Assigned(looped({"s": "s + 1"}, False, False)).carried() == ["s"]


def test_a_condition_of_a_loop_comes_before_its_body() -> None:
    sdfg = looped({"s": "i + 1"}, False, False)
    (loop,) = (block for block in sdfg.nodes() if isinstance(block, LoopRegion))
    loop.loop_condition.code = dace.properties.CodeBlock("i < s").code
    assert Assigned(sdfg).carried() == ["s"]


def test_branches() -> None:
    sdfg = dace.SDFG("branched")
    sdfg.add_symbol("s", dace.int32)
    block = ConditionalBlock("block")
    sdfg.add_node(block, is_start_block=True)
    body = ControlFlowRegion("body", sdfg=sdfg)
    block.add_branch(dace.properties.CodeBlock("s > 1"), body)
    first = body.add_state("first", is_start_block=True)
    second = body.add_state("second")
    body.add_edge(first, second, dace.InterstateEdge(assignments={"s": "3"}))
    assert Assigned(sdfg).carried() == ["s"]


def test_control_flow_that_is_no_structure() -> None:
    sdfg = dace.SDFG("forked")
    states = [sdfg.add_state(f"s{k}", is_start_block=k == 0) for k in range(3)]
    sdfg.add_edge(states[0], states[1], dace.InterstateEdge("1 > 0"))
    sdfg.add_edge(states[0], states[2], dace.InterstateEdge("1 <= 0"))
    with pytest.raises(Unsupported, match="not made of loops and conditionals"):
        list(straight_line(sdfg))
