"""Library nodes in a program that goes to the IPU: expanded to maps and tasklets, which then run on the device."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from dace import data, dtypes
from dace.libraries.standard.nodes.reduce import Reduce
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG

from dace_ipu import (
    compat,
    library_nodes,  # noqa: F401  registers the expansions for the IPU
)
from dace_ipu.errors import DiagnosticCollector, Place
from dace_ipu.transformations.connectors import free_connectors

__all__ = ["expand_library_nodes"]

#: Implementations in the order of preference. 'specialize' picks the right node for a MatMul or Einsum, which is
#: expanded in turn.
_LARGEST = tuple(float(np.finfo(name).max) for name in ("float16", "float32", "float64"))
PREFERRED = ("IPU", "pure", "specialize", "MappedTasklet")


def expand_library_nodes(sdfg: SDFG) -> None:
    """Expand all library nodes, in place. Raises DiagnosticError with all nodes that have no expansion for the
    device.
    """
    findings = DiagnosticCollector()
    refused: set[int] = set()
    while True:
        pending = [
            (n, st) for n, st in sdfg.all_nodes_recursive() if isinstance(n, nodes.LibraryNode) and id(n) not in refused
        ]
        if not pending:
            break
        for node, state in pending:
            refused.add(id(node))
            _expand(node, state, findings)
    findings.raise_if_errors()
    if refused:
        free_connectors(sdfg)
        sdfg.simplify()


def _expand(node: Any, state: Any, findings: DiagnosticCollector) -> None:
    name = next((name for name in PREFERRED if name in node.implementations), None)
    place = Place.of(node, state.sdfg, state)
    if name is None:
        known = ", ".join(sorted(node.implementations)) or "none"
        findings.error(
            place,
            f"the library node '{node.label}' ({type(node).__name__}) cannot run on the IPU",
            notes=[f"it has no pure expansion; its implementations are: {known}"],
            hints=["write the computation with maps, or register an 'IPU' expansion for the node"],
        )
        return
    if isinstance(node, Reduce):
        _set_identity(node, state)
    others = set(map(id, state.nodes()))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # DaCe's expansions warn about themselves, which no user can help
            node.expand(state, name)
        _inherit_place(place, [n for n in state.nodes() if id(n) not in others])
    except Exception as error:  # an expansion may raise anything
        findings.error(
            place,
            f"the library node '{node.label}' ({type(node).__name__}) cannot be expanded",
            notes=[f"{type(error).__name__}: {error}"],
        )


def _set_identity(node: Reduce, state: Any) -> None:
    """Let a reduction start from its identity where the program gives none and there is nothing to add to.

    A maximum starts from minus infinity, not from the least finite number, as DaCe's frontend has it. A conjunction
    starts from true: its frontend lets ``np.all`` start from 0, and then it is never true.
    """
    if compat.reduction_type(node.wcr) == dtypes.ReductionType.Logical_And and node.identity is not None:
        node.identity = True
    if node.identity is None:
        node.identity = _identity_of_nothing(node, state)
    if isinstance(node.identity, (float, np.floating)):
        value = float(node.identity)
        node.identity = math.copysign(math.inf, value) if abs(value) in _LARGEST else value


def _identity_of_nothing(node: Reduce, state: Any) -> Any:
    """The identity of a reduction to a temporary that nothing else writes; None if it adds to what is there."""
    (target,) = (edge.dst for edge in state.out_edges(node))
    desc = target.desc(state.sdfg) if isinstance(target, nodes.AccessNode) else None
    if desc is None or not desc.transient or isinstance(desc, data.View):
        return None
    written = [n for st in state.sdfg.states() for n in st.data_nodes() if n.data == target.data and st.in_degree(n)]
    kind = compat.reduction_type(node.wcr)
    if len(written) != 1 or kind is None or desc.lifetime == dtypes.AllocationLifetime.Persistent:
        return None
    return dtypes.reduction_identity(desc.dtype, kind)


def _inherit_place(place: Place, expanded: list[nodes.Node]) -> None:
    """What an expansion made stands where the library node stood in the user's program."""
    if place.file is None or place.line is None:
        return
    info = dtypes.DebugInfo(place.line, 0, place.line, 0, place.file)
    for new in expanded:
        inside = [n for n, _ in new.sdfg.all_nodes_recursive()] if isinstance(new, nodes.NestedSDFG) else []
        for each in [new, *inside]:
            if isinstance(each, (nodes.Tasklet, nodes.NestedSDFG, nodes.LibraryNode, nodes.AccessNode)):
                each.debuginfo = info
            elif isinstance(each, nodes.MapEntry):
                each.map.debuginfo = info
