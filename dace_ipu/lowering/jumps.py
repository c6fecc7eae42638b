"""Break, continue and return outside of maps: which blocks may jump, and the flags that stop what follows."""

from __future__ import annotations

from dataclasses import dataclass

from dace.sdfg.state import (
    BreakBlock,
    ConditionalBlock,
    ContinueBlock,
    ControlFlowBlock,
    ControlFlowRegion,
    LoopRegion,
    ReturnBlock,
    SDFGState,
)

__all__ = ["Frame", "may_jump", "returns"]


@dataclass
class Frame:
    """The flags of a loop, or of an SDFG that returns early: ``going`` says that the rest of this turn runs,
    ``looping`` that there may be another.
    """

    going: str
    looping: str = ""


def returns(region: ControlFlowRegion) -> bool:
    """Whether the SDFG may end inside a region."""
    return any(isinstance(block, ReturnBlock) for block in region.all_control_flow_blocks())


def may_jump(block: ControlFlowBlock) -> bool:
    """Whether a block may leave the region that it stands in: breaks of a loop inside do not."""
    match block:
        case BreakBlock() | ContinueBlock() | ReturnBlock():
            return True
        case LoopRegion():
            return returns(block)
        case ConditionalBlock():
            return any(may_jump(inner) for _, body in block.branches for inner in body.nodes())
        case SDFGState():
            return False
        case ControlFlowRegion():
            return any(may_jump(inner) for inner in block.nodes())
        case _:
            return False
