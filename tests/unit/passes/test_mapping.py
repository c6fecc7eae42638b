"""Owner computes: variables live where they are written, else where they are read."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import ONE, ZERO, expr, graph, map_step, variables

from dace_ipu.passes.mapping import MapVariables
from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.tile_graph.nodes import (
    BlockMapping,
    Follow,
    LinearMapping,
    Product,
    Range,
    Repeat,
    Slice,
    TileGraph,
    TileMapping,
)
from dace_ipu.tile_graph.products import lies_in_blocks


def mapped(arrays, *steps):
    result = MapVariables().apply(PartitionMaps().apply(graph(arrays, *steps)))
    assert all(variable.mapping for variable in result.variables)
    return {variable.name: variable.mapping for variable in result.variables}


def along(*follow: Follow | None, partition: str = "work_blocks") -> BlockMapping:
    return BlockMapping(partition, follow)


def test_elements_live_where_they_are_written_and_reads_beside_the_middle():
    found = mapped(variables(A="N", B="N"), map_step("B[i + 1] = A[i] + A[i + 1] + A[i + 2]", i="N - 2"))
    assert found == {"A": along(Follow(0, ONE, 1)), "B": along(Follow(0, ONE, 1))}


def test_strides_and_reversals_are_followed():
    found = mapped(variables(A="2 * N", B="N"), map_step("B[N - 1 - i] = A[2 * i + 1]", i="N"))
    assert found == {"A": along(Follow(0, ONE, 2)), "B": along(Follow(0, expr("N - 1"), -1))}


def test_dimensions_are_matched_by_what_moves_them():
    found = mapped(variables(A="N, M", B="M, N"), map_step("B[j, i] = A[i, j]", i="N", j="M"))
    first, second = Follow(0, ZERO, 1), Follow(1, ZERO, 1)
    assert found == {"A": along(first, second), "B": along(second, first)}


def test_a_dimension_that_nothing_divides_is_not_followed():
    found = mapped(variables(A="N, M"), map_step("for j in range(M):\n    A[i, j] = 1", i="N"))
    assert found["A"] == along(Follow(0, ZERO, 1), None)


def test_guards_do_not_hide_the_place():
    found = mapped(variables(A="N", B="N"), map_step("if i > 0:\n    B[i] = A[i - 1]", i="N"))
    assert found["A"] == along(Follow(0, -ONE, 1))


def test_what_many_blocks_read_is_spread_evenly():
    found = mapped(variables(x="N", y="M", z="N, M"), map_step("z[i, j] = x[i] * y[j]", i="N", j="M"))
    assert (found["x"], found["y"]) == (LinearMapping(), LinearMapping())


def test_scalars_and_what_single_vertices_use_live_on_tile_0():
    arrays = variables(a="1", x="N", t="4")
    steps = (map_step("x[i] = a[0]", i="N"), map_step("t[0] = 1\nt[2] = 2", name="single"))
    found = mapped(arrays, *steps)
    assert (found["a"], found["t"]) == (TileMapping(0), TileMapping(0))


def test_what_nothing_computes_with_is_spread_evenly():
    assert mapped(variables(A="N")) == {"A": LinearMapping()}


@pytest.mark.parametrize("order", [1, -1])
def test_writing_counts_more_than_reading(order):
    steps = (map_step("A[i] = 1", name="write", i="N - 1"), map_step("B[i] = A[i + 1]", name="read", i="N - 1"))
    steps = (steps[0], dataclasses.replace(steps[1], domain=map_step("A[i] = 1", i="N").domain))[::order]
    assert mapped(variables(A="N + 1", B="N"), *steps)["A"].partition == "write_blocks"


def test_the_larger_writer_wins_and_the_first_of_equals():
    rows = map_step("A[i, 0] = 1", name="edge", i="N")
    most = map_step("A[i, j + 1] = 1", name="most", i="N", j="M - 1")
    same = map_step("A[i, j] = 2", name="same", i="N", j="M - 1")
    found = mapped(variables(A="N, M"), Repeat(expr("K"), (rows, most, same)))
    assert found["A"] == along(Follow(0, ZERO, 1), Follow(1, ONE, 1), partition="most_blocks")


def test_mappings_that_are_set_stay():
    array = dataclasses.replace(variables(A="N")[0], mapping=TileMapping(3))
    assert mapped((array,), map_step("A[i] = 1", i="N"))["A"] == TileMapping(3)


def product(notation: str, left: str, right: str, target: str, name: str) -> Product:
    return Product(name, whole(target), whole(left), whole(right), notation, adds=False)


def whole(text: str) -> Slice:
    variable, *sizes = text.split()
    return Slice(variable, tuple(Range(ZERO, expr(size), 1) for size in sizes))


def products_with_both_sides(dtype: str = "float32") -> TileGraph:
    arrays = variables(A=f"{dtype} N, M", x=f"{dtype} N", y=f"{dtype} M")
    steps = (product("ij,j->i", "A N M", "y M", "x N", "down"), product("i,ij->j", "x N", "A N M", "y M", "up"))
    return MapVariables().apply(graph(arrays, *steps))


def test_a_matrix_that_meets_vectors_from_both_sides_lies_in_blocks():
    result = products_with_both_sides()
    assert [(p.name, p.extents) for p in result.partitions] == [("A_blocks", (expr("N"), expr("M")))]
    assert result.variable("A").mapping == along(Follow(0, ZERO, 1), Follow(1, ZERO, 1), partition="A_blocks")
    assert all(lies_in_blocks(step, result) for step in result.steps)


def test_one_of_halves_is_spread_evenly():
    result = products_with_both_sides("float16")
    assert result.variable("A").mapping == LinearMapping() and not result.partitions
