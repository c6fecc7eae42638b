"""Lets DaCe import this package by itself.

DaCe has no plug-in mechanism. An SDFG file that names IPU storages or schedules, read by a process that did not import
``dace_ipu``, silently loses them, and unpickling such an SDFG fails. ``DACE_call_hooks=dace_ipu.loader.hook`` in the
environment (or ``call_hooks`` in DaCe's configuration file) makes ``import dace`` import this package and cures both.
"""

from __future__ import annotations

from dace.sdfg.sdfg import SDFG

import dace_ipu  # noqa: F401  (the import is the purpose)

__all__ = ["hook"]


def hook(sdfg: SDFG) -> None:
    """Do nothing: DaCe imports this module to find the function, and that is all it is for."""
