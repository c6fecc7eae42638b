"""Indices in mixed radix: recognised, taken apart, and stored to by who owns the elements."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.anchor_writes import AnchorWrites
from dace_ipu.passes.digits import digits_of
from dace_ipu.passes.loops_to_dimensions import LoopsToDimensions
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.indices import evaluate
from dace_ipu.tile_graph.nodes import CopyIn, CopyOut, HostArray, RepeatWhile, Step, TileGraph
from dace_ipu.tile_graph.spec import check

STEP = map_step("A[a] = 0", a="N", b="M", c="K")


def digits(index: str, *conditions: str) -> list[tuple[str, str, str]] | None:
    found = digits_of(expr(index), STEP, conditions)
    return None if found is None else [(d.runner, str(d.place), str(d.width)) for d in found]


@pytest.mark.parametrize(
    ("index", "conditions", "want"),
    [
        ("a", (), [("a", "1", "None")]),
        ("M*a + b", (), [("b", "1", "M"), ("a", "M", "None")]),
        ("a + N*b + 3", (), [("a", "1", "N"), ("b", "N", "None")]),
        ("t*a + b", ("b < t",), [("b", "1", "t"), ("a", "t", "None")]),
        ("t*a + b", ("b <= t - 1",), [("b", "1", "t"), ("a", "t", "None")]),
        ("4*t*a + t*c + b", ("b < t", "c < 4"), [("b", "1", "t"), ("c", "t", "4"), ("a", "4*t", "None")]),
        ("2**t*a + b", ("b < 2**t",), [("b", "1", "2**t"), ("a", "2**t", "None")]),
    ],
)
def test_digits(index: str, conditions: tuple[str, ...], want: list[tuple[str, str, str]]) -> None:
    assert digits(index, *conditions) == want


@pytest.mark.parametrize(
    ("index", "conditions"),
    [
        ("t*a + b", ()),
        ("t*a + b", ("b <= t",)),  # b == t is the next a
        ("t*a + b", ("b < t + 1",)),
        ("t*a + b", ("a < t",)),
        ("a + b", ()),
        ("2*a", ()),  # every other element stays as it is
        ("a*b", ()),
        ("a*c + b", ("b < a",)),
        ("t*a + t*c + b", ("b < t",)),
    ],
)
def test_no_digits(index: str, conditions: tuple[str, ...]) -> None:
    assert digits(index, *conditions) is None


def test_a_number_gives_its_digits() -> None:
    found = digits_of(expr("4*t*a + t*c + b"), STEP, ("b < t", "c < 4"))
    assert found is not None
    for a, b, c in product(range(3), range(5), range(4)):
        got = {d.runner: evaluate(d.of(expr("e")), {"e": 20 * a + 5 * c + b, "t": 5}) for d in found}
        assert got == {"a": a, "b": b, "c": c}


# ---- stores ----------------------------------------------------------------------------------------------------------

ARRAYS = variables(A="K", B="N, M", t="int32 1", k="int32 1", p="bool 1")
T = "r: int32 = t[0]\n"


def program(*steps: Step) -> TileGraph:
    f32, i32, one, zero = np.dtype(np.float32), np.dtype(np.int32), expr(1), expr(0)
    hosts = (
        HostArray("A", f32, (expr("K"),), (one,), zero),
        HostArray("B", f32, (expr("N"), expr("M")), (expr("M"), one), zero),
        HostArray("t", i32, (one,), (one,), zero, scalar=True),
    )
    found = graph(ARRAYS, CopyIn("A", "A"), CopyIn("B", "B"), CopyIn("t", "t"), *steps, CopyOut("A", "A"))
    return TileGraph(found.name, found.symbols, hosts, found.variables, found.steps)


def outcome(found: TileGraph, t: int, sizes: tuple[int, int, int]) -> list[float]:
    check(found, 1)
    n, m, k = sizes
    array = -np.ones(k, np.float32)
    matrix = np.arange(n * m, dtype=np.float32).reshape(n, m)
    arrays = {"A": array, "B": matrix, "t": np.array([t], np.int32)}
    interpreter.run(found, {"N": n, "M": m, "K": k}, arrays, tiles=3)
    return array.tolist()


SIZES = [(3, 4, 12), (3, 4, 20), (1, 4, 4), (3, 1, 3)]


@pytest.mark.parametrize(
    "body",
    [
        "if b < r:\n    A[r * a + b] = B[a, b]",
        "if b < r:\n    A[a + N * b] = B[a, b]",
        "if b <= r - 1:\n    if B[a, b] > 1:\n        A[b + r * a] = B[a, b] + a",
    ],
)
@pytest.mark.parametrize("sizes", SIZES)
def test_stores_in_mixed_radix_are_the_owners(body: str, sizes: tuple[int, int, int]) -> None:
    before = program(map_step(T + body, name="set", a="N", b="M"))
    after = AnchorWrites().apply(before)
    if "r * a" in body:
        assert steps_of(after)[3].startswith("set: for element in 0:K")
    for t in range(1, sizes[1] + 1):
        assert outcome(after, t, sizes) == outcome(before, t, sizes)


def test_what_holds_of_digits_is_not_asked() -> None:
    after = AnchorWrites().apply(program(map_step(T + "if b < r:\n    A[r * a + b] = B[a, b]", a="N", b="M")))
    assert steps_of(after)[3:6] == [
        "work: for element in 0:K {",
        "  const int32 r = t[0]",
        "  if element // r < N and element % r < M { A[element] = B[element // r, element % r] }",
    ]


def test_a_loop_over_a_digit_becomes_a_dimension() -> None:
    condition = map_step("n: int32 = k[0] + 1\nk[0] = n\np[0] = n < t[0]", name="next_k")
    body = map_step("r: int32 = t[0]\nw: int32 = k[0]\nA[r * a + w] = B[a, 0]", name="set", a="N")
    arrays = tuple(
        v if v.name != "k" else v.__class__(**{**vars(v), "bounds": (expr(0), expr("M - 1"))}) for v in ARRAYS
    )
    loop = (map_step("k[0] = -1", name="first_k"), RepeatWhile((condition,), "p", (body,)))
    result = LoopsToDimensions().apply(graph(arrays, *loop))
    assert steps_of(result)[0].startswith("set: for k_2 in 0:M for a in 0:N")
