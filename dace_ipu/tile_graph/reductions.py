"""What reductions start from, and in which type partial results are kept."""

from __future__ import annotations

import numpy as np

from dace_ipu.tile_graph.body import DType, Op, Reduction

_IDENTITIES = {
    Op.SUM: "0",
    Op.PRODUCT: "1",
    Op.LOGICAL_AND: "1",
    Op.LOGICAL_OR: "0",
    Op.LOGICAL_XOR: "0",
    Op.BITWISE_OR: "0",
    Op.BITWISE_XOR: "0",
}


def identity(reduction: Reduction, dtype: DType) -> str | None:
    """The Python text of e with ``op(e, x) == x`` for every x of a type; None if there is none (a custom operation)."""
    if reduction.op in (Op.MIN, Op.MAX):
        return _limit(dtype, greatest=reduction.op is Op.MIN)
    if reduction.op is Op.BITWISE_AND:
        return str(np.iinfo(dtype.str).max) if dtype.kind == "u" else "1" if dtype.kind == "b" else "-1"
    text = _IDENTITIES.get(reduction.op)
    return f"{text}.0" if text is not None and dtype.kind == "f" else text


def _limit(dtype: DType, greatest: bool) -> str | None:
    match dtype.kind:
        case "f":
            return "math.inf" if greatest else "-math.inf"
        case "b":
            return "1" if greatest else "0"
        case "i" | "u":
            return str(np.iinfo(dtype.str).max if greatest else np.iinfo(dtype.str).min)
        case _:
            return None


def partial_type(dtype: DType) -> DType:
    """The type of partial results: no narrower than the 32-bit word that two workers can write side by side."""
    if dtype.kind == "f":
        return np.dtype(np.float32) if dtype.itemsize < 4 else dtype
    if dtype.kind == "c" or dtype.itemsize >= 4:
        return dtype
    return np.dtype(np.int32) if dtype.kind == "i" else np.dtype(np.uint32)
