"""Rows of ``fidelity.py`` for single vertices: what codelets and PopLibs' vertices take."""

from __future__ import annotations

from collections.abc import Iterable

from rows import Row, average_compute

from dace_ipu.profile.schema import Profile

__all__ = ["rows"]

_MATVEC = "tutorial 6, matrix-vector product, cycles, Mk2 (graphcore/examples)"
_PI = "pi, one worker a tile, cycles, Bow hardware (UCL-RITS/pi_examples)"
_SCALED_ADD = "scaled addition of floats on one tile, cycles, Mk2 hardware (tessellate-ipu)"
_STREAM = "BabelStream, float, slots of a worker an element, Mk1 hardware (thorbenlouw/BabelStream)"

_COUNTERS = 45  # cycles of two readings of the cycle counter
_ELEMENTS = 16_185_000
_WORKERS = 1216 * 6

_HOST = "timed on the host: the figure holds the start of a run, some 10 us or 1.2 slots"
_HOST_READS = "timed on the host: the figure holds the start of a run and reading the result"


def rows() -> Iterable[Row]:
    yield from _matvec()
    for slices, cycles in ((1000, 90084), (2_917_776, 262_599_924)):
        yield Row(_PI, f"{slices:,} slices a tile", f"pi {slices} 2", _measured, cycles)
    for elements, cycles in ((64, 375), (128, 467), (256, 665), (512, 1043)):
        yield Row(_SCALED_ADD, f"{elements} elements", f"scaled_add {elements}", _measured, cycles)
    for kernel, slots in (("Copy", 3.70), ("Mul", 4.34), ("Add", 5.57), ("Triad", 6.19), ("Dot", 11.96)):
        why = _HOST_READS if kernel == "Dot" else _HOST
        yield Row(_STREAM, kernel, f"stream {kernel} {_ELEMENTS}", _slots_of_an_element, slots, why)


def _measured(profile: Profile) -> float:
    """Cycles between two readings of the cycle counter."""
    return profile.cycles.compute + profile.cycles.sync + _COUNTERS


def _slots_of_an_element(profile: Profile) -> float:
    return profile.cycles.total / 6 / (_ELEMENTS / _WORKERS)


def _matvec() -> Iterable[Row]:
    yield Row(_MATVEC, "model: compute", "matvec model", average_compute, 3801.8)
    yield Row(_MATVEC, "model: exchange", "matvec model", lambda p: p.cycles.exchange, 8697.4)
    yield Row(_MATVEC, "model: host", "matvec model", lambda p: p.cycles.host, 6663550.8)
    yield Row(_MATVEC, "model: sync", "matvec model", lambda p: p.cycles.sync, 1134.8)
    yield Row(_MATVEC, "model: total", "matvec model", lambda p: p.cycles.total, 6681766)
    yield Row(_MATVEC, "hardware: compute", "matvec hardware", average_compute, 28300.3)
    yield Row(_MATVEC, "hardware: exchange", "matvec hardware", lambda p: p.cycles.exchange, 8743.1)
    yield Row(_MATVEC, "hardware: host", "matvec hardware", lambda p: p.cycles.host, 2641488.4)
