"""The programs that the tests of this folder share: each costs a compilation."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np

import dace_ipu

N, M = dace.symbol("N"), dace.symbol("M")
L = dace.symbol("L", dace.int64)


@dace.program
def increment(A: dace.float32[N], B: dace.float32[N]):
    B[:] = A + 1


@dace.program
def inner_copy(A: dace.int32[N], B: dace.int32[N], unused: dace.float32[N]):
    B[1:-1] = A[1:-1]


@dace.program
def float_copy(A: dace.float32[N], B: dace.float32[N]):
    B[:] = A


@dace.program
def long_symbol(A: dace.float32[L], B: dace.float32[L]):
    B[:] = 2 * A


def strided() -> dace.SDFG:
    """``B = A + 1`` where A is in Fortran order and B has rows of 8 elements, of which M count."""
    sdfg = dace.SDFG("strided")
    sdfg.add_array("A", [N, M], dace.float32, strides=[1, N])
    sdfg.add_array("B", [N, M], dace.float32, strides=[8, 1], total_size=8 * N)
    sdfg.add_state("compute").add_mapped_tasklet(
        "update",
        {"i": "0:N", "j": "0:M"},
        {"a": dace.Memlet("A[i, j]")},
        "b = a + 1",
        {"b": dace.Memlet("B[i, j]")},
        external_edges=True,
    )
    return dace_ipu.to_ipu(sdfg)


def accumulating() -> dace.SDFG:
    """``kept += A; B = kept`` with a ``kept`` that lives as long as the program; ``fresh[0] == 0`` forgets it."""
    sdfg = dace.SDFG("accumulating")
    sdfg.add_array("A", [N], dace.float32)
    sdfg.add_array("fresh", [1], dace.int32)
    sdfg.add_array("B", [N], dace.float32)
    sdfg.add_array("kept", [N], dace.float32, transient=True, lifetime=dace.dtypes.AllocationLifetime.Persistent)
    first = sdfg.add_state("add", is_start_block=True)
    first.add_mapped_tasklet(
        "add",
        {"i": "0:N"},
        {"a": dace.Memlet("A[i]"), "k": dace.Memlet("kept[i]"), "f": dace.Memlet("fresh[0]")},
        "o = a if f != 0 else a + k",
        {"o": dace.Memlet("kept[i]")},
        external_edges=True,
    )
    second = sdfg.add_state_after(first, "out")
    second.add_nedge(second.add_read("kept"), second.add_write("B"), dace.Memlet("kept[0:N]"))
    return dace_ipu.to_ipu(sdfg)


def scaled(factor: int) -> dace.SDFG:
    """``B = factor * A`` for 4 elements, always under the same name."""
    sdfg = dace.SDFG("scaled")
    for name in "AB":
        sdfg.add_array(name, [4], dace.float32)
    sdfg.add_state("compute").add_mapped_tasklet(
        "update",
        {"i": "0:4"},
        {"a": dace.Memlet("A[i]")},
        f"b = a * {factor}",
        {"b": dace.Memlet("B[i]")},
        external_edges=True,
    )
    return dace_ipu.to_ipu(sdfg)


def offloaded(program: Any, name: str | None = None) -> dace.SDFG:
    """The program on the IPU, as an SDFG that nobody else has."""
    sdfg = program.to_sdfg()
    if name is not None:
        sdfg.name = name
    return dace_ipu.to_ipu(sdfg)


def floats(*values: float) -> np.ndarray[Any, Any]:
    """An array of float32."""
    return np.array(values, np.float32)
