"""The three-point stencil as a graph of maps and as a graph of vertices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

from dace_ipu.tile_graph.body import Access, Code, For, Store, symbol
from dace_ipu.tile_graph.nodes import (
    BlockDimension,
    BlockMapping,
    ComputeSet,
    CopyIn,
    CopyOut,
    Dimension,
    Direction,
    Field,
    Follow,
    HostArray,
    Layout,
    MapStep,
    Partition,
    Range,
    Source,
    TileGraph,
    Value,
    Variable,
)

FLOAT, INT = np.dtype(np.float32), np.dtype(np.int32)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
N, i, begin, size = (symbol(name) for name in "N i i_begin i_size".split())

SOURCE = Source("/programs/prog.py", 12, "    B[1:-1] = 0.33 * (A[:-2] + A[1:-1] + A[2:])")
STENCIL = Code("0.33*(a+b+c)", tuple((name, Access("A", (i + k,))) for k, name in enumerate("abc")))


@pytest.fixture
def jacobi_maps() -> TileGraph:
    """Level 1. Host arrays and variables A and B of N elements."""
    step = MapStep("jacobi", (Dimension("i", N - 2),), (Store(Access("B", (i + 1,)), STENCIL),), SOURCE)
    hosts = tuple(HostArray(name, FLOAT, (N,), (ONE,), ZERO) for name in "AB")
    variables = tuple(Variable(name, FLOAT, (N,)) for name in "AB")
    steps = (CopyIn("A", "A"), CopyIn("B", "B"), step, CopyOut("B", "B"))
    return TileGraph("stencil", (("N", INT),), hosts, variables, steps)


@pytest.fixture
def jacobi_set() -> ComputeSet:
    """The stencil as a family of vertices."""
    body = (For("i", ZERO, size, ONE, (Store(Access("B", (i,)), STENCIL),), shared=True),)
    fields = (
        Field("A", "A", Direction.INPUT, (Range(begin, begin + size + 2),), Layout.VECTOR),
        Field("B", "B", Direction.OUTPUT, (Range(begin + 1, begin + size + 1),), Layout.VECTOR),
    )
    values = (Value("i_size", size, np.dtype(np.uint32)),)
    block = (BlockDimension(0, "i_begin", "i_size"),)
    return ComputeSet("jacobi", "jacobi_blocks", block, fields, values, body, True, 6 * size, source=SOURCE)


@pytest.fixture
def jacobi_vertices(jacobi_maps: TileGraph, jacobi_set: ComputeSet) -> TileGraph:
    """Level 2 of the same."""
    mapping = BlockMapping("jacobi_blocks", (Follow(0, ONE, 1),))
    variables = tuple(replace(variable, mapping=mapping) for variable in jacobi_maps.variables)
    steps = (*jacobi_maps.steps[:2], jacobi_set, jacobi_maps.steps[3])
    return replace(jacobi_maps, variables=variables, steps=steps, partitions=(Partition("jacobi_blocks", (N - 2,)),))
