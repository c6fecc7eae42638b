"""Scalar arguments with values that are known when a program is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from dace import data
from dace.sdfg.sdfg import SDFG, InterstateEdge

from dace_ipu.errors import DiagnosticCollector, Place

__all__ = ["freeze_arguments"]


def freeze_arguments(sdfg: SDFG, values: Mapping[str, Any]) -> None:
    """Let scalar arguments and size symbols have the ``values``, in place; they are no arguments any more.

    Before: ``for t in range(TSTEPS)`` with an argument ``TSTEPS``. After, with ``{"TSTEPS": 10}``: ``range(10)``.
    The compiled program computes for these values only. A scalar that the program writes, an array, and an unknown
    name raise DiagnosticError, all at once, before anything is changed.
    """
    findings = DiagnosticCollector()
    for name in sorted(values):
        _check(sdfg, name, findings)
    findings.raise_if_errors()
    for name, value in sorted(values.items()):
        if name in sdfg.arrays:
            _freeze_scalar(sdfg, name, value)
        else:
            sdfg.replace_dict({name: str(value)})
            sdfg.symbols.pop(name, None)


def _check(sdfg: SDFG, name: str, findings: DiagnosticCollector) -> None:
    desc = sdfg.arrays.get(name)
    place = Place.of(desc or sdfg, sdfg)
    if desc is None and name not in map(str, sdfg.free_symbols):
        known = sorted(n for n, d in sdfg.arglist().items() if isinstance(d, data.Scalar))
        findings.error(
            place, f"'{name}' cannot be frozen: the program has no such argument", notes=[f"scalars are: {known}"]
        )
    elif desc is not None and (not isinstance(desc, data.Scalar) or desc.transient):
        findings.error(place, f"'{name}' cannot be frozen: it is not a scalar argument", hints=["pass it in each call"])
    elif desc is not None and any(
        node.data == name and state.in_degree(node) for state in sdfg.states() for node in state.data_nodes()
    ):
        findings.error(place, f"'{name}' cannot be frozen: the program writes it")


def _freeze_scalar(sdfg: SDFG, name: str, value: Any) -> None:
    """A constant takes the place of the argument, where DaCe's simplification propagates it from."""
    desc = sdfg.arrays[name]
    desc.transient = True
    first = sdfg.start_block
    state = sdfg.add_state(f"freeze_{name}", is_start_block=True)
    code = repr(np.asarray(value, desc.dtype.as_numpy_dtype()).item())
    tasklet = state.add_tasklet(f"freeze_{name}", {}, {"out": desc.dtype}, f"out = {code}")
    state.add_edge(tasklet, "out", state.add_write(name), None, sdfg.make_array_memlet(name))
    sdfg.add_edge(state, first, InterstateEdge())
