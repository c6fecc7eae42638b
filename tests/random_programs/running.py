"""Runs a random program in NumPy, in the interpreter of the tile graph and on the simulator, and compares."""

from __future__ import annotations

import copy
import importlib.util
import types
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import dace
import numpy as np

import dace_ipu
from dace_ipu import passes
from dace_ipu.lowering import HOST_VALUE_SUFFIX, lower
from dace_ipu.tile_graph import interpreter
from dace_ipu.transformations.checks import device_scopes
from tests.random_programs.grammar import Example

__all__ = ["FrontendFault", "check"]

Arguments = dict[str, Any]
_TOLERANCE = {"float16": 2e-2, "float32": 2e-4, "complex64": 2e-4}


class FrontendFault(Exception):
    """DaCe's frontend cannot parse the program: nothing to learn about the IPU."""


def check(example: Example, folder: Path, simulate: bool) -> None:
    """Raise AssertionError, with the program, if a result is not NumPy's. Raises :class:`FrontendFault`."""
    module, oracle = _load(example.source, folder), _load(example.oracle, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of DaCe, about maps over nothing and the like
        sdfg = _parsed(module)
        expected = [_expected(example, oracle, seed) for seed in (0, 1)]
        offloaded = dace_ipu.to_ipu(copy.deepcopy(sdfg))
        _compare(example, "interpreter", _interpreted(example, offloaded), expected[0])
        if simulate:
            program = offloaded.compile()
            for seed in (0, 1):
                arguments = _arguments(example, seed)
                program(**arguments, **(example.sizes if example.symbolic else {}))
                _compare(example, f"simulator, call {seed}", arguments, expected[seed])


def _load(source: str, folder: Path) -> ModuleType:
    """The frontend reads the source from a file; its name must be new, for caches of source lines."""
    path = folder / f"random_{abs(hash(source)) % 10**12}.py"
    path.write_text(source)
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def _parsed(module: ModuleType) -> dace.SDFG:
    try:
        sdfg: dace.SDFG = module.main.to_sdfg(simplify=True)
        sdfg.validate()
    except Exception as error:
        raise FrontendFault(str(error)) from error
    return sdfg


def _arguments(example: Example, seed: int) -> Arguments:
    rng = np.random.default_rng(example.seed + 1000 * seed)
    n, m = example.sizes["N"], example.sizes["M"]
    shapes = {"A": (n,), "B": (n,), "C": (n, m), "D": (n, m), "R": (m,), "s": (1,)}
    arrays: Arguments = {name: _values(rng, shape, example.dtype) for name, shape in shapes.items()}
    passable = example.dtype in ("float32", "int32", "int64", "uint32")
    scalar = _values(rng, (1,), example.dtype if passable else "int32")[0]
    return {**arrays, "idx": rng.integers(0, n, n).astype(np.int32), "a": scalar}


def _values(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    if dtype.startswith("uint"):
        return rng.integers(0, 10, shape).astype(dtype)
    if dtype.startswith("int"):
        return rng.integers(-9, 10, shape).astype(dtype)
    real = rng.random(shape) * 2 - 1
    return (real + 1j * (rng.random(shape) - 0.5) if dtype == "complex64" else real).astype(dtype)


def _expected(example: Example, module: ModuleType, seed: int) -> Arguments:
    arguments = _arguments(example, seed)
    names = {**vars(module), **example.sizes}
    if hasattr(module, "helper"):
        names["helper"] = types.FunctionType(module.helper.f.__code__, names)
    with np.errstate(all="ignore"):
        types.FunctionType(module.main.f.__code__, names)(**arguments)
    return arguments


def _interpreted(example: Example, sdfg: dace.SDFG) -> Arguments:
    arguments = _arguments(example, 0)
    scopes = list(device_scopes(sdfg))
    if not scopes:
        return arguments  # a program without effect
    graph = passes.run(lower(scopes[0], sdfg.name))
    given = {**arguments, **example.sizes}
    arrays = {host.name: np.atleast_1d(given[host.name]) for host in graph.hosts}
    symbols = {name: int(given[name.removesuffix(HOST_VALUE_SUFFIX)]) for name, _ in graph.symbols}
    interpreter.run(graph, symbols, arrays, tiles=5)
    return {**arguments, **{name: array for name, array in arrays.items() if name != "a"}}


def _compare(example: Example, where: str, got: Arguments, want: Arguments) -> None:
    tolerance = _TOLERANCE.get(example.dtype, 0)
    for name, array in want.items():
        if not np.allclose(got[name], array, rtol=tolerance, atol=tolerance, equal_nan=True):
            raise AssertionError(f"{where}: {name} is\n{got[name]}\nand not\n{array}\n{example!r}")
