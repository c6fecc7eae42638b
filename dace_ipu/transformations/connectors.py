"""Names of connectors: none is that of a container, symbol or constant, which DaCe's validation refuses."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping
from typing import Any

from dace import dtypes
from dace.properties import CodeBlock
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG

__all__ = ["free_connectors", "named"]


def named(*names: str) -> dict[str, Any]:
    """Connectors in a fixed order; DaCe infers their types."""
    return dict.fromkeys(names)


def free_connectors(sdfg: SDFG) -> None:
    """Rename connectors of tasklets that would clash with a name in any SDFG of the program, in place.

    Expansions call them ``out`` and ``b``; inlined, they stand beside the user's arrays of these names.
    """
    taken = {
        name for each in sdfg.all_sdfgs_recursive() for name in (*each.arrays, *each.symbols, *each.constants_prop)
    }
    for node, state in sdfg.all_nodes_recursive():
        if isinstance(node, nodes.Tasklet) and node.language == dtypes.Language.Python:
            names = node.in_connectors.keys() | node.out_connectors.keys()
            renamed = {name: _free(name, taken | names) for name in sorted(names & taken)}
            if renamed:
                _rename(node, state, renamed)


def _free(name: str, taken: set[str]) -> str:
    return next(new for new in (f"__{name}{k or ''}" for k in itertools.count()) if new not in taken)


def _rename(tasklet: nodes.Tasklet, state: Any, names: Mapping[str, str]) -> None:
    class Renamed(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            """Gives the names of connectors their new ones."""
            return ast.copy_location(ast.Name(names.get(node.id, node.id), node.ctx), node)

    tree = ast.fix_missing_locations(Renamed().visit(ast.parse(tasklet.code.as_string)))
    tasklet.code = CodeBlock(ast.unparse(tree), dtypes.Language.Python)
    tasklet.in_connectors = {names.get(name, name): dtype for name, dtype in tasklet.in_connectors.items()}
    tasklet.out_connectors = {names.get(name, name): dtype for name, dtype in tasklet.out_connectors.items()}
    for edge in state.in_edges(tasklet):
        edge.dst_conn = names.get(edge.dst_conn, edge.dst_conn)
    for edge in state.out_edges(tasklet):
        edge.src_conn = names.get(edge.src_conn, edge.src_conn)
