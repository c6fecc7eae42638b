"""Streams as ring buffers: an array of the device, and for each stream the place of its first item and their number.

Items keep their order. What pushes or pops is therefore sequential, and runs as one vertex: :func:`used_in` finds it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import sympy
from dace import data
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState

from dace_ipu.lowering.references import ScalarReference
from dace_ipu.lowering.symbolic import python_text
from dace_ipu.tile_graph.body import Access, Code, Declare, DType, Expr, If, LocalArray, Statement, Store, symbol

__all__ = ["Stream", "used_in"]

_INT32 = np.dtype(np.int32)


@dataclass(frozen=True)
class Stream:
    """A stream, or an array of them. ``items`` has the dimensions of the array and one of ``capacity`` elements;
    ``first`` and ``count`` have those of the array. ``indices`` say which stream of an array is meant.

    ``proven``: no more than ``capacity`` items can be in it. Else it is the user's word, and a push beyond it goes to
    an element out of range.
    """

    items: str
    first: str
    count: str
    dtype: DType
    shape: tuple[Expr, ...]
    capacity: Expr
    proven: bool
    indices: tuple[Expr, ...] = ()

    def at(self, indices: Iterable[Expr]) -> Stream:
        """One stream of an array of streams."""
        return replace(self, indices=tuple(indices))

    @property
    def not_empty(self) -> Code:
        """Whether there is something to pop."""
        return Code("_0 > 0", (("_0", self._of(self.count)),))

    def _of(self, variable: str) -> Access:
        return Access(variable, self.indices)

    def push(self, value: Code, place: str) -> list[Statement]:
        """Append an item. ``place`` is a new name."""
        size = python_text(self.capacity)
        where = f"(_0 + _1) % {size}" + ("" if self.proven else f" if _1 < {size} else {size}")
        ends = (("_0", self._of(self.first)), ("_1", self._of(self.count)))
        return [
            Declare(place, _INT32, Code(where, ends)),
            Store(Access(self.items, (*self.indices, symbol(place))), value),
            Store(self._of(self.count), Code("_0 + 1", (("_0", self._of(self.count)),))),
        ]

    def pop(self, item: str, place: str) -> list[Statement]:
        """Take the first item into the local scalar ``item``. Both names are new."""
        return [
            Declare(place, _INT32, Code("_0", (("_0", self._of(self.first)),))),
            Declare(item, self.dtype, Code("_0", (("_0", Access(self.items, (*self.indices, symbol(place)))),))),
            Store(self._of(self.first), Code(f"({place} + 1) % {python_text(self.capacity)}")),
            Store(self._of(self.count), Code("_0 - 1", (("_0", self._of(self.count)),))),
        ]

    def pop_if_any(self, item: ScalarReference, place: str, then: Iterable[Statement]) -> Statement:
        """Take the first item, if there is one, and go on with it."""
        return If(self.not_empty, (*self.pop(item.name, place), *then))

    def local_arrays(self) -> list[Statement]:
        """Declares a stream that lives in a codelet, without items."""
        shape = tuple(int(size) for size in self.shape)
        arrays = (LocalArray(self.first, _INT32, shape), LocalArray(self.count, _INT32, shape))
        items = LocalArray(self.items, self.dtype, (*shape, int(self.capacity)))
        return [items, *arrays, *self.clear()]

    def clear(self) -> list[Statement]:
        """Empties all streams of an array whose sizes are numbers."""
        places = np.ndindex(*(int(size) for size in self.shape))
        return [
            Store(Access(variable, tuple(map(sympy.Integer, place))), Code("0"))
            for place in places
            for variable in (self.first, self.count)
        ]


def used_in(state: SDFGState, entry: nodes.EntryNode, sdfg: SDFG) -> list[str]:
    """The streams from outside of a scope that it pushes to or pops from, by name."""
    edges = [*state.in_edges(entry), *state.out_edges(state.exit_node(entry))]
    names = {edge.data.data for edge in edges if not edge.data.is_empty()}
    ends = {n.data for e in edges for n in (e.src, e.dst) if isinstance(n, nodes.AccessNode)}
    return sorted(name for name in names | ends if isinstance(sdfg.arrays[name], data.Stream))
