"""Maps become compute sets: which dimensions are divided, what a vertex holds, and what it says if it runs alone."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import sympy
from pass_graphs import ONE, expr, graph, lines, map_step, steps_of, variables

from dace_ipu.errors import DiagnosticError
from dace_ipu.passes.partition import PartitionMaps
from dace_ipu.tile_graph.body import Op, Reduction, Store
from dace_ipu.tile_graph.nodes import ComputeSet, Direction, LaneMapping, Layout, Repeat, Source


def divided(arrays, step, **more):
    return PartitionMaps().apply(dataclasses.replace(graph(arrays, step), **more))


def compute_set(arrays, step) -> ComputeSet:
    first = divided(arrays, step).steps[0]
    assert isinstance(first, ComputeSet)
    return first


def fields(step: ComputeSet) -> dict[str, tuple[Direction, Layout]]:
    return {field.name: (field.direction, field.layout) for field in step.fields}


def test_a_stencil_reads_its_block_and_what_lies_around():
    step = map_step("B[i + 1] = A[i] + A[i + 1] + A[i + 2]", name="jacobi", i="N - 2")
    result = divided(variables(A="N", B="N"), step)
    assert steps_of(result) == lines("""
        jacobi: for each block of jacobi_blocks (i_begin + i_size of dimension 0), by six workers, in 7 * i_size slots {
          input A = A[i_begin:i_begin + i_size + 2] as vector
          output B = B[i_begin + 1:i_begin + i_size + 1] as vector
          value i_size: uint32 = i_size
          share i in 0:i_size { B[i] = A[i] + A[i + 1] + A[i + 2] }
        }
    """)
    assert [partition.extents for partition in result.partitions] == [(expr("N - 2"),)]
    assert result.notes == ()


def test_reversed_and_strided_accesses_count_from_their_own_begin():
    result = divided(variables(A="2 * N", B="N"), map_step("B[N - 1 - i] = A[2 * i + 1]", i="N"))
    assert steps_of(result) == lines("""
        work: for each block of work_blocks (i_begin + i_size of dimension 0), by six workers, in 3 * i_size slots {
          input A = A[2 * i_begin + 1:2 * i_begin + 2 * i_size:2] as vector
          output B = B[N - i_begin - i_size:N - i_begin] as vector
          value i_size: uint32 = i_size
          share i in 0:i_size { B[-i + i_size - 1] = A[i] }
        }
    """)


def test_an_index_that_is_data_makes_its_origin_a_value():
    step = compute_set(variables(A="N"), map_step("A[i] = i * M", i="N"))
    assert [(value.name, value.dtype.name) for value in step.values] == [
        ("i_size", "uint32"),
        ("i_begin", "int32"),
        ("M", "int32"),
    ]
    assert step.body[0].body[0].value.text == "(i_begin + i) * M"


def test_parallel_dimensions_are_divided_and_reductions_stay_inside():
    step = map_step("C[i, j] += A[i, k] * B[k, j]", name="matmul", i="N", j="M", k="K")
    result = divided(variables(A="N, K", B="K, M", C="N, M"), step)
    assert [partition.extents for partition in result.partitions] == [(expr("N"), expr("M"))]
    assert fields(result.steps[0]) == {
        "A": (Direction.INPUT, Layout.VECTOR),
        "B": (Direction.INPUT, Layout.ROWS),
        "C": (Direction.INOUT, Layout.ROWS),
    }
    assert steps_of(result)[-2].strip() == (
        "share i in 0:i_size { for j in 0:j_size { for k in 0:K { C[i, j] += A[i, k] * B[k, j] } } }"
    )


def test_divided_dimensions_come_first_whatever_their_order():
    result = divided(variables(A="K, N", s="N"), map_step("s[i] += A[k, i]", k="K", i="N"))
    assert steps_of(result)[-2].strip() == "share i in 0:i_size { for k in 0:K { s[i] += A[k, i] } }"


def test_a_reduction_to_one_element_leaves_one_partial_result_a_worker():
    result = divided(variables(A="N", s="1"), map_step("s[0] += A[i]", name="sum", i="N"))
    assert steps_of(result) == lines("""
        sum: for each block of sum_blocks (i_begin + i_size of dimension 0), by six workers, in 3 * i_size + 1 slots {
          input A = A[i_begin:i_begin + i_size] as vector
          output s = s_partial[6 * block:6 * block + 6, 0:1] as vector
          value i_size: uint32 = i_size
          float32 s_sum = 0.0
          share i in 0:i_size { s_sum += A[i] }
          s[worker, 0] = s_sum
        }
        s[0:1] += lanes of s_partial
    """)
    partial = result.variable("s_partial")
    assert (partial.shape, partial.lanes_of) == ((ONE, ONE), ("sum_blocks", 6))
    assert partial.mapping == LaneMapping("sum_blocks", 6)


def test_bins_are_counted_in_a_row_a_worker():
    step = map_step("b: int32 = A[i]\nh[b] += 1", name="bin", i="N")
    assert steps_of(divided(variables(A="int32 N", h="int32 16"), step)) == lines("""
        bin: for each block of bin_blocks (i_begin + i_size of dimension 0), by six workers, in 5 * i_size + 32 slots {
          input A = A[i_begin:i_begin + i_size] as vector
          output h = h_partial[6 * block:6 * block + 6, 0:16] as vector
          value i_size: uint32 = i_size
          for h_0 in 0:16 { h[worker, h_0] = 0 }
          share i in 0:i_size {
            const int32 b = A[i]
            h[worker, b] += 1
          }
        }
        h[0:16] += lanes of h_partial
    """)


@pytest.mark.parametrize(
    ("dtype", "partial", "start"),
    [
        ("float32", "float32", "-math.inf"),
        ("float16", "float32", "-math.inf"),
        ("int32", "int32", "-2147483648"),
        ("int8", "int32", "-128"),
        ("uint8", "uint32", "0"),
        ("bool", "uint32", "0"),
    ],
)
def test_partial_results_start_from_the_identity_and_fill_words(dtype, partial, start):
    result = divided(variables(A=f"{dtype} N", s=f"{dtype} 1"), map_step("s[0] |= A[i]", i="N"))
    assert result.variable("s_partial").dtype == np.dtype(partial)
    assert result.steps[0].body[0].value.text == start


@pytest.mark.parametrize(
    ("extent", "divides"), [("8", "j"), ("255", "j"), ("256", "i"), ("M", "i")], ids=lambda value: str(value)
)
def test_a_few_parallel_iterations_give_way_to_a_larger_reduction(extent, divides):
    step = compute_set(variables(A=f"{extent}, N", s=extent), map_step("s[i] += A[i, j]", i=extent, j="N"))
    assert [dimension.begin for dimension in step.block] == [f"{divides}_begin"]


def test_a_small_reduction_does_not_take_precedence():
    step = compute_set(variables(A="8, 4", s="8"), map_step("s[i] += A[i, j]", i="8", j="4"))
    assert [dimension.begin for dimension in step.block] == ["i_begin"]


def test_a_reduction_without_identity_runs_on_one_tile():
    step = map_step("s[0] += A[i]", name="fold", i="N")
    (store,) = step.body
    assert isinstance(store, Store)
    custom = dataclasses.replace(store, reduction=Reduction(Op.CUSTOM, "old * 2 + new"))
    result = divided(variables(A="N", s="1"), dataclasses.replace(step, body=(custom,)))
    assert result.steps[0].partition is None
    assert result.notes == (
        "map 'fold' runs on one tile: the reduction into 's' has no identity to start partial results from",
    )


def test_a_reduction_that_is_not_associative_runs_in_order_on_one_tile():
    step = map_step("s[0] += A[i]", i="N")
    ordered = dataclasses.replace(step.body[0], reduction=Reduction(Op.SUM, associative=False))
    (result,) = divided(variables(A="N", s="1"), dataclasses.replace(step, body=(ordered,))).steps
    assert (result.partition, result.workers) == (None, False)
    assert "'s' (s[0])" in result.note


def test_iterations_that_depend_on_each_other_run_on_one_tile_and_say_why():
    source = Source("/programs/prog.py", 7, "for i in map: ...")
    step = dataclasses.replace(map_step("A[i + 1] = A[i]\nA[i + 1] = A[i + 1] + A[i]", i="N - 1"), source=source)
    result = divided(variables(A="N"), step)
    assert (result.steps[0].partition, result.steps[0].workers) == (None, False)
    assert result.notes == (
        "map 'work' (/programs/prog.py:7) runs on one tile: different values of 'i' may touch the same element of "
        "'A' (A[i], A[i + 1])",
    )


def test_only_the_dimensions_that_depend_stay_inside():
    result = divided(
        variables(A="N, M"), map_step("A[i, j + 1] = A[i, j] + A[i, j + 1]\nA[i, 0] = 0", i="N", j="M - 1")
    )
    assert [dimension.begin for dimension in result.steps[0].block] == ["i_begin"]


def test_a_store_wherever_data_says_runs_on_one_tile():
    step = compute_set(variables(A="int32 N", h="N"), map_step("b: int32 = A[i]\nh[b] = 1", i="N"))
    assert (step.partition, step.fields[1].direction) == (None, Direction.INOUT)


def test_a_gather_reads_all_of_its_source():
    step = compute_set(variables(A="int32 N", h="M", o="N"), map_step("b: int32 = A[i]\no[i] = h[b]", i="N"))
    assert step.workers
    assert step.fields[1].ranges[0].end == expr("M")


def test_without_dimensions_there_is_one_vertex_and_nothing_to_note():
    result = divided(variables(s="1", t="1"), map_step("t[0] = s[0] + 1"))
    assert steps_of(result) == lines("""
        work: once, on tile 0, by one worker, in 3 slots {
          input s = s[0:1] as scalar
          output t = t[0:1] as scalar
          t = s + 1
        }
    """)
    assert result.notes == ()


def test_dimensions_of_one_iteration_vanish():
    step = compute_set(variables(A="N, M"), map_step("A[i, j] = j", i="N", j="1"))
    assert len(step.block) == 1
    assert step.body[0].body[0].value.text == "0"


def test_an_extent_that_depends_on_another_dimension_becomes_a_loop():
    result = divided(variables(A="N, N"), map_step("A[i, j] = 1", i="N", j="i + 1"))
    assert [dimension.begin for dimension in result.steps[0].block] == ["i_begin"]
    assert steps_of(result)[-2].strip() == "share i in 0:i_size { for j in 0:i + i_begin + 1 { A[i, j] = 1 } }"


def test_guarded_accesses_are_clamped_and_their_origin_is_a_value():
    step = compute_set(variables(A="N", B="N"), map_step("if i > 0:\n    B[i] = A[i - 1]", i="N"))
    (ranges,) = (field.ranges for field in step.fields if field.name == "A")
    assert ranges[0].begin == sympy.Max(0, expr("i_begin - 1"))
    (origin,) = (value for value in step.values if value.name == "A_begin")
    assert origin.expr == sympy.Max(0, expr("i_begin - 1"))


def test_what_is_written_in_part_keeps_its_old_content():
    whole = compute_set(variables(A="N, 2"), map_step("for j in range(2):\n    A[i, j] = 1", i="N"))
    partly = compute_set(variables(A="N, 3"), map_step("A[i, 0] = 1\nA[i, 2] = 2", i="N"))
    maybe = compute_set(variables(A="N"), map_step("if M > 0:\n    A[i] = 1", i="N"))
    never = compute_set(variables(A="N"), map_step("for j in range(M):\n    A[i] = 1", i="N"))
    directions = [step.fields[0].direction for step in (whole, partly, maybe, never)]
    assert directions == [Direction.OUTPUT, Direction.INOUT, Direction.INOUT, Direction.INOUT]


def test_reads_far_apart_have_fields_of_their_own():
    step = compute_set(variables(A="2 * N", B="N"), map_step("B[i] = A[i] + A[i + N] + A[i + 1]", i="N"))
    assert list(fields(step)) == ["A", "A_2", "B"]
    assert step.fields[0].ranges[0].end - step.fields[0].ranges[0].begin == expr("i_size + 1")


def test_names_do_not_collide():
    arrays = variables(i_size="N", A_2="N", A="2 * N")
    step = compute_set(arrays, map_step("i_size[i] = A[i] + A[i + N] + A_2[i]", i="N"))
    assert step.block[0].size == "i_size_2"
    assert sorted(fields(step)) == ["A", "A_2", "A_3", "i_size"]
    assert {field.name: field.variable for field in step.fields}["A_3"] == "A"


@pytest.mark.parametrize(("index", "workers"), [("i", True), ("i + 1", True), ("N - i", False), ("2 * i", True)])
def test_two_workers_never_write_parts_of_one_word(index, workers):
    """What is strided in the variable is packed in the vertex; only what runs backwards is in the way of the shares."""
    result = divided(variables(A="int8 2 * N + 1"), map_step(f"A[{index}] = 1", i="N"))
    assert result.steps[0].workers is workers
    assert bool(result.notes) is not workers


def test_equal_extents_share_a_partition_also_in_loops():
    first = map_step("A[i] = 1", name="first", i="N")
    second = map_step("A[i] = A[i] + 1", name="second", i="N")
    other = map_step("A[i + 1] = 2", name="other", i="N - 1")
    result = divided(variables(A="N"), Repeat(expr("M"), (first, other, second)))
    assert [partition.name for partition in result.partitions] == ["first_blocks", "other_blocks"]
    assert [step.partition for step in result.steps[0].body] == ["first_blocks", "other_blocks", "first_blocks"]


def test_a_partition_name_that_is_taken():
    steps = (map_step("A[i] = 1", name="fill", i="N"), map_step("A[i] = 2", name="fill", i="N - 1"))
    result = PartitionMaps().apply(graph(variables(A="N"), *steps))
    assert [partition.name for partition in result.partitions] == ["fill_blocks", "fill_blocks_2"]


class TestConflicts:
    def test_a_store_of_all_iterations_to_one_element_is_an_error(self):
        with pytest.raises(DiagnosticError) as error:
            divided(variables(A="N", B="N"), map_step("B[0] = A[i]", i="N"))
        (finding,) = error.value.diagnostics
        assert finding.message == "write conflict without reduction: all iterations of 'i' write B[0]"
        assert any("wcr" in hint for hint in finding.hints)

    def test_all_conflicts_are_reported_at_once(self):
        first = map_step("B[0] = A[i]", i="N")
        second = map_step("B[j] = A[i]", i="N", j="N")
        with pytest.raises(DiagnosticError) as error:
            PartitionMaps().apply(graph(variables(A="N", B="N"), first, second))
        assert [finding.message[-4:] for finding in error.value.diagnostics] == ["B[0]", "B[j]"]

    @pytest.mark.parametrize(
        ("body", "domain"),
        [
            ("B[0] = 1", {"i": "N"}),  # every iteration writes the same value
            ("if A[i] > 0:\n    B[0] = A[i]", {"i": "N"}),  # perhaps only one does
            ("B[0] = A[i]", {"i": "1"}),
            ("b: int32 = A[i]\nB[b] = i", {"i": "N"}),
            ("for k in range(i, i + 1):\n    B[k] = A[i]", {"i": "N"}),
        ],
    )
    def test_what_may_be_right_is_not_an_error(self, body, domain):
        divided(variables(A="N", B="N"), map_step(body, **domain))
