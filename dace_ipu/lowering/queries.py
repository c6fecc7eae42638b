"""Questions about SDFGs that lowering asks, answered without changing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import networkx as nx
from dace import data, dtypes
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ConditionalBlock, ControlFlowRegion, LoopRegion, SDFGState

__all__ = [
    "assigned_symbols",
    "control_flow_reads",
    "counters",
    "is_module_path",
    "lives_outside_maps",
    "order",
    "scope_locals",
    "used_outside",
    "wide_symbols",
]

_MODULES = ("math", "numpy", "np", "dace", "cmath")


def is_module_path(node: ast.expr) -> bool:
    """Whether ``node`` is ``math.x``, ``dace.float32`` or the like."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in _MODULES


def assigned_symbols(region: ControlFlowRegion | ConditionalBlock) -> list[str]:
    """The symbols that edges of a region (and of the regions in it) assign, sorted."""
    edges = region.all_interstate_edges() if isinstance(region, SDFG) else _edges_inside(region)
    return sorted({str(name) for edge in edges for name in edge.data.assignments})


def wide_symbols(sdfg: SDFG) -> set[str]:
    """The symbols that carry data of 64 bits: assigned from it, or from a number of as many, and used in computations,
    not only as indices.
    """
    assignments = [(str(n), str(t)) for e in sdfg.all_interstate_edges() for n, t in e.data.assignments.items()]
    wide = {name for name, desc in sdfg.arrays.items() if desc.dtype in (dtypes.int64, dtypes.uint64)}
    wide |= {name for name, text in assignments if _has_large_number(text)}
    for _ in assignments:
        wide |= {name for name, text in assignments if _names(text) & wide}
    computed = {str(s) for n, _ in sdfg.all_nodes_recursive() if isinstance(n, nodes.Tasklet) for s in n.free_symbols}
    computed |= {name for _, text in assignments for name in _names(text)} | _conditions(sdfg)
    return wide & computed - set(sdfg.arrays)


def _conditions(sdfg: SDFG) -> set[str]:
    """The names in conditions of loops and branches."""
    found: set[str] = set()
    for region in sdfg.all_control_flow_regions(recursive=False):
        if hasattr(region, "used_symbols"):
            found |= {str(s) for s in region.used_symbols(all_symbols=True, with_contents=False)}
    return found


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Name)}


def _has_large_number(text: str) -> bool:
    numbers = (node.value for node in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Constant))
    return any(type(number) is int and number >= 2**31 for number in numbers)


def _edges_inside(region: ControlFlowRegion | ConditionalBlock) -> list[Any]:
    result = list(region.edges())
    for block in region.all_control_flow_blocks():
        if isinstance(block, ControlFlowRegion):
            result += block.edges()
    return result


def counters(sdfg: SDFG) -> set[str]:
    """The variables of the loops of an SDFG, outside of maps."""
    return {
        region.loop_variable
        for region in sdfg.all_control_flow_regions(recursive=False)
        if isinstance(region, LoopRegion) and region.loop_variable
    }


def lives_outside_maps(sdfg: SDFG, name: str) -> bool:
    """Whether a container is more than a temporary of one map."""
    desc = sdfg.arrays[name]
    if not desc.transient or desc.lifetime == dtypes.AllocationLifetime.Persistent:
        return True
    at_top = (
        node.data == name and state.entry_node(node) is None for state in sdfg.states() for node in state.data_nodes()
    )
    return any(at_top) or name in control_flow_reads(sdfg)


def used_outside(sdfg: SDFG, state: SDFGState, entry: nodes.EntryNode) -> set[str]:
    """The containers that appear anywhere but inside the scope of ``entry``."""
    inside = {id(node) for node in state.scope_subgraph(entry, include_entry=False, include_exit=False).nodes()}
    result = {n.data for st in sdfg.states() for n in st.data_nodes() if st is not state or id(n) not in inside}
    return result | control_flow_reads(sdfg)


def scope_locals(sdfg: SDFG) -> set[str]:
    """The transients that only one state uses: they need no life beyond it."""
    users: dict[str, set[int]] = {}
    for number, state in enumerate(sdfg.states()):
        for node in state.data_nodes():
            users.setdefault(node.data, set()).add(number)
    control_flow = control_flow_reads(sdfg)
    return {name for name, states in users.items() if len(states) == 1 and name not in control_flow}


def control_flow_reads(sdfg: SDFG) -> set[str]:
    """The containers that interstate edges, loop bounds and conditions read."""
    names: set[str] = set()
    for edge in sdfg.all_interstate_edges():
        names |= {str(s) for s in edge.data.free_symbols}
    for region in sdfg.all_control_flow_regions(recursive=False):
        names |= {m.data for m in region.get_meta_read_memlets()} if hasattr(region, "get_meta_read_memlets") else set()
        names |= (
            {str(s) for s in region.used_symbols(all_symbols=True, with_contents=False)}
            if hasattr(region, "used_symbols")
            else set()
        )
    return names & set(sdfg.arrays)


def order(state: SDFGState, scope: nodes.EntryNode | None) -> list[nodes.Node]:
    """The nodes right inside a scope (None: of the whole state), sources before what depends on them, and what reads a
    container before what overwrites it.
    """
    parents = state.scope_dict()
    inside = [node for node in state.nodes() if parents[node] is scope and not isinstance(node, nodes.ExitNode)]
    graph = _with_reads_first(state, [node for node in inside if isinstance(node, nodes.AccessNode)])
    position = {node: k for k, node in enumerate(nx.topological_sort(graph))}
    return sorted(inside, key=position.__getitem__)


def _with_reads_first(state: SDFGState, accesses: list[nodes.AccessNode]) -> nx.DiGraph:
    """The graph of a state with an edge from each reader of a container to what writes it later.

    DaCe's state fusion leaves them out where the reader goes through a view.
    """
    graph = state.nx
    for node, later in _rewritten(state, accesses):
        for reader in _readers(state, node):
            for writer in _writers(state, later):
                if not nx.has_path(graph, reader, writer) and not nx.has_path(graph, writer, reader):
                    graph = graph.copy() if graph is state.nx else graph
                    graph.add_edge(reader, writer)
    return graph


def _rewritten(
    state: SDFGState, accesses: list[nodes.AccessNode]
) -> Iterator[tuple[nodes.AccessNode, nodes.AccessNode]]:
    """Pairs of nodes of one container of which the second is written and comes after the first."""
    by_name: dict[str, list[nodes.AccessNode]] = {}
    for node in accesses:
        by_name.setdefault(node.data, []).append(node)
    for same in by_name.values():
        for later in same:
            if state.in_degree(later):
                yield from ((node, later) for node in same if node is not later and nx.has_path(state.nx, node, later))


def _readers(state: SDFGState, node: nodes.AccessNode) -> Iterator[nodes.Node]:
    """What reads a container at a node, through views as well."""
    for successor in state.successors(node):
        if isinstance(successor, nodes.AccessNode) and isinstance(successor.desc(state.sdfg), data.View):
            yield from _readers(state, successor)
        else:
            yield successor


def _writers(state: SDFGState, node: nodes.AccessNode) -> Iterator[nodes.Node]:
    """What writes a container at a node, through views as well: of a map its entry."""
    for predecessor in state.predecessors(node):
        if isinstance(predecessor, nodes.AccessNode) and isinstance(predecessor.desc(state.sdfg), data.View):
            yield from _writers(state, predecessor)
        else:
            entry = state.entry_node(predecessor) if isinstance(predecessor, nodes.ExitNode) else None
            yield entry or predecessor
