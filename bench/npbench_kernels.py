"""NPBench's kernels: sizes that compile and run in seconds, data that exercises them, tolerances, sources in float32.

Reads a checkout of the public repository spcl/npbench, whose folder ``NPBENCH_ROOT`` names.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Data = dict[str, Any]
MISSING = """NPBENCH_ROOT names no checkout of NPBench. Get one, outside of this repository:
  git clone --depth 1 https://github.com/spcl/npbench $HOME/npbench && export NPBENCH_ROOT=$HOME/npbench"""

#: The tiny preset. Extents of a kernel differ where it allows that, so that swapped dimensions show.
TINY: dict[str, dict[str, Any]] = {
    "adi": {"TSTEPS": 5, "N": 20},
    "atax": {"M": 20, "N": 25},
    "bicg": {"M": 20, "N": 25},
    "cholesky": {"N": 20},
    "cholesky2": {"N": 20},
    "correlation": {"M": 20, "N": 25},
    "covariance": {"M": 20, "N": 25},
    "deriche": {"W": 24, "H": 20},
    "doitgen": {"NR": 6, "NQ": 7, "NP": 8},
    "durbin": {"N": 24},
    "fdtd_2d": {"TMAX": 5, "NX": 20, "NY": 22},
    "floyd_warshall": {"N": 20},
    "gemm": {"NI": 16, "NJ": 18, "NK": 20},
    "gemver": {"N": 24},
    "gesummv": {"N": 24},
    "gramschmidt": {"M": 14, "N": 12},
    "heat_3d": {"TSTEPS": 4, "N": 10},
    "jacobi_1d": {"TSTEPS": 10, "N": 40},
    "jacobi_2d": {"TSTEPS": 5, "N": 15},
    "k2mm": {"NI": 8, "NJ": 9, "NK": 10, "NL": 11},
    "k3mm": {"NI": 8, "NJ": 9, "NK": 10, "NL": 11, "NM": 12},
    "lu": {"N": 14},
    "ludcmp": {"N": 14},
    "mvt": {"N": 24},
    "nussinov": {"N": 14},
    "seidel_2d": {"TSTEPS": 4, "N": 12},
    "symm": {"M": 10, "N": 12},
    "syr2k": {"M": 10, "N": 12},
    "syrk": {"M": 10, "N": 12},
    "trisolv": {"N": 20},
    "trmm": {"M": 10, "N": 12},
    "conv2d_bias": {"N": 2, "C_in": 3, "C_out": 4, "K": 3, "H": 8, "W": 10},
    "lenet": {"N": 2, "H": 16, "W": 20},
    "mlp": {"C_in": 3, "N": 8, "S0": 30, "S1": 20, "S2": 10},
    "resnet": {"N": 3, "W": 8, "H": 7, "C1": 8, "C2": 4},
    "softmax": {"N": 2, "H": 3, "SM": 8},
    "hdiff": {"I": 8, "J": 9, "K": 10},
    "vadv": {"I": 6, "J": 7, "K": 8},
    "arc_distance": {"N": 1000},
    "azimint_hist": {"N": 2000, "npt": 10},
    "azimint_naive": {"N": 2000, "npt": 10},
    "cavity_flow": {"ny": 21, "nx": 25, "nt": 5, "nit": 5, "rho": 1.0, "nu": 0.1},
    "channel_flow": {"ny": 11, "nx": 13, "nit": 5, "rho": 1.0, "nu": 0.1, "F": 1.0},
    "compute": {"M": 20, "N": 25},
    "contour_integral": {"NR": 8, "NM": 12, "slab_per_bc": 2, "num_int_pts": 32},
    "crc16": {"N": 64},
    "go_fast": {"N": 20},
    "mandelbrot1": {
        "xmin": -1.75,
        "xmax": 0.25,
        "XN": 25,
        "ymin": -1.0,
        "ymax": 1.0,
        "YN": 20,
        "maxiter": 20,
        "horizon": 2.0,
    },
    "mandelbrot2": {
        "xmin": -2.0,
        "xmax": 0.5,
        "XN": 20,
        "ymin": -1.25,
        "ymax": 1.25,
        "YN": 24,
        "maxiter": 12,
        "horizon": 2.0,
    },
    "nbody": {"N": 8, "tEnd": 0.5, "dt": 0.05, "softening": 0.1, "G": 1.0},
    "scattering_self_energies": {"Nkz": 2, "NE": 3, "Nqz": 2, "Nw": 2, "N3D": 2, "NA": 4, "NB": 2, "Norb": 3},
    "spmv": {"M": 24, "N": 32, "nnz": 96},
    "stockham_fft": {"R": 2, "K": 5},
}

#: Noise for arrays in which NPBench's own data would let a wrong program pass: fixed points, zeros, constants.
NOISE: dict[str, dict[str, float]] = {
    "correlation": {"data": 5.0},
    "heat_3d": {"A": 1.0, "B": 1.0},
    "jacobi_1d": {"A": 1.0, "B": 1.0},
    "jacobi_2d": {"A": 1.0, "B": 1.0},
    "seidel_2d": {"A": 1.0},
    "cavity_flow": {"u": 0.1, "v": 0.1, "p": 0.1},
    "channel_flow": {"u": 0.05, "v": 0.05, "p": 0.05},
}

#: Relative tolerance, and the share of elements that may miss it: points at the border of the Mandelbrot set, data at
#: the border of a bin.
TOLERANCE: dict[str, tuple[float, float]] = {
    "azimint_hist": (2e-2, 0.0),
    "azimint_naive": (2e-2, 0.0),
    "mandelbrot1": (1e-3, 0.02),
    "mandelbrot2": (1e-3, 0.02),
}


def root() -> Path:
    """The checkout. Exits with a message that says how to get one."""
    folder = Path(os.environ.get("NPBENCH_ROOT", ""))
    if not (folder / "bench_info").is_dir() or not os.environ.get("NPBENCH_ROOT"):
        sys.exit(MISSING)
    return folder


def info_of(kernel: str) -> dict[str, Any]:
    """NPBench's description of a kernel."""
    text = (root() / "bench_info" / f"{kernel}.json").read_text(encoding="utf-8")
    return dict(json.loads(text)["benchmark"])


def parameters(kernel: str, preset: str) -> dict[str, Any]:
    """Sizes and scalars of a preset: 'tiny', or one of NPBench's own."""
    return dict(TINY[kernel] if preset == "tiny" else info_of(kernel)["parameters"][preset])


def function(kernel: str, flavour: str, single: bool = True) -> Any:
    """The kernel's function in NPBench's source for 'numpy' or 'dace', in float32 or, if not ``single``, float64."""
    info = info_of(kernel)
    module = _module(info, f"_{flavour}", _single if single else _double)
    return getattr(module, info["func_name"])


def _single(source: str) -> str:
    return re.sub(r"\bcomplex128\b", "complex64", re.sub(r"\bfloat64\b", "float32", source))


def _double(source: str) -> str:
    return re.sub(r"\bcomplex64\b", "complex128", re.sub(r"\bfloat32\b", "float64", source))


def _module(info: dict[str, Any], suffix: str, change: Callable[[str], str]) -> Any:
    """A module from a changed copy of a source file, in the working folder: DaCe reads the source."""
    name = info["module_name"] + suffix
    path = root() / "npbench" / "benchmarks" / info["relative_path"] / f"{name}.py"
    name += change.__name__
    copy = Path.cwd() / f"{name}.py"
    copy.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, copy)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def data_of(kernel: str, preset: str) -> Data:
    """All arguments in float64 or integers, with noise where the kernel needs it."""
    info, data = info_of(kernel), parameters(kernel, preset)
    if info.get("init"):
        make = _sparse if kernel == "spmv" else getattr(_module(info, "", _unchanged), info["init"]["func_name"])
        made = make(*(data[name] for name in info["init"]["input_args"]))
        names = info["init"]["output_args"]
        data.update(zip(names, made if len(names) > 1 else (made,), strict=True))
    rng = np.random.default_rng(1)
    for name, amount in NOISE.get(kernel, {}).items():
        data[name] = data[name] + amount * rng.random(data[name].shape)
    return data


def _unchanged(source: str) -> str:
    return source


def _sparse(M: int, N: int, nnz: int) -> tuple[np.ndarray[Any, Any], ...]:
    """A matrix in CSR form and a vector, without SciPy, which NPBench's own generator needs."""
    rng = np.random.default_rng(42)
    places = np.sort(rng.choice(M * N, size=nnz, replace=False))
    rows = np.zeros(M + 1, np.uint32)
    np.add.at(rows, places // N + 1, 1)
    return np.cumsum(rows).astype(np.uint32), (places % N).astype(np.uint32), rng.random(nnz), rng.random(N)


def rounded(data: Data, single: bool = True) -> Data:
    """A copy of the data in float32 and complex64, or in the double types."""
    kinds = {"f": np.float32, "c": np.complex64} if single else {"f": np.float64, "c": np.complex128}
    result = {}
    for name, value in data.items():
        kind = getattr(getattr(value, "dtype", None), "kind", None)
        result[name] = value.astype(kinds[kind]) if kind in kinds else value.copy() if kind else value
    return result


def outputs(kernel: str, arguments: Data, returned: Any) -> dict[str, np.ndarray[Any, Any]]:
    """All arrays of a call, changed or not, and what it returned."""
    result = {name: np.array(arguments[name]) for name in info_of(kernel)["array_args"]}
    values = returned if isinstance(returned, (tuple, list)) else () if returned is None else (returned,)
    arrays = [arguments[name] for name in result]
    for index, value in enumerate(values):
        if not any(value is array for array in arrays):
            result[f"return{index}"] = np.array(value)
    return result


def mistakes(kernel: str, got: Data, want: Data, exact: Data) -> list[str]:
    """What differs from NumPy in float32. A result that is as near to NumPy in float64 as four times NumPy's own
    float32 error is right as well: some kernels lose most of their digits.
    """
    rtol, share = TOLERANCE.get(kernel, (1e-3, 0.0))
    lost = max((_error(want[name], exact[name]) for name in want if name in exact), default=0.0)
    found = []
    for name, reference in want.items():
        if name not in got or got[name].size != reference.size:
            found.append(f"{name}: missing, or of another size")
        elif not _close(got[name], reference, rtol, 1e-5, share):
            if not (lost < 0.05 and _close(got[name], exact[name], rtol, max(1e-5, 4 * lost), share)):
                found.append(f"{name}: error {_error(got[name], reference):.1e} of the largest element")
    return found


def _close(got: Any, want: Any, rtol: float, atol: float, share: float) -> bool:
    got = np.reshape(got, want.shape)
    if want.dtype.kind in "iub":
        return bool(np.mean(got.astype(want.dtype) != want) <= share) if want.size else True
    scale = np.max(np.abs(want[np.isfinite(want)]), initial=0.0)
    near = np.isclose(got, want, rtol, atol * (scale or 1.0), equal_nan=True)
    return bool(np.mean(~near) <= share) if want.size else True


def _error(got: Any, want: Any) -> float:
    """The largest difference, as a share of the largest element."""
    if not want.size or want.dtype.kind in "b":
        return 0.0
    difference = np.abs(np.reshape(got, want.shape).astype(complex) - want)
    finite = np.isfinite(difference)
    scale = float(np.max(np.abs(want[np.isfinite(want)]), initial=0.0)) or 1.0
    return float(np.max(difference[finite], initial=0.0)) / scale
