"""Views: names that stand for a part of another array, or for the same elements in another shape."""

from __future__ import annotations

from dace import data, subsets
from dace.sdfg import nodes
from dace.sdfg.state import SDFGState

from dace_ipu import compat
from dace_ipu.lowering.places import located
from dace_ipu.lowering.queries import order
from dace_ipu.lowering.references import view_of
from dace_ipu.lowering.scope import Scope, dtype_of
from dace_ipu.lowering.symbolic import Unsupported

__all__ = ["bind_view", "bind_views", "is_view"]


def is_view(source: nodes.AccessNode, scope: Scope, node: nodes.AccessNode, state: SDFGState) -> bool:
    """Whether the edge only says that ``source`` is a view of ``node``: writing the view has written the array."""
    if not isinstance(source.desc(scope.sdfg), data.View):
        return False
    edge = compat.view_edge(state, source)
    return edge is not None and state.memlet_path(edge)[-1].dst is node


def bind_views(state: SDFGState, entry: nodes.EntryNode | None, scope: Scope) -> None:
    """Let the views of a scope stand for what they view, also where they are written first. Raises Failure."""
    for node in order(state, entry):
        if isinstance(node, nodes.AccessNode) and isinstance(node.desc(scope.sdfg), data.View):
            with located(node, scope.sdfg, state):
                if node.data not in scope.references:
                    bind_view(state, node, scope)


def bind_view(state: SDFGState, node: nodes.AccessNode, scope: Scope) -> None:
    """Let a view's name stand for what it views. Raises Unsupported."""
    edge = compat.view_edge(state, node)
    if edge is None:
        raise Unsupported(f"the view '{node.data}' of nothing")
    incoming = edge.dst is node
    viewed = state.memlet_path(edge)[0].src if incoming else state.memlet_path(edge)[-1].dst
    subset = compat.source_subset(edge, state) if incoming else compat.target_subset(edge, state)
    desc = viewed.desc(scope.sdfg)
    if isinstance(desc, data.View) and viewed.data not in scope.references:
        bind_view(state, viewed, scope)
    if subset is None:
        subset = subsets.Range.from_array(desc)
    array = scope.array(viewed.data)
    if dtype_of(node.desc(scope.sdfg)) != array.dtype:
        raise Unsupported(
            f"the view '{node.data}', which reads the bytes of '{viewed.data}' as {dtype_of(node.desc(scope.sdfg))},",
            hints=("convert the elements instead: astype",),
        )
    scope.references[node.data] = array.through(view_of(node.desc(scope.sdfg), subset, desc, scope.environment))
