"""What a loop reads in all its turns is read before it, where nothing else could be read there."""

from __future__ import annotations

import pytest
from pass_graphs import bodies_of, graph, map_step, variables

from dace_ipu.passes.hoist_reads import HoistReads
from dace_ipu.passes.partition import PartitionMaps

ARRAYS = variables(A="N, M", B="N, M", C="N, M", row="M", column="N", one="1", places="int32 N")


def hoisted(body: str, **domain: str) -> list[str]:
    result = HoistReads().apply(PartitionMaps().apply(graph(ARRAYS, map_step(body, **domain))))
    return [line.strip() for line in bodies_of(result)]


def test_the_element_of_a_column():
    lines = hoisted("C[i, j] = A[i, j] * column[i]", i="N", j="M")
    assert "const float32 column_i = column[i]" in lines
    assert "for j in 0:j_size { C[i, j] = A[i, j] * column_i }" in lines


def test_a_single_element_leaves_all_loops():
    lines = hoisted("C[i, j] = A[i, j] * one[0]", i="N", j="M")
    assert lines[0] == "const float32 one_value = one"


def test_an_element_that_is_read_twice_gets_one_name():
    lines = hoisted("C[i, j] = (A[i, j] - column[i]) * column[i]", i="N", j="M")
    assert sum("column[i]" in line for line in lines) == 1


def test_inner_loops_of_the_body():
    lines = hoisted("for k in range(M):\n    C[i, k] = A[i, k] + column[i]", i="N")
    assert "const float32 column_i = column[i]" in lines


@pytest.mark.parametrize(
    "body",
    [
        "C[i, j] = A[i, j] * C[i, 0]",  # the vertex writes C
        "if A[i, j] > 0:\n    C[i, j] = column[i]",  # not in every turn
        "C[i, j] = A[i, j] + row[j]",  # another element in each
    ],
)
def test_what_stays(body):
    assert not any("const float32" in line for line in hoisted(body, i="N", j="M"))


def test_an_index_that_the_loop_changes():
    body = "at: int32\nat = 0\nfor k in range(M):\n    C[i, k] = column[at]\n    at = places[i]"
    assert not any("column_at" in line for line in hoisted(body, i="N"))
