"""The language of computations: the type and value of every operator and function, against NumPy, Python and C."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from dace_ipu.tile_graph import functions
from dace_ipu.tile_graph.body import Code
from dace_ipu.tile_graph.expressions import compile_code

F, H, I, U, B, C = np.float32, np.float16, np.int32, np.uint32, np.bool_, np.complex64  # noqa: E741


class Values:
    """An environment of scalars."""

    def __init__(self, **names):
        self.names = names

    def load(self, data, indices):
        raise AssertionError("nothing is read from arrays here")


def value_of(text, **names):
    return compile_code(Code(text))(Values(**names))


def assert_same(result, expected):
    """The same type (weak numbers are Python's) and value."""
    assert type(result) is type(expected), (result, expected)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        # weak numbers: as in Python
        ("1 + 2", {}, 3),
        ("1 / 2", {}, 0.5),
        ("-7 // 2", {}, -4),
        ("2 ** -1", {}, 0.5),
        ("i * 2.5", {"i": 3}, 7.5),
        # weak numbers adapt to typed ones
        ("0.1 * a", {"a": F(3)}, F(0.1) * F(3)),
        ("0.1 * a", {"a": H(3)}, H(0.1) * H(3)),
        ("2 * a", {"a": I(3)}, I(6)),
        ("a + 1j", {"a": F(2)}, C(2 + 1j)),
        # no wide types come out of narrow ones
        ("a / b", {"a": I(7), "b": I(2)}, F(3.5)),
        ("a * 0.5", {"a": I(7)}, F(3.5)),
        ("a * b", {"a": I(7), "b": F(0.5)}, F(3.5)),
        ("a * b", {"a": np.int64(7), "b": F(0.5)}, F(3.5)),
        ("a + b", {"a": H(1), "b": F(2)}, F(3)),
        # small integers and bool compute as int32
        ("a + b", {"a": np.int8(100), "b": np.int8(100)}, I(200)),
        ("a - b", {"a": np.uint16(1), "b": np.uint16(2)}, I(-1)),
        ("a + b", {"a": B(1), "b": B(1)}, I(2)),
        ("-a", {"a": B(1)}, I(-1)),
        # integers wrap
        ("a + 1", {"a": I(2**31 - 1)}, I(-(2**31))),
        ("a - b", {"a": U(1), "b": U(2)}, U(2**32 - 1)),
        ("a + b", {"a": np.int64(2**40), "b": np.int64(1)}, np.int64(2**40 + 1)),
        ("a + (-1)", {"a": U(1)}, U(0)),
        # rounding down and remainders, all signs
        ("a // b", {"a": I(-7), "b": I(2)}, I(-4)),
        ("a % b", {"a": I(-7), "b": I(3)}, I(2)),
        ("a % b", {"a": I(7), "b": I(-3)}, I(-2)),
        ("a // b", {"a": F(-7), "b": F(2)}, F(-4)),
        ("a % b", {"a": F(-7), "b": F(3)}, F(2)),
        ("fmod(a, b)", {"a": F(-7), "b": F(3)}, F(-1)),
        ("fmod(a, b)", {"a": I(-7), "b": I(3)}, I(-1)),
        ("int_floor(a, b)", {"a": I(-7), "b": I(2)}, I(-4)),
        ("int_ceil(a, b)", {"a": I(-7), "b": I(2)}, I(-3)),
        ("py_mod(a, b)", {"a": I(-7), "b": I(3)}, I(2)),
        ("a // b", {"a": I(7), "b": I(0)}, I(0)),
        ("a % b", {"a": I(7), "b": I(0)}, I(0)),
        # powers
        ("a ** 3", {"a": I(-2)}, I(-8)),
        ("a ** 0.5", {"a": F(4)}, F(2)),
        ("a ** -1", {"a": I(2)}, F(0.5)),
        # bits
        ("a & b | 1", {"a": I(12), "b": I(6)}, I(5)),
        ("a ^ b", {"a": B(1), "b": B(1)}, B(0)),
        ("~a", {"a": I(5)}, I(-6)),
        ("~a", {"a": B(1)}, B(0)),
        ("a << 3", {"a": I(5)}, I(40)),
        ("a >> 1", {"a": I(-5)}, I(-3)),
        # questions
        ("a < b", {"a": F(1), "b": F(2)}, B(1)),
        ("1 < a <= 3", {"a": I(4)}, B(0)),
        ("a > b", {"a": U(1), "b": I(-1)}, B(1)),
        ("a or b", {"a": I(0), "b": I(5)}, B(1)),
        ("a and not b", {"a": F(2), "b": F(0)}, B(1)),
        ("isnan(a)", {"a": F("nan")}, B(1)),
        ("isinf(a) or isfinite(a)", {"a": F("nan")}, B(0)),
        # choices
        ("a if a > b else b", {"a": F(1), "b": F(2)}, F(2)),
        ("select(a > 0, a, 0)", {"a": F(-1)}, F(0)),
        # casts
        ("dace.int32(a)", {"a": F(-3.9)}, I(-3)),
        ("np.uint8(a)", {"a": I(300)}, np.uint8(44)),
        ("float32(a)", {"a": H(0.5)}, F(0.5)),
        ("bool(a)", {"a": F(0.5)}, B(1)),
        ("int(a)", {"a": F(2.9)}, I(2)),
        # least and greatest
        ("min(a, 3, b)", {"a": F(2), "b": F(1.5)}, F(1.5)),
        ("Max(a, b)", {"a": I(2), "b": I(-1)}, I(2)),
        ("max(a, b)", {"a": I(2), "b": F(2.5)}, F(2.5)),
        # complex
        ("z.real", {"z": C(3 + 4j)}, F(3)),
        ("abs(z)", {"z": C(3 + 4j)}, F(5)),
        ("conj(z) * z", {"z": C(3 + 4j)}, C(25)),
        ("z.imag + a", {"z": C(3 + 4j), "a": F(1)}, F(5)),
        # integers
        ("gcd(a, b)", {"a": I(12), "b": I(18)}, I(6)),
        ("lcm(a, b)", {"a": I(4), "b": I(6)}, I(12)),
        ("abs(a)", {"a": I(-3)}, I(3)),
        ("floor(a)", {"a": I(-3)}, I(-3)),
        # roundings
        ("round(a)", {"a": F(2.5)}, F(2)),
        ("rint(a)", {"a": F(-1.5)}, F(-2)),
        ("floor(a)", {"a": F(-1.5)}, F(-2)),
        ("trunc(a)", {"a": F(-1.5)}, F(-1)),
        ("ceil(a)", {"a": F(1.2)}, F(2)),
        # parts
        ("sign(a)", {"a": F(-2)}, F(-1)),
        ("sign(z)", {"z": C(-2 + 1j)}, C(-1)),
        ("sign_numpy_2(a)", {"a": I(-2)}, I(-1)),
        ("copysign(a, b)", {"a": F(2), "b": F(-0.0)}, F(-2)),
        ("heaviside(a, 0.5)", {"a": F(0)}, F(0.5)),
        ("reciprocal(a)", {"a": F(4)}, F(0.25)),
        ("reciprocal(a)", {"a": I(-1)}, I(-1)),
        ("reciprocal(a)", {"a": I(4)}, I(0)),
        ("sqrt(a)", {"a": I(4)}, F(2)),
        ("hypot(a, b)", {"a": F(3), "b": F(4)}, F(5)),
        ("-math.inf", {}, -math.inf),
        ("np.pi * a", {"a": F(1)}, F(math.pi)),
    ],
)
def test_type_and_value(text, names, expected):
    assert_same(value_of(text, **names), expected)


def test_what_integers_cannot_do():
    with pytest.raises(ValueError, match="to the power of a negative integer"):
        value_of("a ** b", a=I(2), b=I(-1))
    with pytest.raises(ZeroDivisionError):
        value_of("reciprocal(a)", a=I(0))


def test_half_rounds_after_each_operation():
    a, b = H(2048), H(1)
    assert_same(value_of("a + b + b", a=a, b=b), H(2048))
    assert_same(value_of("a + (b + b)", a=a, b=b), H(2050))


def test_the_other_side_of_a_choice_is_not_computed():
    assert_same(value_of("i // n if n != 0 else 7", i=3, n=0), 7)


REAL_FUNCTIONS = [
    *("exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "atanh", "erf", "exp2", "cbrt"),
]


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_real_functions_against_the_standard_library(name):
    reference = {"exp2": lambda x: 2.0**x, "cbrt": lambda x: x ** (1 / 3)}.get(name) or getattr(math, name)
    for x in (0.125, 0.5, 0.75):
        for dtype, tolerance in ((F, 3e-7), (H, 2e-3)):
            result = value_of(f"{name}(x)", x=dtype(x))
            assert type(result) is dtype
            assert float(result) == pytest.approx(reference(float(dtype(x))), rel=tolerance)
    assert value_of(f"{name}(x)", x=0.5) == pytest.approx(reference(0.5))


@pytest.mark.parametrize("name", ["exp", "sin", "cosh", "sqrt", "log"])
def test_real_functions_of_complex_numbers(name):
    z = C(0.5 + 0.25j)
    result = value_of(f"{name}(z)", z=z)
    assert type(result) is C
    assert complex(result) == pytest.approx(getattr(cmath, name)(complex(z)), rel=1e-6)


ANGLES = {"deg2rad": (180.0, math.pi), "rad2deg": (math.pi, 180.0), "acosh": (2.0, math.acosh(2.0))}


@pytest.mark.parametrize("name", ANGLES)
def test_functions_outside_of_the_unit_interval(name):
    argument, expected = ANGLES[name]
    assert value_of(f"{name}(x)", x=F(argument)) == pytest.approx(expected, rel=1e-6)


def test_every_function_can_be_called_with_any_module_name():
    for name in functions.FUNCTIONS:
        assert functions.function(f"math.{name}") is functions.FUNCTIONS[name]
        assert functions.function(name) is functions.FUNCTIONS[name]


@pytest.mark.parametrize("name", ["nothing", "os.system", "math.nothing", "a.b.exp"])
def test_unknown_functions(name):
    with pytest.raises(KeyError):
        functions.function(name)


NUMBERS = [F(1.5), H(-2.5), I(-7), U(7), np.int8(-3), np.uint8(3), np.int64(2**33), B(True), 3, -2.75]


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
@pytest.mark.parametrize(
    "name", ["int8", "uint16", "int32", "uint32", "int64", "float16", "float32", "bool", "complex64"]
)
def test_conversions_are_those_of_c(value, name):
    dtype = np.dtype(name)
    result = functions.convert(value, dtype)
    assert type(result) is dtype.type
    if dtype.kind in "iu":
        bits = 8 * dtype.itemsize
        expected = int(value) % 2**bits
        assert int(result) == (expected - 2**bits if dtype.kind == "i" and expected >= 2 ** (bits - 1) else expected)
    else:
        with np.errstate(over="ignore"):
            assert result == dtype.type(value)


@pytest.mark.parametrize("name", ["float32", "int32"])
def test_complex_numbers_do_not_become_real_by_themselves(name):
    with pytest.raises(TypeError, match="take its .real or .imag"):
        functions.convert(C(1j), np.dtype(name))


@pytest.mark.parametrize("special", ["inf", "-inf", "nan"])
def test_special_values_pass_through_conversions(special):
    assert_same(functions.convert(F(special), np.dtype(np.float16)), H(special))


def test_a_negative_zero_stays_one():
    assert math.copysign(1, functions.convert(F(-0.0), np.dtype(np.float16))) == -1
