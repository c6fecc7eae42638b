"""float64 → float32 and complex128 → complex64 everywhere in a device program."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
from dace import dtypes
from dace.properties import CodeBlock
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG

from dace_ipu.transformations import checks

__all__ = ["narrow", "narrow_leaks"]

_TYPES = {dtypes.float64: dtypes.float32, dtypes.complex128: dtypes.complex64}
_NAMES = {"float64": "float32", "complex128": "complex64", "double": "float32"}


def narrow(sdfg: SDFG) -> None:
    """Narrow the types of containers, symbols, connectors and casts, in place. Host arrays outside keep theirs."""
    for nested in sdfg.all_sdfgs_recursive():
        for desc in nested.arrays.values():
            desc.dtype = _TYPES.get(desc.dtype, desc.dtype)
        for name, dtype in nested.symbols.items():
            nested.symbols[name] = _TYPES.get(dtype, dtype)
        for name, (desc, value) in nested.constants_prop.items():
            nested.constants_prop[name] = (desc, _narrowed(value))
    for node, _ in sdfg.all_nodes_recursive():
        if isinstance(node, (nodes.CodeNode, nodes.EntryNode, nodes.ExitNode)):
            for connectors in (node.in_connectors, node.out_connectors):
                for name, dtype in connectors.items():
                    connectors[name] = _TYPES.get(dtype, dtype)
        if isinstance(node, nodes.Tasklet) and node.language == dtypes.Language.Python:
            node.code = CodeBlock([_Casts().visit(statement) for statement in node.code.code], node.language)


def _narrowed(value: Any) -> Any:
    name = np.asarray(value).dtype.name
    return np.asarray(value).astype(_NAMES[name]) if name in _NAMES else value


def narrow_leaks(sdfg: SDFG) -> None:
    """Narrow a program in which only DaCe's type rules brought float64, in place. A program whose user wrote float64
    anywhere stays as it is: :func:`checks.precision` tells the two apart.
    """
    if checks.precision(sdfg, "refuse") == "float32":
        narrow(sdfg)


class _Casts(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        """``dace.float64`` → ``dace.float32``."""
        node.attr = _NAMES.get(node.attr, node.attr)
        return node
