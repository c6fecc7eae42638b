"""The steps before offloading, one by one, and as a whole against NumPy."""

from __future__ import annotations

import copy
from typing import Any

import dace
import numpy as np
import pytest
from dace.sdfg import nodes
from dace.sdfg.state import LoopRegion
from dace.transformation.interstate.loop_to_map import LoopToMap

import dace_ipu
from dace_ipu.transformations import pipeline
from dace_ipu.transformations.freeze import freeze_arguments
from dace_ipu.transformations.parallelize import canonical_symbols, loops_to_maps
from dace_ipu.transformations.trivial_loops import remove_trivial_loops

N, M = dace.symbol("N"), dace.symbol("M")


@dace.program
def rows(A: dace.float32[N, M], B: dace.float32[N, M]):
    for i in range(N):
        A[i, :] = B[i, :] + 1


@dace.program
def prefix(A: dace.float32[N, M]):
    for i in range(1, N):
        A[i, :] = A[i - 1, :] + A[i, :]


def loops(sdfg: dace.SDFG) -> list[str]:
    regions = [r for nested in sdfg.all_sdfgs_recursive() for r in nested.all_control_flow_regions()]
    return sorted(str(r.loop_variable) for r in regions if isinstance(r, LoopRegion))


def maps(sdfg: dace.SDFG) -> list[tuple[str, ...]]:
    return [tuple(n.map.params) for n, _ in sdfg.all_nodes_recursive() if isinstance(n, nodes.MapEntry)]


def test_dace_refuses_a_parallel_loop_over_rows():
    """The fault that canonical_symbols works around. When this fails, DaCe is cured and the workaround can go."""
    assert rows.to_sdfg().apply_transformations_repeated(LoopToMap) == 0


def test_canonical_symbols_change_no_name():
    sdfg = rows.to_sdfg()
    memlets = [str(e.data) for st in sdfg.states() for e in st.edges()]
    canonical_symbols(sdfg)
    assert [str(e.data) for st in sdfg.states() for e in st.edges()] == memlets


def test_a_loop_over_rows_becomes_one_map():
    sdfg = pipeline.shape(rows.to_sdfg())
    assert not loops(sdfg) and [len(params) for params in maps(sdfg)] == [2]


def test_a_loop_that_carries_values_stays():
    sdfg = prefix.to_sdfg()
    loops_to_maps(sdfg)
    assert loops(sdfg) == ["i"]


@pytest.mark.parametrize(("count", "left"), [((3, 4), []), ((3, 3), ["i"]), ((3, 5), ["i"]), ((5, 3, -2), [])])
def test_only_loops_of_one_iteration_go(count: tuple[int, ...], left: list[str]):
    first, last, step = (*count, 1)[:3]

    @dace.program
    def once(A: dace.float32[20]):
        for i in range(first, last, step):
            A[i] = A[i - 1] + 1

    sdfg = once.to_sdfg()
    remove_trivial_loops(sdfg)
    assert loops(sdfg) == left
    A, want = np.zeros(20, np.float32), np.zeros(20, np.float32)
    dace_ipu.to_ipu(sdfg)
    sdfg(A=A)
    for i in range(first, last, step):
        want[i] = want[i - 1] + 1
    np.testing.assert_array_equal(A, want)


def test_a_loop_with_a_jump_stays():
    @dace.program
    def jump(A: dace.float32[4]):
        for _i in range(1):
            if A[0] > 0:
                break
            A[1] = 2

    sdfg = jump.to_sdfg()
    remove_trivial_loops(sdfg)
    assert loops(sdfg) == ["_i"]


@dace.program
def steps(A: dace.float32[8], T: dace.int32, factor: dace.float32):
    for _ in range(T):
        A[:] = A * factor


def test_a_frozen_argument_is_none_any_more():
    sdfg = pipeline.auto_optimize(steps.to_sdfg(), freeze={"T": 3})
    assert sorted(sdfg.arglist()) == ["A", "factor"]
    A = np.ones(8, np.float32)
    sdfg(A=A, factor=np.float32(2))
    np.testing.assert_array_equal(A, 8)


def test_a_frozen_symbol():
    sdfg = pipeline.shape(rows.to_sdfg(), freeze={"N": 5})
    assert sorted(sdfg.arglist()) == ["A", "B", "M"]
    assert str(sdfg.arrays["A"].shape[0]) == "5"


def test_what_cannot_be_frozen():
    @dace.program
    def writes(A: dace.float32[8], s: dace.float32):
        s = A[0]
        A[1] = s

    sdfg = steps.to_sdfg()
    with pytest.raises(dace_ipu.DiagnosticError) as error:
        freeze_arguments(sdfg, {"A": 1, "unknown": 2, "T": 3})
    assert "'A' cannot be frozen: it is not a scalar argument" in str(error.value)
    assert "'unknown' cannot be frozen: the program has no such argument" in str(error.value)
    assert "T" in sdfg.arglist()


def test_every_step_can_be_left_out_and_is_dumped(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DACE_IPU_DUMP", str(tmp_path))
    names = [step.__name__ for step in pipeline.STEPS]
    sdfg = rows.to_sdfg()
    pipeline.shape(sdfg, skip=["loops_to_maps"])
    dumped = [path.stem.split("_", 1)[1] for path in sorted((tmp_path / sdfg.name).iterdir())]
    assert dumped == [name for name in names if name != "loops_to_maps"]
    assert loops(sdfg) == ["i"]


def test_an_unknown_step():
    with pytest.raises(ValueError, match="no such steps: nonsense; the steps are"):
        pipeline.shape(rows.to_sdfg(), skip=["nonsense"])


def test_leaks_of_float64_are_narrowed_and_what_users_wrote_is_not():
    @dace.program
    def leaks(A: dace.float32[8]):
        factor = 0.5
        for i in range(8):
            A[i] = A[i] * factor + i
        return A * factor

    sdfg = leaks.to_sdfg()
    pipeline.shape(sdfg)
    assert dace.float64 not in {desc.dtype for nested in sdfg.all_sdfgs_recursive() for desc in nested.arrays.values()}

    @dace.program
    def means_it(A: dace.float32[8]):
        return A.astype(np.float64) * 2

    sdfg = means_it.to_sdfg()
    before = copy.deepcopy({name: desc.dtype for name, desc in sdfg.arrays.items()})
    pipeline.shape(sdfg, skip=[s.__name__ for s in pipeline.STEPS if s.__name__ != "narrow_leaks"])
    assert {name: desc.dtype for name, desc in sdfg.arrays.items()} == before


def test_nothing_but_shape_leaves_the_host_program_right():
    """Shaped, not offloaded: DaCe's CPU backend computes the same."""
    sdfg = pipeline.shape(prefix.to_sdfg())
    A = np.random.default_rng(0).random((6, 5)).astype(np.float32)
    want = np.cumsum(A, axis=0, dtype=np.float32)
    sdfg(A=A, N=6, M=5)
    np.testing.assert_allclose(A, want, rtol=1e-6)


def test_to_ipu_takes_a_program():
    @dace.program
    def doubled(A: dace.float32[8]):
        A[:] = A * 2

    sdfg = dace_ipu.to_ipu(doubled)
    assert dace_ipu.OffloadToIPU.is_offloaded(sdfg)
    assert dace_ipu.to_ipu(sdfg) is sdfg
