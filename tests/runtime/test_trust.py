"""Machines of several sizes in one process, threads with programs of their own, programs that travel."""

from __future__ import annotations

import pickle
import threading

import numpy as np

import dace_ipu
from tests.runtime import programs
from tests.runtime.programs import floats


def check_increment(program, size: int) -> None:
    A, B = np.arange(size, dtype=np.float32), np.zeros(size, np.float32)
    program(A=A, B=B, N=size)
    np.testing.assert_array_equal(B, A + 1)


def test_machines_of_two_sizes_take_turns(increment, monkeypatch):
    for tiles in ("3", "8", "3"):
        monkeypatch.setenv("DACE_compiler_ipu_tiles", tiles)
        check_increment(increment, 91)
        check_increment(increment, 92)


def test_a_pickled_program_runs_in_another_folder(tmp_path, monkeypatch):
    data = pickle.dumps(programs.offloaded(programs.increment, "pickled"))
    monkeypatch.chdir(tmp_path)
    program = pickle.loads(data).compile()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    check_increment(program, 5)
    assert dace_ipu.last_report().name == "pickled"


def test_threads_offload_compile_and_run_programs_of_their_own():
    failures: list[str] = []

    def work(factor: int) -> None:
        try:
            B = floats(0, 0, 0, 0)
            sdfg = programs.scaled(factor)
            sdfg.name = f"scaled_by_{factor}"
            sdfg(A=floats(1, 2, 3, 4), B=B)
            if not (B == factor * floats(1, 2, 3, 4)).all():
                failures.append(f"{factor}: {B}")
        except Exception as error:
            failures.append(repr(error))

    threads = [threading.Thread(target=work, args=(factor,)) for factor in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
