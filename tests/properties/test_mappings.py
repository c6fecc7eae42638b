"""Mappings of random variables: each element has exactly one tile, and the one that touches it where there is one."""

from __future__ import annotations

import itertools

import numpy as np
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dace_ipu.tile_graph.blocks import blocks
from dace_ipu.tile_graph.mapping import mapping_tiles
from dace_ipu.tile_graph.nodes import (
    BlockMapping,
    Follow,
    LaneMapping,
    LinearMapping,
    Partition,
    TileGraph,
    TileMapping,
    Variable,
)

machines = st.sampled_from([1, 4, 7, 1472])
types = st.sampled_from(["float32", "float16", "int8", "int32", "int64", "bool", "complex64"]).map(np.dtype)


def tiles_of(variable, extents, tiles):
    partition = Partition("p", tuple(map(sympy.Integer, extents)))
    return mapping_tiles(variable, TileGraph("g", (), (), (variable,), (), (partition,)), {}, tiles)


FLOAT = np.dtype(np.float32)


def variable_of(shape, mapping, dtype=FLOAT, **more):
    return Variable("A", dtype, tuple(map(sympy.Integer, shape)), mapping=mapping, **more)


@given(st.integers(0, 10**5), types, machines)
@settings(deadline=None)
def test_linear_mapping_deals_out_runs_of_at_least_128_bytes(count, dtype, tiles):
    result = tiles_of(variable_of((count,), LinearMapping(), dtype), (5,), tiles)
    assert (np.diff(result) >= 0).all()
    used, counts = np.unique(result, return_counts=True)
    assert used.tolist() == list(range(len(used)))
    assert len(used) <= tiles
    if len(used) > 1:  # whole vectors (of up to four elements) are dealt out evenly
        assert min(counts[:-1]) * dtype.itemsize >= 128  # the last vector may be incomplete
        assert max(counts) - min(counts) <= 8


@given(st.lists(st.integers(0, 30), min_size=1, max_size=3), types, machines, st.data())
@settings(deadline=None)
def test_every_element_has_one_tile_of_the_machine(shape, dtype, tiles, data):
    mapping = data.draw(st.sampled_from([LinearMapping(), TileMapping(tiles - 1)]))
    result = tiles_of(variable_of(shape, mapping, dtype), (5,), tiles)
    assert result.shape == tuple(shape)
    assert ((result >= 0) & (result < tiles)).all()


@st.composite
def followers(draw):
    """Extents of a partition, and a tensor whose dimensions follow some of its dimensions."""
    extents = draw(st.lists(st.integers(1, 30), min_size=1, max_size=3))
    dimensions = draw(st.permutations(range(len(extents))))
    follow, shape = [], []
    for dimension in dimensions[: draw(st.integers(1, len(extents)))]:
        stride = draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))
        before, behind = draw(st.integers(0, 5)), draw(st.integers(0, 5))
        reach = abs(stride) * (extents[dimension] - 1)
        follow.append(Follow(dimension, sympy.Integer(before + (reach if stride < 0 else 0)), stride))
        shape.append(before + reach + 1 + behind)
    if draw(st.booleans()):
        follow.append(None)
        shape.append(draw(st.integers(1, 4)))
    return extents, tuple(shape), tuple(follow)


@given(followers(), machines)
@settings(deadline=None)
def test_an_element_lives_where_its_iteration_runs(case, tiles):
    extents, shape, follow = case
    result = tiles_of(variable_of(shape, BlockMapping("p", follow)), extents, tiles)
    followed = {entry.dimension for entry in follow if entry is not None}
    for block in blocks(tuple(extents), tiles):
        if any(block.begins[d] for d in range(len(extents)) if d not in followed):
            continue  # only the first block of a dimension that nothing follows counts
        for point in itertools.product(*map(range, block.begins, block.ends)):
            place = tuple(0 if f is None else int(f.offset) + f.stride * point[f.dimension] for f in follow)
            assert result[place] == block.tile


@given(followers(), machines)
@settings(deadline=None)
def test_neighbours_extend_outwards(case, tiles):
    """Along a dimension the tile changes only where an iteration is touched: borders go to the first and last block."""
    extents, shape, follow = case
    result = tiles_of(variable_of(shape, BlockMapping("p", follow)), extents, tiles)
    for axis, entry in enumerate(follow):
        line = result[tuple(slice(None) if a == axis else 0 for a in range(len(shape)))]
        changes = set((np.flatnonzero(np.diff(line)) + (1 if entry and entry.stride > 0 else 0)).tolist())
        touched = (
            set() if entry is None else {int(entry.offset) + entry.stride * t for t in range(extents[entry.dimension])}
        )
        assert changes <= touched


@given(st.integers(0, 100), st.integers(1, 6), machines)
@settings(deadline=None)
def test_lanes_live_with_their_block(extent, lanes, tiles):
    variable = variable_of((1, 3), LaneMapping("p", lanes), lanes_of=("p", lanes))
    result = tiles_of(variable, (extent,), tiles)
    expected = [block.tile for block in blocks((extent,), tiles) for _ in range(lanes)]
    assert result.shape == (len(expected), 3)
    assert (result == np.array(expected, np.int64).reshape(-1, 1)).all()
