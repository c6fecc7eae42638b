"""Estimates of issue slots: loads, stores, operators, loops."""

from __future__ import annotations

import numpy as np
import pytest
from pass_graphs import expr, statements

from dace_ipu.passes.slots import UNKNOWN_TURNS, slots_of

TYPES = {"A": "float32", "B": "float32", "I": "int32", "D": "int8", "H": "float16"}
TURN, LOAD, STORE = 1, 1, 1


def slots(body: str):
    return slots_of(statements(body), {name: np.dtype(dtype) for name, dtype in TYPES.items()}, frozenset("NM"))


@pytest.mark.parametrize(
    ("body", "cost"),
    [
        ("B[0] = A[0]", LOAD + STORE),
        ("B[0] = A[0] + A[1] * A[2]", 3 * LOAD + 2 + STORE),
        ("B[0] = A[0] / A[1]", 2 * LOAD + 3 + STORE),
        ("B[0] = -A[0]", LOAD + 1 + STORE),
        ("B[0] = A[0] + -2", LOAD + 1 + STORE),
        ("B[0] = exp(A[0])", LOAD + 3 + STORE),
        ("B[0] = math.log(A[0])", LOAD + 6 + STORE),
        ("B[0] = sqrt(A[0])", LOAD + 5 + STORE),
        ("B[0] = A[0] ** 2", LOAD + 2 + STORE),
        ("B[0] = A[0] if A[1] > 0 else A[2]", 3 * LOAD + 3 + STORE),
        ("I[0] = I[1] // 3", LOAD + 265 + STORE),
        ("I[0] = I[1] // 4", LOAD + 1 + STORE),
        ("I[0] = I[1] % I[2]", 2 * LOAD + 265 + STORE),
        ("B[0] += A[0]", 2 * LOAD + 1 + STORE),
        ("D[0] = 1", 12),  # a byte is read, changed and written with its word
        ("B[N] = A[floor(N / 3)]", 265 + LOAD + STORE),
        ("B[N] = A[floor(N / 4)]", 2 + LOAD + STORE),
        ("x: float32 = A[0] + 1", LOAD + 1),
    ],
)
def test_costs_of_statements(body, cost):
    assert slots(body) == cost


@pytest.mark.parametrize(
    ("loop", "turns"),
    [
        ("for k in range(N):", "N"),
        ("for k in range(2, N):", "N - 2"),
        ("for k in range(N - 1, -1, -1):", "N"),
        ("for k in range(0, 12, 3):", "4"),
        ("for k in range(n):", UNKNOWN_TURNS),  # data
    ],
)
def test_loops_cost_a_slot_a_turn(loop, turns):
    assert (slots(f"{loop}\n    B[k] = A[k]") - (TURN + LOAD + STORE) * expr(turns)).expand() == 0


def test_triangular_loops_count_the_average():
    found = slots("for i in range(N):\n    for j in range(i):\n        B[i] = 1")
    exact = sum(TURN + i * (TURN + STORE) for i in range(100))
    assert found.subs(expr("N"), 100) == exact


def test_both_branches_count_half():
    assert slots("if N > 0:\n    B[0] = A[0]\nelse:\n    B[0] = A[0] / 2") == 2 + (2 + 5 + 1) // 2


def test_while_loops_count_some_turns():
    assert slots("while A[0] > 0:\n    B[0] = 1") == UNKNOWN_TURNS * (LOAD + 1 + TURN + STORE)


def test_slots_are_integers():
    assert slots("if N > 0:\n    B[0] = 1").is_Integer
