"""Programs that are offloaded twice, transformed, saved, redefined or optimised before they run."""

from __future__ import annotations

import dace
import numpy as np
import pytest
from dace.transformation.dataflow import TrivialMapElimination

import dace_ipu
from tests.runtime import programs
from tests.runtime.programs import floats

N = dace.symbol("N")


def check_increment(program) -> None:
    B = floats(0, 0, 0)
    program(A=floats(1, 2, 3), B=B, N=3)
    np.testing.assert_array_equal(B, [2, 3, 4])


def test_a_scope_without_its_map_still_runs_on_the_device():
    sdfg = programs.offloaded(programs.increment, "without_map")
    assert sdfg.apply_transformations_repeated(TrivialMapElimination) == 1
    check_increment(sdfg)
    assert dace_ipu.last_report().name == "without_map"


def test_a_saved_program_runs(tmp_path):
    sdfg = programs.offloaded(programs.increment, "saved")
    sdfg.save(str(tmp_path / "saved.sdfg"))
    loaded = dace.SDFG.from_file(str(tmp_path / "saved.sdfg"))
    assert loaded.hash_sdfg() == sdfg.hash_sdfg()
    check_increment(loaded)
    assert dace_ipu.last_report().name == "saved"


def test_offloading_twice_is_offloading_once():
    sdfg = programs.offloaded(programs.increment)
    before = sdfg.hash_sdfg()
    assert dace_ipu.to_ipu(sdfg) is sdfg
    assert sdfg.apply_transformations(dace_ipu.OffloadToIPU) == 0
    assert sdfg.hash_sdfg() == before


@pytest.mark.parametrize("cache", ["hash", "name"])
def test_another_program_of_the_same_name(cache):
    with dace.config.set_temporary("cache", value=cache):
        for factor in (2, 3):
            B = floats(0, 0, 0, 0)
            programs.scaled(factor)(A=floats(1, 2, 3, 4), B=B)
            np.testing.assert_array_equal(B, factor * floats(1, 2, 3, 4))


def test_the_decorator_compiles_once_for_all_sizes():
    @dace.program(device=dace.DeviceType.IPU, auto_optimize=True)
    def decorated(a: dace.float32, x: dace.float32[N], y: dace.float32[N]):
        y[:] = a * x + y

    for size in (3, 5, 3):
        x, y = np.arange(size, dtype=np.float32), np.ones(size, np.float32)
        decorated(np.float32(2), x, y)
        np.testing.assert_array_equal(y, 2 * x + 1)
    assert [build.reason for build in dace_ipu.last_report().builds] == ["first call with N=3", "N changed 3 → 5"]


def test_auto_optimize_twice_and_two_sizes():
    sdfg = programs.increment.to_sdfg()
    sdfg.name = "optimised"
    sdfg.auto_optimize(dace.DeviceType.IPU, symbols={"N": 3})
    sdfg.auto_optimize(dace.DeviceType.IPU)
    program = sdfg.compile()
    for size in (3, 5):
        A, B = np.arange(size, dtype=np.float32), np.zeros(size, np.float32)
        program(A=A, B=B, N=size)
        np.testing.assert_array_equal(B, A + 1)


def test_cycles_of_each_call_in_daces_report():
    sdfg = programs.offloaded(programs.increment, "counted_cycles")
    sdfg.instrument = dace.InstrumentationType.IPU_Cycles
    program = sdfg.compile()

    def cycles(size: int) -> dict[str, int]:
        program(A=np.ones(size, np.float32), B=np.zeros(size, np.float32), N=size)
        return {event.name: event.counters["cycles"] for event in sdfg.get_latest_report().events}

    first, again, larger = cycles(3), cycles(3), cycles(1000)
    assert list(first) == ["A_in -> A", "update_B", "B -> B_out"]
    assert first == again
    assert 0 < first["update_B"] < larger["update_B"]
