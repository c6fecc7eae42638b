# ruff: noqa: F821, F841  memlets declare the names of a tasklet, and use them
"""The code of tasklets: names of its own, several assignments at once, outputs that are read."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dace
import numpy as np
import pytest

import dace_ipu
from tests.programs.interpreted import interpret, tile_graph

f32 = np.float32
Values = np.ndarray[Any, Any]


@dace.program
def python_floats(A: dace.float32[4, 8], B: dace.float32[4], C: dace.float32[4], D: dace.float32[4]):
    for i in dace.map[0:4]:
        with dace.tasklet:
            a << A[i, 0]
            half = 0.5 * i
            start: dace.float32 = 1.0
            for _k in range(3):
                start = start * a + math.sqrt(2)
            b = a * half + start
            b >> B[i]
        with dace.tasklet:
            row << A[i, :]
            total = 0
            count = 0
            for k in range(8):
                total += row[k]
                if row[k] > 0:
                    count += 1
            c = total / count
            c >> C[i]
        with dace.tasklet:
            x << A[i, 1]
            u = v = x * 2
            u, v = v + 1, u - 1
            d = u * 10 + v
            d >> D[i]


def given() -> dict[str, Values]:
    A = np.random.default_rng(3).random((4, 8), dtype=f32) - f32(0.25)
    return {"A": A, "B": np.zeros(4, f32), "C": np.zeros(4, f32), "D": np.zeros(4, f32)}


def simulate(sdfg: dace.SDFG, **arguments: Any) -> None:
    dace_ipu.to_ipu(sdfg).compile()(**arguments)


@pytest.mark.parametrize("run", [interpret, simulate])
def test_names_have_room_for_all_that_they_are_assigned(run: Callable[..., Any]) -> None:
    """An accumulator that starts as 0 is no integer; a float of Python's is no float64."""
    values = given()
    run(python_floats.to_sdfg(), **values)
    A, i, root = values["A"], np.arange(4), math.sqrt(2)
    start = ((A[:, 0] + root) * A[:, 0] + root) * A[:, 0] + root
    np.testing.assert_allclose(values["B"], A[:, 0] * 0.5 * i + start, rtol=1e-5)
    np.testing.assert_allclose(values["C"], A.sum(1) / (A > 0).sum(1), rtol=1e-5)
    np.testing.assert_allclose(values["D"], 10 * (2 * A[:, 1] + 1) + 2 * A[:, 1] - 1, rtol=1e-5)


def test_the_machine_computes_them_in_float32() -> None:
    graph = tile_graph(python_floats.to_sdfg())
    assert {variable.dtype for variable in graph.variables} == {np.dtype(f32)}


@dace.program
def reads_outputs(A: dace.float32[4, 8], B: dace.float32[4, 8], C: dace.float32[4]):
    for i in dace.map[0:4]:
        with dace.tasklet:
            a << A[i, :]
            b >> B[i, :]
            b[0] = a[0]
            for k in range(1, 8):
                b[k] = b[k - 1] + a[k]
            b[3] += 10
        with dace.tasklet:
            x << A[i, 2]
            c >> C(-1)[i]
            if x > 0:
                c = x
                c = c * 2


def test_outputs_may_be_read() -> None:
    A, B, C = given()["A"], np.zeros((4, 8), f32), np.full(4, 5, f32)
    interpret(reads_outputs.to_sdfg(), A=A, B=B, C=C)
    want = np.cumsum(A, axis=1)
    want[:, 3] += 10
    np.testing.assert_allclose(B, want, rtol=1e-5)
    np.testing.assert_allclose(C, np.where(A[:, 2] > 0, 2 * A[:, 2], 5), rtol=1e-5)


def test_the_output_of_a_reduction_cannot_be_read() -> None:
    @dace.program
    def exchanged(A: dace.float32[4], s: dace.float32[1]):
        for i in dace.map[0:4]:
            with dace.tasklet:
                a << A[i]
                old >> s(-1, lambda x, y: x + y)[0]
                out >> A[i]
                old = a
                out = old + 1

    with pytest.raises(dace_ipu.DiagnosticError, match="a tasklet that reads its output 'old', which is a reduction"):
        dace_ipu.to_ipu(exchanged.to_sdfg())


def test_what_a_reduction_held_before_is_not_known() -> None:
    @dace.program
    def numbered(order: dace.float32[4], s: dace.float32[2]):
        for i in dace.map[0:4]:
            with dace.tasklet:
                count >> s(-1, lambda x, y: x + y)[:]
                place >> order[i]
                place = count[0] = 1

    with pytest.raises(dace_ipu.DiagnosticError, match="of which 'count' is a reduction"):
        dace_ipu.to_ipu(numbered.to_sdfg())
