"""sine, cosine and angle, as codelets have them, against NumPy in double precision."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from poplar_cpp import compile_library

from dace_ipu.targets.poplar.helpers import helpers_text

_LOOPS = """
extern "C" void sines(const float *x, float *out, int n) { for (int i = 0; i < n; ++i) out[i] = sine(x[i]); }
extern "C" void cosines(const float *x, float *out, int n) { for (int i = 0; i < n; ++i) out[i] = cosine(x[i]); }
extern "C" void angles(const float *yx, float *out, int n) {
  for (int i = 0; i < n; ++i) out[i] = angle(yx[i], yx[n + i]);
}
"""
Floats = np.ndarray[Any, np.dtype[np.float32]]
SPECIAL = np.array([0.0, -0.0, 1e-42, -1e-38, 1.0, -1.0, 3e38, np.inf, -np.inf, np.nan], np.float32)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    text = "#include <cmath>\n" + helpers_text(["sine", "cosine", "angle"]) + _LOOPS
    folder: Path = tmp_path_factory.mktemp("polynomials")
    return compile_library(folder, text, "polynomials", "-ffp-contract=off")


def computed(function: Any, arguments: Floats, count: int) -> Floats:
    out = np.zeros(count, np.float32)
    data = np.ascontiguousarray(arguments)
    function(data.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p), count)
    return out


def units(got: Floats, want: np.ndarray[Any, Any]) -> float:
    """The largest error in units of the last place."""
    return float(np.max(np.abs(got - want) / np.spacing(np.abs(want).astype(np.float32)).astype(np.float64)))


def arguments(limit: float) -> Floats:
    """Numbers of all sizes up to a limit, and what lies next to the multiples of pi / 2."""
    rng = np.random.default_rng(3)
    near = (np.arange(-limit // 1.5708, limit // 1.5708) * np.pi / 2).astype(np.float32)
    sizes = np.exp(rng.uniform(-40, np.log(limit), 50_000)) * rng.choice([-1, 1], 50_000)
    x = np.concatenate([near, np.nextafter(near, np.float32(np.inf)), rng.uniform(-limit, limit, 200_000), sizes])
    return x.astype(np.float32)


@pytest.mark.parametrize(("limit", "most"), [(100, 2), (10_000, 3)])
def test_sine_and_cosine(library: ctypes.CDLL, limit: float, most: float) -> None:
    x = arguments(limit)
    for name, function in (("sines", np.sin), ("cosines", np.cos)):
        got, want = computed(getattr(library, name), x, x.size), function(x.astype(np.float64))
        assert units(got, want) < most
        assert np.max(np.abs(got)) <= 1


def test_special_values_of_sine_and_cosine(library: ctypes.CDLL) -> None:
    with np.errstate(invalid="ignore"):
        x = np.concatenate([SPECIAL, np.float32([1e4, 12345.678, 1e9])])
        for name, function in (("sines", np.sin), ("cosines", np.cos)):
            got, want = computed(getattr(library, name), x, x.size), function(x.astype(np.float64)).astype(np.float32)
            np.testing.assert_allclose(got, want, rtol=1e-6)
            np.testing.assert_array_equal(np.signbit(got[:4]), np.signbit(want[:4]))


def test_angle(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(4)
    yx = (rng.standard_cauchy((2, 200_000)) * np.exp(rng.uniform(-30, 30, 200_000))).astype(np.float32)
    assert units(computed(library.angles, yx, yx.shape[1]), np.arctan2(*yx.astype(np.float64))) < 2.1


def test_special_values_of_angle(library: ctypes.CDLL) -> None:
    yx = np.array([(y, x) for y in SPECIAL for x in SPECIAL], np.float32).T
    got, want = computed(library.angles, yx, yx.shape[1]), np.arctan2(*yx)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
