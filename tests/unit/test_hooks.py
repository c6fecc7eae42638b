"""Errors recorded by a running program become exceptions, and the program can be called again."""

from __future__ import annotations

import dace
import numpy as np
import pytest

from dace_ipu import IPURuntimeError, hooks

# What a program with device code exports, here in a program for the CPU.
RECORDER = """
static const char *recorded = nullptr;
static float record_if_negative(float value) {
    if (value < 0) recorded = "tile 3 is out of memory";
    return value;
}
extern "C" const char *__dace_ipu_last_error(void *state) {
    const char *error = state ? recorded : "no state";
    recorded = nullptr;
    return error;
}
"""


def copying(name: str, code: str, global_code: str = "") -> dace.SDFG:
    """A program that copies ``x`` to ``y`` through the C++ statement ``code``."""
    sdfg = dace.SDFG(name)
    sdfg.add_array("x", [1], dace.float32)
    sdfg.add_array("y", [1], dace.float32)
    sdfg.append_global_code(global_code)
    state = sdfg.add_state("main")
    tasklet = state.add_tasklet("copy", {"a"}, {"b"}, code, dace.Language.CPP)
    state.add_edge(state.add_read("x"), None, tasklet, "a", dace.Memlet("x[0]"))
    state.add_edge(tasklet, "b", state.add_write("y"), None, dace.Memlet("y[0]"))
    return sdfg


@pytest.fixture(scope="module")
def recording():
    return copying("recording", "b = record_if_negative(a);", RECORDER).compile()


def call(program, value: float) -> float:
    x, y = np.array([value], np.float32), np.zeros(1, np.float32)
    program(x=x, y=y)
    return float(y[0])


def test_a_recorded_error_is_raised_with_the_program(recording):
    with pytest.raises(IPURuntimeError) as error:
        call(recording, -1)
    assert str(error.value) == "program 'recording': tile 3 is out of memory"
    assert error.value.program == "recording"


def test_the_program_can_be_called_again_after_an_error(recording):
    with pytest.raises(IPURuntimeError):
        call(recording, -1)
    assert call(recording, 5) == 5


def test_an_error_is_reported_once(recording):
    with pytest.raises(IPURuntimeError):
        call(recording, -1)
    assert hooks.take_last_error(recording) is None


def test_two_installations_report_once(recording):
    count = len(dace.hooks._COMPILED_SDFG_CALL_HOOKS)
    hooks.install()
    assert len(dace.hooks._COMPILED_SDFG_CALL_HOOKS) == count
    with pytest.raises(IPURuntimeError):
        call(recording, -1)


def test_programs_without_device_code_are_left_alone():
    program = copying("host_only", "b = a;").compile()
    assert call(program, -1) == -1
    assert hooks.take_last_error(program) is None
