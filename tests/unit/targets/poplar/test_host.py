"""The graph-building function and the file around it, as text."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import poplar_graphs as graphs
import pytest
import sympy
from poplar_graphs import F32, N, i, i_begin, i_size

from dace_ipu.targets.poplar.embedded import embedded_text
from dace_ipu.targets.poplar.host import host_text
from dace_ipu.targets.poplar.program import Options, run_declaration, run_name, texts
from dace_ipu.targets.poplar.slices import slice_text
from dace_ipu.tile_graph.body import Access, Code, Store, symbol
from dace_ipu.tile_graph.nodes import (
    BlockMapping,
    Branch,
    Choice,
    ComputeSet,
    Copy,
    Dimension,
    Direction,
    Field,
    Follow,
    Layout,
    LinearMapping,
    MapStep,
    OperandMapping,
    Partition,
    Product,
    Range,
    Repeat,
    RepeatWhile,
    Slice,
    Step,
    TileGraph,
    TileMapping,
    Variable,
)

ZERO, ONE = i * 0, i**0


def test_jacobi() -> None:
    assert host_text(graphs.jacobi()) == (
        "// Builds the graph of jacobi and returns the program that runs on the device.\n"
        "DACE_IPU_GRAPH_CODE Sequence build_jacobi(Graph &graph, dace_ipu::Streams &streams, std::int64_t N, std::int64_t T) {\n"
        "  Sequence sequence;\n"
        "\n"
        "  const dace_ipu::Blocks jacobi_blocks({N - 2}, graph.getTarget().getNumTiles());\n"
        "\n"
        '  Tensor A = graph.addVariable(FLOAT, shape(N), "A");\n'
        "  dace_ipu::mapToBlocks(graph, A, jacobi_blocks, {{0, 1, 1}});\n"
        '  Tensor B = graph.addVariable(FLOAT, shape(N), "B");\n'
        "  dace_ipu::mapToBlocks(graph, B, jacobi_blocks, {{0, 1, 1}});\n"
        "\n"
        '  streams.copyIn(sequence, "A", A);\n'
        '  streams.copyIn(sequence, "B", B);\n'
        "\n"
        "  Sequence body;\n"
        "\n"
        "  // prog.py:12   B[1:-1] = 0.33 * (A[:-2] + A[1:-1] + A[2:])\n"
        '  ComputeSet jacobi = graph.addComputeSet("jacobi");\n'
        "  for (const auto &block : jacobi_blocks) {\n"
        '    VertexRef vertex = graph.addVertex(jacobi, "jacobi");\n'
        "    graph.setTileMapping(vertex, block.tile());\n"
        '    graph.connect(vertex["A"], A.slice(block.begin(0), block.end(0) + 2));\n'
        '    graph.connect(vertex["B"], B.slice(block.begin(0) + 1, block.end(0) + 1));\n'
        '    graph.setInitialValue(vertex["i_size"], block.size(0));\n'
        "    graph.setPerfEstimate(vertex, dace_ipu::multiVertexCycles(9 * block.size(0) + 2));\n"
        "  }\n"
        "  body.add(Execute(jacobi));\n"
        "  // prog.py:13   A[1:-1] = B[1:-1]\n"
        "  if (1 < N - 1)\n"
        "    body.add(Copy(B.slice(1, N - 1), A.slice(1, N - 1)));\n"
        "  sequence.add(Repeat(dace_ipu::count(T), body));\n"
        "\n"
        '  streams.copyOut(sequence, "A", A);\n'
        '  streams.copyOut(sequence, "B", B);\n'
        "  return sequence;\n"
        "}\n"
    )


def test_partial_results() -> None:
    text = host_text(graphs.dot())
    assert 'graph.addVariable(FLOAT, shape(dot_blocks.size() * 6, 1), "s_partial");' in text
    assert "dace_ipu::mapLanes(graph, s_partial, dot_blocks, 6);" in text
    assert "s_partial.slice(6 * block.number(), 6 * block.number() + 6).flatten());" in text
    assert "  poputil::mapTensorLinearly(graph, y);\n" in text
    assert '{"fold_sum_float32", "update_sum_float32"});' in text


SLICES = [
    ((Range(ZERO, N),), "A"),
    ((Range(ONE, N - 1),), "A.slice(1, N - 1)"),
    ((Range(ONE, N, 2),), "A.slice(1, N).subSample(2, 0)"),
    ((Range(N - 1, -ONE, -1),), "A.reverse(0)"),
    ((Range(N - 2, ZERO, -3),), "A.slice(1, N - 1).reverse(0).subSample(3, 0)"),
    ((Range(ZERO, N), Range(2 * ONE, 3 * ONE)), "A.slice(2, 3, 1)"),
    ((Range(ONE, N), Range(ZERO, symbol("M"))), "A.slice(1, N)"),
    ((Range(ONE, 2 * ONE), Range(ZERO, ONE)), "A.slice({1, 0}, {2, 1})"),
    ((Range(ONE, N), Range(ONE, 5 * ONE)), "A.slice({1, 1}, at(N, 5))"),
]


@pytest.mark.parametrize(("ranges", "expected"), SLICES, ids=[text for _, text in SLICES])
def test_slices(ranges: tuple[Range, ...], expected: str) -> None:
    from dace_ipu.targets.poplar.indices import IndexPrinter

    assert slice_text("A", ranges, (N, symbol("M"))[: len(ranges)], IndexPrinter().text) == expected


def single(**fields: object) -> ComputeSet:
    """One vertex that writes one element."""
    edge = Field("A", "A", Direction.OUTPUT, (Range(N - 1, N), Range(ZERO, ONE)), Layout.SCALAR)
    cs = ComputeSet("last", None, (), (edge,), (), (Store(Access("A", ()), Code("1")),), False, sympy.Float(2.4))
    return replace(cs, **fields)


def two_dimensional(*steps: object, **fields: object) -> TileGraph:
    variables = (
        Variable("A", F32, (N, 4 * ONE), mapping=TileMapping(3)),
        Variable("B", F32, (4 * ONE, N), mapping=LinearMapping()),
    )
    graph = TileGraph("two", (("N", graphs.I32), ("K", graphs.I32)), (), variables, steps)
    return replace(graph, **fields)


def test_a_single_vertex_and_why() -> None:
    text = host_text(two_dimensional(single(note="runs on one tile: every iteration reads the one before")))
    assert text.endswith(
        '  Tensor A = graph.addVariable(FLOAT, shape(N, 4), "A");\n'
        "  graph.setTileMapping(A, 3);\n"
        '  Tensor B = graph.addVariable(FLOAT, shape(4, N), "B");\n'
        "  poputil::mapTensorLinearly(graph, B);\n"
        "\n"
        "  // runs on one tile: every iteration reads the one before\n"
        '  ComputeSet last = graph.addComputeSet("last");\n'
        '  VertexRef last_vertex = graph.addVertex(last, "last");\n'
        "  graph.setTileMapping(last_vertex, 0);\n"
        '  graph.connect(last_vertex["A"], A[N - 1][0]);\n'
        "  graph.setPerfEstimate(last_vertex, dace_ipu::vertexCycles(2));\n"
        "  sequence.add(Execute(last));\n"
        "  return sequence;\n"
        "}\n"
    )


def test_only_symbols_that_matter_are_parameters() -> None:
    graph = two_dimensional(single())
    assert "build_two(Graph &graph, dace_ipu::Streams &streams, std::int64_t N) {" in host_text(graph)
    host = texts([graph], "two", "two_t", "").host
    assert 'dace_ipu::run(__state->ipu_programs, "two", {{"N", N}},' in host, "K does not cause another build"


def test_copies_of_different_shapes_are_flattened() -> None:
    source = Slice("A", (Range(ZERO, N), Range(ZERO, 4 * ONE)))
    target = Slice("B", (Range(ZERO, 4 * ONE), Range(ZERO, N)))
    assert "sequence.add(Copy(A.flatten(), B.flatten()));" in host_text(two_dimensional(Copy(source, target)))
    assert "sequence.add(Copy(A, A));" in host_text(two_dimensional(Copy(source, source)))


def test_constant_count() -> None:
    assert "sequence.add(Repeat(5, body));" in host_text(two_dimensional(Repeat(5 * ONE, (single(),))))


def test_names_of_the_user_that_the_text_needs_itself() -> None:
    names = ("graph", "Copy", "block", "int", "std", "sequence")
    variables = tuple(Variable(name, F32, (N,), mapping=LinearMapping()) for name in names)
    text = host_text(TileGraph("main", (("N", graphs.I32),), (), variables, ()))
    found = re.findall(r"Tensor (\w+) = graph\.addVariable", text)
    assert found == ["graph_2", "Copy_2", "block_2", "int_2", "std_2", "sequence_2"]


def test_a_block_mapping_with_an_undivided_dimension() -> None:
    mapping = BlockMapping("rows", (None, Follow(0, 2 * N, -1)))
    variables = (Variable("A", np.dtype(np.complex64), (3 * ONE, N), mapping=mapping),)
    graph = TileGraph("g", (("N", graphs.I32),), (), variables, (), (Partition("rows", (N,)),))
    text = host_text(graph)
    assert 'Tensor A = graph.addVariable(FLOAT, shape(3, N, 2), "A");' in text
    assert "dace_ipu::mapToBlocks(graph, A, rows, {{}, {0, 2 * N, -1}, {}});" in text


def test_level_1_is_refused() -> None:
    step = MapStep("m", (Dimension("i", N),), ())
    with pytest.raises(ValueError, match="the map 'm' is not a compute set: the graph is not at level 2"):
        host_text(two_dimensional(step))
    unmapped = (Variable("A", F32, (N,)),)
    with pytest.raises(ValueError, match="variable 'A' has no mapping: the graph is not at level 2"):
        host_text(two_dimensional(variables=unmapped))


def test_unknown_symbols_are_refused() -> None:
    with pytest.raises(ValueError, match="'Q' is no symbol of the program two"):
        host_text(two_dimensional(Repeat(symbol("Q"), ())))


def test_run_function() -> None:
    graph = graphs.dot()
    assert run_name(graph) == "__dace_ipu_run_dot"
    assert run_declaration(graph, "dot_t") == (
        'extern "C" void __dace_ipu_run_dot(dot_t *__state, float *x, float *y, float *s, int N);'
    )
    host = texts([graph], "dot", "dot_t", "int N", options=Options("bow", 2, 64, 3)).host
    assert '{"x", x, dace_ipu::HostType::Float32, {N}, {1}, 0},' in host
    assert 'extern "C" int __dace_init_ipu(dot_t *__state, int N) {' in host
    assert 'dace_ipu::create("dot", dot_codelets, {"bow", 2, 64, 3});' in host


def test_embedded_text_survives(tmp_path: object) -> None:
    text = 'a "quoted" line\nR"codelets(nested)codelets" \\n ??/\n' + "x" * 20000 + "\n\ttab\n"
    printed = embedded_text("p", text)
    assert 'R"codelets1(' in printed
    assert "extern const char *const p_codelets;" in printed
    pieces = re.findall(r'R"codelets1\((.*?)\)codelets1"', printed, re.DOTALL)
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= 8000


def test_block_values_become_ends() -> None:
    assert i_begin + i_size != i_size
    text = host_text(graphs.jacobi())
    assert "block.end(0) + 2" in text and "block.begin(0) + block.size(0)" not in text


def control(step: Step) -> TileGraph:
    """A scalar x, a predicate p, and one step of control flow."""
    variables = tuple(
        Variable(name, np.dtype(dtype), (ONE,), mapping=TileMapping(0)) for name, dtype in (("x", "i4"), ("p", "?"))
    )
    return TileGraph("control", (("N", np.dtype(np.int32)),), (), variables, (step,))


def test_a_loop_on_a_predicate() -> None:
    whole = Slice("x", (Range(ZERO, ONE),))
    found = host_text(control(RepeatWhile((Copy(whole, whole),), "p", (Copy(whole, whole),))))
    assert (
        "  Sequence condition;\n  condition.add(Copy(x, x));\n  Sequence body;\n  body.add(Copy(x, x));\n"
        "  sequence.add(RepeatWhileTrue(condition, p[0], body));\n"
    ) in found
    assert "RepeatWhileTrue(Sequence(), p[0], Sequence())" in host_text(control(RepeatWhile((), "p", ())))


def test_a_branch() -> None:
    whole = Slice("x", (Range(ZERO, ONE),))
    copy = Copy(whole, whole)
    assert "sequence.add(If(p[0], then, otherwise));" in host_text(control(Branch("p", (copy,), (copy,))))
    assert "sequence.add(If(p[0], then, Sequence()));" in host_text(control(Branch("p", (copy,))))


def test_a_choice_is_made_by_the_host() -> None:
    whole = Slice("x", (Range(ZERO, ONE),))
    found = host_text(control(Choice(symbol("N") > 2, (Copy(whole, whole),), (Repeat(ONE, ()),))))
    assert "  if (N > 2) {\n    sequence.add(Copy(x, x));\n  }\n  else {\n" in found


def _product(adds: bool = False) -> TileGraph:
    def box(name: str, *ends: sympy.Expr, begin: sympy.Expr = ZERO) -> Slice:
        return Slice(name, tuple(Range(begin, end) for end in ends))

    step = Product("mm", box("C", N, N), box("A", N, N), box("B", N, N + 1, begin=ONE), ".k,kj->.j", adds)
    step = replace(step, left=Slice("A", (Range(ZERO, ONE), Range(ZERO, N - 1))), target=Slice("C", (Range(ZERO, ONE), Range(ZERO, N))))
    shapes = {"A": (ONE, N - 1), "B": (N, N + 1), "C": (ONE, N)}
    variables = [Variable(name, F32, shape, mapping=LinearMapping()) for name, shape in shapes.items()]
    variables[0] = replace(variables[0], mapping=OperandMapping("mm", is_left=True))
    return TileGraph("g", (("N", np.dtype(np.int32)),), (), tuple(variables), (step,))


def test_a_product_is_one_call() -> None:
    text = host_text(_product())
    assert "  dace_ipu::addProductCodelets(graph);\n" in text
    assert (
        '  Tensor A = dace_ipu::leftOperand(graph, FLOAT, {shape(1, N - 1), ".k"}, {shape(N - 1, N), "kj"}, ".j", "A");\n'
    ) in text
    assert 'dace_ipu::multiply(graph, sequence, {A, ".k"}, {B.slice({1, 1}, at(N, N + 1)), "kj"}, {C, ".j"}, "mm");' in text
    assert "dace_ipu::multiplyAdd(graph, sequence, " in host_text(_product(adds=True))


def test_only_programs_with_products_include_them() -> None:
    assert "#include <dace_ipu/product.hpp>" in texts([_product()], "g", "g_state_t", "").host
    assert "product" not in texts([graphs.jacobi()], "jacobi", "jacobi_state_t", "").host
