"""Fetches of what lies elsewhere are spread over more tiles; what is in place stays."""

from __future__ import annotations

from pass_graphs import graph, map_step, variables

from dace_ipu.passes.mapping import MapVariables
from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.passes.spread_fetches import SpreadFetches
from dace_ipu.tile_graph.nodes import BlockMapping, ComputeSet, TileGraph

ARRAYS = variables(A="N, N", x="N", row="N", i="int32 1")
V = "v: int32 = i[0]\n"
FETCH = map_step(V + "row[k] = A[v, k]", name="fetch", k="N")
OWNER = map_step("A[j, k] = 2 * row[k]", name="owner", j="N", k="N")


def run(*steps) -> TileGraph:
    result: TileGraph = SpreadFetches().apply(MapVariables().apply(PartitionMaps().apply(graph(ARRAYS, *steps))))
    return result


def workers(result: TileGraph, name: str) -> int:
    (step,) = [step for step in result.steps if isinstance(step, ComputeSet) and step.name == name]
    assert step.partition is not None
    return result.partition(step.partition).workers


def test_a_fetch_gets_a_tile_for_each_element_and_its_target_lies_there():
    result = run(FETCH, OWNER)
    assert workers(result, "fetch") == 1
    assert workers(result, "owner") == 6
    mapping = result.variable("row").mapping
    assert isinstance(mapping, BlockMapping)
    assert result.partition(mapping.partition).workers == 1


def test_what_is_in_place_stays():
    columns = map_step("for j in range(N):\n    A[j, k] = 1", name="columns", k="N")
    assert workers(run(FETCH, columns), "fetch") == 6


def test_what_computes_stays():
    assert workers(run(map_step(V + "row[k] = 2 * A[v, k]", name="fetch", k="N"), OWNER), "fetch") == 6


def test_sums_stay():
    assert workers(run(map_step(V + "row[k] += A[v, k]", name="fetch", k="N"), OWNER), "fetch") == 6
