"""Loops of one iteration: their bodies alone stay."""

from __future__ import annotations

from typing import Any

import sympy
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import BreakBlock, ContinueBlock, LoopRegion, ReturnBlock
from dace.transformation.interstate.trivial_loop_elimination import TrivialLoopElimination
from dace.transformation.passes.analysis import loop_analysis
from dace.transformation.transformation import explicit_cf_compatible

__all__ = ["RemoveTrivialLoop", "remove_trivial_loops"]


@explicit_cf_compatible
class RemoveTrivialLoop(TrivialLoopElimination):  # type: ignore[type-var]  # a decorator for passes
    """DaCe's transformation, for loops that certainly run once.

    DaCe's own also takes loops that run not at all, and those with jumps, which would then jump elsewhere.
    """

    def can_be_applied(self, graph: Any, expr_index: int, sdfg: SDFG, permissive: bool = False) -> bool:
        """Whether the loop runs exactly once, has no jumps, and nothing behind it asks for its variable."""
        return _runs_once(self.loop) and not _jumps(self.loop) and not _read_outside(self.loop, sdfg)


def remove_trivial_loops(sdfg: SDFG) -> None:
    """Replace loops of one iteration by their bodies, in place. Loops whose count is not known when the program is
    compiled stay.

    Before: ``for i in range(1): A[i] = B[i]``. After: ``A[0] = B[0]``.
    """
    for nested in list(sdfg.all_sdfgs_recursive()):
        nested.apply_transformations_repeated(RemoveTrivialLoop, validate=False, validate_all=False)


def _runs_once(loop: LoopRegion) -> bool:
    start, end = loop_analysis.get_init_assignment(loop), loop_analysis.get_loop_end(loop)
    stride = loop_analysis.get_loop_stride(loop)
    if loop.inverted or start is None or end is None or not stride:
        return False
    last = sympy.simplify((end - start) / stride)  # iterations beyond the first, with a fraction
    return bool(last.is_number and 0 <= last < 1)


def _jumps(loop: LoopRegion) -> bool:
    return any(isinstance(block, (BreakBlock, ContinueBlock, ReturnBlock)) for block in loop.all_control_flow_blocks())


def _read_outside(loop: LoopRegion, sdfg: SDFG) -> bool:
    inside = {id(block) for block in loop.all_control_flow_blocks()} | {id(loop)}
    outside = [block for block in sdfg.all_control_flow_blocks() if id(block) not in inside and not _holds(block, loop)]
    edges = [edge for edge in sdfg.all_interstate_edges() if edge not in list(loop.all_interstate_edges())]
    read = {str(name) for block in outside for name in block.free_symbols}
    read |= {str(name) for edge in edges for name in edge.data.free_symbols}
    return loop.loop_variable in read


def _holds(block: Any, loop: LoopRegion) -> bool:
    blocks = block.all_control_flow_blocks() if hasattr(block, "all_control_flow_blocks") else ()
    return any(each is loop for each in blocks)
