"""States and loops of expansions, in the form in which the expansions of this folder are written.

Names of connectors and symbols begin with two underscores: DaCe refuses a connector that is called like an array.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dace.memlet import Memlet
from dace.sdfg.sdfg import SDFG, InterstateEdge
from dace.sdfg.state import ControlFlowRegion, LoopRegion

__all__ = ["add_loop", "add_map"]


def add_map(
    region: ControlFlowRegion,
    label: str,
    ranges: Mapping[str, str],
    reads: Mapping[str, str],
    code: str,
    write: str,
    wcr: str | None = None,
    assign: Mapping[str, str] | None = None,
) -> None:
    """A state at the end of ``region`` with one map around one tasklet, which assigns ``__out``, stored in ``write``.

    ``assign``: what symbols are assigned before the state.
    """
    state = region.add_state(label, is_start_block=not region.nodes())
    _append(region, state, assign)
    state.add_mapped_tasklet(
        label,
        dict(ranges),
        {name: Memlet(element) for name, element in reads.items()},
        code,
        {"__out": Memlet(write, wcr=wcr)},
        external_edges=True,
    )


def add_loop(sdfg: SDFG, label: str, variable: str, count: Any) -> LoopRegion:
    """A loop at the end of ``sdfg``, over 0 ≤ ``variable`` < ``count``."""
    loop = LoopRegion(label, f"{variable} < {count}", variable, f"{variable} = 0", f"{variable} = {variable} + 1")
    sdfg.add_node(loop, is_start_block=not sdfg.nodes())
    _append(sdfg, loop, None)
    return loop


def _append(region: ControlFlowRegion, block: Any, assign: Mapping[str, str] | None) -> None:
    for last in [b for b in region.sink_nodes() if b is not block]:
        region.add_edge(last, block, InterstateEdge(assignments=dict(assign or {})))
