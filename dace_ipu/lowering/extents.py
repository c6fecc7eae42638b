"""Ranges of maps as dimensions of a domain, whose extents are known when the graph is built.

A range that depends on values of the device (``for j in range(i + 1, N)`` in a loop over ``i``) becomes a dimension
over all values that it may have, and a condition around the body: so the same vertex always owns an element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sympy

from dace_ipu.lowering.bounds import Bounds
from dace_ipu.lowering.device import ZERO, Device
from dace_ipu.lowering.scope import Names
from dace_ipu.lowering.signed import signed_text
from dace_ipu.lowering.symbolic import Unsupported, python_text
from dace_ipu.tile_graph.body import (
    Access,
    Code,
    Declare,
    DType,
    Expr,
    For,
    If,
    LocalArray,
    Statement,
    Store,
    While,
    codes,
    symbol,
)
from dace_ipu.tile_graph.nodes import Dimension

__all__ = ["Extents"]


@dataclass
class Extents:
    """The dimensions of one map, in order."""

    device: Device
    names: Names
    types: Mapping[str, DType] = field(default_factory=dict)  # of the scalars that limits may be
    dimensions: list[tuple[str, Expr | None]] = field(default_factory=list)  # None: by the arrays that it indexes
    spans: dict[str, Bounds | None] = field(default_factory=dict)
    tests: list[str] = field(default_factory=list)
    from_zero: set[str] = field(default_factory=set)  # dimensions whose first value is 0, whatever the device computes

    def add(self, parameter: str, begin: Expr, last: Expr, step: Expr) -> Expr:
        """One more dimension, over an inclusive range: the value of its parameter. Raises Unsupported."""
        name = self.names.fresh(parameter)
        count = sympy.expand(last - begin + 1 if step == 1 else sympy.floor((last - begin) / step) + 1)
        if not self._is_late(count):
            return self._exact(name, begin, count, step)
        if not step.is_Integer or step < 0:
            raise Unsupported(f"a range with the step '{step}' and limits that are computed on the device")
        return self._bounded(name, begin, last, step)

    def add_loop(self, loop: For) -> None:
        """One more dimension for a loop that counts from 0."""
        if not self._is_late(loop.end):
            self.device.note_host_scalars(loop.end)
            self._dimension(loop.variable, loop.end)
            return
        self.from_zero.add(loop.variable)
        span = self._bounds(loop.end)
        if span is None:
            self._dimension(loop.variable, None)
        else:
            self._dimension(loop.variable, span[1])
        self.tests.append(f"{loop.variable} < {python_text(loop.end)}")

    def domain(self, body: list[Statement]) -> tuple[tuple[Dimension, ...], list[Statement]]:
        """The domain, and the body under the conditions that cut it down. Raises Unsupported for what has no bound."""
        dimensions = tuple(
            Dimension(name, extent if extent is not None else self._by_arrays(name, body))
            for name, extent in self.dimensions
        )
        if not self.tests:
            return dimensions, body
        declared = [s for s in body if isinstance(s, LocalArray) or (isinstance(s, Declare) and s.value is None)]
        rest = [s for s in body if s not in declared]
        return dimensions, [*declared, If(Code(signed_text(" and ".join(self.tests), self.types)), tuple(rest))]

    def _exact(self, name: str, begin: Expr, count: Expr, step: Expr) -> Expr:
        for value in (begin, count):
            self.device.note_host_scalars(value)
        self._dimension(name, count)
        return begin + step * symbol(name)

    def _bounded(self, name: str, begin: Expr, last: Expr, step: Expr) -> Expr:
        first, end = self._bounds(begin), self._bounds(last)
        low = ZERO if first is None else sympy.expand(first[0])
        self._dimension(name, None if end is None else sympy.expand(end[1] - low + 1))
        if begin == 0:
            self.from_zero.add(name)
        value = low + symbol(name)
        text = python_text(value)
        if first is None or begin != low:
            self.tests.append(f"{python_text(begin)} <= {text}")
        if end is None or last != end[1]:
            self.tests.append(f"{text} <= {python_text(last)}")
        if step != 1:
            self.tests.append(f"({text} - {python_text(begin)}) % {step} == 0")
        return value

    def _dimension(self, name: str, extent: Expr | None) -> None:
        self.dimensions.append((name, extent))
        self.spans[name] = None if extent is None else (ZERO, extent - 1)

    def _is_late(self, value: Expr) -> bool:
        """Whether a value depends on the device, or on a dimension whose extent does."""
        known = {s for s, _ in self.dimensions} | self.device.built_names
        return bool({str(s) for s in value.free_symbols} - known)

    def _bounds(self, value: Expr) -> Bounds | None:
        late = {str(s) for s in value.free_symbols} - self.device.built_names - self.device.runtime.keys()
        span = self.device.bounds(value, {**dict.fromkeys(late), **self.spans})
        if span is not None:
            for end in span:
                self.device.note_host_scalars(end)
        return span

    def _by_arrays(self, name: str, body: list[Statement]) -> Expr:
        """The extent of a dimension whose range is not bounded, by an array that it indexes. Raises Unsupported."""
        for access in _unconditional_accesses(body):
            variable = self.device.variables.get(access.data)
            for index, size in zip(access.indices, variable.shape if variable else (), strict=False):
                rest = sympy.expand(index - symbol(name))
                if symbol(name) in rest.free_symbols:
                    continue
                if not self._is_late(rest):
                    return sympy.expand(size - rest)
                if name in self.from_zero and not {s.name for s in rest.free_symbols} & self.spans.keys():
                    return size  # the first access is at ``rest``, which is in the array: it is 0 or more
        raise Unsupported("a range without a bound, which depends on data of the device,")


def _unconditional_accesses(body: list[Statement]) -> Iterator[Access]:
    """The accesses that every iteration makes: only these say what the range can be."""
    for statement in body:
        if isinstance(statement, Store):
            yield statement.target
        for code in codes(statement):
            if " if " not in code.text and not isinstance(statement, While):
                yield from (access for _, access in code.reads)
