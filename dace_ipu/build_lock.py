"""One build at a time for programs that use the IPU and share a build folder.

DaCe writes sources, objects and libraries of a program into one folder, without a lock: two processes that build the
same program at once read each other's half-written files.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import filelock
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG

from dace_ipu import compat
from dace_ipu.registration import IPU_STORAGES

__all__ = ["install", "is_building"]

_building: contextvars.ContextVar[bool] = contextvars.ContextVar("dace_ipu_is_building", default=False)


def is_building() -> bool:
    """Whether code is generated to be compiled at once, and not only to be looked at."""
    return _building.get()


def install() -> None:
    """Wrap ``SDFG.compile``. Repeatable. Programs that never touch the IPU are compiled as ever."""
    compat.wrap_compile(_with_lock)


def _with_lock(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def compile(sdfg: SDFG, *args: Any, **kwargs: Any) -> Any:
        if not _uses_ipu(sdfg):
            return original(sdfg, *args, **kwargs)
        folder = Path(sdfg.build_folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(folder.with_name(f"{folder.name}.lock")):
            token = _building.set(True)
            try:
                return original(sdfg, *args, **kwargs)
            finally:
                _building.reset(token)

    return compile


def _uses_ipu(sdfg: SDFG) -> bool:
    """Whether the program holds IPU data, at the top or one level down, where device programs are."""
    inside = (n.sdfg for state in sdfg.states() for n in state.nodes() if isinstance(n, nodes.NestedSDFG))
    return any(desc.storage in IPU_STORAGES for graph in (sdfg, *inside) for desc in graph.arrays.values())
