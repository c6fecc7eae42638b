"""Integer expressions: their text, and values against sympy's."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dace_ipu.tile_graph.body import symbol
from dace_ipu.tile_graph.indices import are_equal, compile_index, difference, evaluate, index_text

N, i, j = map(symbol, "Nij")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (i + 1, "i + 1"),
        (-i - 1, "-i - 1"),
        (sympy.floor(N / 4), "N // 4"),
        (2 * sympy.floor((N + i) / 4) + 1, "2 * ((N + i) // 4) + 1"),
        (sympy.Mod(i, 3), "i % 3"),
        (2 * sympy.Mod(i, 3), "2 * (i % 3)"),
        (sympy.Min(N, i + 8) - 2, "min(N, i + 8) - 2"),
        (sympy.Max(0, i - 1), "max(0, i - 1)"),
        (N * (N + 1) / 2, "N * (N + 1) // 2"),
        (N**2 / 2 + N / 2, "N * (N + 1) // 2"),
        (sympy.ceiling(N / 6), "-(-N // 6)"),
        (sympy.floor(i / (j + 1)), "i // (j + 1)"),
        (sympy.Function("int_floor")(N, 4), "N // 4"),
        (sympy.Function("int_ceil")(N, 4), "-(-N // 4)"),
        (sympy.Abs(i - j), "abs(i - j)"),
        (N ** (i - j) + 1, "N ** (i - j) + 1"),
        (sympy.Function("int_floor")(i, N ** (1 - j)), "i // N ** (1 - j)"),
        (sympy.Integer(-3), "-3"),
        (7, "7"),
    ],
)
def test_text_is_python(expr, text):
    assert index_text(expr) == text


def test_powers_are_whole() -> None:
    values = {"N": 3, "i": 2, "j": 2}
    assert evaluate(N ** (i + j), values) == 81
    assert evaluate(2 * N ** (i - j - 1), values) == 0  # not the fraction


def leaf():
    return st.one_of(st.sampled_from([N, i, j]), st.integers(-9, 9).map(sympy.Integer))


def grow(inner):
    divisors = st.integers(1, 7)
    return st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(sympy.Min, inner, inner),
        st.builds(sympy.Max, inner, inner),
        st.builds(lambda a, c: sympy.floor(a / c), inner, divisors),
        st.builds(sympy.Mod, inner, divisors),
    )


@given(st.recursive(leaf(), grow, max_leaves=6), *[st.integers(-20, 20)] * 3)
def test_values_are_those_of_sympy(expr, n, a, b):
    values = {"N": n, "i": a, "j": b}
    assert evaluate(expr, values) == expr.subs({symbol(name): value for name, value in values.items()})


def test_elements_of_arrays_do_not_overflow():
    assert evaluate(i * i, {"i": np.int32(2**30)}) == 2**60


@pytest.mark.parametrize("expr", [sympy.sqrt(N), sympy.Rational(1, 2), sympy.sin(i), N ** sympy.Rational(1, 3)])
def test_what_is_no_integer_arithmetic_is_refused(expr):
    with pytest.raises(ValueError, match="no integer arithmetic"):
        compile_index(expr)


def test_a_symbol_needs_an_integer():
    with pytest.raises(KeyError, match="i"):
        evaluate(i + 1, {})
    with pytest.raises(TypeError, match="float"):
        evaluate(i + 1, {"i": np.float32(1)})


def test_equal_is_what_is_equal_for_all_values():
    half = sympy.floor(N / 2)
    assert are_equal((N + 1) ** 2, N**2 + 2 * N + 1) and are_equal(N * (N + 1) / 2, (N**2 + N) / 2)
    assert are_equal(half * (N + 1), half * N + half) and are_equal(2**i * 2, 2 ** (i + 1)) and are_equal(3, 3)
    assert not are_equal(N, i) and not are_equal(2 * half, N) and not are_equal(2**i, 2 ** (i + 1))


def test_difference_is_known_if_it_is_a_number():
    assert difference(2 * (N + 1), 2 * N) == 2
    assert difference(N, i) is None
