"""Loops whose iterations are independent become maps: DaCe's LoopToMap, which first needs one symbol for each name."""

from __future__ import annotations

import warnings
from typing import Any

import sympy
from dace import data, subsets, symbolic
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import LoopRegion, SDFGState
from dace.transformation.interstate.loop_to_map import LoopToMap
from dace.transformation.transformation import explicit_cf_compatible

__all__ = ["LoopToMapWithoutHeap", "canonical_symbols", "loops_to_maps"]


@explicit_cf_compatible
class LoopToMapWithoutHeap(LoopToMap):  # type: ignore[type-var]  # a decorator for passes
    """DaCe's LoopToMap for loops whose temporaries fit into a codelet, which has no heap: those of constant size."""

    def can_be_applied(self, graph: Any, expr_index: int, sdfg: SDFG, permissive: bool = False) -> bool:
        """Whether the iterations are independent and no array of a size that a call decides moves into the map."""
        rule: Any = super().can_be_applied  # DaCe gives it no types
        return not _needs_heap(self.loop, sdfg) and bool(rule(graph, expr_index, sdfg, permissive))


def _needs_heap(loop: LoopRegion, sdfg: SDFG) -> bool:
    names = {node.data for state in _states(loop) for node in state.data_nodes()}
    outside = {node.data for state in sdfg.states() for node in state.data_nodes() if not _within(state, loop)}
    inner = (sdfg.arrays[name] for name in names - outside)
    return any(desc.transient and not isinstance(desc, data.View) and _is_symbolic(desc) for desc in inner)


def _is_symbolic(desc: data.Data) -> bool:
    return not symbolic.pystr_to_symbolic(desc.total_size).is_number


def _states(loop: LoopRegion) -> list[SDFGState]:
    return [block for block in loop.all_control_flow_blocks() if isinstance(block, SDFGState)]


def _within(state: SDFGState, loop: LoopRegion) -> bool:
    region = state.parent_graph
    while region is not None and region is not loop and not isinstance(region, SDFG):
        region = region.parent_graph
    return region is loop


def loops_to_maps(sdfg: SDFG) -> None:
    """Turn loops into maps, in place, until no more can be. Loops that carry something from one iteration to the next
    stay loops; what is computed, and how it is rounded, stays the same.

    Before: ``for i in range(N): A[i, :] = B[i, :] + 1``. After: a map over ``i`` around the map over the row.
    """
    while True:
        sdfg.simplify(validate=False)
        canonical_symbols(sdfg)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # LoopToMap warns about the sets that it makes connectors of
            applied = sdfg.apply_transformations_repeated(LoopToMapWithoutHeap, validate=False, validate_all=False)
        if not applied:
            return
        _sort_connectors(sdfg)


def _sort_connectors(sdfg: SDFG) -> None:
    """An order that does not depend on hashes."""
    for node, _ in sdfg.all_nodes_recursive():
        if isinstance(node, nodes.NestedSDFG):
            node.in_connectors = dict(sorted(node.in_connectors.items()))
            node.out_connectors = dict(sorted(node.out_connectors.items()))


def canonical_symbols(sdfg: SDFG) -> None:
    """Let memlets, ranges and symbol mappings name each symbol as DaCe's parser does, in place. Values stay the same.

    A workaround, in this place only. DaCe's frontend writes a loop's variable into memlets as a symbol with the type of
    the loop's range and with assumptions of its own. sympy takes it for another symbol than the one of the same name
    that LoopToMap and others look for, and they find no dependence on the loop: ``tests/unit/transformations`` has the
    reproducer.
    """
    for nested in sdfg.all_sdfgs_recursive():
        for state in nested.states():
            for edge in state.edges():
                for subset in (edge.data.subset, edge.data.other_subset):
                    _canonical_range(subset)
            for node in state.nodes():
                if isinstance(node, nodes.MapEntry):
                    _canonical_range(node.map.range)
                elif isinstance(node, nodes.NestedSDFG):
                    for name, value in node.symbol_mapping.items():
                        node.symbol_mapping[name] = _canonical(value)


def _canonical_range(subset: Any) -> None:
    if isinstance(subset, subsets.Range):
        subset.ranges = [tuple(_canonical(value) for value in dimension) for dimension in subset.ranges]


def _canonical(value: Any) -> Any:
    if not isinstance(value, sympy.Basic):
        return value
    names = {symbol: symbolic.pystr_to_symbolic(str(symbol)) for symbol in value.free_symbols}
    changed = {old: new for old, new in names.items() if isinstance(new, sympy.Symbol) and old is not new}
    return value.xreplace(changed) if changed else value
