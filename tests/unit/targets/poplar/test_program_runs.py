"""Printed programs on the simulator: level-2 graphs from the passes against the interpreter's definition of level 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import poplar_graphs as graphs
import pytest
import sympy
from poplar_program import Program, build_program

from dace_ipu import passes
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.body import Access, Code, Declare, Expr, For, If, Op, Reduction, Statement, Store, symbol
from dace_ipu.tile_graph.nodes import CopyIn, CopyOut, Dimension, HostArray, MapStep, TileGraph, Variable

i, j, k, N, M = (symbol(name) for name in "ijkNM")
SUM = Reduction(Op.SUM)
Shape = tuple[Any, ...]


def at(data: str, *indices: Any) -> Access:
    return Access(data, tuple(sympy.sympify(index) for index in indices))


def code(text: str, **reads: Access) -> Code:
    return Code(text, tuple(reads.items()))


def one_map(name: str, arrays: dict[str, tuple[str, Shape]], domain: dict[str, Any], *body: Statement) -> TileGraph:
    """Arrays in, a map, arrays out."""
    variables, hosts = [], []
    for array, (dtype, extents) in arrays.items():
        shape = tuple(sympy.sympify(extent) for extent in extents)
        variables.append(Variable(array, np.dtype(dtype), shape))
        hosts.append(HostArray(array, np.dtype(dtype), shape, _strides(shape), sympy.S.Zero))
    step = MapStep(name, tuple(Dimension(d, sympy.sympify(e)) for d, e in domain.items()), body)
    steps = (*(CopyIn(a, a) for a in arrays), step, *(CopyOut(a, a) for a in arrays))
    return TileGraph(name, (("N", graphs.I32), ("M", graphs.I32)), tuple(hosts), tuple(variables), steps)


def _strides(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    strides = [sympy.S.One]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return tuple(strides[: len(shape)])


def _copy(dtype: str, name: str) -> TileGraph:
    """An element-wise map over rows that begin anywhere in a word."""
    store = Store(at("B", i, j), code("a", a=at("A", i, j)))
    return one_map(name, {"A": (dtype, (N, M)), "B": (dtype, (N, M))}, {"i": N, "j": M}, store)


def _stencil() -> TileGraph:
    reads = {n: at("A", i + x, j + y) for n, x, y in (("a", 0, 1), ("b", 2, 1), ("c", 1, 0), ("d", 1, 2))}
    store = Store(at("B", i + 1, j + 1), code("0.25*(a+b+c+d)", **reads))
    return one_map("stencil", {"A": ("f4", (N + 2, M + 2)), "B": ("f4", (N + 2, M + 2))}, {"i": N, "j": M}, store)


def _histogram() -> TileGraph:
    body = (
        Declare("bin", np.dtype("i4"), code("a % 16", a=at("A", i))),
        Store(at("h", symbol("bin")), code("1"), SUM),
    )
    return one_map("histogram", {"A": ("i4", (N,)), "h": ("i4", (16,))}, {"i": N}, *body)


def _matmul(dtype: str, name: str) -> TileGraph:
    store = Store(at("C", i, j), code("a*b", a=at("A", i, k), b=at("B", k, j)), SUM)
    arrays = {"A": (dtype, (N, M)), "B": (dtype, (M, N)), "C": (dtype, (N, N))}
    return one_map(name, arrays, {"i": N, "j": N, "k": M}, store)


def _triangle() -> TileGraph:
    inner = For("j", sympy.S.Zero, i, sympy.S.One, (Store(at("C", i), code("a", a=at("A", i, j)), SUM),))
    return one_map("triangle", {"A": ("f4", (N, N)), "C": ("f4", (N,))}, {"i": N}, inner)


def _guarded() -> TileGraph:
    shifted = Store(at("B", i), code("a*i", a=at("A", i - 1)))
    body = If(code("i > 0"), (shifted,), (Store(at("B", i), code("0")),))
    return one_map("guarded", {"A": ("f4", (N,)), "B": ("f4", (N,))}, {"i": N}, body)


def _strided() -> TileGraph:
    store = Store(at("B", N - 1 - i), code("a", a=at("A", 3 * i + 1)))
    return one_map("strided", {"A": ("i2", (3 * N,)), "B": ("i2", (N,))}, {"i": N}, store)


def _reduction(op: Op, dtype: str, name: str) -> TileGraph:
    store = Store(at("s", 0), code("a", a=at("A", i)), Reduction(op))
    return one_map(name, {"A": (dtype, (N,)), "s": (dtype, (1,))}, {"i": N}, store)


def _columns() -> TileGraph:
    store = Store(at("s", j), code("a", a=at("A", i, j)), SUM)
    return one_map("columns", {"A": ("f4", (N, M)), "s": ("f4", (M,))}, {"i": N, "j": M}, store)


CASES = {
    g.name: g
    for g in (
        *(_copy(dtype, f"copy_{dtype}") for dtype in ("f4", "f2", "i1", "bool", "i8", "c8", "u2")),
        _stencil(),
        _histogram(),
        _matmul("f4", "matmul"),
        _matmul("c8", "matmul_complex"),
        _matmul("f2", "matmul_half"),
        _triangle(),
        _guarded(),
        _strided(),
        _columns(),
        _reduction(Op.SUM, "f4", "sum"),
        _reduction(Op.MAX, "f2", "max_half"),
        _reduction(Op.MIN, "i8", "min_long"),
        _reduction(Op.LOGICAL_OR, "?", "any"),
        _reduction(Op.SUM, "c8", "sum_complex"),
    )
}
SIZES = [(0, 3), (1, 1), (2, 5), (7, 3), (50, 9), (200, 1)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """All cases in one program: their names collide wherever they can."""
    compiled = [passes.run(graph) for graph in CASES.values()]
    with build_program(tmp_path_factory.mktemp("cases"), compiled, "cases") as running:
        yield running


def arrays(graph: TileGraph, sizes: dict[str, int]) -> dict[str, np.ndarray[Any, Any]]:
    """Contents that differ from each other and are exact in every type."""
    generator = np.random.default_rng(sum(sizes.values()))
    result = {}
    for variable in graph.variables:
        shape = [int(extent.subs({symbol(n): v for n, v in sizes.items()})) for extent in variable.shape]
        values = generator.integers(-4 if variable.dtype.kind not in "ub" else 0, 5, shape)
        imaginary = 1j * generator.integers(-4, 5, shape) if variable.dtype.kind == "c" else 0
        result[variable.name] = (values + imaginary).astype(variable.dtype)
    return result


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_program_computes_what_the_graph_means(program: Program, name: str, sizes: tuple[int, int]) -> None:
    graph, symbols = CASES[name], dict(zip("NM", sizes, strict=True))
    actual = arrays(graph, symbols)
    expected = {n: a.copy() for n, a in actual.items()}
    interpreter.run(graph, symbols, expected)
    program.run(name, *actual.values(), *sizes)
    for array, values in expected.items():
        np.testing.assert_allclose(actual[array], values, rtol=1e-6, err_msg=array)


def test_hand_written_graphs(tmp_path_factory: pytest.TempPathFactory) -> None:
    with build_program(tmp_path_factory.mktemp("hand"), [graphs.jacobi(), graphs.dot()], "hand") as program:
        a, b = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
        expected = a.copy()
        for _ in range(3):
            expected[1:-1] = np.float32(0.33) * (expected[:-2] + expected[1:-1] + expected[2:])
        program.run("jacobi", a, b, 40, 3)
        np.testing.assert_array_equal(a, expected)
        s = np.array([0.5], np.float32)
        program.run("dot", np.ones(1000, np.float32), np.full(1000, 2, np.float32), s, 1000)
        assert s[0] == 2000.5


def test_equal_graphs_print_equal_files() -> None:
    from dace_ipu.targets.poplar.program import texts

    first, second = (texts([passes.run(replace(_stencil(), notes=()))], "x", "x_t", "int N") for _ in range(2))
    assert first == second
