"""Which host arrays a program reads before it writes them, and which it writes."""

from __future__ import annotations

from typing import Any

import networkx as nx
from dace import data, subsets, symbolic
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import (
    AbstractControlFlowRegion,
    ConditionalBlock,
    ControlFlowBlock,
    ControlFlowRegion,
    LoopRegion,
    ReturnBlock,
    SDFGState,
)

from dace_ipu.lowering.queries import control_flow_reads

__all__ = ["may_return", "read_before_written", "touched", "used", "written"]


def used(sdfg: SDFG) -> set[str]:
    """The containers that the program touches at all."""
    names = {node.data for state in sdfg.states() for node in state.data_nodes()}
    return names | control_flow_reads(sdfg)


def written(sdfg: SDFG) -> set[str]:
    """The containers that the program writes."""
    return {
        n.data for st in sdfg.states() for n in st.data_nodes() if any(not e.data.is_empty() for e in st.in_edges(n))
    }


def read_before_written(sdfg: SDFG) -> set[str]:
    """The containers whose content from before the call matters: read somewhere, or written only in part.

    A container needs no copy to the device if the first state that touches it writes all of it before anything reads
    it, and that state runs in every call.
    """
    need = used(sdfg) - _written_whole_first(sdfg)
    return need | control_flow_reads(sdfg)


def _written_whole_first(sdfg: SDFG) -> set[str]:
    """Walks the blocks that run in every call, in order, until control flow forks."""
    result: set[str] = set()
    seen: set[str] = set()
    block: ControlFlowBlock | None = sdfg.start_block if sdfg.number_of_nodes() else None
    while block is not None:
        if isinstance(block, SDFGState):
            result |= _written_whole(block, sdfg) - seen
        seen |= touched(block)
        if may_return(block):
            break
        edges = sdfg.out_edges(block)
        seen |= {m.data for e in edges for m in e.data.get_read_memlets(sdfg.arrays)}
        block = edges[0].dst if len(edges) == 1 and edges[0].data.is_unconditional() else None
        if isinstance(block, LoopRegion) and len(sdfg.in_edges(block)) != 1:
            break
    return result


def may_return(block: ControlFlowBlock) -> bool:
    """Whether the program may end in a block, so that what follows does not run in every call."""
    inside = block.all_control_flow_blocks() if isinstance(block, (ControlFlowRegion, ConditionalBlock)) else ()
    return any(isinstance(each, ReturnBlock) for each in (block, *inside))


def touched(block: ControlFlowBlock) -> set[str]:
    """The containers that a block touches."""
    if isinstance(block, SDFGState):
        return {node.data for node in block.data_nodes()}
    if isinstance(block, AbstractControlFlowRegion):  # a loop or a branch
        return {node.data for state in _states(block) for node in state.data_nodes()} | {
            m.data for m in block.get_meta_read_memlets()
        }
    return set()


def _written_whole(state: SDFGState, sdfg: SDFG) -> set[str]:
    """The containers that a state overwrites entirely, before anything else in it touches them."""
    candidates = [node for node in state.data_nodes() if state.entry_node(node) is None]
    return {node.data for node in candidates if _is_first(node, state) and _overwrites(node, state, sdfg)}


def _is_first(node: nodes.AccessNode, state: SDFGState) -> bool:
    others = [n for n in state.data_nodes() if n.data == node.data and n is not node]
    return all(nx.has_path(state.nx, node, other) for other in others)


def _overwrites(node: nodes.AccessNode, state: SDFGState, sdfg: SDFG) -> bool:
    edges = state.in_edges(node)
    return len(edges) == 1 and _covers(edges[0], node, state, sdfg)


def _covers(edge: Any, node: nodes.AccessNode, state: SDFGState, sdfg: SDFG) -> bool:
    memlet = edge.data
    if memlet.is_empty() or memlet.wcr is not None or memlet.dynamic:
        return False
    source = edge.src
    if isinstance(source, nodes.NestedSDFG) or _from_nested(state, edge):
        return False  # what a nested SDFG may write is not what it writes
    if isinstance(source, nodes.AccessNode) and isinstance(source.desc(sdfg), data.Stream):
        return False  # as many elements as it has items
    if isinstance(source, nodes.AccessNode) and isinstance(source.desc(sdfg), data.View):
        if not _overwrites(source, state, sdfg):
            return False  # the edge names what the view shows, not what is written
    subset = (
        memlet.get_dst_subset(edge, state)
        if memlet.data != node.data or isinstance(source, nodes.AccessNode)
        else memlet.subset
    )
    if subset is None or any(step != 1 for _, _, step in subset.ndrange()):
        return False
    whole = subsets.Range.from_array(sdfg.arrays[node.data])
    return bool(subset == whole) and _is_dense(state, edge)


def _from_nested(state: SDFGState, edge: Any) -> bool:
    return any(isinstance(e.src, nodes.NestedSDFG) for e in state.memlet_tree(edge))


def _is_dense(state: SDFGState, edge: Any) -> bool:
    """Whether the one leaf memlet below ``edge`` writes every element of the array: propagation may only give a
    bounding box.
    """
    leaves = list(state.memlet_tree(edge).leaves())
    if len(leaves) != 1 or leaves[0].data.dynamic or leaves[0].data.wcr is not None:
        return False
    return leaves[0] is edge or _sweeps(leaves[0], state)


def _sweeps(leaf: Any, state: SDFGState) -> bool:
    """Whether the maps around a memlet move it over all of its array: each dimension is whole, or runs with a
    parameter of its own from the first to the last element.
    """
    ranges = _map_ranges(leaf.src, state)
    if leaf.data.subset is None or ranges is None:
        return False
    sizes = state.sdfg.arrays[leaf.data.data].shape
    subset: Any = leaf.data.subset
    for (begin, end, step), size in zip(subset.ndrange(), sizes, strict=True):
        if (begin, end, step) == (0, size - 1, 1):
            continue
        index = _plain(begin)
        mover = next((name for name in ranges if begin == end and name in map(str, index.free_symbols)), None)
        if mover is None or not _moves(index, mover, ranges.pop(mover), size):
            return False
    return all(_plain(subsets.Range([rest]).num_elements()).is_positive for rest in ranges.values())


def _plain(expression: Any) -> Any:
    """The expression with symbols that are equal if their names are."""
    return symbolic.simplify(symbolic.pystr_to_symbolic(str(expression)))


def _moves(index: Any, mover: str, limits: Any, size: Any) -> bool:
    """Whether an index runs from 0 to size - 1 while ``mover`` runs over its range."""
    offset = _plain(f"({index}) - {mover}")
    if mover in map(str, offset.free_symbols) or limits[2] != 1:
        return False
    ends = (limits[0] + offset, limits[1] + offset - size + 1)
    return all(_plain(end) == 0 for end in ends)


def _map_ranges(node: Any, state: SDFGState) -> dict[str, Any] | None:
    """The parameters of the maps around a node with their ranges; None if something else is around it."""
    result: dict[str, Any] = {}
    parents = state.scope_dict()
    entry = parents[node]
    while entry is not None:
        if not isinstance(entry, nodes.MapEntry):
            return None
        result |= dict(zip(entry.map.params, entry.map.range.ndrange(), strict=True))
        entry = parents[entry]
    return result


def _states(region: AbstractControlFlowRegion) -> list[SDFGState]:
    return [block for block in region.all_control_flow_blocks() if isinstance(block, SDFGState)]
