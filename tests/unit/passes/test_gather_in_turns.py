"""Maps that gather from a large array fetch it in parts."""

from __future__ import annotations

import numpy as np
import pytest
from pass_graphs import expr, graph, map_step, variables

from dace_ipu.passes import gather_in_turns
from dace_ipu.passes.gather_in_turns import GatherInTurns
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.nodes import Choice, CopyIn, CopyOut, HostArray, MapStep, Step, TileGraph
from dace_ipu.tile_graph.spec import check

ARRAYS = variables(A="N", C="N, M", at="int32 K", B="K", D="K, M", few="8", t="int32 1")


def chosen(step: MapStep) -> tuple[Step, ...]:
    result: TileGraph = GatherInTurns().apply(graph(ARRAYS, step))
    return result.steps


BODIES = {
    "plain": ("a: int32 = at[i]\nB[i] = A[a] * 2", {"i": "K"}),
    "guarded": ("a: int32 = at[i]\nif a > 1:\n    B[i] += A[a]", {"i": "K"}),
    "twice": ("a: int32 = at[i]\nb: float32 = A[a]\nB[i] = b - A[N - 1 - a]", {"i": "K"}),
    "rows": ("a: int32 = at[i]\nD[i, j] = C[a, j]", {"i": "K", "j": "M"}),
    "both": ("a: int32 = at[i]\nB[i] = A[a] + C[a, 0]", {"i": "K"}),
    "shuffled": ("r: int32 = t[0]\nB[i] = A[Mod(i * r, N)]", {"i": "K"}),
}


@pytest.mark.parametrize("name", sorted(BODIES))
@pytest.mark.parametrize("size", [1, 3, 4, 5, 9, 10])
def test_the_same_elements_are_chosen(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather_in_turns, "MOST", 4)
    monkeypatch.setattr(gather_in_turns, "PART", 3)
    text, domain = BODIES[name]
    before = program(map_step(text, **domain))
    after = GatherInTurns().apply(before)
    check(after, 1)
    assert any(isinstance(step, Choice) for step in after.steps)
    assert outcome(after, size) == outcome(before, size)


def program(step: MapStep) -> TileGraph:
    types = {v.name: v for v in ARRAYS if v.name != "few"}
    hosts = tuple(HostArray(v.name, v.dtype, v.shape, _strides(v.shape), expr(0)) for v in types.values())
    copies = (*(CopyIn(name, name) for name in types), step, CopyOut("B", "B"), CopyOut("D", "D"))
    found = graph(tuple(types.values()), *copies)
    return TileGraph(found.name, found.symbols, hosts, found.variables, found.steps)


def _strides(shape):
    return (shape[1], expr(1)) if len(shape) == 2 else (expr(1),)


def outcome(found: TileGraph, size: int) -> list[list[float]]:
    random = np.random.default_rng(size)
    shapes = {"A": size, "C": (size, 2), "B": 7, "D": (7, 2)}
    arrays = {name: random.random(shape).astype(np.float32) for name, shape in shapes.items()}
    arrays |= {"at": random.integers(0, size, 7).astype(np.int32), "t": np.array([2], np.int32)}
    interpreter.run(found, {"N": size, "M": 2, "K": 7}, arrays, tiles=3)
    return [arrays["B"].tolist(), arrays["D"].tolist()]


@pytest.mark.parametrize(
    ("body", "domain"),
    [
        ("B[i] = A[i]", {"i": "K"}),
        ("B[i] = A[N - 1 - i]", {"i": "K"}),
        ("r: int32 = t[0]\nB[i] = A[i + r]", {"i": "K"}),  # a slice, the same for all
        ("a: int32 = at[i]\nB[i] = few[a]", {"i": "K"}),
        ("a: int32 = at[i]\nfor k in range(a):\n    B[i] += A[k]", {"i": "K"}),  # in an inner loop
        ("a: int32 = at[i]\nA[a] = 1", {"i": "K"}),
        ("a: int32 = at[i]\nA[a] = A[a] + 1", {"i": "K"}),
        ("a: int32 = at[i]\nb: int32 = A[a]\nB[i] = A[b]", {"i": "K"}),  # a chain
        ("a: int32 = at[i]\nB[i] = a\nc: int32 = B[i]\nB[i] = A[c]", {"i": "K"}),
        ("a: int32 = at[i]\nif A[a] > 0:\n    B[i] = A[a]", {"i": "K"}),
        ("a: int32 = at[0]\nB[0] = A[a]", {}),
    ],
)
def test_what_stays(body: str, domain: dict[str, str]) -> None:
    step = map_step(body, **domain)
    assert chosen(step) == (step,)
