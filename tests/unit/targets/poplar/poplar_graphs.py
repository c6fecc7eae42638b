"""Level-2 tile graphs written by hand, for the tests of the printers."""

from __future__ import annotations

import numpy as np

from dace_ipu.tile_graph.body import Access, Code, Declare, For, Op, Reduction, Store, symbol
from dace_ipu.tile_graph.nodes import (
    BlockDimension,
    BlockMapping,
    Combine,
    ComputeSet,
    Copy,
    CopyIn,
    CopyOut,
    Direction,
    Field,
    Follow,
    HostArray,
    LaneMapping,
    Layout,
    LinearMapping,
    Partition,
    Range,
    Repeat,
    Slice,
    Source,
    TileGraph,
    TileMapping,
    Value,
    Variable,
)

F32 = np.dtype(np.float32)
I32 = np.dtype(np.int32)
U32 = np.dtype(np.uint32)
N, T = symbol("N"), symbol("T")
i, j, k = symbol("i"), symbol("j"), symbol("k")
i_begin, i_size = symbol("i_begin"), symbol("i_size")
worker, block = symbol("worker"), symbol("block")


def access(data: str, *indices: object) -> Access:
    return Access(data, tuple(symbol("i") * 0 + index for index in indices))  # numbers become sympy's


def vector(name: str, direction: Direction, begin: object, end: object) -> Field:
    zero = symbol("i") * 0
    return Field(name, name, direction, (Range(zero + begin, zero + end),), Layout.VECTOR)


def host(name: str, *shape: object, dtype: np.dtype = F32) -> HostArray:
    one = symbol("i") ** 0
    strides = [one]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return HostArray(name, dtype, tuple(one * s for s in shape), tuple(strides), one * 0)


def jacobi(dtype: np.dtype = F32) -> TileGraph:
    """``for t in range(T): B[1:-1] = 0.33 * (A[:-2] + A[1:-1] + A[2:]); A[1:-1] = B[1:-1]``."""
    sweep = ComputeSet(
        "jacobi",
        "jacobi_blocks",
        (BlockDimension(0, "i_begin", "i_size"),),
        (
            vector("A", Direction.INPUT, i_begin, i_begin + i_size + 2),
            vector("B", Direction.OUTPUT, i_begin + 1, i_begin + i_size + 1),
        ),
        (Value("i_size", i_size, U32),),
        (
            For(
                "i",
                i * 0,
                i_size,
                i**0,
                (
                    Store(
                        access("B", i),
                        Code(
                            "0.33*(a+b+c)",
                            (("a", access("A", i)), ("b", access("A", i + 1)), ("c", access("A", i + 2))),
                        ),
                    ),
                ),
                shared=True,
            ),
        ),
        True,
        2 + 9 * i_size,
        source=Source("prog.py", 12, "B[1:-1] = 0.33 * (A[:-2] + A[1:-1] + A[2:])"),
    )
    inner = (Range(i**0, N - 1),)
    mapping = BlockMapping("jacobi_blocks", (Follow(0, i**0, 1),))
    return TileGraph(
        "jacobi",
        (("N", I32), ("T", I32)),
        (host("A", N, dtype=dtype), host("B", N, dtype=dtype)),
        (Variable("A", dtype, (N,), mapping=mapping), Variable("B", dtype, (N,), mapping=mapping)),
        (
            CopyIn("A", "A"),
            CopyIn("B", "B"),
            Repeat(T, (sweep, Copy(Slice("B", inner), Slice("A", inner), Source("prog.py", 13, "A[1:-1] = B[1:-1]")))),
            CopyOut("A", "A"),
            CopyOut("B", "B"),
        ),
        (Partition("jacobi_blocks", (N - 2,)),),
    )


def dot() -> TileGraph:
    """``s[0] += x[i] * y[i]``, with a row of partial results a worker."""
    products = ComputeSet(
        "dot",
        "dot_blocks",
        (BlockDimension(0, "i_begin", "i_size"),),
        (
            vector("x", Direction.INPUT, i_begin, i_begin + i_size),
            vector("y", Direction.INPUT, i_begin, i_begin + i_size),
            Field(
                "s",
                "s_partial",
                Direction.OUTPUT,
                (Range(6 * block, 6 * block + 6), Range(i * 0, i**0)),
                Layout.VECTOR,
            ),
        ),
        (Value("i_size", i_size, U32),),
        (
            Declare("total", F32, Code("0.0"), constant=False),
            For(
                "i",
                i * 0,
                i_size,
                i**0,
                (
                    # the accumulator of the passes
                    _accumulate(),
                ),
                shared=True,
            ),
            Store(access("s", worker, 0), Code("total")),
        ),
        True,
        5 * i_size,
        source=Source("prog.py", 3, "s[0] += x[i] * y[i]"),
    )
    blocks = BlockMapping("dot_blocks", (Follow(0, i * 0, 1),))
    return TileGraph(
        "dot",
        (("N", I32),),
        (host("x", N), host("y", N), host("s", 1)),
        (
            Variable("x", F32, (N,), mapping=blocks),
            Variable("y", F32, (N,), mapping=LinearMapping()),
            Variable("s", F32, (i**0,), mapping=TileMapping(0)),
            Variable("s_partial", F32, (i**0, i**0), mapping=LaneMapping("dot_blocks", 6), lanes_of=("dot_blocks", 6)),
        ),
        (
            CopyIn("x", "x"),
            CopyIn("y", "y"),
            CopyIn("s", "s"),
            products,
            Combine("s_partial", Slice("s", (Range(i * 0, i**0),)), Reduction(Op.SUM)),
            CopyOut("s", "s"),
        ),
        (Partition("dot_blocks", (N,)),),
    )


def _accumulate():
    from dace_ipu.tile_graph.body import Assign

    return Assign("total", Code("a * b", (("a", access("x", i)), ("b", access("y", i)))), Reduction(Op.SUM))
