"""In-place maps read from a copy, as far as a copy helps."""

from __future__ import annotations

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.double_buffer import DoubleBuffer


def buffered(body: str, *arrays, **domain: str) -> list[str]:
    result = DoubleBuffer().apply(graph(arrays or variables(A="N"), map_step(body, **domain)))
    return [line.strip() for line in steps_of(result)]


def test_a_stencil_reads_the_old_values_from_a_copy():
    assert buffered("A[i + 1] = A[i] + A[i + 2]", i="N - 2") == [
        "A_before[0:N] = A[0:N]",
        "work: for i in 0:N - 2 { A[i + 1] = A_before[i] + A_before[i + 2] }",
    ]


def test_the_own_element_comes_from_the_copy_too_if_it_is_there():
    (_, step) = buffered("A[i + 1] = A[i] + A[i + 1] + A[i + 2]", i="N - 2")
    assert step == "work: for i in 0:N - 2 { A[i + 1] = A_before[i] + A_before[i + 1] + A_before[i + 2] }"


def test_only_the_slices_that_are_read_are_copied():
    assert buffered("A[i, j] = min(A[i, j], A[i, K] + A[K, j])", *variables(A="N, N"), i="N", j="N") == [
        "A_before[0:N, 0:1] = A[0:N, K:K + 1]",
        "A_before_2[0:1, 0:N] = A[K:K + 1, 0:N]",
        "work: for i in 0:N for j in 0:N { A[i, j] = min(A[i, j], A_before[i, 0] + A_before_2[0, j]) }",
    ]


@pytest.mark.parametrize(
    ("body", "extent"),
    [("A[i] = A[N - 1 - i]", "N"), ("A[i] = A[0]", "N"), ("if i > 0:\n    A[i] = A[i - 1]", "N")],
)
def test_other_ways_to_read_what_others_write(body, extent):
    assert buffered(body, i=extent)[0].startswith("A_before[")


def test_what_a_map_adds_to_is_what_was_there_before():
    body = "for j in range(0, M):\n    C[i] += C[i] * A[i, j]"
    lines = buffered(body, *variables(A="N, M", C="N"), i="N")
    assert lines == ["work: for i in 0:N { for j in 0:M { C[i] += C[i] * A[i, j] } }"]  # a loop has an order
    lines = buffered("C[j] += C[j] * A[i, j]", *variables(A="N, M", C="M"), i="N", j="M")
    assert lines[0] == "C_before[0:M] = C[0:M]"
    assert buffered("A[i] += A[i + 1]", i="N - 1")[0].startswith("A_before[")


def test_an_index_from_data_needs_a_copy_of_everything():
    lines = buffered("b: int32 = I[i]\nA[i] = A[b]", *variables(A="N", I="int32 N"), i="N")
    assert lines[0] == "A_before[0:N] = A[0:N]"


def test_a_later_read_of_another_element_is_old_as_well():
    lines = buffered("A[i + 1] = A[i]\nA[i + 1] = A[i + 1] + A[i]", i="N - 1")
    assert lines[2:4] == ["A[i + 1] = A_before[i]", "A[i + 1] = A[i + 1] + A_before[i]"]


@pytest.mark.parametrize(
    ("body", "extent"),
    [
        ("A[i] = A[i] + 1", "N"),  # every iteration has its own
        ("A[0] = A[i]", "N"),  # the writes are in their own way
        ("for k in range(i, i + 2):\n    A[k] = A[i] + 1", "N - 1"),  # so are these
        ("b: int32 = 0\nA[b] = 1\nB[i] = A[i]", "N"),
    ],
)
def test_copies_that_would_not_help_are_not_made(body, extent):
    lines = buffered(body, *variables(A="N", B="N"), i=extent)
    assert not any("before" in line for line in lines)


def test_a_read_of_what_the_iteration_itself_has_written_stays():
    """A loop over j reads what its last turn wrote: only the rows above and below are old."""
    body = "for j in range(1, M - 1):\n    A[i + 1, j] = A[i, j] + A[i + 2, j] + A[i + 1, j - 1]"
    lines = buffered(body, *variables(A="N, M"), i="N - 2")
    assert "A[i + 1, j] = A_before[i, j] + A_before[i + 2, j] + A[i + 1, j - 1]" in " ".join(lines)


def test_names_and_shapes_of_copies():
    arrays = variables(A="int8 N, 4", A_before="1")
    result = DoubleBuffer().apply(graph(arrays, map_step("A[i + 1, 2] = A[i, 1] + A[i, 2]", i="N - 1")))
    copy = result.variables[-1]
    assert (copy.name, copy.dtype.name) == ("A_before_2", "int8")
    assert copy.shape == (expr("N"), expr("2")), "rows that may be none at all (N = 0) are copied whole"
