"""Bodies without temporaries: what goes where it is used, and what has to stay."""

from __future__ import annotations

import pytest
from pass_graphs import bodies_of, graph, map_step, variables

from dace_ipu.passes.simplify_bodies import SimplifyBodies

ARRAYS = variables(A="N", B="N", I="int32 N", H="float16 N", D="int8 N")


def simplified(body: str) -> list[str]:
    return bodies_of(SimplifyBodies().apply(graph(ARRAYS, map_step(body, i="N"))))


MOVED = {
    "used once": ("a: float32 = A[i]\nb: float32 = a + 1\nB[i] = b", ["B[i] = A[i] + 1"]),
    "lower precedence": ("a: float32 = A[i] + B[i]\nB[i] = a * 2", ["B[i] = (A[i] + B[i]) * 2"]),
    "right operand": (
        "a: float32 = A[i] - B[i]\nb: float32 = 2 - a\nB[i] = b ** 2",
        ["B[i] = (2 - (A[i] - B[i])) ** 2"],
    ),
    "over another variable's store": ("a: float32 = A[i]\nB[i] = 2\nB[i] = a", ["B[i] = 2", "B[i] = A[i]"]),
    "into a branch": ("a: float32 = A[i]\nif i > 2:\n    B[i] = a", ["if i > 2 { B[i] = A[i] }"]),
    "copy of a scalar": (
        "a: float32 = A[i] + 1\nb: float32 = a\nB[i] = a * b * b",
        ["const float32 a = A[i] + 1", "B[i] = a * a * a"],
    ),
    "constant": ("a: float32 = 3\nB[i] = a * A[i] + a * B[i]", ["B[i] = 3 * A[i] + 3 * B[i]"]),
    "integer into indices": ("a: int32 = i + 1\nB[a - 1] = A[a % 2]", ["B[i] = A[(i + 1) % 2]"]),
    "conversion that the store repeats": ("a: float16 = A[i]\nH[i] = a", ["H[i] = A[i]"]),
    "assigned later": ("a: float32\na = A[i]\nB[i] = a", ["B[i] = A[i]"]),
}


@pytest.mark.parametrize(("body", "expected"), MOVED.values(), ids=MOVED.keys())
def test_scalars_go_to_where_they_are_used(body, expected):
    assert simplified(body) == expected


KEPT = {
    "used twice": ("a: float32 = A[i] + 1\nB[i] = a * a", ["const float32 a = A[i] + 1", "B[i] = a * a"]),
    "its element is overwritten": (
        "a: float32 = A[i]\nA[i] = 2\nB[i] = a",
        ["const float32 a = A[i]", "A[i] = 2", "B[i] = a"],
    ),
    "its element is overwritten in a branch": (
        "a: float32 = A[i]\nif i > 2:\n    A[i] = 2\nB[i] = a",
        ["const float32 a = A[i]", "if i > 2 { A[i] = 2 }", "B[i] = a"],
    ),
    "used in a loop": (
        "a: float32 = A[i]\nfor k in range(M):\n    B[i] += a",
        ["const float32 a = A[i]", "for k in 0:M { B[i] += a }"],
    ),
    "used in both branches": (
        "a: float32 = A[i]\nif i > 2:\n    B[i] = a\nelse:\n    B[i] = -a",
        ["const float32 a = A[i]", "if i > 2 { B[i] = a }", "else { B[i] = -a }"],
    ),
    "narrows floats": ("a: float16 = A[i]\nB[i] = a", ["const float16 a = A[i]", "B[i] = a"]),
    "narrows integers": ("a: int8 = I[i]\nI[i] = a", ["const int8 a = I[i]", "I[i] = a"]),
    "truncates": ("a: int32 = A[i]\nB[i] = a", ["const int32 a = A[i]", "B[i] = a"]),
    "makes the division one of floats": ("a: float32 = 3\nB[i] = a / 2", ["const float32 a = 3", "B[i] = a / 2"]),
    "data as an index": ("a: int32 = I[i]\nB[a] += 1", ["const int32 a = I[i]", "B[a] += 1"]),
    "reads a scalar that changes": (
        "s: float32\ns = A[i]\na: float32 = s + 1\ns += 1\nB[i] = a * s",
        ["float32 s = A[i]", "const float32 a = s + 1", "s += 1", "B[i] = a * s"],
    ),
}


@pytest.mark.parametrize(("body", "expected"), KEPT.values(), ids=KEPT.keys())
def test_what_would_change_the_meaning_stays(body, expected):
    assert simplified(body) == expected


DROPPED = {
    "unused scalar": "unused: float32 = A[i]",
    "unused chain": "a: float32 = A[i]\nb: float32 = a + 1\nc: float32 = b * b",
    "empty loop": "for k in range(M):\n    unused: float32 = A[k]",
    "empty condition": "if i > 2:\n    unused: float32 = A[i]",
    "loop that never turns": "for k in range(3, 1):\n    B[i] = k",
    "local array that nobody reads": "t: float32[4]\nt[1] = A[i]",
}


@pytest.mark.parametrize("idle", DROPPED.values(), ids=DROPPED.keys())
def test_what_nobody_needs_goes(idle):
    assert simplified(f"{idle}\nB[i] = 1") == ["B[i] = 1"]


def test_an_empty_branch_turns_the_condition_around():
    assert simplified("if i > 2:\n    x: float32 = A[i]\nelse:\n    B[i] = 1") == ["if not i > 2 { B[i] = 1 }"]


def test_a_loop_that_turns_once_is_its_body():
    assert simplified("for k in range(2, 3):\n    B[i] = A[k] + k") == ["B[i] = A[2] + 2"]


def test_a_while_loop_is_kept_even_if_empty():
    """It may not end: that is for the program to say."""
    assert simplified("while A[i] > 0:\n    x: float32 = A[i]")[0].startswith("while A[i] > 0")


def test_a_loop_that_is_left_early_stays():
    body = "for k in range(1):\n    if i > 2:\n        break\n    B[i] = 1"
    assert simplified(body)[0] == "for k in 0:1 {"


def test_computations_do_not_grow_without_end():
    terms = " + ".join(f"A[{k}] * B[{k}]" for k in range(6))
    body = f"a: float32 = {terms}\nb: float32 = {terms}\nB[i] = a - b"
    assert [line.split(" = ")[0] for line in simplified(body)] == ["const float32 a", "const float32 b", "B[i]"]


def test_the_same_element_is_read_under_one_name():
    (step,) = SimplifyBodies().apply(graph(ARRAYS, map_step("a: float32 = A[i] + 1\nB[i] = a * A[i]", i="N"))).steps
    assert len(step.body[0].value.reads) == 1
