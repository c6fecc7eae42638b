"""Powers are computed before the loops of a vertex."""

from __future__ import annotations

import dataclasses

from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.tile_graph.nodes import TileGraph


def run(body: str, **domain: str) -> str:
    arrays = variables(A="N**K", B="N**K", t="int32 1")
    arrays = tuple(dataclasses.replace(v, bounds=(expr(0), expr("K"))) if v.name == "t" else v for v in arrays)
    result: TileGraph = PartitionMaps().apply(graph(arrays, map_step(body, **domain)))
    return "\n".join(steps_of(result))


def test_powers_of_what_all_iterations_share_come_first():
    text = run("r: int32 = t[0]\nA[i] = B[Mod(i, N**(K - r)) * N**r]", i="N**K")
    assert "  const int32 r = t\n  const int32 power = N ** (K - r)\n  const int32 power_2 = N ** r\n" in text
    assert "A[i] = B[power_2 * ((i + i_begin) % power)]" in text


def test_a_power_that_may_be_larger_than_all_arrays_is_wide():
    assert "const int64 power = N ** (K + r)" in run("r: int32 = t[0]\nA[i] = B[Mod(i, N**(K + r))]", i="N**K")


def test_powers_of_an_iteration_stay():
    text = run("A[i] = B[Mod(N**i, M)]", i="N**K")
    assert "power" not in text.replace("N ** (i + i_begin)", "")
    assert "B[N ** (i + i_begin) % M]" in text
