"""How many items a stream can hold at most: all that is ever pushed, where that can be counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import sympy
from dace import data, dtypes
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import LoopRegion, SDFGState

__all__ = ["pushes"]


def pushes(sdfg: SDFG, name: str, scope: nodes.EntryNode | None = None) -> Any:
    """The number of items that are pushed to a stream while its scope runs once, in DaCe's symbols.

    None if it depends on data: pushes in loops, in consume scopes and in triangular maps.
    """
    total: Any = sympy.Integer(0)
    for state, edge in _incoming(sdfg, name):
        found = _of_edge(state, edge, scope)
        if found is None or _in_loop(state):
            return None
        total += found
    return total


def _incoming(sdfg: SDFG, name: str) -> Iterator[tuple[SDFGState, Any]]:
    """The edges that push: right behind a tasklet, an array or a nested SDFG."""
    for state in sdfg.states():
        for node in (node for node in state.data_nodes() if node.data == name):
            for edge in (edge for edge in state.in_edges(node) if not edge.data.is_empty()):
                leaves = list(state.memlet_tree(edge).leaves()) if isinstance(edge.src, nodes.ExitNode) else [edge]
                yield from ((state, leaf) for leaf in leaves)


def _in_loop(state: SDFGState) -> bool:
    region = state.parent_graph
    while region is not None and not isinstance(region, SDFG):
        if isinstance(region, LoopRegion):
            return True
        region = region.parent_graph
    return False


def _of_edge(state: SDFGState, edge: Any, scope: nodes.EntryNode | None) -> Any:
    turns, times = _turns(state, edge.src, scope), _times(state, edge)
    return None if turns is None or times is None else turns * times


def _turns(state: SDFGState, node: nodes.Node, scope: nodes.EntryNode | None) -> Any:
    """How often a node runs in one turn of ``scope``."""
    parents, total, counters = state.scope_dict(), sympy.Integer(1), set()
    entry = parents[node]
    while entry is not scope and entry is not None:
        if not isinstance(entry, nodes.MapEntry) or any(
            e.dst_conn and e.dst_conn[:3] != "IN_" for e in state.in_edges(entry)
        ):
            return None
        counters |= set(entry.map.params)
        total *= entry.map.range.num_elements()
        entry = parents[entry]
    return None if counters & {str(s) for s in sympy.sympify(total).free_symbols} else total


def _times(state: SDFGState, edge: Any) -> Any:
    """How many items one run of the source pushes along an edge."""
    source, sdfg = edge.src, state.sdfg
    match source:
        case nodes.Tasklet() if source.language == dtypes.Language.Python:
            return _assignments(source.code.code, edge.src_conn)
        case nodes.AccessNode() if not isinstance(source.desc(sdfg), data.Stream):
            subset = edge.data.get_src_subset(edge, state)
            return source.desc(sdfg).total_size if subset is None else subset.num_elements()
        case nodes.NestedSDFG():
            found = pushes(source.sdfg, edge.src_conn)
            names = {} if found is None else {s: source.symbol_mapping.get(str(s), s) for s in found.free_symbols}
            return None if found is None else found.subs(names)
        case _:
            return None


def _assignments(body: Any, connector: str) -> int | None:
    """How many statements assign a connector; None if one of them may run more than once."""
    loops = [inner for node in body for inner in ast.walk(node) if isinstance(inner, (ast.For, ast.While))]
    if any(_assigns(node, connector) for loop in loops for node in ast.walk(loop)):
        return None
    return sum(_assigns(inner, connector) for node in body for inner in ast.walk(node))


def _assigns(node: ast.AST, connector: str) -> bool:
    return isinstance(node, ast.Name) and node.id == connector and isinstance(node.ctx, ast.Store)
