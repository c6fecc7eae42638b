"""Turns an error that a running program recorded into a Python exception.

A C++ exception that leaves a program's library ends the process, and DaCe 2.0.0b1 ignores the result of a program's
initialiser. So every exported function of a generated program catches everything, keeps the first error, does nothing
from then on, and exports::

    extern "C" const char *__dace_ipu_last_error(<name>_state_t *state);

which returns the text of the error and forgets it, or ``nullptr``; the text lives until the program is called again.
The hook asks for it after each call, and notes which program ran last for ``dace_ipu.last_report()``.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import threading
import weakref
from collections.abc import Iterator
from typing import Any

from dace_ipu import compat, config
from dace_ipu.errors import IPURuntimeError
from dace_ipu.profile import last

__all__ = ["LAST_ERROR_FUNCTION", "install", "take_last_error"]

#: Exported by every generated program that uses the IPU.
LAST_ERROR_FUNCTION = "__dace_ipu_last_error"

# Programs without device code: asking each time would cost a failing symbol look-up for every call of every program.
_without_device: weakref.WeakSet[compat.CompiledSDFG] = weakref.WeakSet()

# A program has one set of engines and one place for its error: a call and the question for its error belong together.
_locks: weakref.WeakKeyDictionary[compat.CompiledSDFG, threading.RLock] = weakref.WeakKeyDictionary()


def install() -> None:
    """Install the hooks. Repeatable."""
    compat.install_compiled_call_hook("raise_recorded_error", raise_recorded_error)
    last.install()


@contextlib.contextmanager
def raise_recorded_error(program: compat.CompiledSDFG, arguments: tuple[Any, ...]) -> Iterator[None]:
    """Run around one call of ``program``; raise :class:`IPURuntimeError` if the call recorded an error.

    Calls of one program by several threads wait for each other; those of different programs do not.
    """
    if program in _without_device or not compat.exported_function(program, LAST_ERROR_FUNCTION, ctypes.c_char_p):
        _without_device.add(program)
        yield
        return
    _let_programs_find_popc()
    with _locks.setdefault(program, threading.RLock()):
        yield
        message = take_last_error(program)
    last.remember(program)
    if message is not None:
        raise IPURuntimeError(message, program.sdfg.name)


@functools.cache
def _let_programs_find_popc() -> None:
    """Graphs are built, and codelets compiled, inside of calls: the library finds the compiler in the environment."""
    if config.settings().mode == "simulator":
        from dace_ipu.simulator import enable  # needed by programs that run, not by `import dace_ipu`

        enable.activate()
        if config.settings().check:
            os.environ["DACE_IPU_CHECK"] = "1"


def take_last_error(program: compat.CompiledSDFG) -> str | None:
    """Return the error that ``program`` recorded and make it forget it; ``None`` if there is none."""
    if program in _without_device:
        return None
    last_error = compat.exported_function(program, LAST_ERROR_FUNCTION, ctypes.c_char_p)
    if last_error is None:
        _without_device.add(program)
        return None
    text = last_error(compat.state_pointer(program))
    return None if text is None else text.decode("utf-8", errors="replace")
