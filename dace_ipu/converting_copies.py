"""Copies between arrays of different types: they convert each element, and are kept.

DaCe 2.0.0b1 simplifies them away. Of ``t[:] = a; b[:] = t``, where t is an array of integers between two of floats,
nothing is left that cuts the fractions off; ``b[:] = np.sum(k, axis=1)`` writes the bytes of integers into floats.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from dace import data
from dace.memlet import Memlet
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState

from dace_ipu import compat
from dace_ipu.tile_graph.functions import NARROWED

__all__ = ["as_maps", "install"]


def install(second_copy: Callable[[Callable[..., bool]], Callable[..., bool]]) -> None:
    """Keep DaCe from removing arrays of another type. Repeatable. ``second_copy`` wraps the same method of DaCe's."""
    compat.wrap_first_copy(_unless_converted)
    compat.wrap_second_copy(lambda original: _unless_converted(second_copy(original)))


def _unless_converted(original: Callable[..., bool]) -> Callable[..., bool]:
    """Whether a copy is superfluous: not if it converts the elements."""

    @functools.wraps(original)
    def can_be_applied(match: Any, state: Any, index: int, sdfg: Any, *more: Any, **options: Any) -> bool:
        converts = _converts(match.in_array.desc(sdfg), match.out_array.desc(sdfg))
        return not converts and original(match, state, index, sdfg, *more, **options)

    return can_be_applied


def _converts(source: data.Data, target: data.Data) -> bool:
    """Whether the types differ by more than what the machine narrows anyway."""
    types = [np.dtype(desc.dtype.type) for desc in (source, target)]
    return len({NARROWED.get(dtype, dtype) for dtype in types}) > 1


def as_maps(sdfg: SDFG) -> None:
    """Make maps of the copies that convert, in place: the code that DaCe makes of such a copy does not compile."""
    for nested in sdfg.all_sdfgs_recursive():
        for state in nested.states():
            for edge in [e for e in state.edges() if _is_converting_copy(e, nested)]:
                _replace(edge, state, nested)


def _is_converting_copy(edge: Any, sdfg: SDFG) -> bool:
    if not all(isinstance(node, nodes.AccessNode) for node in (edge.src, edge.dst)) or edge.data.is_empty():
        return False
    descs = [node.desc(sdfg) for node in (edge.src, edge.dst)]
    return all(type(desc) is data.Array for desc in descs) and edge.data.wcr is None and _converts(*descs)


def _replace(edge: Any, state: SDFGState, sdfg: SDFG) -> None:
    """The copy as a map, unless its two sides have different extents (it reshapes then)."""
    source = edge.data.get_src_subset(edge, state) or Memlet.from_array(edge.src.data, edge.src.desc(sdfg)).subset
    target = edge.data.get_dst_subset(edge, state) or Memlet.from_array(edge.dst.data, edge.dst.desc(sdfg)).subset
    extents = [size for size in target.size() if size != 1]
    if extents != [size for size in source.size() if size != 1]:
        return
    counters = [f"__i{k}" for k in range(len(extents))] or ["__i0"]
    state.add_mapped_tasklet(
        f"convert_{edge.src.data}",
        dict(zip(counters, (f"0:{size}" for size in extents or [1]), strict=True)),
        {"__inp": Memlet(data=edge.src.data, subset=_element(source, counters))},
        "__out = __inp",
        {"__out": Memlet(data=edge.dst.data, subset=_element(target, counters))},
        external_edges=True,
        input_nodes={edge.src.data: edge.src},
        output_nodes={edge.dst.data: edge.dst},
    )
    state.remove_edge(edge)


def _element(subset: Any, counters: list[str]) -> str:
    """The element of a subset that the counters stand at, one for each dimension of more than one element."""
    left = iter(counters)
    return ", ".join(
        str(begin) if size == 1 else f"{begin} + ({step}) * {next(left)}"
        for (begin, _, step), size in zip(subset.ranges, subset.size(), strict=True)
    )
