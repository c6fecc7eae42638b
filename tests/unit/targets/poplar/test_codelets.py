"""Codelets of hand-written compute sets: how they read, and what they compute when a host runs them."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import poplar_graphs as graphs
import pytest
from poplar_cpp import compile_library
from poplar_graphs import F32, I32, U32, access, i, i_begin, i_size, j, vector

from dace_ipu.targets.poplar.codelets import codelets_text, print_codelets
from dace_ipu.targets.poplar.expressions import ExpressionError
from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    Expr,
    For,
    If,
    LocalArray,
    Op,
    Reduction,
    Statement,
    Store,
    While,
    symbol,
)
from dace_ipu.tile_graph.nodes import (
    BlockDimension,
    ComputeSet,
    Direction,
    Field,
    Layout,
    Range,
    Source,
    TileGraph,
    Value,
    Variable,
)

ZERO, ONE = i * 0, i**0


def body_text(graph: TileGraph) -> str:
    """The last class of the codelet file."""
    text = codelets_text(graph)
    return text[text.rindex("\n\n// prog") + 2 :]


def one_set(
    body: tuple[Statement, ...], *fields: Field, workers: bool = True, dtype: Any = F32, values: Any = None
) -> TileGraph:
    """A graph of one compute set over the blocks of ``i``; all variables are of one type."""
    cs = ComputeSet(
        "work",
        "blocks",
        (BlockDimension(0, "i_begin", "i_size"),),
        fields,
        (Value("i_size", i_size, U32),) if values is None else values,
        body,
        workers,
        ONE,
        source=Source("prog.py", 1, "work"),
    )
    variables = tuple(Variable(f.variable, dtype, tuple(r.end for r in f.ranges)) for f in fields)
    return TileGraph("test", (("N", I32),), (), variables, (cs,))


def loop(*body: Statement, shared: bool = True, variable: str = "i", end: Expr = i_size) -> For:
    return For(variable, ZERO, end, ONE, body, shared)


def test_jacobi() -> None:
    assert body_text(graphs.jacobi()) == (
        "// prog.py:12   B[1:-1] = 0.33 * (A[:-2] + A[1:-1] + A[2:])\n"
        "class jacobi : public poplar::MultiVertex {\n"
        "public:\n"
        "  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;\n"
        "  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> B;\n"
        "  unsigned i_size;\n"
        "\n"
        "  bool compute(unsigned worker) {\n"
        "    for (unsigned i = worker; i < i_size; i += numWorkers()) {\n"
        "      B[i] = 0.33f * (A[i] + A[i + 1] + A[i + 2]);\n"
        "    }\n"
        "    return true;\n"
        "  }\n"
        "};\n"
    )


def test_only_what_is_used_is_printed() -> None:
    text = codelets_text(graphs.jacobi())
    assert text.startswith("#include <poplar/Vertex.hpp>\n\n// prog.py:12   B[1:-1]")
    assert "<cmath>" not in text and "complex64" not in text and "floor_div" not in text


def test_counters_are_signed_where_a_difference_occurs() -> None:
    store = Store(access("B", i), Code("a", (("a", access("A", i_size - i - 1)),)))
    text = body_text(one_set((loop(store),), vector("A", Direction.INPUT, ZERO, i_size), _out("B")))
    assert "  int i_size;" in text
    assert "for (int i = worker; i < i_size; i += numWorkers())" in text
    assert "B[i] = A[i_size - i - 1];" in text


def test_a_counter_used_as_a_number_is_signed() -> None:
    text = body_text(one_set((loop(Store(access("B", i), Code("i - 5"))),), _out("B"), dtype=I32))
    assert "for (int i = worker; i < i_size; i += numWorkers())" in text and "B[i] = i - 5;" in text


def _out(name: str, direction: Direction = Direction.OUTPUT) -> Field:
    return vector(name, direction, i_begin, i_begin + i_size)


def test_rows_and_strides() -> None:
    size = symbol("N")
    box = (Range(i_begin, i_begin + i_size), Range(ZERO, size))
    rows = Field("A", "A", Direction.INPUT, box, Layout.ROWS)
    flat = Field("B", "B", Direction.OUTPUT, box, Layout.VECTOR)
    inner = loop(Store(access("B", i, j), Code("a", (("a", access("A", i, j)),))), shared=False, variable="j", end=size)
    graph = one_set((loop(inner),), rows, flat)
    text = body_text(graph)
    vectors = "poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;"
    assert vectors in text
    assert "for (unsigned j = 0; j < N; ++j) {" in text
    assert "B[i * N + j] = A[i][j];" in text
    values = print_codelets((graph,)).of["test", "work"].values
    assert dict(values) == {"i_size": i_size, "N": size}, "the stride needs N, which the vertex did not have"


def test_scalars_conditions_and_loops() -> None:
    scalar = Field("s", "s", Direction.INOUT, (Range(ZERO, ONE),), Layout.SCALAR)
    body = (
        Declare("x", F32, Code("s", (("s", Access("s", ())),)), constant=False),
        LocalArray("tmp", F32, (2, 3)),
        For("k", symbol("m") * 0 + 5, ZERO, -2 * ONE, (Store(access("tmp", 0, 1), Code("x")),)),
        While(Code("x < 8"), (Assign("x", Code("2.0"), Reduction(Op.PRODUCT)),)),
        If(
            Code("x > 3"),
            (Assign("x", Code("tmp", (("tmp", access("tmp", 0, 1)),))),),
            (If(Code("x == 1"), (Assign("x", Code("0")),), (Assign("x", Code("1")),)),),
        ),
        Store(Access("s", ()), Code("x"), Reduction(Op.MAX)),
    )
    text = body_text(one_set(body, scalar, workers=False, values=()))
    assert text == (
        "// prog.py:1   work\n"
        "class work : public poplar::Vertex {\n"
        "public:\n"
        "  poplar::InOut<float> s;\n"
        "\n"
        "  bool compute() {\n"
        "    float x = *s;\n"
        "    float tmp[2][3];\n"
        "    for (int k = 5; k > 0; k -= 2) {\n"
        "      tmp[0][1] = x;\n"
        "    }\n"
        "    while (x < 8.0f) {\n"
        "      x *= 2.0f;\n"
        "    }\n"
        "    if (x > 3.0f) {\n"
        "      x = tmp[0][1];\n"
        "    } else if (x == 1.0f) {\n"
        "      x = 0.0f;\n"
        "    } else {\n"
        "      x = 1.0f;\n"
        "    }\n"
        "    *s = max(*s, x);\n"
        "    return true;\n"
        "  }\n"
        "};\n"
    )


def test_break_and_continue() -> None:
    body = loop(If(Code("i > 3"), (Break(),), (Continue(),)), shared=False)
    text = body_text(one_set((body,), _out("B"), workers=False))
    assert "      break;\n" in text and "      continue;\n" in text


def test_a_bound_that_the_body_changes_is_taken_once() -> None:
    m = symbol("m")
    body = (
        Declare("m", I32, Code("4"), constant=False),
        For("k", ZERO, m, ONE, (Assign("m", Code("1"), Reduction(Op.SUM)),)),
    )
    text = body_text(one_set(body, _out("B"), workers=False))
    assert "    const int k_end = m;\n    for (int k = 0; k < k_end; ++k) {\n      m += 1;\n" in text


@pytest.mark.parametrize(
    ("op", "dtype", "expected"),
    [
        (Op.SUM, "float32", "B[i] += A[i];"),
        (Op.SUM, "float16", "B[i] += A[i];"),
        (Op.SUM, "bool", "B[i] = B[i] + A[i] != 0;"),
        (Op.MIN, "int32", "B[i] = min(B[i], A[i]);"),
        (Op.LOGICAL_AND, "bool", "B[i] = B[i] && A[i];"),
        (Op.BITWISE_XOR, "uint8", "B[i] ^= A[i];"),
        (Op.SUM, "complex64", "store(B, i, load(B, i) + load(A, i));"),
    ],
)
def test_reductions(op: Op, dtype: str, expected: str) -> None:
    store = Store(access("B", i), Code("a", (("a", access("A", i)),)), Reduction(op))
    graph = one_set((loop(store),), _out("A", Direction.INPUT), _out("B", Direction.INOUT), dtype=np.dtype(dtype))
    assert f"      {expected}\n" in body_text(graph)


def test_custom_reduction_computes_its_operand_once() -> None:
    store = Store(access("B", i), Code("a * 2", (("a", access("A", i)),)), Reduction(Op.CUSTOM, "old + new * new"))
    text = body_text(one_set((loop(store),), _out("A", Direction.INPUT), _out("B", Direction.INOUT)))
    assert "      const float update = A[i] * 2.0f;\n      B[i] = B[i] + update * update;\n" in text


@pytest.mark.parametrize(
    ("index", "dtype", "expected"),
    [
        (i, "float32", "i = worker; i < i_size; i += numWorkers()"),
        (i + 1, "float32", "i = worker; i < i_size; i += numWorkers()"),
        (i, "float16", "share<2>(0, i_size, worker)"),
        (i + 1, "float16", "share<2>(0, i_size, worker, 1)"),
        (i + 1, "int8", "share<4>(0, i_size, worker, 3)"),
        (i_size - i - 1, "float16", "share<2>(0, i_size, worker, i_size & 1)"),
        (2 * i + 1, "float16", "share<2>(0, i_size, worker)"),
    ],
)
def test_borders_of_shares_are_borders_of_words(index: Expr, dtype: str, expected: str) -> None:
    graph = one_set((loop(Store(access("B", index), Code("0"))),), _out("B"), dtype=np.dtype(dtype))
    assert f" {expected}) {{" in body_text(graph)


def test_one_worker_where_no_border_will_do() -> None:
    stores = (Store(access("B", i), Code("0")), Store(access("B", i + 1), Code("1")))
    text = body_text(one_set((loop(*stores),), _out("B", Direction.INOUT), dtype=np.dtype(np.float16)))
    assert "    if (worker == 0) {\n      for (unsigned i = 0; i < i_size; ++i) {\n" in text


def test_names_that_collide_with_the_file() -> None:
    fields = (
        vector("worker", Direction.INPUT, i_begin, i_begin + i_size),
        vector("int", Direction.OUTPUT, ZERO, i_size),
    )
    store = Store(access("int", i), Code("w", (("w", access("worker", i)),)))
    graph = one_set((loop(store),), *fields)
    graph = replace(graph, steps=(replace(graph.steps[0], name="half"),))
    text = body_text(graph)
    assert "class half_2 : public" in text and "int_2[i] = worker_2[i];" in text


def test_comments_cannot_swallow_code() -> None:
    graph = graphs.jacobi()
    repeat = graph.steps[2]
    sweep = replace(repeat.body[0], source=Source("/programs/prog.py", 3, "x = 1 \\\ny = 2 \\"))
    text = codelets_text(replace(graph, steps=(sweep,)))
    assert "\n// prog.py:3   x = 1 \\ y = 2\nclass jacobi" in text


def test_a_computation_without_counterpart_is_refused() -> None:
    with pytest.raises(ExpressionError, match="no function 'solve' on the IPU"):
        codelets_text(one_set((loop(Store(access("B", i), Code("solve(1.0)"))),), _out("B")))


SHARE = """
static Share any(int begin, int end, int worker, int grain, int phase) {
  return grain == 2 ? share<2>(begin, end, worker, phase) : share<4>(begin, end, worker, phase);
}
extern "C" int first(int begin, int end, int worker, int grain, int phase) {
  return *any(begin, end, worker, grain, phase).begin();
}
extern "C" int last(int begin, int end, int worker, int grain, int phase) {
  return *any(begin, end, worker, grain, phase).end();
}
"""


def test_shares_cover_each_iteration_once(tmp_path: Path) -> None:
    from dace_ipu.targets.poplar.helpers import helpers_text

    library = compile_library(tmp_path, "#include <poplar/Vertex.hpp>\n" + helpers_text(["share"]) + SHARE)
    for begin, size, grain in [(b, s, g) for b in (0, 1, 2, 7) for s in (-3, 0, 1, 5, 6, 13, 64) for g in (2, 4)]:
        for phase in range(grain):
            end, at = begin + size, begin
            for worker in range(6):
                first, last = (getattr(library, f)(begin, end, worker, grain, phase) for f in ("first", "last"))
                if first == last:
                    continue
                assert first == at and last <= end
                assert first == begin or (first - phase) % grain == 0
                at = last
            assert at == max(begin, end)


RUN = """
extern "C" void run(float *A, float *B, unsigned size) {
  jacobi vertex;
  vertex.A.data = A;
  vertex.B.data = B;
  vertex.i_size = size;
  for (unsigned worker = 6; worker-- > 0;)
    vertex.compute(worker);
}
"""


def test_jacobi_runs(tmp_path: Path) -> None:
    library = compile_library(tmp_path, codelets_text(graphs.jacobi()) + RUN)
    a = np.arange(22, dtype=np.float32) ** 2
    b = np.full(20, np.nan, np.float32)
    library.run(a.ctypes.data_as(ctypes.c_void_p), b.ctypes.data_as(ctypes.c_void_p), 20)
    np.testing.assert_array_equal(b, np.float32(0.33) * (a[:-2] + a[1:-1] + a[2:]))


def test_combining_classes_are_shared_by_equal_reductions() -> None:
    graph = graphs.dot()
    twice = replace(graph, steps=(*graph.steps, graph.steps[4]))
    text = codelets_text(twice)
    assert text.count("class fold_sum_float32 ") == text.count("class update_sum_float32 ") == 1
    assert "total += partials[at];" in text


def test_text_does_not_depend_on_the_run() -> None:
    assert codelets_text(graphs.dot()) == codelets_text(graphs.dot())
