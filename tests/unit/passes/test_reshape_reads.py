"""Arrays that are read in another shape are copied into it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.reshape_reads import ReshapeReads
from dace_ipu.tile_graph.body import Access, Code, Store, symbol
from dace_ipu.tile_graph.indices import quotient
from dace_ipu.tile_graph.nodes import Copy, MapStep

ARRAYS = variables(A="N, 4, 8", B="M, K")
PLACE = "K * i + k"


def run(body: str) -> list[str]:
    result = ReshapeReads().apply(graph(ARRAYS, map_step(body, i="M", k="K")))
    assert sum(isinstance(step, Copy) for step in result.steps) in (0, 2)
    assert isinstance(result.steps[-1], MapStep)
    return steps_of(result)


def test_a_copy_in_the_shape_of_the_map():
    whole = f"A[floor(floor(({PLACE}) / 8) / 4), Mod(floor(({PLACE}) / 8), 4), Mod({PLACE}, 8)]"
    assert run(f"B[i, k] = 2 * {whole}") == [
        "A_in_a_row[0:32 * N] = A[0:N, 0:4, 0:8]",
        "A_reshaped[0:M, 0:K] = A_in_a_row[0:K * M]",
        "work: for i in 0:M for k in 0:K { B[i, k] = 2 * A_reshaped[i, k] }",
    ]


@pytest.mark.parametrize(
    "read",
    [
        "A[i, 0, Mod(k, 8)]",
        f"A[0, Mod(floor(({PLACE}) / 8), 4), Mod({PLACE}, 8)]",
        "A[floor(floor((i + k) / 8) / 4), Mod(floor((i + k) / 8), 4), Mod(i + k, 8)]",
    ],
)
def test_other_divisions_stay(read: str):
    assert len(run(f"B[i, k] = {read}")) == 1


def test_sizes_that_are_powers_are_read_in_a_row():
    size = expr("N**K")
    step = map_step("B[k] = 0", k="M * N**K")
    read = Access("A", (quotient(symbol("k"), size), sympy.Mod(symbol("k"), size)))
    step = replace(step, body=(Store(Access("B", (symbol("k"),)), Code("_0", (("_0", read),))),))
    result = ReshapeReads().apply(graph(variables(A="M, N**K", B="M * N**K"), step))
    assert steps_of(result) == [
        "A_in_a_row[0:M * N ** K] = A[0:M, 0:N ** K]",
        "work: for k in 0:M * N ** K { B[k] = A_in_a_row[k] }",
    ]
