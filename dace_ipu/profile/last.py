"""The report of the program that ran last.

A compiled program knows its own numbers and exports::

    extern "C" const char *__dace_ipu_report(<name>_state_t *state);

which writes them as JSON. It is asked when somebody wants to know, and when a program that ran last is about to be
unloaded: ``sdfg(...)`` compiles, calls and unloads a program in one go. A call itself costs an assignment.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import weakref
from typing import Any

from dace_ipu import compat
from dace_ipu.profile.reader import read_report
from dace_ipu.profile.report import Report
from dace_ipu.profile.schema import ReportError

__all__ = ["REPORT_FUNCTION", "install", "last_report", "remember"]

#: Exported by every generated program that uses the IPU.
REPORT_FUNCTION = "__dace_ipu_report"


class _Call:
    """A call of a program, and the text of its report as soon as it is known."""

    def __init__(self, program: compat.CompiledSDFG) -> None:
        self.program = weakref.ref(program)
        self.name = program.sdfg.name
        self.text: str | None = None


class _InThread(threading.local):
    call: _Call | None = None


# A thread that called nothing sees the last call of any other.
_in_thread = _InThread()
_in_process: dict[str, _Call] = {}

# Where a program keeps its last call. In finalizers an attribute is safer than comparing weak references.
_ATTRIBUTE = "_dace_ipu_last_call"


def install() -> None:
    """Save the report of a program that ran last before DaCe unloads it. Repeatable."""
    compat.wrap_finalize(_saving)


def remember(program: compat.CompiledSDFG) -> None:
    """Note that ``program`` has just run on the IPU, or has tried to."""
    call = _Call(program)
    setattr(program, _ATTRIBUTE, call)
    _in_thread.call = _in_process["call"] = call


def last_report() -> Report:
    """The report of the last call of an IPU program in this thread, or in this process if the thread made none.

    It covers the graphs that the program has built and keeps, over all their runs. Raises :class:`ReportError` if there
    was no call, or if the program was unloaded before anybody asked.
    """
    call = _in_thread.call or _in_process.get("call")
    if call is None:
        raise ReportError("no program has run on the IPU yet")
    program = call.program()
    if program is not None and compat.is_initialized(program):
        call.text = _ask(program)
    if call.text is None:
        raise ReportError(
            f"there is no report of the program '{call.name}': it was unloaded before anybody asked for one, or it "
            "could not be initialised"
        )
    return read_report(call.text)


def _ask(program: compat.CompiledSDFG) -> str | None:
    """The text of a report; None if the program has no context because its initialisation failed."""
    report = compat.exported_function(program, REPORT_FUNCTION, ctypes.c_char_p)
    text = None if report is None else report(compat.state_pointer(program))
    return None if text is None or text == b"{}" else text.decode("utf-8", errors="replace")


def _saving(finalize: compat.Function) -> compat.Function:
    def save_and_finalize(program: compat.CompiledSDFG) -> Any:
        call: _Call | None = getattr(program, _ATTRIBUTE, None)
        if call in (_in_thread.call, _in_process.get("call")) and call is not None:
            if compat.is_initialized(program) and not sys.is_finalizing():
                call.text = _ask(program)
        return finalize(program)

    return save_and_finalize
