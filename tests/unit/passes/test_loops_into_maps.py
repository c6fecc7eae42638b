"""Loops run inside of a map where each iteration only goes on from its own elements."""

from __future__ import annotations

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.loops_into_maps import LoopsIntoMaps
from dace_ipu.passes.simplify_bodies import SimplifyBodies
from dace_ipu.tile_graph.nodes import Repeat, Step

ARRAYS = variables(
    z="N", c="N", last="int64 N", s="1", limit="1", n="int32 1", m="int32 1", f="K, N", g="K", A="M, N", t="bool_ N"
)
TEST = map_step("t[i] = z[i] < limit[0]", name="test", i="N")
MARK = map_step("if t[i]:\n    last[i] = n[0]", name="mark", i="N")
MOVE = map_step("if t[i]:\n    z[i] = z[i] * z[i] + c[i]", name="move", i="N")


def loop(*bodies: Step, count: str = "K", begin: str = "0", counter: str = "n") -> tuple[Step, ...]:
    first = map_step(f"{counter}[0] = {begin}", name=f"first_{counter}")
    following = map_step(f"{counter}[0] = {counter}[0] + 1", name=f"next_{counter}")
    return first, Repeat(expr(count), (*bodies, following))


def lines(*steps: Step) -> list[str]:
    result = SimplifyBodies().apply(LoopsIntoMaps().apply(graph(ARRAYS, *steps)))
    return [line.strip() for line in steps_of(result)]


def test_the_loop_runs_in_each_iteration():
    found = lines(*loop(TEST, MARK, MOVE, begin="2"))
    assert found[:2] == ["mark: for i in 0:N {", "for n_turn in 2:K + 2 {"]
    assert not any("repeat" in line for line in found)
    assert any("last[i] = n_value" in line for line in found)


def test_scalars_of_the_device_are_read_before():
    body = map_step("x: float32 = limit[0]\nif z[i] < x:\n    z[i] = 2 * z[i]", i="N")
    found = lines(*loop(body))
    assert found[1] == "const float32 x = limit[0]"
    assert found[2].startswith("for n_turn in 0:K")


def test_a_loop_in_a_loop():
    inner = loop(map_step("if z[i] < 1:\n    z[i] = z[i] + m[0] + n[0]", i="N"), counter="m", count="M")
    found = lines(*loop(*inner))
    loops = [line.split()[3] for line in found if line.startswith("for ")]
    assert loops == ["0:K", "0:M"]
    assert not any("repeat" in line for line in found)


@pytest.mark.parametrize(
    "bodies",
    [
        (map_step("z[i] = z[i] * c[i]", i="N"),),  # in pairs along the row
        (map_step("if c[i] > 0:\n    z[i + 1] = c[i]", i="N - 1"), map_step("c[i] = z[i]", name="back", i="N")),
        (map_step("if c[i] > 0:\n    s[0] += c[i]", i="N"),),  # all into one
        (MOVE, map_step("s[0] = z[0]", name="single")),  # one vertex has what the others need
        (map_step("s[0] = g[0] + n[0]", name="single"), map_step("if z[i] > 0:\n    z[i] = z[i] + s[0]", i="N")),
    ],
)
def test_what_stays(bodies):
    assert any("repeat K times" in line for line in lines(*loop(*bodies)))


def test_a_counter_that_others_use_stays():
    assert any("repeat" in line for line in lines(*loop(MOVE), map_step("s[0] = n[0]", name="use")))
