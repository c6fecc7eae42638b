"""Integers of all types wrap around where NumPy's do: after each operation. Python numbers take the other's type."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dace
import numpy as np
import pytest

import dace_ipu
from tests.programs.interpreted import interpret

TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
EXPRESSIONS = (
    "({a} * 100 + {b}) // 7",
    "({a} - {b}) % 5",
    "({a} + {b}) * 3 - 1",
    "({a} ^ {b}) >> 1",
    "np.abs({a} - {b}) // 2",
    "({a} // {b}) * {b} + {a} % {b}",
    "-({a}) // 3",
    "(~{a}) & 15",
    "({a} - 1) // 3",
    "({a} << 2) // 3",
    "np.minimum({a} - 2, {b}) + 100",
)
SIZE = 8


def program(dtype: str, in_map: bool, folder: Path) -> Any:
    """A module whose function ``main`` computes all expressions, in a map or on whole arrays."""
    outputs = [f"O{k}" for k in range(len(EXPRESSIONS))]
    a, b, index, indent = ("A[i]", "B[i]", "[i]", "        ") if in_map else ("A", "B", "[:]", "    ")
    head = ["import dace", "import numpy as np", "", "", "@dace.program"]
    head.append(f"def main({', '.join(f'{name}: dace.{dtype}[{SIZE}]' for name in ('A', 'B', *outputs))}):")
    head += [f"    for i in dace.map[0:{SIZE}]:"] if in_map else []
    lines = [f"{indent}{o}{index} = {text.format(a=a, b=b)}" for o, text in zip(outputs, EXPRESSIONS, strict=True)]
    path = folder / f"integers_{dtype}_{'map' if in_map else 'whole'}.py"
    path.write_text("\n".join([*head, *lines]) + "\n")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.main


def arguments(dtype: str) -> dict[str, np.ndarray[Any, Any]]:
    limits = np.iinfo(dtype)
    most = limits.max
    A = np.array([most, most // 2, 1, 24, 18, 80, 87, 58], dtype)
    if limits.min < 0:
        A[3:6] = (-7, 1 - most, -100)
    outputs = {f"O{k}": np.zeros(SIZE, dtype) for k in range(len(EXPRESSIONS))}
    return {"A": A, "B": np.array([1, 1, 3, 4, 5, 4, 3, 2], dtype), **outputs}


def check(main: Any, dtype: str, run: Callable[..., Any]) -> None:
    got = arguments(dtype)
    run(main.to_sdfg(), **got)
    A, B = got["A"], got["B"]
    for k, text in enumerate(EXPRESSIONS):
        with np.errstate(all="ignore"):
            want = eval(text.format(a="A", b="B"), {"A": A, "B": B, "np": np})
        assert want.dtype == A.dtype
        np.testing.assert_array_equal(got[f"O{k}"], want, err_msg=text)


def simulate(sdfg: dace.SDFG, **given: Any) -> None:
    dace_ipu.to_ipu(sdfg).compile()(**given)


@pytest.mark.parametrize("in_map", [True, False], ids=["map", "whole"])
@pytest.mark.parametrize("dtype", TYPES)
def test_in_the_interpreter(dtype: str, in_map: bool, tmp_path: Path) -> None:
    check(program(dtype, in_map, tmp_path), dtype, interpret)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "uint32", "int32", "int64"])
def test_on_the_simulator(dtype: str, tmp_path: Path) -> None:
    check(program(dtype, True, tmp_path), dtype, simulate)


def test_symbols_of_64_bits() -> None:
    """What DaCe's frontend makes a symbol of may be data, or an index, or both."""

    @dace.program
    def hashed(A: dace.int64[8], idx: dace.int64[8], B: dace.int64[8], s: dace.int64[1]):
        k = A[0]
        for i in range(8):
            k = k * 3 + A[idx[i]]
            B[i] = k // 7
        if k > 5000000000:
            s[0] = k
        first = idx[0]
        B[first : first + 2] = A[first : first + 2]

    def given() -> dict[str, Any]:
        A = np.arange(8, dtype=np.int64) * 10**12 + 7
        return {
            "A": A,
            "idx": np.array([3, 1, 2, 0, 7, 6, 5, 4]),
            "B": np.zeros(8, np.int64),
            "s": np.zeros(1, np.int64),
        }

    got, want = given(), given()
    interpret(hashed.to_sdfg(), **got)
    hashed.f(**want)
    for name, array in want.items():
        np.testing.assert_array_equal(got[name], array, err_msg=name)
