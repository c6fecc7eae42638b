"""SDFGs built by hand: what the Python frontend does not make."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest

import dace_ipu

A = np.random.default_rng(0).random(40, dtype=np.float32) + 0.5


def run(sdfg: dace.SDFG, **arguments: Any) -> None:
    """Offload and call twice: the second call must not see what the first one left."""
    arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
    before = {name: array.copy() for name, array in arrays.items()}
    program = dace_ipu.to_ipu(sdfg).compile()
    program(**arguments)
    for name, array in arrays.items():
        array[...] = before[name]
    program(**arguments)


def reduction(wcr: str, code: str = "b = a") -> dace.SDFG:
    """``o[0] = wcr(o[0], A[i])`` for all i."""
    sdfg = dace.SDFG("reduction")
    sdfg.add_array("A", [40], dace.float32)
    sdfg.add_array("o", [1], dace.float32)
    reads, writes = {"a": dace.Memlet("A[i]")}, {"b": dace.Memlet("o[0]", wcr=wcr)}
    sdfg.add_state().add_mapped_tasklet("m", {"i": "0:40"}, reads, code, writes, external_edges=True)
    return sdfg


@pytest.mark.parametrize(
    ("wcr", "start", "expected"),
    [
        ("lambda x, y: x * y", 1, np.prod(A)),
        ("lambda x, y: min(x, y)", 100, np.min(A)),
        ("lambda x, y: x + y * y", 1, 1 + np.sum(A * A)),  # not associative: in order, on one tile
        ("lambda x, y: x + y + x * y", 0, np.prod(1 + A) - 1),  # associative and not one of the known ones
    ],
)
def test_reductions(wcr: str, start: float, expected: float) -> None:
    result = np.full(1, start, np.float32)
    run(reduction(wcr), A=A.copy(), o=result)
    np.testing.assert_allclose(result[0], expected, rtol=1e-4)


def test_constants_and_symbols_as_values() -> None:
    table = np.arange(40, dtype=np.float32)
    sdfg = dace.SDFG("constants")
    sdfg.add_array("A", [40], dace.float32)
    sdfg.add_symbol("alpha", dace.float32)
    sdfg.add_constant("table", table)
    sdfg.add_constant("c", np.float32(2.5))
    reads, writes = {"a": dace.Memlet("A[i]")}, {"o": dace.Memlet("A[i]")}
    code = "o = a * c + alpha * table[i]"
    sdfg.add_state().add_mapped_tasklet("m", {"i": "0:40"}, reads, code, writes, external_edges=True)
    result = A.copy()
    run(sdfg, A=result, alpha=np.float32(0.5))
    np.testing.assert_allclose(result, A * 2.5 + 0.5 * table, rtol=1e-5)


def test_tasklet_with_branches_and_a_dynamic_output() -> None:
    sdfg = dace.SDFG("branches")
    for name in "AB":
        sdfg.add_array(name, [40], dace.float32)
    reads = {"a": dace.Memlet("A[i]")}
    writes = {"b": dace.Memlet("B[i]", dynamic=True)}
    code = "if a > 1:\n    b = a\nelif a > 0.75:\n    b = -a"
    sdfg.add_state().add_mapped_tasklet("m", {"i": "0:40"}, reads, code, writes, external_edges=True)
    result = np.full(40, 7, np.float32)
    run(sdfg, A=A.copy(), B=result)
    np.testing.assert_array_equal(result, np.where(A > 1, A, np.where(A > 0.75, -A, np.float32(7))))


def test_several_nested_sdfgs_with_the_same_content() -> None:
    """DaCe emits equal nested SDFGs once, in whatever file comes first; codelets do not depend on it."""

    @dace.program
    def twice(x: dace.float32[8], y: dace.float32[8]):
        for i in dace.map[0:8]:
            total = np.float32(0)
            for k in range(3):
                total += x[i] * k
            y[i] = total
        for i in dace.map[0:8]:
            total = np.float32(0)
            for k in range(3):
                total += x[i] * k
            x[i] = total

    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    run(twice.to_sdfg(), x=x, y=y)
    np.testing.assert_array_equal(y, 3 * np.arange(8, dtype=np.float32))
    np.testing.assert_array_equal(x, 3 * np.arange(8, dtype=np.float32))
