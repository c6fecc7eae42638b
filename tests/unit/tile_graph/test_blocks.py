"""Blocks: the rule against a search through all grids, and what every partition must have."""

from __future__ import annotations

import itertools
import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dace_ipu.tile_graph.blocks import Block, blocks, grid

extents_of_rank_1_to_4 = st.lists(st.integers(1, 12), min_size=1, max_size=4).map(tuple)
machines = st.sampled_from([1, 4, 7, 50, 1472])


def all_grids(extents, tiles):
    """The grids that the rule chooses from, by definition."""
    limit = min(tiles, math.ceil(math.prod(extents) / 6))
    divided = [d for d, n in enumerate(extents) if n > 1][:3]
    choices = [range(1, min(n, limit) + 1) if d in divided else (1,) for d, n in enumerate(extents)]
    return [parts for parts in itertools.product(*choices) if math.prod(parts) <= limit]


def key(extents, parts):
    """Cost, blocks, then the parts of the last dimensions first."""
    largest = [math.ceil(n / p) for n, p in zip(extents, parts, strict=True)]
    cost = math.ceil(largest[0] / 6) * math.prod(largest[1:])
    return (cost, math.prod(parts), *reversed(parts))


@given(extents_of_rank_1_to_4, machines)
@settings(max_examples=150, deadline=None)
def test_the_grid_is_the_best_of_all(extents, tiles):
    assert grid(extents, tiles) == min(all_grids(extents, tiles), key=lambda parts: key(extents, parts))


def key_of_rows(extents, parts):
    """The cycles of a stencil's block, blocks, then the parts of the last dimensions first."""
    *above, length = (math.ceil(n / p) for n, p in zip(extents, parts, strict=True))
    rows = math.prod(above)
    beside = sum(2 * (rows // size) * (length + 3) for size in above)
    cost = rows * (60 * math.ceil(length / 6) + length // 2 + 92) + beside
    return (cost, math.prod(parts), *reversed(parts))


@given(st.lists(st.integers(1, 12), min_size=2, max_size=3).map(tuple), machines)
@settings(max_examples=150, deadline=None)
def test_the_grid_of_rows_is_the_best_of_all(extents, tiles):
    most = [*extents[:-1], math.ceil(extents[-1] / 6)]
    grids = (p for p in itertools.product(*(range(1, n + 1) for n in most)) if math.prod(p) <= tiles)
    assert grid(extents, tiles, of_rows=True) == min(grids, key=lambda p: key_of_rows(extents, p))


@pytest.mark.parametrize(
    ("extents", "expected"),
    [((148, 148), (148, 9)), ((23, 23, 23), (23, 23, 2)), ((1000, 1000), (200, 7)), ((59, 59), (59, 10))],
)
def test_rows_of_stencils_are_long(extents, expected):
    assert grid(extents, 1472, of_rows=True) == expected


def test_iterations_that_wait_for_data_get_a_tile_each():
    assert grid((20,), 50, workers=1) == (20,)
    assert grid((20,), 7, workers=1) == (7,)
    assert grid((20,), 50) == (4,)
    assert [block.sizes for block in blocks((3, 2), 50, workers=1)] == [(1, 1)] * 6


@given(extents_of_rank_1_to_4, machines)
@settings(max_examples=100, deadline=None)
def test_every_iteration_is_in_exactly_one_block(extents, tiles):
    points = [
        point for block in blocks(extents, tiles) for point in itertools.product(*map(range, block.begins, block.ends))
    ]
    assert sorted(points) == list(itertools.product(*map(range, extents)))


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=3).map(tuple), machines)
@settings(max_examples=100, deadline=None)
def test_blocks_are_balanced_and_one_a_tile(extents, tiles):
    result = blocks(extents, tiles)
    assert [block.tile for block in result] == list(range(len(result)))
    assert len(result) <= min(tiles, math.ceil(math.prod(extents) / 6))
    for d in range(len(extents)):
        sizes = {block.sizes[d] for block in result}
        assert min(sizes) >= 1
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("extents", "tiles", "expected"),
    [
        ((1,), 1472, (1,)),
        ((6,), 1472, (1,)),
        ((7,), 1472, (2,)),
        ((1_000_000,), 1472, (1462,)),  # 114 iterations a worker, as with 1472 blocks
        ((1000, 1000), 1472, (42, 35)),
        ((1, 100), 1472, (1, 17)),  # never more than one tile for six iterations
        ((64, 64, 64, 64), 1472, (11, 64, 2, 1)),
        ((1, 1, 5, 5), 1472, (1, 1, 5, 1)),
        ((), 1472, ()),
    ],
)
def test_grids_of_known_domains(extents, tiles, expected):
    assert grid(extents, tiles) == expected


def test_blocks_are_numbered_row_major():
    assert blocks((12, 2), 1472) == (
        Block(0, (0, 0), (6, 1)),
        Block(1, (0, 1), (6, 2)),
        Block(2, (6, 0), (12, 1)),
        Block(3, (6, 1), (12, 2)),
    )


@pytest.mark.parametrize("extents", [(0,), (5, 0), (-1, 7)])
def test_an_empty_domain_has_no_blocks(extents):
    assert grid(extents, 1472) is None
    assert blocks(extents, 1472) == ()


def test_a_machine_without_tiles_is_refused():
    with pytest.raises(ValueError, match="a partition needs tiles, not 0"):
        blocks((10,), 0)


@pytest.mark.parametrize("extents", [(10**6, 10**6, 10**6), (7, 100_003, 100_019), (300, 300, 300, 300)])
def test_the_search_is_fast_on_the_largest_machine(extents):
    start = time.process_time()
    grid(extents, 94_208)
    assert time.process_time() - start < 1.0


def test_the_search_for_rows_is_fast():
    start = time.process_time()
    grid((4000, 4000, 4000), 5888, of_rows=True)
    assert time.process_time() - start < 1.0
