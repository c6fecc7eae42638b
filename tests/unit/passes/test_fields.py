"""What a vertex writes in several places reaches it as several fields, where these surely lie apart."""

from __future__ import annotations

import pytest
from pass_graphs import graph, map_step, variables

from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.tile_graph.nodes import Direction, Slice
from dace_ipu.tile_graph.printer import slice_text

ARRAYS = variables(A="N, M", B="N, M", S="int16 N, M")


def written(body: str, arrays=ARRAYS) -> list[str]:
    """The fields of the vertex of a map over rows that are not only read."""
    (step,) = PartitionMaps().apply(graph(arrays, map_step(body, i="N"))).steps
    edges = (edge for edge in step.fields if edge.direction is not Direction.INPUT)
    return [f"{edge.direction.value} {slice_text(Slice(edge.variable, edge.ranges))}" for edge in edges]


def test_two_columns_are_two_fields():
    assert written("A[i, 0] = B[i, 1]\nA[i, M - 1] = B[i, M - 2]") == [
        "Output A[i_begin:i_begin + i_size, 0:1]",
        "Output A[i_begin:i_begin + i_size, M - 1:M]",
    ]


def test_neighbours_that_are_read_belong_to_what_is_written():
    assert written("A[i, 0] = A[i, 1]\nA[i, M - 1] = B[i, 2]") == [
        "InOut A[i_begin:i_begin + i_size, 0:2]",
        "Output A[i_begin:i_begin + i_size, M - 1:M]",
    ]


@pytest.mark.parametrize(
    "body",
    [
        "A[i, 0] = 1\nA[i, M - 1] = 2",  # the same column, if M is 1
        "A[i, 0] = B[i, 1]\nA[i, M - 2] = 2",  # the same column, if M is 2
        "A[i, 0] = 1\nA[i, M - 1] = 2\nif B[i, 0] > 0:\n    B[i, 1] = 0",  # the second column may not be there
    ],
)
def test_what_may_be_one_element_is_one_field(body):
    assert len([edge for edge in written(body) if " A[" in edge]) == 1


def test_elements_of_less_than_a_word_stay_together():
    assert len(written("S[i, 0] = S[i, 1]\nS[i, M - 1] = 2")) == 1
