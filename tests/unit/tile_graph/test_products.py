"""Products: what they compute, what they look like, and which ones are none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

from dace_ipu.tile_graph.body import symbol
from dace_ipu.tile_graph.interpreter import run
from dace_ipu.tile_graph.nodes import (
    CopyIn,
    CopyOut,
    HostArray,
    LinearMapping,
    OperandMapping,
    Product,
    Range,
    Slice,
    TileGraph,
    Variable,
)
from dace_ipu.tile_graph.printer import step_text, to_text
from dace_ipu.tile_graph.spec import SpecError, check

N, M, K = map(symbol, "NMK")
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
F32 = np.dtype(np.float32)


def box(name: str, *sizes: sympy.Expr, begin: int = 0) -> Slice:
    return Slice(name, tuple(Range(sympy.Integer(begin), size) for size in sizes))


def multiply(**changes: object) -> Product:
    product = Product("mm", box("C", N, M), box("A", N, K), box("B", K, M), "ik,kj->ij", adds=False)
    return replace(product, **changes)  # type: ignore[arg-type]


def program(step: Product, dtype: np.dtype = F32, **shapes: tuple[sympy.Expr, ...]) -> TileGraph:
    shapes = {"A": (N, K), "B": (K, M), "C": (N, M)} | shapes
    integers = np.dtype(np.int32)
    hosts = tuple(HostArray(n, dtype, s, tuple(_strides(s)), ZERO) for n, s in shapes.items())
    variables = tuple(Variable(n, dtype, s, mapping=LinearMapping()) for n, s in shapes.items())
    steps = (*(CopyIn(n, n) for n in shapes), step, CopyOut("C", "C"))
    return TileGraph("g", tuple((n, integers) for n in "NMK"), hosts, variables, steps)


def _strides(shape: tuple[sympy.Expr, ...]) -> list[sympy.Expr]:
    return [sympy.prod(shape[k + 1 :]) for k in range(len(shape))]


def computed(graph: TileGraph, n: int, m: int, k: int, **arrays: np.ndarray) -> np.ndarray:
    check(graph, 2)
    run(graph, {"N": n, "M": m, "K": k}, arrays)
    return arrays["C"]


def numbers(*shape: int, dtype: object = np.float32) -> np.ndarray:
    return (np.arange(np.prod(shape), dtype=np.float64) / 3 - 1).reshape(shape).astype(dtype)


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize(("n", "m", "k"), [(3, 4, 5), (1, 1, 1), (3, 4, 0), (0, 4, 2)])
def test_it_multiplies_and_adds(adds: bool, n: int, m: int, k: int):
    a, b, c = numbers(n, k), numbers(k, m), numbers(n, m)
    want = a @ b + (c if adds else 0)
    found = computed(program(multiply(adds=adds)), n, m, k, A=a, B=b, C=c)
    np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-6)


def test_parts_batches_and_single_elements():
    step = Product(
        "mm",
        Slice("C", (Range(ZERO, N), Range(ONE, ONE * 2), Range(ZERO, M))),
        Slice("A", (Range(ZERO, N), Range(ZERO, M), Range(ZERO, K))),
        Slice("B", (Range(ONE, K + 1), Range(ZERO, N))),
        "ijk,ki->i.j",
        adds=False,
    )
    graph = program(step, A=(N, M, K), B=(K + 1, N), C=(N, ONE * 3, M))
    a, b, c = numbers(2, 4, 3), numbers(4, 2), numbers(2, 3, 4)
    want = np.array(c)
    want[:, 1, :] = np.einsum("ijk,ki->ij", a, b[1:])
    np.testing.assert_allclose(computed(graph, 2, 4, 3, A=a, B=b, C=c), want, rtol=1e-6)


def test_halves_are_summed_in_single_precision():
    half = np.dtype(np.float16)
    a, b = np.full((1, 400), 0.1, half), np.ones((400, 1), half)
    found = computed(program(multiply(), half), 1, 1, 400, A=a, B=b, C=np.zeros((1, 1), half))
    assert found[0, 0] == np.float16(400 * np.float32(half.type(0.1)))


def test_text():
    assert step_text(multiply()) == "mm: C[0:N, 0:M] = A[0:N, 0:K] * B[0:K, 0:M] as ik,kj->ij"
    assert step_text(multiply(adds=True)).startswith("mm: C[0:N, 0:M] += ")
    graph = program(multiply())
    mapped = replace(graph.variables[1], mapping=OperandMapping("mm", is_left=False))
    assert "  B: float32[K, M] as the right operand of mm\n" in to_text(
        replace(graph, variables=(graph.variables[0], mapped, graph.variables[2]))
    )


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (multiply(notation="ik,kj"), "'ik,kj' is no notation like 'ik,kj->ij'"),
        (multiply(notation="ik,kj->ik"), "'ik,kj->ik' is no matrix product"),
        (multiply(notation="ii,kj->ij"), "'ii,kj->ij' is no matrix product"),
        (multiply(notation="ik,kj->i"), "1 indices for 2 dimensions of 'C'"),
        (multiply(left=box("A", N, K, begin=1)), "index 'i' runs over N - 1 and over N elements of 'C'"),
        (multiply(target=box("X", N, M)), "unknown variable 'X'"),
        (multiply(right=box("C", N, M), notation="ik,ij->kj"), "it writes its operand 'C'"),
    ],
)
def test_what_is_no_product(step: Product, fault: str):
    with pytest.raises(SpecError) as error:
        check(program(step), 2)
    assert any(f"product 'mm': {fault}" in found for found in error.value.faults)


def test_the_matrix_unit_has_no_integers():
    with pytest.raises(SpecError, match="a matrix product of the types int32, int32, int32"):
        check(program(multiply(), np.dtype(np.int32)), 2)


@pytest.mark.parametrize(
    ("mapping", "fault"),
    [
        (OperandMapping("other", is_left=False), "an operand of a product that does not have it"),
        (OperandMapping("mm", is_left=True), "an operand of a product that does not have it"),
    ],
)
def test_operands_are_laid_out_for_their_own_product(mapping: OperandMapping, fault: str):
    graph = program(multiply())
    a, b, c = graph.variables
    with pytest.raises(SpecError, match=fault):
        check(replace(graph, variables=(a, replace(b, mapping=mapping), c)), 2)


def test_an_operand_of_which_a_part_is_used_has_no_layout():
    graph = program(multiply(right=Slice("B", (Range(ZERO, K), Range(ZERO, M)))), B=(K + 1, M))
    a, b, c = graph.variables
    mapped = replace(b, mapping=OperandMapping("mm", is_left=False))
    with pytest.raises(SpecError, match="only a part of it"):
        check(replace(graph, variables=(a, mapped, c)), 2)
