"""Which program's report is the last one, and how long it is there. The programs here run on the CPU and pretend."""

from __future__ import annotations

import gc
import json
import threading

import dace
import numpy as np
import pytest
from profile_sample import report

from dace_ipu.profile import ReportError, last, last_report

# What a program with device code exports. The report counts how often it was asked for.
EXPORTS = """
#include <string>
static std::string report_text;
static int asked = 0;
extern "C" const char *__dace_ipu_last_error(void *) {{ return nullptr; }}
extern "C" const char *__dace_ipu_report(void *state) {{
    report_text = R"json({report})json";
    report_text.replace(report_text.find("ASKED"), 5, std::to_string(++asked));
    return state ? report_text.c_str() : "{{}}";
}}
"""


def pretender(name: str) -> dace.SDFG:
    """A program that exports a report whose first reason is how often it was asked for."""
    data = report(name=name)
    data["builds"][0]["reason"] = "ASKED"
    sdfg = dace.SDFG(name)
    sdfg.add_array("x", [1], dace.float32)
    sdfg.append_global_code(EXPORTS.format(report=json.dumps(data)))
    state = sdfg.add_state("main")
    tasklet = state.add_tasklet("set", {}, {"b"}, "b = 1;", dace.Language.CPP)
    state.add_edge(tasklet, "b", state.add_write("x"), None, dace.Memlet("x[0]"))
    return sdfg


@pytest.fixture(scope="module")
def first():
    return pretender("first").compile()


@pytest.fixture
def nothing_ran(monkeypatch):
    monkeypatch.setattr(last._in_thread, "call", None)
    monkeypatch.setattr(last, "_in_process", {})


def call(program) -> None:
    program(x=np.zeros(1, np.float32))


def times_asked() -> int:
    return int(last_report().builds[0].reason)


def test_without_a_call_there_is_no_report(nothing_ran):
    with pytest.raises(ReportError, match="no program has run on the IPU yet"):
        last_report()


def test_the_report_is_that_of_the_last_call(first):
    second = pretender("second").compile()
    for program, name in ((first, "first"), (second, "second"), (first, "first")):
        call(program)
        assert last_report().name == name


def test_calls_do_not_ask_for_the_report(first):
    call(first)
    before = times_asked()
    for _ in range(10):
        call(first)
    assert times_asked() == before + 1


def test_the_report_outlives_the_program():
    pretender("short")(x=np.zeros(1, np.float32))  # compiles, calls and unloads
    gc.collect()
    assert last._in_thread.call.program() is None
    assert last_report().name == "short"
    assert last_report().programs[0].runs == 2


def test_a_program_that_was_not_the_last_is_not_asked_when_it_goes(first):
    other = pretender("other").compile()
    call(other)
    kept = last._in_thread.call
    call(first)
    del other
    gc.collect()
    assert kept.text is None


def test_a_program_that_is_gone_without_a_report_is_named(first, nothing_ran):
    call(first)
    first.finalize()
    last._in_thread.call.text = None  # as if the program had no context
    with pytest.raises(ReportError, match="there is no report of the program 'first'"):
        last_report()


def test_a_thread_sees_its_own_call_or_the_last_of_any(first):
    second = pretender("third").compile()
    call(first)
    names = []

    def other_thread() -> None:
        names.append(last_report().name)
        call(second)
        names.append(last_report().name)

    thread = threading.Thread(target=other_thread)
    thread.start()
    thread.join()
    assert names == ["first", "third"]
    assert last_report().name == "first"
