"""Rows of ``fidelity.py`` for matrix products: the matrix unit on one tile, tutorial 4, and TFLOP/s over size."""

from __future__ import annotations

from collections.abc import Iterable

from rows import Figure, Row

from dace_ipu.profile.schema import Profile, Step

__all__ = ["rows"]

_AMP = "matrix unit [N, 16] x [16, 16] half on one tile, Bow hardware (tessellate-ipu)"
_TUT4 = "tutorial 4: 800x500 500x400 400x200 float, Mk2 model (graphcore/examples)"
_DENSE = "dense matmul, TFLOP/s, read off a figure; which machine is unknown, here Bow (sparsity-benchmarks)"
_PLAN = "the plan is not PopLibs': fewer partials to reduce"

_ORIENTATION = "for few columns the plan here takes the large matrix as the field, PopLibs' as the weights"
_PHASES = "read off a figure of unknown machine; exchange and reduction take most of such a small product"
# Cycles by N.
_AMP_CYCLES = {32: 461, 64: 584, 128: 845, 256: 1352, 512: 2381, 1024: 4424, 2048: 8525}
# TFLOP/s by m = k and n.
_HALF: dict[int, dict[int, float]] = {
    1024: {4: 6.0, 16: 20, 64: 45, 256: 88, 1024: 118, 4096: 177},
    2048: {4: 12.7, 16: 44, 64: 81, 256: 132, 1024: 164},
    4096: {4: 18, 16: 60, 64: 128, 256: 173, 1024: 206},
}
_FLOAT: dict[int, dict[int, float]] = {
    1024: {4: 3.7, 16: 11, 64: 21, 256: 34, 1024: 43, 4096: 55},
    2048: {4: 5.6, 16: 17.8, 64: 34, 256: 44, 1024: 52},
    4096: {4: 7, 16: 22, 64: 41, 256: 52, 1024: 55},
}


def _compute_of(name: str) -> Figure:
    def read(profile: Profile) -> float:
        return next(step for step in profile.steps if step.name == name).compute_cycles

    return read


def _one_execution(profile: Profile) -> float:
    step: Step = profile.steps[0]
    return step.compute_cycles + step.sync_cycles


def _teraflops(flops: float) -> Figure:
    return lambda profile: flops / profile.microseconds(profile.cycles.total) / 1e6


def rows() -> Iterable[Row]:
    for n, cycles in _AMP_CYCLES.items():
        yield Row(_AMP, f"N = {n}", f"amp {n}", _one_execution, cycles, "")
    tutorial = "matmul ipu2 float 0.6 800 500 400 200"
    yield Row(_TUT4, "total", tutorial, lambda profile: profile.cycles.total, 34655, "")
    for name, published in (("1/Convolve", 15250), ("1/Reduce", 3450), ("2/Convolve", 7900), ("2/Reduce", 2400)):
        yield Row(_TUT4, name, tutorial, _compute_of(f"matmul {name}"), published, _PLAN)
    for kind, m, n, published_rate in _dense():
        program = f"matmul bow {kind} 0.6 {m} {m} {n}"
        why = _ORIENTATION if n <= 16 else _PHASES
        yield Row(_DENSE, f"{kind} m = k = {m}, n = {n}", program, _teraflops(2.0 * m * m * n), published_rate, why)


def _dense() -> Iterable[tuple[str, int, int, float]]:
    for m, by_n in _HALF.items():
        yield from (("half", m, n, rate) for n, rate in by_n.items())
    for m, by_n in _FLOAT.items():
        yield from (("float", m, n, rate) for n, rate in by_n.items())
