"""Mappings: the tile of each element, against values from the published rule and hand-made ones."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from dace_ipu.tile_graph.body import symbol
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

N = symbol("N")
FLOAT = np.dtype(np.float32)


def tiles_of(shape, mapping, extents=(N,), n=20, tiles=4, dtype=FLOAT, lanes_of=None):
    variable = Variable("A", dtype, tuple(map(sympy.sympify, shape)), mapping=mapping, lanes_of=lanes_of)
    graph = TileGraph("g", (("N", np.dtype(np.int32)),), (), (variable,), (), (Partition("p", extents),))
    return mapping_tiles(variable, graph, {"N": n}, tiles)


def linear_bounds(count):
    """Begin and end of the elements of each tile that has any."""
    tiles = tiles_of((count,), LinearMapping(), tiles=1472)
    starts = [0, *(np.flatnonzero(np.diff(tiles)) + 1).tolist(), count]
    assert tiles[starts[:-1]].tolist() == list(range(len(starts) - 1))
    return list(zip(starts, starts[1:], strict=False))


@pytest.mark.parametrize(
    ("count", "used", "first"),
    [
        (10, 1, [(0, 10)]),
        (50, 1, [(0, 50)]),
        (64, 2, [(0, 32), (32, 64)]),
        (100, 3, [(0, 32), (32, 66), (66, 100)]),
        (1000, 30, [(0, 32), (32, 66), (66, 100), (100, 132)]),
        (2000, 59, [(0, 32), (32, 66), (66, 100), (100, 134)]),
        (47104, 1472, [(0, 32), (32, 64), (64, 96), (96, 128)]),
        (200000, 1471, [(0, 134), (134, 270), (270, 406), (406, 542)]),
        (10000000, 1472, [(0, 6792), (6792, 13586), (13586, 20380), (20380, 27172)]),
    ],
)
def test_linear_bounds_are_those_of_poplibs(count, used, first):
    bounds = linear_bounds(count)
    assert len(bounds) == used
    assert bounds[: len(first)] == first
    assert bounds[-1][1] == count


def test_nothing_is_mapped_linearly_to_nothing():
    assert tiles_of((0,), LinearMapping()).shape == (0,)


def test_linear_mapping_goes_row_by_row():
    result = tiles_of((10, 10), LinearMapping(), tiles=1472)
    assert np.flatnonzero(np.diff(result.ravel())).tolist() == [31, 65]


def test_linear_mapping_keeps_the_parts_of_complex_elements_together():
    result = tiles_of((100,), LinearMapping(), tiles=1472, dtype=np.dtype(np.complex64))
    floats = linear_bounds(200)
    assert result.tolist() == [t for t, (begin, end) in enumerate(floats) for _ in range(begin, end, 2)]


def test_tile_mapping_is_one_tile():
    assert (tiles_of((3, 2), TileMapping(2)) == 2).all()


def test_tile_mapping_beyond_the_machine_is_refused():
    with pytest.raises(ValueError, match="'A' lives on tile 4 of 4"):
        tiles_of((3,), TileMapping(4))


def test_blocks_with_an_offset_take_the_border_along():
    # 18 iterations on 3 tiles; iteration t touches element t + 1
    result = tiles_of((N,), BlockMapping("p", (Follow(0, sympy.Integer(1), 1),)), extents=(N - 2,))
    assert result.tolist() == [0] * 7 + [1] * 6 + [2] * 7


def test_blocks_with_a_stride_take_what_lies_between():
    result = tiles_of((40,), BlockMapping("p", (Follow(0, sympy.Integer(0), 2),)))
    assert result.tolist() == [0] * 10 + [1] * 10 + [2] * 10 + [3] * 10


def test_blocks_run_backwards_with_a_negative_stride():
    result = tiles_of((N,), BlockMapping("p", (Follow(0, N - 1, -1),)))
    assert result.tolist() == [3] * 5 + [2] * 5 + [1] * 5 + [0] * 5


def test_a_dimension_that_nothing_follows_contributes_its_first_block():
    follow = (None, Follow(1, sympy.Integer(0), 1))
    result = tiles_of((3, 2), BlockMapping("p", follow), extents=(sympy.Integer(12), sympy.Integer(2)))
    assert result.tolist() == [[0, 1]] * 3
    transposed = (Follow(1, sympy.Integer(0), 1), Follow(0, sympy.Integer(0), 1))
    result = tiles_of((2, 12), BlockMapping("p", transposed), extents=(sympy.Integer(12), sympy.Integer(2)))
    assert result.tolist() == [[0] * 6 + [2] * 6, [1] * 6 + [3] * 6]


def test_without_blocks_everything_is_on_tile_0():
    assert (tiles_of((5,), BlockMapping("p", (Follow(0, sympy.Integer(0), 1),)), n=0) == 0).all()


def test_lanes_live_with_their_block():
    result = tiles_of((1, 2), LaneMapping("p", 6), lanes_of=("p", 6))
    assert result.shape == (24, 2)
    assert result[:, 0].tolist() == [row // 6 for row in range(24)]


def test_lanes_need_rows_for_all_blocks():
    with pytest.raises(ValueError, match="5 rows of partial results for 4 blocks of 6"):
        tiles_of((5,), LaneMapping("p", 6))


def test_a_variable_without_mapping_is_refused():
    with pytest.raises(ValueError, match="'A' has no mapping"):
        tiles_of((5,), None)


def test_symbols_must_have_values():
    graph = TileGraph("g", (("N", np.dtype(np.int32)),), (), (), ())
    with pytest.raises(KeyError, match="N"):
        mapping_tiles(Variable("A", FLOAT, (N,), mapping=LinearMapping()), graph, {}, 4)
