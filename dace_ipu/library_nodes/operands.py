"""What stands at the connectors of a library node, as matrices and vectors of its expansion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from dace import symbolic
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState

__all__ = ["Operand", "operand", "square"]


@dataclass(frozen=True)
class Operand:
    """One connector: its shape without the dimensions that the memlet fixes, and its type."""

    name: str
    shape: tuple[Any, ...]
    strides: tuple[Any, ...]
    dtype: Any

    @property
    def columns(self) -> Any:
        """How many columns it has; a vector has one."""
        return self.shape[1] if len(self.shape) == 2 else 1

    def element(self, row: str, column: str) -> str:
        """The element at a row and column, for a memlet."""
        return f"{self.name}[{row}, {column}]" if len(self.shape) == 2 else f"{self.name}[{row}]"

    def declare(self, sdfg: SDFG) -> None:
        """Add it to the arrays of an expansion."""
        sdfg.add_array(self.name, self.shape, self.dtype, strides=self.strides)
        for size in (*self.shape, *self.strides):
            for free in sorted(map(str, symbolic.free_symbols_and_functions(size))):
                if free not in sdfg.symbols:
                    sdfg.add_symbol(free, symbolic.symbol(free).dtype)


def operand(node: nodes.LibraryNode, connector: str, state: SDFGState, rows: Any = None) -> Operand:
    """The matrix at a connector; with ``rows``, a vector of as many elements as well.

    Raises ValueError for what is neither, and for elements that are no floating-point numbers.
    """
    edges = [e for e in state.in_edges(node) if e.dst_conn == connector]
    edges += [e for e in state.out_edges(node) if e.src_conn == connector]
    if len(edges) != 1:
        raise ValueError(f"'{connector}' is not connected")
    desc, sizes = state.sdfg.arrays[edges[0].data.data], edges[0].data.subset.size()
    if np.dtype(desc.dtype.type).kind not in "fc":
        raise ValueError(f"'{connector}' has elements of type {desc.dtype}, not floating-point numbers")
    kept = _kept(sizes, min(2, len(sizes)))
    if rows is not None and sizes[kept[0]] != rows:
        kept = _kept(sizes, 1)
    shape = tuple(sizes[k] for k in kept)
    if len(shape) == 1 and shape[0] != rows:
        raise ValueError(f"'{connector}' of shape {tuple(sizes)} is no matrix, and no vector of {rows} elements")
    return Operand(connector, shape, tuple(desc.strides[k] for k in kept), desc.dtype)


def square(node: nodes.LibraryNode, connector: str, state: SDFGState) -> Operand:
    """The square matrix at a connector. Raises ValueError for anything else."""
    found = operand(node, connector, state)
    if len(found.shape) != 2 or symbolic.simplify(found.shape[0] - found.shape[1]) != 0:
        raise ValueError(f"'{connector}' of shape {found.shape} is no square matrix")
    return found


def _kept(sizes: list[Any], rank: int) -> list[int]:
    """The dimensions that are left: those of more than one element, then the last ones."""
    by_weight = sorted(range(len(sizes)), key=lambda k: (sizes[k] == 1, -k))
    if sum(size != 1 for size in sizes) > rank:
        raise ValueError(f"a box of shape {tuple(sizes)} where at most {rank} dimensions are expected")
    return sorted(by_weight[:rank])
