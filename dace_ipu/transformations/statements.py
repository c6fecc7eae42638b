"""States become one state for each statement: DaCe's simplification joins what a user wrote line by line.

Before: a state with two maps and a callback between them. After: three states. What flows from one to the next stays in
the containers that it was in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dace import data
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState

from dace_ipu.lowering.queries import order

__all__ = ["split_statements"]

_BOUND: tuple[type, ...] = (data.View, data.Reference, data.Stream)  # to others, by the edges of one state


@dataclass(frozen=True)
class _Statement:
    """The nodes of a tasklet, a map and the like, with all edges to the containers around; or a copy between two."""

    nodes: list[nodes.Node]
    edges: list[Any]


def split_statements(sdfg: SDFG) -> None:
    """Split the states that an SDFG runs itself, not those in its loops, in place. A state with views, references or
    streams stays whole, and so does one whose tasklets hand values to each other without a container.
    """
    for state in [block for block in sdfg.nodes() if isinstance(block, SDFGState)]:
        if not _holds_together(state, sdfg):
            for statement in list(_statements(state))[:-1]:
                _move(statement, state, sdfg)
            state.remove_nodes_from([node for node in state.data_nodes() if state.degree(node) == 0])


def _holds_together(state: SDFGState, sdfg: SDFG) -> bool:
    scopes = state.scope_dict()
    return any(isinstance(node.desc(sdfg), _BOUND) for node in state.data_nodes()) or any(
        not isinstance(edge.src, nodes.AccessNode)
        and not isinstance(edge.dst, nodes.AccessNode)
        and not edge.data.is_empty()
        and scopes[edge.src] is scopes[edge.dst] is None
        for edge in state.edges()
    )


def _statements(state: SDFGState) -> Iterator[_Statement]:
    """In an order in which they may run."""
    for node in order(state, None):
        if isinstance(node, nodes.AccessNode):
            copies = (edge for edge in state.in_edges(node) if isinstance(edge.src, nodes.AccessNode))
            yield from (_Statement([], [edge]) for edge in copies if not edge.data.is_empty())
        else:
            inside = list(state.scope_subgraph(node).nodes()) if isinstance(node, nodes.EntryNode) else [node]
            yield _Statement(inside, [edge for edge in state.edges() if _belongs(edge, inside)])


def _belongs(edge: Any, inside: list[nodes.Node]) -> bool:
    """Whether an edge lies in a statement or ties it to a container. Others only say what comes first."""
    ends = [end for end in (edge.src, edge.dst) if end not in inside]
    return len(ends) == 0 or (len(ends) == 1 and isinstance(ends[0], nodes.AccessNode))


def _move(statement: _Statement, state: SDFGState, sdfg: SDFG) -> None:
    """To a state of its own, before this one."""
    before = sdfg.add_state_before(state, state.label, is_start_block=sdfg.start_block is state)
    there: dict[nodes.Node, nodes.Node] = {node: node for node in statement.nodes}
    before.add_nodes_from(statement.nodes)
    for edge in statement.edges:
        for end in (edge.src, edge.dst):
            if end not in there:
                there[end] = before.add_access(end.data)
        before.add_edge(there[edge.src], edge.src_conn, there[edge.dst], edge.dst_conn, edge.data)
        state.remove_edge(edge)
    state.remove_nodes_from(statement.nodes)
    for node in statement.nodes:
        if isinstance(node, nodes.NestedSDFG):
            node.sdfg.parent = before
