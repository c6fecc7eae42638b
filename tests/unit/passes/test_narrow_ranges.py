"""Conditions on the variable of a loop become bounds of its range; everything else stays a condition."""

from __future__ import annotations

import pytest
from pass_graphs import expr, map_step

from dace_ipu.passes.facts import Facts
from dace_ipu.passes.narrow_ranges import narrowed
from dace_ipu.tile_graph.printer import statements_text

KNOWN = frozenset("NM")


def run(body: str) -> str:
    facts = Facts().and_also(expr("N"), expr("M"))
    return statements_text(narrowed(map_step(body).body, KNOWN, facts))


@pytest.mark.parametrize(
    ("condition", "loop"),
    [
        ("j <= 3", "for j in 0:min(4, N)"),
        ("j < M", "for j in 0:min(M, N)"),
        ("j < N + 1", "for j in 0:N"),  # known to be no bound
        ("2 <= j and j < M", "for j in 2:min(M, N)"),
        ("2 <= j < M", "for j in 2:min(M, N)"),
        ("M > j", "for j in 0:min(M, N)"),
        ("M - j >= 2", "for j in 0:min(N, M - 1)"),
        ("j + 1 > M", "for j in M:N"),
    ],
)
def test_bounds(condition, loop):
    assert run(f"for j in range(N):\n    if {condition}:\n        A[j] = 0") == f"{loop} {{ A[j] = 0 }}"


def test_what_surrounding_loops_say_is_known():
    text = run("for i in range(N):\n    for j in range(N):\n        if j <= i - 1:\n            A[i, j] = 0")
    assert text == "for i in 0:N { for j in 0:i { A[i, j] = 0 } }"


def test_a_condition_of_an_outer_loop_leaves_the_inner_one():
    text = run("for i in range(N):\n    for j in range(N):\n        if 2 <= i and j <= i:\n            A[i, j] = 0")
    assert text == "for i in 2:N { for j in 0:i + 1 { A[i, j] = 0 } }"


def test_integers_with_names_of_their_own():
    text = run(
        "for i in range(N):\n    v: int32 = i + 1\n    for j in range(N):\n        if j < v:\n            A[v, j] = 0"
    )
    assert "for j in 0:i + 1 { A[v, j] = 0 }" in text


def test_a_declaration_before_the_condition_stays_inside():
    text = run("for j in range(N):\n    t: float32\n    if j < M:\n        t = 1\n        A[j] = t")
    assert text.splitlines()[0] == "for j in 0:min(M, N) {"


@pytest.mark.parametrize(
    "body",
    [
        "for j in range(N):\n    if j == 3:\n        A[j] = 0",
        "for j in range(N):\n    if 2 * j < M:\n        A[j] = 0",
        "for j in range(N):\n    if j < M or j > 7:\n        A[j] = 0",
        "for j in range(N):\n    if j < A[0]:\n        A[j] = 0",  # data
        "for j in range(N):\n    if j < x:\n        A[j] = 0",  # nobody knows what x is
        "for j in range(N):\n    if j < M:\n        A[j] = 0\n    else:\n        A[j] = 1",
        "for j in range(N):\n    if j < M:\n        A[j] = 0\n    A[0] = 1",
        "for j in range(0, N, 2):\n    if j < M:\n        A[j] = 0",
        "for j in range(N):\n    v: int32 = 3\n    v = j\n    for k in range(N):\n        if k < v: A[k] = 0",
    ],
)
def test_all_else_stays(body):
    assert run(body) == statements_text(map_step(body).body)


def test_the_rest_of_a_condition_stays():
    text = run("for j in range(N):\n    if j < M and j != 3:\n        A[j] = 0")
    assert text == "for j in 0:min(M, N) { if j != 3 { A[j] = 0 } }"


def test_conditions_of_scalars_stand_around_the_loop():
    text = run("for j in range(N):\n    if go[0] > 0 and j < M:\n        A[j] = 0")
    assert text == "if go[0] > 0 { for j in 0:min(M, N) { A[j] = 0 } }"


@pytest.mark.parametrize("condition", ["A[j] > 0", "go[0] > 0 or j < 3", "A[0] > 0"])
def test_conditions_that_may_change_stay_inside(condition):
    body = f"for j in range(N):\n    if {condition}:\n        A[j] = 0"
    assert run(body) == statements_text(map_step(body).body)


def test_what_is_known_is_no_condition():
    assert run("for j in range(N):\n    if 0 <= j and j < N:\n        A[j] = 0") == "for j in 0:N { A[j] = 0 }"
    assert run("if N >= 0:\n    A[0] = 0") == "A[0] = 0"
