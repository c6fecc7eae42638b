"""A DaCe backend for the Graphcore IPU, with a simulator that needs no IPU.

Importing the package is all it takes to register it with DaCe::

    import dace, dace_ipu

    @dace.program(device=dace.DeviceType.IPU, auto_optimize=True)
    def axpy(a: dace.float32, x: dace.float32[N], y: dace.float32[N]):
        y[:] = a * x + y
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Order matters: enumeration members come first, everything below refers to them.
from dace_ipu import registration  # noqa: F401  isort: skip
from dace_ipu import (  # noqa: F401
    auto_optimize,
    build_lock,
    config,
    corrections,
    environment,
    hooks,
    instrumentation,
    match_statements,
    numpy_functions,
)
from dace_ipu.errors import Diagnostic, DiagnosticError, HostPartWarning, IPURuntimeError

if TYPE_CHECKING:
    from dace_ipu.profile import last_report as last_report
    from dace_ipu.transformations import OffloadToIPU as OffloadToIPU
    from dace_ipu.transformations import to_ipu as to_ipu

__version__ = "0.1.0"

__all__ = [
    "Diagnostic",
    "DiagnosticError",
    "HostPartWarning",
    "IPURuntimeError",
    "OffloadToIPU",
    "__version__",
    "last_report",
    "to_ipu",
]

config.ensure_registered()
auto_optimize.install()
build_lock.install()
corrections.install()
hooks.install()
instrumentation.install()
match_statements.install()
numpy_functions.install()

# Imported for what it registers: the code generator. It uses most of the package, which has to be registered before.
importlib.import_module("dace_ipu.targets.ipu")

# Public names that live in modules a program may never need; imported when they are first used.
_LAZY = {
    "OffloadToIPU": "dace_ipu.transformations",
    "last_report": "dace_ipu.profile",
    "to_ipu": "dace_ipu.transformations",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)
