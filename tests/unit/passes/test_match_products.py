"""Maps that multiply matrices become products; what is anything else stays a map."""

from __future__ import annotations

import pytest
from pass_graphs import graph, map_step, steps_of, variables

from dace_ipu.passes.match_products import MatchProducts
from dace_ipu.tile_graph.nodes import MapStep, Product, Repeat, Step, TileGraph

ARRAYS = variables(A="N, K", B="K, M", C="N, M", x="K", y="N", T="8, N, K", U="8, K, M", V="8, N, M", I="int32 N, K")
ZERO = map_step("C[i, j] = 0", name="zero", i="N", j="M")
GEMM = map_step("C[i, j] += A[i, k] * B[k, j]", i="N", j="M", k="K")


def run(*steps: Step) -> TileGraph:
    result: TileGraph = MatchProducts().apply(graph(ARRAYS, *steps))
    return result


def product(step: MapStep) -> str | None:
    (found,) = run(step).steps
    return found.notation if isinstance(found, Product) else None


def test_a_product_and_what_sets_its_target_to_zero_become_one_step():
    other = map_step("y[i] = x[0]", name="other", i="N")
    assert steps_of(run(ZERO, other, GEMM)) == [
        "other: for i in 0:N { y[i] = x[0] }",
        "work: C[0:N, 0:M] = A[0:N, 0:K] * B[0:K, 0:M] as ik,kj->ij",
    ]


@pytest.mark.parametrize(
    "between",
    ["y[i] = C[i, 0]", "C[i, 0] = 1"],
)
def test_a_target_that_something_touches_in_between_is_added_to(between: str):
    result = run(ZERO, map_step(between, name="between", i="N"), GEMM)
    assert [type(step) for step in result.steps] == [MapStep, MapStep, Product]
    assert isinstance(result.steps[-1], Product) and result.steps[-1].adds


def test_a_zero_for_a_part_of_the_target_stays():
    result = run(map_step("C[i, j] = 0", name="zero", i="N", j="M - 1"), GEMM)
    assert len(result.steps) == 2


def test_the_zero_of_slices_stays_as_they_may_be_empty():
    part = map_step("C[i, j] += A[i, k + 1] * B[k, j]", i="N", j="M", k="K - 1")
    assert steps_of(run(ZERO, part))[-1] == "work: C[0:N, 0:M] += A[0:N, 1:K] * B[0:K - 1, 0:M] as ik,kj->ij"


def test_products_in_loops_are_found():
    (loop,) = run(Repeat(ARRAYS[0].shape[0], (ZERO, GEMM))).steps
    assert isinstance(loop, Repeat)
    assert [type(step) for step in loop.body] == [Product]


@pytest.mark.parametrize(
    ("step", "notation"),
    [
        (map_step("y[i] += A[i, k] * x[k]", i="N", k="K"), "ij,j->i"),
        (map_step("x[k] += A[i, k] * y[i]", i="N", k="K"), "ji,j->i"),
        (map_step("y[i] += 1 * A[i, k] * x[k]", i="N", k="K"), "ij,j->i"),
        (map_step("for k in range(K):\n    y[i] += A[i, k] * x[k]", i="N"), "ij,j->i"),
        (map_step("V[b, i, j] += T[b, i, k] * U[b, k, j]", b="8", i="N", j="M", k="K"), "ijl,ilk->ijk"),
        (map_step("C[i, j] += T[b, i, k] * U[b, k, j]", b="8", i="N", j="M", k="K"), "kil,klj->ij"),
        (map_step("C[i, j] += T[3, i, k] * B[k, j]", i="N", j="M", k="K"), ".ik,kj->ij"),
    ],
)
def test_kinds_of_products(step: MapStep, notation: str):
    assert product(step) == notation


@pytest.mark.parametrize(
    "step",
    [
        map_step("y[0] += x[k] * x[k]", k="K"),  # a dot product is a reduction
        map_step("C[i, j] += x[i] * y[j]", i="K", j="N"),  # nothing is summed
        map_step("V[b, i, j] += T[b, i, k] * B[k, 0]", b="8", i="N", j="M", k="K"),  # j stands in the target only
        map_step("y[i] += A[i, k] * B[k, j]", i="N", k="K", j="M"),  # j stands in one operand only
        map_step("C[i, j] += C[i, k] * B[k, j]", i="N", j="M", k="K"),  # an operand that it writes
        map_step("C[i, j] += A[i, k] + B[k, j]", i="N", j="M", k="K"),
        map_step("C[i, j] += 2 * A[i, k] * B[k, j]", i="N", j="M", k="K"),
        map_step("C[i, j] |= A[i, k] * B[k, j]", i="N", j="M", k="K"),  # a maximum
        map_step("C[i, j] = A[i, k] * B[k, j]", i="N", j="M", k="K"),
        map_step("C[i, j] += A[i, 2 * k] * B[k, j]", i="N", j="M", k="K"),
        map_step("C[i, j] += A[i, k + j] * B[k, j]", i="N", j="M", k="K"),
        map_step("I[i, j] += I[i, k] * I[k, j]", i="N", j="K", k="K"),
        map_step("C[i, j] += I[i, k] * B[k, j]", i="N", j="M", k="K"),
        map_step("for k in range(i):\n    C[i, j] += A[i, k] * B[k, j]", i="N", j="M"),
        map_step("if i > 0:\n    C[i, j] += A[i, k] * B[k, j]", i="N", j="M", k="K"),
        map_step("C[i, j] += A[i, k] * B[k, j]", i="4", j="4", k="4"),  # too small to arrange
    ],
)
def test_what_stays_a_map(step: MapStep):
    assert product(step) is None


def test_a_scalar_of_the_device_that_nothing_uses_is_no_obstacle():
    arrays = (*ARRAYS, *variables(s="int32 1"))
    step = map_step("v: int32 = s[0]\ny[i] += A[i, k] * x[k]", i="N", k="K")
    (found,) = MatchProducts().apply(graph(arrays, step)).steps
    assert isinstance(found, Product)
