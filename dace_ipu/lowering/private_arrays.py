"""Arrays of a map's inside that are too large for a worker's stack, or whose size is known only when it runs.

Each iteration has a part of one array of the device, which has the map's dimensions before its own: so it lies on the
tile that uses it, and iterations do not disturb each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy

from dace_ipu.lowering.device import ZERO, Device
from dace_ipu.lowering.extents import Extents
from dace_ipu.lowering.references import ArrayReference, Window
from dace_ipu.lowering.scope import Limits
from dace_ipu.lowering.symbolic import Unsupported
from dace_ipu.tile_graph.body import DType, Expr, symbol
from dace_ipu.tile_graph.nodes import Variable

__all__ = ["PrivateArrays"]


@dataclass
class PrivateArrays:
    """Makes the arrays of one body. ``extents`` are the dimensions of its map; None for a body of one vertex."""

    device: Device
    extents: Extents | None = None

    def array(self, name: str, dtype: DType, shape: tuple[Expr, ...], limits: Limits) -> ArrayReference:
        """A part for each iteration, as large as the largest needs. Raises Unsupported for a shape without a bound."""
        own = tuple(self._bounded(name, size, shape, limits) for size in shape)
        before = self._iterations(name)
        unique = self.device.names.fresh(name)
        self.device.variables[unique] = Variable(unique, dtype, (*(extent for _, extent in before), *own))
        begins = (*(symbol(dimension) for dimension, _ in before), *([ZERO] * len(own)))
        which = (*([None] * len(before)), *range(len(own)))
        return ArrayReference(unique, dtype, (Window(begins, (sympy.Integer(1),) * len(begins), which),))

    def _iterations(self, name: str) -> list[tuple[str, Expr]]:
        dimensions = [] if self.extents is None else self.extents.dimensions
        known = [(dimension, extent) for dimension, extent in dimensions if extent is not None]
        if len(known) < len(dimensions):
            raise Unsupported(f"the array '{name}' inside a map whose range is computed on the device")
        return known

    def _bounded(self, name: str, size: Expr, shape: tuple[Expr, ...], limits: Limits) -> Expr:
        spans = {} if self.extents is None else self.extents.spans
        for candidate in (size, *(limit for part, limit in limits if part == size)):
            found = self._bound(candidate, spans)
            if found is not None:
                self.device.note_host_scalars(found)
                return found
        text = ", ".join(map(str, shape))
        raise Unsupported(
            f"the array '{name}' of shape ({text}), a size that is computed inside of the map,",
            hints=("use an array of fixed size, and a slice of it: arrays of the IPU are laid out when it starts",),
        )

    def _bound(self, size: Expr, spans: Mapping[str, tuple[Expr, Expr] | None]) -> Expr | None:
        """The largest value of a size, in what is known when the graph is built."""
        span = self.device.bounds(size, dict(spans))
        if span is None:
            return None
        built = self.device.built_names
        return span[1] if {str(s) for s in span[1].free_symbols} <= built else None
