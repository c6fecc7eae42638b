"""Loops and branches of a program as the body of one vertex: for scalar work, and for what has no other form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dace import data
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ConditionalBlock, ControlFlowRegion, LoopRegion, ReturnBlock, SDFGState

from dace_ipu.lowering import codelet, local_symbols
from dace_ipu.lowering.device import Device, store
from dace_ipu.lowering.private_arrays import PrivateArrays
from dace_ipu.lowering.queries import assigned_symbols
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.symbolic import Unsupported, python_text
from dace_ipu.tile_graph.body import Code, Declare, Statement, symbol

__all__ = ["is_scalar_work", "statements"]

#: A copy of more elements than this is worth all tiles.
FEW = 16


def is_scalar_work(block: LoopRegion | ConditionalBlock, sdfg: SDFG) -> bool:
    """Whether a loop or branch holds nothing but scalar computations: there is nothing to spread over tiles."""
    return not _leaves(block) and all(_is_scalar_state(state) for state in _states(block))


def _leaves(block: LoopRegion | ConditionalBlock) -> bool:
    """Whether a jump inside leaves the block: a vertex cannot make the program jump."""
    inside = list(block.all_control_flow_blocks())
    if any(isinstance(b, ReturnBlock) for b in inside):
        return True
    return isinstance(block, ConditionalBlock) and _has_open_jump(block)


def _has_open_jump(block: ControlFlowRegion | ConditionalBlock) -> bool:
    parts = [body for _, body in block.branches] if isinstance(block, ConditionalBlock) else [block]
    for part in parts:
        for inner in part.nodes():
            if type(inner).__name__ in ("BreakBlock", "ContinueBlock"):
                return True
            if isinstance(inner, (ConditionalBlock, ControlFlowRegion)) and not isinstance(inner, LoopRegion):
                if _has_open_jump(inner):
                    return True
    return False


def _states(block: ControlFlowRegion | ConditionalBlock) -> Iterator[SDFGState]:
    yield from (inner for inner in block.all_control_flow_blocks() if isinstance(inner, SDFGState))


def _is_scalar_state(state: SDFGState) -> bool:
    for node in state.nodes():
        if isinstance(node, (nodes.EntryNode, nodes.LibraryNode)):
            return False
        if isinstance(node, nodes.NestedSDFG) and not all(_is_scalar_state(s) for s in node.sdfg.states()):
            return False
        if isinstance(node, nodes.AccessNode) and isinstance(node.desc(state.sdfg), data.Stream):
            return False
    return all(_is_small(edge) for edge in state.edges())


def _is_small(edge: object) -> bool:
    """Whether an edge is no copy of many elements."""
    source, target = edge.src, edge.dst  # type: ignore[attr-defined]
    if not (isinstance(source, nodes.AccessNode) and isinstance(target, nodes.AccessNode)):
        return True
    count = edge.data.num_elements() if not edge.data.is_empty() else 0  # type: ignore[attr-defined]
    return bool(getattr(count, "is_Integer", isinstance(count, int)) and count <= FEW)


def statements(block: LoopRegion | ConditionalBlock, scope: Scope, device: Device) -> list[Statement]:
    """The statements of a loop or branch, in one vertex. Raises Unsupported or Failure."""
    if _leaves(block):
        raise Unsupported("a jump out of what runs in one vertex")
    inner = replace(device.body_scope(scope), storage=PrivateArrays(device))
    before: list[Statement] = []
    after: list[Statement] = []
    for name in assigned_symbols(block):
        token = str(scope.environment.get(name, ""))
        carried = token in device.runtime
        local = inner.names.fresh(name)
        dtype = (
            device.variables[device.runtime[token]].dtype if carried else local_symbols.symbol_type(scope.sdfg, name)
        )
        outside = scope.environment.get(name)
        value = None if outside is None else Code(python_text(outside))
        inner.environment[name] = symbol(local)
        inner.types[local] = dtype
        before.append(Declare(local, dtype, value, constant=False))
        if carried:
            after.append(store(device.runtime[token], Code(local)))
    return [*before, *codelet.lower_block(block, inner), *after]
