"""Discrete Fourier transforms of vectors: ``np.fft.fft`` and ``np.fft.ifft``.

Element k of the transform of x is the sum of x[n] · exp(-2πi · k·n / N) over n, with a plus for the inverse. The angle
of k·n modulo N is the same and below 2π, so that float32 keeps it exact to its last bits whatever N is.
"""

from __future__ import annotations

import math
from typing import Any

from dace.libraries.fft.nodes.fft import FFT, IFFT
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState
from dace.transformation.transformation import ExpandTransformation

from dace_ipu.library_nodes.blocks import add_map
from dace_ipu.library_nodes.operands import Operand
from dace_ipu.library_nodes.register import ipu_expansion

__all__ = ["ExpandFftIPU", "ExpandIfftIPU"]

_MOST = 46340  # products of smaller numbers are in the range of int32


@ipu_expansion(FFT)
class ExpandFftIPU(ExpandTransformation):
    """``_out`` = ``factor`` · the transform of the vector ``_inp``. Raises ValueError for arrays of other ranks, and
    for more than 46340 elements.
    """

    environments: list[Any] = []

    @staticmethod
    def expansion(node: Any, parent_state: SDFGState, parent_sdfg: SDFG, *_: Any, **__: Any) -> SDFG:
        """The SDFG for one node."""
        return _transform(node, parent_state, -1)


@ipu_expansion(IFFT)
class ExpandIfftIPU(ExpandTransformation):
    """``_out`` = ``factor`` · the inverse transform of the vector ``_inp``. Raises as :class:`ExpandFftIPU`."""

    environments: list[Any] = []

    @staticmethod
    def expansion(node: Any, parent_state: SDFGState, parent_sdfg: SDFG, *_: Any, **__: Any) -> SDFG:
        """The SDFG for one node."""
        return _transform(node, parent_state, 1)


def _transform(node: Any, state: SDFGState, sign: int) -> SDFG:
    x, y = _vector(node, "_inp", state), _vector(node, "_out", state)
    result = SDFG(f"{node.label}_sdfg")
    x.declare(result)
    y.declare(result)
    (size,) = x.shape
    add_map(result, "clear", {"__k": f"0:{size}"}, {}, "__out = 0", "_out[__k]")
    angle = f"{sign * 2 * math.pi} * ((__k * __n) % ({size})) / ({size})"
    code = f"__out = decltype(__out)(cos({angle}), sin({angle})) * __x * ({node.factor})"
    ranges = {"__k": f"0:{size}", "__n": f"0:{size}"}
    add_map(result, "transform", ranges, {"__x": "_inp[__n]"}, code, "_out[__k]", wcr="lambda a, b: a + b")
    return result


def _vector(node: Any, connector: str, state: SDFGState) -> Operand:
    """The vector at a connector. Raises ValueError for arrays of other ranks, and for too many elements."""
    (edge,) = [e for e in state.all_edges(node) if connector in (e.src_conn, e.dst_conn)]
    sizes, desc = tuple(edge.data.subset.size()), state.sdfg.arrays[edge.data.data]
    if len(sizes) != 1:
        raise ValueError(f"'{connector}' of shape {sizes} is no vector")
    if (sizes[0] > _MOST) == True:  # noqa: E712  a comparison of symbols is neither
        raise ValueError(f"a transform of {sizes[0]} elements; {_MOST} are possible")
    return Operand(connector, sizes, tuple(desc.strides), desc.dtype)
