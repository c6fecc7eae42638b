"""Bounds of expressions: never too narrow."""

from __future__ import annotations

import itertools

import pytest
import sympy

from dace_ipu.lowering.bounds import bounds
from dace_ipu.tile_graph.body import symbol

N, i, j, k = (symbol(name) for name in "Nijk")
ZERO = sympy.Integer(0)
KNOWN = {"i": (ZERO, N - 1), "j": (sympy.Integer(-2), sympy.Integer(3)), "k": None}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (N + 1, (N + 1, N + 1)),
        (i + 1, (1, N)),
        (N - i - 1, (0, N - 1)),
        (2 * i - 3 * j, (-9, 2 * N + 4)),
        (sympy.Min(i, 5), (sympy.Min(0, 5), sympy.Min(N - 1, 5))),
        (sympy.floor((i + 1) / 2), (0, sympy.floor(N / 2))),
        (sympy.Mod(i, 4), (0, 3)),
        (N**i, (1, N ** (N - 1))),
        (i**2, None),
        (i * j, None),
        (i + k, None),
    ],
)
def test_bounds(expression: sympy.Expr, expected: tuple[sympy.Expr, sympy.Expr] | None) -> None:
    found = bounds(expression, KNOWN)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert [sympy.expand(a - b) for a, b in zip(found, expected, strict=True)] == [0, 0]


@pytest.mark.parametrize(
    "expression", [i - j, 3 - 2 * i + sympy.floor(j / 2), sympy.Max(i, j) - i, sympy.Mod(j, 3) + i]
)
def test_every_value_lies_between_the_bounds(expression: sympy.Expr) -> None:
    found = bounds(expression, KNOWN)
    assert found is not None
    low, high = (int(end.subs(N, 5)) for end in found)
    for x, y in itertools.product(range(5), range(-2, 4)):
        assert low <= int(expression.subs({i: x, j: y})) <= high
