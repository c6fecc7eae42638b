"""Loops over the same turns become one, if neither touches what the other one stores."""

from __future__ import annotations

from dataclasses import replace

from pass_graphs import expr, statements

from dace_ipu.passes.fuse_turns import fused_turns
from dace_ipu.passes.turn_loops import TurnLoop
from dace_ipu.tile_graph.nodes import Source
from dace_ipu.tile_graph.printer import statements_text


def loop(body: str, turn: str, end: str = "e", reads: str = "") -> TurnLoop:
    prelude = statements(reads) if reads else ()
    return TurnLoop(turn, expr("0"), expr(end), prelude, statements(body), 0, Source())


def fused(first: TurnLoop, second: TurnLoop) -> str | None:
    result = fused_turns(first, second, {"i", "j", "a", "b"})
    return None if result is None else statements_text(result.body)


FIRST = loop("if mask[i]:\n    a: int32 = row[i]\n    A[a] = 1", "i", "e", "e: int32 = length[0]")


def test_one_condition_and_one_scalar_of_a_kind():
    second = loop("if mask[j]:\n    b: int32 = row[j]\n    B[b] = x[j]", "j", "e2", "e2: int32 = length[0]")
    both = "if mask[i]:\n    a: int32 = row[i]\n    A[a] = 1\n    B[a] = x[i]"
    assert fused(FIRST, second) == statements_text(statements(both))


def test_other_conditions_stay_apart():
    second = loop("if not mask[j]:\n    a: int32 = x[j]\n    B[a] = 2", "j", "e2", "e2: int32 = length[0]")
    text = fused(FIRST, second)
    assert text is not None
    assert text.count("if ") == 2
    assert "const int32 a_2 = x[i]" in text


def test_other_ranges():
    assert fused(FIRST, loop("B[j] = 1", "j", "e2", "e2: int32 = other[0]")) is None
    assert fused(FIRST, replace(loop("B[j] = 1", "j", "e", "e: int32 = length[0]"), begin=expr("1"))) is None


def test_what_one_of_them_stores():
    for body in ("B[j] = A[j]", "mask[j] = 0", "A[j] = 1"):
        assert fused(FIRST, loop(body, "j", "e", "e: int32 = length[0]")) is None
