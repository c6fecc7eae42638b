"""Scalars that DaCe lets be read without a memlet are read as data: those that nested SDFGs get as symbols, and those
that tasklets only name.

DaCe's frontend lets a nested SDFG read a scalar of the program around it through its symbol mapping (``a: a``), and
types that symbol as an integer whatever the scalar is. What a device computes is no symbol, and a float is no integer:

Before: a nested SDFG with a symbol ``a`` that is mapped to the container ``a`` outside. After: a connector
``a_data`` with the container's type, and an assignment ``a = a_data`` before the first block of the nested SDFG. Each
container in the value of the symbol gets a connector.

DaCe's simplification drops the memlet of a scalar from what is constant to its symbolic engine, and keeps the name in
the tasklet's text: ``out = (a - a) % 11``. After: a connector ``a_data``, which the text names.
"""

from __future__ import annotations

from typing import Any

from dace import symbolic
from dace.dtypes import Language, result_type_of
from dace.memlet import Memlet
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG, InterstateEdge
from dace.sdfg.state import SDFGState

from dace_ipu import compat

__all__ = ["pass_scalars_as_data"]


def pass_scalars_as_data(sdfg: SDFG) -> None:
    """Change all nested SDFGs and tasklets of a program, in place. Symbols that are mapped to symbols stay as they are,
    and so do names of scalars that the same state writes, where the text does not say which value is meant.
    """
    for state in sdfg.states():
        for node in list(state.nodes()):
            if isinstance(node, nodes.Tasklet) and node.language == Language.Python:
                _connect_named(node, state)
            if isinstance(node, nodes.NestedSDFG):
                for symbol in _mapped_to_data(node, sdfg):
                    _pass_as_data(node, symbol, state)
                pass_scalars_as_data(node.sdfg)


def _mapped_to_data(node: nodes.NestedSDFG, sdfg: SDFG) -> list[str]:
    """The symbols whose values read containers, all of one element: DaCe has no other way to write that."""
    return sorted(str(symbol) for symbol, value in node.symbol_mapping.items() if _containers(value, sdfg))


def _containers(value: Any, sdfg: SDFG) -> list[str]:
    names = {str(symbol) for symbol in symbolic.pystr_to_symbolic(value).free_symbols}
    return sorted(names & sdfg.arrays.keys())


def _pass_as_data(node: nodes.NestedSDFG, name: str, state: SDFGState) -> None:
    value = symbolic.pystr_to_symbolic(node.symbol_mapping.pop(name))
    dtypes = []
    for outside in _containers(value, state.sdfg):
        dtypes.append(state.sdfg.arrays[outside].dtype)
        inside, _ = node.sdfg.add_scalar(f"{outside}_data", dtypes[-1], find_new_name=True)
        node.add_in_connector(inside)
        _connect(node, inside, outside, state)
        value = value.subs(symbolic.pystr_to_symbolic(outside), symbolic.symbol(inside))
    node.sdfg.symbols[name] = dtypes[0] if len(dtypes) == 1 else result_type_of(*dtypes)
    first = node.sdfg.start_block
    before = node.sdfg.add_state(f"read_{name}", is_start_block=True)
    node.sdfg.add_edge(before, first, InterstateEdge(assignments={name: symbolic.symstr(value)}))


def _connect_named(tasklet: nodes.Tasklet, state: SDFGState) -> None:
    written = {node.data for node in state.data_nodes() if state.in_degree(node)}
    scalars = {name for name, desc in state.sdfg.arrays.items() if desc.total_size == 1} - written
    names = {name: f"{name}_data" for name in sorted(tasklet.free_symbols & scalars)}
    for outside, connector in names.items():
        tasklet.add_in_connector(connector)
        _connect(tasklet, connector, outside, state)
    if names:
        compat.rename_in_code(tasklet, names)


def _connect(node: nodes.CodeNode, connector: str, outside: str, state: SDFGState) -> None:
    entries = []
    entry = state.entry_node(node)
    while entry is not None:
        entries.append(entry)
        entry = state.entry_node(entry)
    path = (state.add_read(outside), *reversed(entries), node)
    state.add_memlet_path(*path, dst_conn=connector, memlet=Memlet(f"{outside}[0]"))
