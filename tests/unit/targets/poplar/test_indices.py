"""Index expressions in C++: readable text, and the values that sympy gives."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import pytest
import sympy
from poplar_cpp import compile_library

from dace_ipu.targets.poplar.helpers import helpers_text
from dace_ipu.targets.poplar.indices import IndexPrinter, IndexStyle, is_nonnegative_form
from dace_ipu.tile_graph.body import symbol

i, j, n = symbol("i"), symbol("j"), symbol("n")

TEXTS: dict[Any, str] = {
    i + 1: "i + 1",
    i * n + j: "i * n + j",
    n - 2: "n - 2",
    -n: "-n",
    n * (n + 1) / 2: "n * (n + 1) / 2",
    sympy.floor(n / 2): "floor_div(n, 2)",
    sympy.floor((i - 1) / 3) + 1: "floor_div(i - 1, 3) + 1",
    sympy.Mod(i, 4): "mod(i, 4)",
    sympy.ceiling(n / 3): "floor_div(n + 2, 3)",
    sympy.ceiling(i / n): "-floor_div(-i, n)",
    sympy.Min(n, i + 1): "min(i + 1, n)",
    sympy.Max(0, n - 1) * j: "max(n - 1, 0) * j",
    i**2: "i * i",
    2**i: "ipow(2, i)",
    -sympy.floor(-(2**i)): "-(-ipow(2, i))",
    n - 2 * i: "n - 2 * i",
    (i - n) / 2: "(i - n) / 2",
    n - (i - j): "j + n - i",
    sympy.Integer(2**40): "1099511627776LL",
}


@pytest.mark.parametrize(("expr", "expected"), TEXTS.items(), ids=TEXTS.values())
def test_text(expr: sympy.Expr, expected: str) -> None:
    assert IndexPrinter().text(expr) == expected


def test_plain_operators_where_nothing_is_negative() -> None:
    printer = IndexPrinter(IndexStyle(nonnegative=True))
    assert printer.text(sympy.floor((i + 1) / n) + sympy.Mod(i * j, 4)) == "i * j % 4 + (i + 1) / n"


def test_shifts_where_the_machine_has_no_divide() -> None:
    printer = IndexPrinter(IndexStyle(shifts=True))
    assert printer.text(sympy.floor((i - 1) / 4) + 1) == "((i - 1) >> 2) + 1"
    assert printer.text(sympy.Mod(i - 1, 2) * n) == "((i + 1) & 1) * n", "sympy reduces the dividend"
    assert printer.text(sympy.floor(i / 3)) == "floor_div(i, 3)"


EXPRESSIONS = [
    *TEXTS,
    sympy.floor(i / n) * n + sympy.Mod(i, n) - i,
    sympy.floor((2 * i - 7 * j) / 3),
    sympy.Mod(i - 5, 3) * sympy.Mod(-i, 4),
    sympy.ceiling((i - j) / 4),
    sympy.Min(i, j, n) - sympy.Max(i, -j, n),
    (i + j) * (i - j) - (n - 1) * (2 - i),
    sympy.Function("int_floor")(i, n),
    sympy.Function("int_ceil")(i, n),
    (i - j) ** 3,
    i * (i + 1) / 2 + j * (j - 1) / 2,
    -(i - n) * 3,
]


def test_values(tmp_path_factory: pytest.TempPathFactory) -> None:
    printer = IndexPrinter(IndexStyle(shifts=True))
    functions = [
        f'extern "C" long long f{k}([[maybe_unused]] int i, [[maybe_unused]] int j, [[maybe_unused]] int n)'
        f" {{ return {printer.text(e)}; }}"
        for k, e in enumerate(EXPRESSIONS)
    ]
    source = "\n".join(["#include <poplar/Vertex.hpp>", helpers_text(printer.used), *functions])
    library = compile_library(tmp_path_factory.mktemp("indices"), source)
    for k, expr in enumerate(EXPRESSIONS):
        function = getattr(library, f"f{k}")
        function.restype = ctypes.c_longlong
        for values in itertools.product((0, 1, 5, 12), (-3, 0, 2), (1, 4)):
            assert function(*values) == value(expr, values), (expr, values)


def value(expr: sympy.Expr, values: tuple[int, ...]) -> int:
    numbers = dict(zip((i, j, n), values, strict=True))
    plain = expr.replace(sympy.Function("int_floor"), lambda a, b: sympy.floor(a / b))
    plain = plain.replace(sympy.Function("int_ceil"), lambda a, b: sympy.ceiling(a / b))
    return int(plain.subs(numbers))


def test_names_are_replaced() -> None:
    assert IndexPrinter(names={"i": "block.begin(0)"}).text(i + n) == "block.begin(0) + n"


def test_what_is_no_integer_arithmetic() -> None:
    with pytest.raises(ValueError, match=r"no integer arithmetic in C\+\+ for 'sin\(i\)' \(sin\)"):
        IndexPrinter().text(sympy.sin(i))


@pytest.mark.parametrize(
    ("expr", "expected"),
    [(i * n + j, True), (i - 1, False), (sympy.floor(i / 3), True), (sympy.Mod(i, n), True), (i / 2 - n, False)],
)
def test_nonnegative_form(expr: sympy.Expr, expected: bool) -> None:
    assert is_nonnegative_form(expr) is expected
