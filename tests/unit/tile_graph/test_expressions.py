"""Texts of computations: names, text with reads filled in, values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dace_ipu.tile_graph.body import Access, Code, symbol
from dace_ipu.tile_graph.expressions import code_text, compile_code, names

i = symbol("i")


class Values:
    """Scalars by name; elements of arrays with a record of what was read."""

    def __init__(self, arrays: dict[str, np.ndarray] | None = None, **scalars: Any) -> None:
        self.names = scalars
        self.arrays = arrays or {}
        self.read: list[tuple[str, tuple[int, ...]]] = []

    def load(self, data, indices):
        self.read.append((data, indices))
        return self.arrays[data][indices]


def value(text, **scalars):
    return compile_code(Code(text))(Values(**scalars))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("math.exp(x) + np.pi * y.real", {"x", "y"}),
        ("f(z)", {"z"}),
        ("z.conjugate()", {"z"}),
        ("dace.float32(a) if b else c", {"a", "b", "c"}),
        ("math.inf", set()),
    ],
)
def test_names_are_those_of_data(text, found):
    assert names(text) == found


def test_text_has_the_elements_in_it():
    code = Code("-a * (b + exp)", (("a", Access("A", (i + 1, 2 * i))), ("b", Access("s", ()))))
    assert code_text(code) == "-A[i + 1, 2 * i] * (s + exp)"


def test_a_function_is_not_replaced_by_a_read_of_its_name():
    assert code_text(Code("exp(exp)", (("exp", Access("A", (i,))),))) == "exp(A[i])"


def test_reads_keep_the_precedence_of_what_they_stand_for():
    assert code_text(Code("a.real ** 2", (("a", Access("A", (i,))),))) == "A[i].real ** 2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * x", 7),
        ("-x // 2", -2),
        ("-x % 4", 1),
        ("x / 2", 1.5),
        ("x ** 2", 9),
        ("1 < x <= 3", True),
        ("1 < x < 3", False),
        ("not x", False),
        ("x and 0", False),
        ("0 or x", True),
        ("5 if x > 2 else 6", 5),
        ("math.floor(math.pi)", 3),
        ("max(x, 1, 7)", 7),
        ("x << 2 | 1", 13),
        ("~x", -4),
        ("(2 + x * 1j).imag", 3),
    ],
)
def test_values_of_weak_numbers_are_those_of_python(text, expected):
    assert value(text, x=3) == expected


def test_types_stay_narrow():
    result = value("0.5 * x + 1", x=np.float32(0.1))
    assert result.dtype == np.float32
    assert result == np.float32(0.5) * np.float32(0.1) + np.float32(1)


def test_methods_and_parts_of_complex_numbers():
    z = np.complex64(1 + 2j)
    assert value("z.conjugate() * z", z=z) == 5
    assert value("z.real - z.imag", z=z) == -1


@pytest.mark.parametrize("text", ["a if i > 0 else 0", "i > 0 and a", "i <= 0 or a"])
def test_an_element_is_read_only_where_it_is_needed(text):
    code = Code(text, (("a", Access("A", (i - 1,))),))
    outside, inside = Values({"A": np.ones(3)}, i=0), Values({"A": np.ones(3)}, i=2)
    compile_code(code)(outside)
    assert outside.read == []
    compile_code(code)(inside)
    assert inside.read == [("A", (1,))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(x)", "unknown function 'f'"),
        ("os.exp(x)", "unknown function"),
        ("x[0]", r"'x\[0\]' \(Subscript\) is not in the language"),
        ("'text'", "the constant 'text' is not a number"),
        ("x.shape", "unknown attribute in 'x.shape'"),
        ("math.tau2", "unknown constant 'math.tau2'"),
        ("x @ y", "unknown operator in 'x @ y'"),
        ("x is y", "unknown comparison in 'x is y'"),
        ("round(x, ndigits=2)", "keyword arguments"),
        ("lambda: 1", "not in the language"),
    ],
)
def test_what_is_not_in_the_language_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        compile_code(Code(text))


def test_text_that_is_no_expression_is_refused():
    with pytest.raises(SyntaxError):
        compile_code(Code("x = 1"))
