"""Slices of tensors as calls of Poplar's ``Tensor``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy

from dace_ipu.tile_graph.body import Expr
from dace_ipu.tile_graph.nodes import Range

__all__ = ["conditions", "coordinates", "element_text", "slice_text"]

Print = Callable[[Expr], str]


def coordinates(function: str, values: Sequence[Expr], text: Print) -> str:
    """Several sizes as an argument: in braces if they are plain numbers, else through a function that checks them."""
    if all(v.is_Integer and v >= 0 for v in values):
        return f"{{{', '.join(str(v) for v in values)}}}"
    return f"{function}({', '.join(text(v) for v in values)})"


def slice_text(tensor: str, ranges: Sequence[Range], shape: Sequence[Expr], text: Print) -> str:
    """The part of a tensor that the ranges select, with as many dimensions as the tensor."""
    cut = [d for d, (r, extent) in enumerate(zip(ranges, shape, strict=True)) if not _is_whole(r, extent)]
    bounds = {d: _bounds(ranges[d]) for d in range(len(ranges))}
    result = tensor
    if len(cut) == 1:
        low, high = bounds[cut[0]]
        dimension = f", {cut[0]}" if cut[0] else ""
        result += f".slice({text(low)}, {text(high)}{dimension})"
    elif cut:
        leading = range(cut[-1] + 1)
        low_corner = coordinates("at", [bounds[d][0] for d in leading], text)
        result += f".slice({low_corner}, {coordinates('at', [bounds[d][1] for d in leading], text)})"
    for d, r in enumerate(ranges):
        if r.step < 0:
            result += f".reverse({d})"
        if abs(r.step) > 1:
            result += f".subSample({abs(r.step)}, {d})"
    return result


def conditions(ranges: Sequence[Range], shape: Sequence[Expr], text: Print) -> list[str]:
    """What symbols must satisfy for the ranges to select anything, where that is not certain.

    ``A[1:-1]`` of no or one element is empty in Python, but no slice in Poplar.
    """
    cut = [_bounds(r) for r, extent in zip(ranges, shape, strict=True) if not _is_whole(r, extent)]
    return [f"{text(low)} < {text(high)}" for low, high in cut if sympy.expand(high - low).is_nonnegative is not True]


def element_text(tensor: str, ranges: Sequence[Range], text: Print) -> str:
    """The one element that the ranges select."""
    return tensor + "".join(f"[{text(r.begin)}]" for r in ranges)


def _bounds(r: Range) -> tuple[Expr, Expr]:
    return (r.begin, r.end) if r.step > 0 else (r.end + 1, r.begin + 1)


def _is_whole(r: Range, extent: Expr) -> bool:
    low, high = _bounds(r)
    return low == 0 and bool(sympy.expand(high - extent) == 0)
