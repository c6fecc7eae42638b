"""Loops that carry values, in both forms: whole in one vertex, and as compute sets on all tiles."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest

from dace_ipu.passes import loop_costs, loops_to_vertices
from dace_ipu.tile_graph.body import For, symbol, walk
from dace_ipu.tile_graph.conditions import holds
from dace_ipu.tile_graph.nodes import Choice, ComputeSet, TileGraph, walk_steps
from tests.programs import carried_loops
from tests.programs.catalogue import CASES, oracle
from tests.programs.interpreted import interpret, tile_graph
from tests.programs.test_programs import compare

pytestmark = pytest.mark.filterwarnings("ignore:Using sets for connectors:UserWarning")  # by DaCe itself

NAMES = sorted(name for name, case in CASES.items() if case.program.f.__module__ == carried_loops.__name__)
SCALAR = {"ldl", "limited_walk", "recurrence"}  # no map in them: lowering makes one vertex of the loop
PARALLEL = {"closure", "shortest_paths"}
SEQUENTIAL = sorted(set(NAMES) - SCALAR - PARALLEL - {"power_iteration", "sparse_product"})


def whole_loops(graph: TileGraph) -> list[ComputeSet]:
    sets = [step for step in walk_steps(graph.steps) if isinstance(step, ComputeSet)]
    return [step for step in sets if step.note.startswith(loops_to_vertices.NOTE)]


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_small_loops_run_in_one_vertex(name: str) -> None:
    graph = tile_graph(CASES[name].program.to_sdfg())
    assert whole_loops(graph)
    assert any("runs on one tile, whole in one vertex" in note for note in graph.notes)


def test_turns_that_read_their_ranges_become_a_map() -> None:
    graph = tile_graph(CASES["sparse_product"].program.to_sdfg())
    rows = next(step for step in walk_steps(graph.steps) if isinstance(step, ComputeSet))
    assert rows.partition is not None
    assert graph.partition(rows.partition).extents == (symbol("N"),)
    (inner,) = [s for s in walk(rows.body) if isinstance(s, For) and not s.shared]
    assert inner.end.free_symbols - {symbol("Z")}  # the range of the row, not all values


@pytest.mark.parametrize("name", sorted(PARALLEL))
def test_parallel_turns_stay_on_all_tiles(name: str) -> None:
    graph = tile_graph(CASES[name].program.to_sdfg())
    assert not whole_loops(graph)
    assert not any(isinstance(step, Choice) for step in walk_steps(graph.steps))


@pytest.mark.parametrize("name", NAMES)
def test_on_all_tiles(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute sets that cost nothing are never worth a vertex of their own."""
    monkeypatch.setattr(loop_costs, "SET_CYCLES", 0)
    case = CASES[name]
    sdfg = case.program.to_sdfg()
    assert not whole_loops(tile_graph(case.program.to_sdfg()))
    arguments: dict[str, Any] = case.arguments(np.random.default_rng(3))
    wanted = case.arguments(np.random.default_rng(3))
    oracle(case, wanted)
    interpret(sdfg, **arguments, **case.symbols)
    for key, want in wanted.items():
        compare(arguments[key], want)


N = dace.symbol("N")


@dace.program
def substitution(L: dace.float32[N, N], b: dace.float32[N], x: dace.float32[N]):
    for i in range(N):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def test_the_size_chooses_when_the_graph_is_built() -> None:
    graph = tile_graph(substitution.to_sdfg())
    (choice,) = [step for step in walk_steps(graph.steps) if isinstance(step, Choice)]
    assert [holds(choice.condition, {"N": size}) for size in (20, 2000)] == [True, False]
