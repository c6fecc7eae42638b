"""Scalars for an update of one element are computed by its owner, if all that they are made of may lie there."""

from __future__ import annotations

import pytest
from pass_graphs import graph, map_step, steps_of, variables

from dace_ipu.passes.anchor_writes import AnchorWrites
from dace_ipu.passes.inline_singles import InlineSingles

ARRAYS = variables(L="N, N", x="N", b="N", s="1", d="1", r="1", h="float16 1", i="int32 1", j="int32 1")
V = "v: int32 = i[0]\n"
DIAGONAL = map_step(V + "d[0] = L[v, v]", name="diagonal")
RIGHT = map_step("w: int32 = i[0]\nr[0] = b[w] - s[0]", name="right")
UPDATE = map_step(V + "x[v] = r[0] / d[0]", name="update")
OTHERS = (
    map_step("x[k] = 1", name="fill_x", k="N"),
    map_step("L[k, m] = 1", name="fill_L", k="N", m="N"),
    map_step("b[k] = 1", name="fill_b", k="N"),
)


def run(*steps):
    return InlineSingles().apply(graph(ARRAYS, *OTHERS, *steps))


def names(*steps) -> list[str]:
    return [step.name for step in run(*steps).steps[len(OTHERS) :]]


def test_values_go_where_they_are_used():
    result = run(DIAGONAL, RIGHT, UPDATE)
    assert steps_of(result)[len(OTHERS) :] == [
        "update: {",
        "  const int32 v = i[0]",
        "  x[v] = (b[v] - s[0]) / L[v, v]",
        "}",
    ]
    assert not {"d", "r"} & {variable.name for variable in result.variables}


def test_the_owner_reads_what_has_its_index():
    result = AnchorWrites().apply(run(DIAGONAL, RIGHT, UPDATE))
    assert "x[element] = (b[element] - s[0]) / L[element, element]" in "\n".join(steps_of(result))


@pytest.mark.parametrize(
    ("why", "steps"),
    [
        ("another row", (map_step("w: int32 = j[0]\nd[0] = L[w, w]", name="diagonal"), UPDATE)),
        ("used twice", (DIAGONAL, UPDATE, map_step("s[0] = d[0]", name="again"))),
        ("changed between", (DIAGONAL, map_step("L[k, k] = 2", name="change", k="N"), UPDATE)),
        ("another type", (map_step(V + "h[0] = b[v]", name="half"), map_step(V + "x[v] = h[0]", name="update"))),
        ("a fixed element", (map_step("d[0] = b[3]", name="fixed"), map_step(V + "x[v] = d[0]", name="update"))),
        ("its own elements", (map_step(V + "d[0] = x[v - 1]", name="last"), map_step(V + "x[v] = d[0]", name="next"))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_stays_apart(why, steps):
    assert names(*steps) == [step.name for step in steps]
