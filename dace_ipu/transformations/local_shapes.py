"""Arrays inside of maps whose shape depends on the map's parameters get the largest shape that any iteration needs.

DaCe takes a parameter in the shape of an array for a symbol of the whole program, and asks the caller for its value.

Before: ``t`` of shape ``(i + 1)`` in a map ``i in 0:N``. After: ``t`` of shape ``(N)``; the subsets stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dace import data, dtypes, symbolic
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState

from dace_ipu.lowering.bounds import Bounds, bounds
from dace_ipu.lowering.symbolic import Unsupported, convert

__all__ = ["bound_local_shapes"]


def bound_local_shapes(sdfg: SDFG) -> None:
    """Widen the transients of a program, in place; views and what has no bound stay as they are."""
    for nested in sdfg.all_sdfgs_recursive():
        parameters: set[str] = set()
        for state in nested.states():
            for node in state.data_nodes():
                desc = node.desc(nested)
                if desc.transient and type(desc) is data.Array:
                    around = dict(_parameters(state, node))
                    parameters |= around.keys()
                    if _bound(desc, around):
                        _follow(state, node, desc)
        if nested is sdfg:
            _forget(sdfg, parameters)


def _forget(sdfg: SDFG, parameters: set[str]) -> None:
    """The parameters are no symbols of the program any more."""
    for name in sorted(parameters & sdfg.symbols.keys() - sdfg.used_symbols(all_symbols=False)):
        sdfg.remove_symbol(name)


def _parameters(state: SDFGState, node: nodes.Node) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """The first and last values of the parameters around a node, inner ones first."""
    entry = state.entry_node(node)
    while isinstance(entry, nodes.MapEntry):
        for parameter, (begin, last, step) in zip(entry.map.params, entry.map.range.ndrange(), strict=True):
            yield parameter, (begin, last) if step > 0 else (last, begin)
        entry = state.entry_node(entry)


def _bound(desc: data.Array, parameters: dict[str, tuple[Any, Any]]) -> bool:
    """Widen one array; whether it has changed."""
    shape = [_largest(size, parameters) for size in desc.shape]
    if None in shape or shape == list(desc.shape):
        return False
    desc.set_shape([symbolic.pystr_to_symbolic(str(size)) for size in shape])
    return True


def _follow(state: SDFGState, node: nodes.AccessNode, desc: data.Array) -> None:
    """The connectors of nested SDFGs that stand for an array have its shape."""
    for edge in state.all_edges(node):
        other, connector = (edge.dst, edge.dst_conn) if edge.src is node else (edge.src, edge.src_conn)
        if not isinstance(other, nodes.NestedSDFG) or connector not in other.sdfg.arrays:
            continue
        inner = other.sdfg.arrays[connector]
        inner.set_shape(list(desc.shape))
        for free in sorted({str(s) for size in desc.shape for s in getattr(size, "free_symbols", ())}):
            other.symbol_mapping.setdefault(free, symbolic.pystr_to_symbolic(free))
            other.sdfg.symbols.setdefault(free, state.sdfg.symbols.get(free, dtypes.int64))
        for deeper in other.sdfg.states():
            for access in deeper.data_nodes():
                if access.data == connector:
                    _follow(deeper, access, inner)


def _largest(size: Any, parameters: dict[str, tuple[Any, Any]]) -> Any:
    """The largest value of a size, None if it has no bound."""
    if not {str(s) for s in getattr(size, "free_symbols", ())} & parameters.keys():
        return size
    spans: dict[str, Bounds | None] = {}
    try:
        for parameter, (least, greatest) in reversed(parameters.items()):  # ranges may depend on outer parameters
            low, high = bounds(convert(least, {}), spans), bounds(convert(greatest, {}), spans)
            spans[parameter] = None if low is None or high is None else (low[0], high[1])
        found = bounds(convert(size, {}), spans)
    except Unsupported:
        return None
    return None if found is None else found[1]
