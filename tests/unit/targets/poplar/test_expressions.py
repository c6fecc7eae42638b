"""Printed expressions compute what ``tile_graph.functions`` defines: compiled together, compared value by value."""

from __future__ import annotations

import ctypes
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from poplar_cpp import compile_library

from dace_ipu.targets.poplar.expressions import INT, ExpressionError, ExpressionPrinter, Term
from dace_ipu.targets.poplar.functions import CALLS
from dace_ipu.targets.poplar.helpers import helpers_text
from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import Code
from dace_ipu.tile_graph.expressions import compile_code
from dace_ipu.tile_graph.functions import FUNCTIONS, TYPES, convert

FLOATS = [-3.5, -1.0, -0.0, 0.0, 0.3, 0.5, 2.5, 7.0]
VALUES: dict[str, tuple[str, list[Any]]] = {
    "a": ("float32", FLOATS),
    "b": ("float32", [-2.0, -0.5, 0.25, 3.0]),
    "p": ("float32", [0.1, 0.5, 1.0, 12.0]),
    "q": ("float32", [-0.9, -0.5, 0.0, 0.3, 0.99]),
    "h": ("float16", FLOATS),
    "g": ("float16", [-1.5, 0.1, 3.0]),
    "i8": ("int8", [-128, -7, 0, 5, 127]),
    "u8": ("uint8", [0, 3, 200, 255]),
    "s": ("int16", [-300, 0, 12345]),
    "i": ("int32", [-7, -1, 0, 3, 1000]),
    "j": ("int32", [-3, -1, 1, 2, 5]),
    "u": ("uint32", [0, 1, 5, 2**31 + 3]),
    "v": ("uint32", [1, 3, 10]),
    "L": ("int64", [-(2**40), -5, 0, 7, 2**33 + 1]),
    "M": ("int64", [-4, 1, 3]),
    "n": ("int32", [0, 1, 3, 4]),
    "t": ("bool", [False, True]),
    "f": ("bool", [False, True]),
    "z": ("complex64", [1 + 2j, -0.5 - 1j, 3 + 0j, 0.25j]),
    "w": ("complex64", [2 - 1j, -0.5j, -1 + 0.5j]),
}
# NumPy makes int64 of a bool and a literal; the codelet computes in int32, which holds the same values.
NARROWER = ("t + 1", "t & 1")
COUNTER = [0, 1, 5, 300]  # of k, a loop variable

EXPRESSIONS = """
a + b; a - b - a; a - (b - a); a * b + 0.1; a / b; a // b; a % b; -a; a - -b; -(-a); +a; 0.33 * (a + b + a)
a ** 2; (a + b) ** 2; a ** 3; a ** 0; a ** 5; p ** 0.5; p ** b; p ** -2; 2.0 ** b; p ** i8; 2 ** n
i + j; i * 3 - j; i / j; i // j; i % j; i // 3; i % 3; i // 4; i % 8; (i + j) // 2; i % 2 + 1; i // 1; L % 4
i8 // 2; u8 % 4; i // -3; i % -3; i ** 2; j ** 3; i ** n; -i; ~i; 7 // j; 7 % j
i & j; i | j; i ^ 5; i & 7 == 0; (i & 7) == 0; i & 7 | n; i << n; i >> n; i8 >> 1; u8 << 3; ~u8; ~i8; i | t
L + i; L * 3; L // M; L % M; L / 2; L + 5000000000; L - u; L & 255; L // 7; -L; L * i; L < i; int64(i) * i
u + v; u - 5; u // v; u % v; u // 3; u % 7; u * v; u / v; u + i; u < i; u < -1; u == j; u > k; u8 < i8; u + u8
u >> n
i8 + i8; i8 * u8; (i8 + i8) / 2; (u8 + u8) // 3; s * s; -i8; i8 ** 2; u8 ** 3; i8 % 3; abs(i8); abs(i); s + u8
t + f; t * f; t + 1; t - f; t & f; t | f; t ^ f; ~t; not t; t == f; t < f; -t; t / 2 + f; t * 2.5; t & 1
h + g; h * 0.1; h * g + h; h / g; h // g; h % g; -h; h ** 2; h ** 3; h + a; h * k; h * (k * 0.5); h < g; h * i8
h + 1; h - 1.1
exp(h); sqrt(abs(h)); min(h, g); max(h, 0); abs(h); floor(h); sin(h); h if t else g; h if t else 1; float32(h) * 0.1
a < b; a <= b; a > 1; a >= -1; a == 0.5; a != b; 0 < a < 2; -1 <= i < j <= 3; i == 0.5; a < i; not a < b
not (a < b and t)
t and f; t or f; a and t; t or i; t and not f or i == 3; (t or f) and t; not (t or f); bool(a) and bool(i); i or j
a if t else b; a if a > b else 0; i if t else a; 1 if t else 0; 1 if t else 0.5; (a if t else b) * 2
i8 if t else u8
a if t else b if f else 1; min(a, b); max(a, b); min(a, 0); max(0, a, b); min(i, j); max(i, 2); min(u, v)
min(i8, j)
Min(a, i); Max(a, i); max(k, i); min(k, 3); maximum(a, b); minimum(L, 5); fmin(a, b); fmax(a, 1); min(a, math.nan)
max(math.nan, a); fmin(a, math.nan)
abs(a); Abs(i); fabs(i); absolute(L); abs(u); abs(t)
exp(q); exp2(q); expm1(q); log(p); log2(p); log10(p); log1p(p); sqrt(p); cbrt(a); sqrt(n); exp(i8)
sin(a); cos(a); tan(q); sinh(q); cosh(q); tanh(a); asin(q); acos(q); atan(a); asinh(a); acosh(p + 1); atanh(q)
atan2(a, b)
arcsin(q); arccos(q); arctan(a); arcsinh(a); arccosh(p + 1); arctanh(q); arctan2(a, 1); hypot(a, b); hypot(3, a)
erf(a)
floor(a); ceil(a); trunc(a); round(a); rint(a); floor(i); round(L); floor(a / b) * b; ceil(h); round(2.5 * b)
copysign(a, b); copysign(1, a); nextafter(a, b); fmod(a, b); fmod(i, j); c_mod(L, M); CMod(i, 3); ldexp(a, 3)
pow(p, b); pow(i, 2); ipow(i, 3); power(a, 3); np_float_pow(p, 2); pow(p, n); reciprocal(b); reciprocal(j)
sign(a); sign(i); sign(L); sign_numpy_2(h); sign(i8); heaviside(a, 0.25); heaviside(b); heaviside(i, 0.5)
deg2rad(a); rad2deg(a); gcd(i, 12); lcm(j, 4); gcd(L, M); gcd(i8, 6); signbit(a); isnan(a); isinf(a / 0.0)
isfinite(a)
isnan(i); isfinite(i); isnan(z); isfinite(z); isnan(a / 0.0 * 0.0)
int_floor(i, 3); floor_div(i, j); py_floor(i, j); int_ceil(i, 3); int_ceil(i, j); py_mod(i, 4); Mod(i, j)
PyMod(a, b); mod(i, 5)
floor_divide(a, b); remainder(L, M); bitwise_and(i, 6); bitwise_or(i, j); bitwise_xor(i, j); bitwise_invert(i)
left_shift(j, 2)
right_shift(i, 1); logical_and(a, t); logical_or(i, f); logical_xor(i, a); logical_not(a); select(t, a, b)
where(f, i, 2.5)
int(a); int32(a * 10); float(i); float32(L); bool(a); bool(i); int8(i); uint8(i); int16(L); uint32(j); int64(a)
float16(a) * 3
uint8(300 - 100) + 1; int8(-5) * a; float(t); int(h); half(i); uint64(n) + 1; int(t) + int(f); dace.float32(i) * 0.5
np.int64(i) * i
math.pi * a; np.exp(-a); math.sqrt(2) * a; math.e * b; -math.inf < a; math.floor(2.7) + i; 1 / 3 * a; 2 * 3.0 + a
2 ** 10 + i; 7 // 2 * a
k + a; k * 0.5; k / 2 * a; k // 2 + i; k % 7 * a; k + i8; k < i; k == 5; -k + a; k * k + L; float32(k) / 3
k > 2 and t; sqrt(k) + a
z + w; z - w; z * w; z / w; z * 2; z * a; z + 1j; -z; z == w; z != 1; z ** 2; z ** n; abs(z); z.real; z.imag * a
conj(z); z.conj()
conjugate(a); (z * w).real; real(z); imag(z * 2j); real(a); imag(a); exp(z); log(z); sqrt(z); complex(a, b)
sin(z); cos(z); tan(z); sinh(z); cosh(z); tanh(z); log2(z); log10(z); exp2(z); expm1(z); log1p(z)
complex64(a); z * 1j + a
z if t else w; bool(z); z if t else a; abs(z - w) < 2; complex64(1, 2) * z; sqrt(w); a.real; a.imag
z ** a; z ** w; z ** (a - a); (z - z) ** p; z ** (a - a - 3.0); (z - z) ** w
"""


@dataclass
class Scalars:
    """The environment in which the definition evaluates an expression."""

    names: dict[str, Any]

    def load(self, data: str, indices: tuple[int, ...]) -> Any:
        raise AssertionError("no arrays here")


def expressions() -> list[str]:
    return [text.strip() for text in EXPRESSIONS.replace("\n", ";").split(";") if text.strip()]


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(VALUES[name][0])


def lookup(name: str) -> Term | None:
    if name == "k":
        return Term("k", INT, weak=True)
    return Term(name, dtype_of(name)) if name in VALUES else None


def used(text: str) -> list[str]:
    return sorted(n for n in {*VALUES, "k"} if n in set(_words(text)))


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


def cpp_function(number: int, text: str, printer: ExpressionPrinter) -> tuple[str, np.dtype[Any]]:
    """A C function of pointers to the operands and the result, and the type of the result."""
    term = printer.term(text)
    value = printer.converted(term, term.dtype)
    lines = [f'extern "C" void f{number}(void **in, void *out) {{', "  (void)in;"]
    for position, name in enumerate(used(text)):
        cpp = "int" if name == "k" else element_type(dtype_of(name)).cpp
        lines.append(f"  [[maybe_unused]] const {cpp} {name} = *static_cast<const {cpp} *>(in[{position}]);")
    result = element_type(term.dtype).cpp
    lines += [f"  *static_cast<{result} *>(out) = {value.text};", "}"]
    return "\n".join(lines), term.dtype


def operands(name: str) -> list[Any]:
    return COUNTER if name == "k" else [dtype_of(name).type(v) for v in VALUES[name][1]]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, list[np.dtype[Any]]]:
    """All expressions in one library."""
    printer = ExpressionPrinter(lookup)
    functions = [cpp_function(number, text, printer) for number, text in enumerate(expressions())]
    head = "#include <poplar/Vertex.hpp>\n#include <cmath>\n" + helpers_text(printer.helpers)
    source = head + "\n".join(text for text, _ in functions)
    folder = tmp_path_factory.mktemp("expressions")
    flags = (
        "-Wno-bool-compare",
        "-Wno-type-limits",
        "-Wno-parentheses",
        "-Wno-int-in-bool-context",
        "-Wno-unused-function",
    )
    return compile_library(folder, source, "expressions", *flags), [dtype for _, dtype in functions]


def evaluate(library: ctypes.CDLL, number: int, dtype: np.dtype[Any], values: list[Any]) -> Any:
    cells = [np.array([v], np.int32 if isinstance(v, int) else None) for v in values]
    pointers = (ctypes.c_void_p * max(len(cells), 1))(*[c.ctypes.data for c in cells])
    result = np.zeros(1, dtype)
    getattr(library, f"f{number}")(pointers, ctypes.c_void_p(result.ctypes.data))
    return result[0]


def tolerance(dtype: np.dtype[Any]) -> float:
    return {"float16": 2e-3, "float32": 2e-6, "complex64": 4e-6}.get(dtype.name, 0.0)


@pytest.mark.parametrize("number", range(len(expressions())), ids=expressions())
def test_expression(compiled: tuple[ctypes.CDLL, list[np.dtype[Any]]], number: int) -> None:
    library, dtypes = compiled
    text, dtype = expressions()[number], dtypes[number]
    names = used(text)
    definition = compile_code(Code(text))
    compared = 0
    for values in itertools.product(*map(operands, names)):
        try:
            expected = definition(Scalars(dict(zip(names, values, strict=True))))
        except (ZeroDivisionError, ValueError, OverflowError):
            continue
        if isinstance(expected, np.generic) and "if" not in text and text not in NARROWER:
            assert expected.dtype == dtype, values
        actual = evaluate(library, number, dtype, list(values))
        np.testing.assert_allclose(
            actual, convert(expected, dtype), rtol=tolerance(dtype), atol=tolerance(dtype), err_msg=str(values)
        )
        compared += 1
    assert compared > 0


def test_every_function_of_the_definition_can_be_printed() -> None:
    assert set(FUNCTIONS) - set(CALLS) == set()
    assert set(CALLS) - set(FUNCTIONS) - set(TYPES) == set()


def test_every_function_is_tested() -> None:
    words = set(_words(EXPRESSIONS))
    assert set(CALLS) - words == set()


READABLE = {
    "0.33*(a+b+a)": "0.33f * (a + b + a)",
    "a ** 2 + 1": "a * a + 1.0f",
    "i // 3": "floor_div(i, 3)",
    "i // 2 + 1": "(i >> 1) + 1",
    "i % 4 == 0": "(i & 3) == 0",
    "u // 2": "u / 2u",
    "a - (b - 1)": "a - (b - 1.0f)",
    "a < b and not t or i == 3": "(a < b && !t) || i == 3",
    "h * 0.5": "h * half(0.5f)",
    "a * i": "a * i",
    "1 / 3 * a": "0.33333334f * a",
    "np.sqrt(p)": "std::sqrt(p)",
    "L * 5000000000": "L * 5000000000LL",
    "i & 7 == 0": "(i & 7) == 0",
    "a if t else 0": "t ? a : 0.0f",
}


@pytest.mark.parametrize(("text", "expected"), READABLE.items())
def test_text(text: str, expected: str) -> None:
    assert ExpressionPrinter(lookup).term(text).text == expected


REFUSED = {
    "foo(a)": "'foo(a)': no function 'foo' on the IPU",
    "a @ b": "'a @ b': no C++ for the operator MatMult",
    "missing + a": "'missing + a': nothing is called 'missing'",
    "[a]": "'[a]': no C++ for '[a]' (List)",
    "a +": "'a +' is no Python expression: invalid syntax",
    "z < w": "'z < w': complex numbers have no order",
    "int(z)": "'int(z)': a complex value where int32 is needed; take its .real or .imag",
    "uint8(math.inf) + i": "'uint8(math.inf) + i': the constant inf where uint8 is needed",
    "asin(z)": "'asin(z)': no complex 'asin'",
    "i8 * 3000000000": "'i8 * 3000000000': the constant 3000000000 does not fit in int32",
    "exp(a, b)": "'exp(a, b)': a function of 1 arguments is called with 2",
    "1 // 0 + a": "'1 // 0 + a': constant arithmetic: integer division",
    "a.shape": "'a.shape': no attribute 'shape' of a number",
    "min(a, b, key=a)": "'min(a, b, key=a)': keyword arguments in 'min(a, b, key=a)'",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items())
def test_refused(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as error:
        ExpressionPrinter(lookup).term(text)
    assert message in str(error.value)


def test_no_double_anywhere(tmp_path: Path) -> None:
    printer = ExpressionPrinter(lookup)
    for text in expressions():
        assert "double" not in printer.term(text).text
    assert "double" not in helpers_text(printer.helpers)
