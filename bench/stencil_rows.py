"""Rows of ``fidelity.py`` for stencils: a blur by phase and over IPUs, its convolution, and a halo exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rows import Row, milliseconds, of_step, pure_exchange, vertices_only

from dace_ipu.profile.schema import Profile, Step

__all__ = ["rows"]

_BLUR = "Gaussian blur 2200x1122, cycles of a step, Mk1 hardware (lbm-graphcore)"
_STRONG = "the same, float, 1,000 iterations of two steps, ms"
_WEAK = "the same, 500x1000 an IPU, 100 iterations, ms"
_CONVOLUTION = "the blur as a convolution, cycles of a step, 1 Mk1, hardware (lbm-graphcore)"
_HALO = "halo exchange, cycles, Mk1 model (lbm-graphcore)"
_IMAGE = "2200 1122"

_OLD_COMPILER = "the SDK of 2020 bundled few instructions; prices are those of the published compiler of 2023"
_EXPANDED = "convolutions are products of the expanded image here: PopLibs has plans that need no expansion"
_CLIFF = "the slow plan is PopLibs' own; here it only takes more steps, below 0.2 instead of 0.4"
_SYNC = "64 and 117 are published for one program in two types; the model has 83"

# Exchange, between IPUs, before, after, sync, compute.
_PHASES = {
    "half4 1": (637, 0, 5741, 4826, 64, 63531),
    "float2 1": (1173, 0, 8279, 6954, 117, 100257),
    "float 1": (1173, 0, 8279, 6954, 117, 210249),
    "half4 16": (263, 3043, 1611, 882, 501, 4446),
    "float2 16": (397, 4017, 1897, 954, 642, 7914),
    "float 16": (397, 4048, 1894, 954, 640, 13152),
}
_FIGURES: dict[str, tuple[Callable[[Step], float], str]] = {
    "exchange": (pure_exchange, ""),
    "exchange between IPUs": (lambda step: step.global_exchange_cycles, ""),
    "rearranging before": (lambda step: step.pre_arrange_cycles, ""),
    "rearranging after": (lambda step: step.write_back_cycles, ""),
    "sync": (lambda step: step.sync_cycles, _SYNC),
    "compute": (vertices_only, _OLD_COMPILER),
}


def rows() -> Iterable[Row]:
    yield from _blur()
    for ipus, published in ((1, 284.24), (2, 162.5), (4, 83.15), (8, 52.26), (16, 30.3)):
        yield Row(_STRONG, _ipus(ipus), f"blur float {ipus} {_IMAGE}", milliseconds(2000), published)
    for kind, ipus, published in (("half4", 1, 2.549), ("half4", 16, 3.571), ("float", 1, 6.924), ("float", 16, 7.956)):
        program = f"blur {kind} {ipus} {500 * ipus} 1000"
        yield Row(_WEAK, f"{kind}, {_ipus(ipus)}", program, milliseconds(200), published)
    yield from _convolution()
    for what, published in (("compute", 12000), ("exchange", 5682), ("sync", 3328), ("total", 21010)):
        yield Row(_HALO, what, "halo", lambda profile, what=what: getattr(profile.cycles, what), published)


def _blur() -> Iterable[Row]:
    for run, values in _PHASES.items():
        kind, ipus = run.split()
        for (what, (figure, why)), value in zip(_FIGURES.items(), values, strict=True):
            if value:
                name = f"{kind}, {_ipus(int(ipus))}: {what}"
                yield Row(_BLUR, name, f"blur {run} {_IMAGE}", of_step("blur", figure), value, why)


def _convolution() -> Iterable[Row]:
    for kind, published in (("half", 0.60595), ("float", 1.6749)):
        program = f"convolution {kind} 499 302 0.6"
        yield Row(_CONVOLUTION, f"{kind}, 499x302", program, lambda p: p.cycles.total, _step(published), _EXPANDED)
    for kind, proportion, published in (("half", 0.1, 143.64), ("half", 0.4, 4.4717), ("float", 0.4, 185.64)):
        what = f"{kind}, 2200x1122, availableMemoryProportion {proportion}, as planned"
        program = f"convolution {kind} {_IMAGE} {proportion} plan"
        yield Row(_CONVOLUTION, what, program, _no_figure, _step(published), _CLIFF, r"estimated cycles (\d+)")


def _step(milliseconds_of_all: float) -> float:
    """Cycles of one of 200 steps."""
    return round(milliseconds_of_all * 1.6e6 / 200)


def _no_figure(_: Profile) -> float:
    raise AssertionError("the program's output has the figure")


def _ipus(count: int) -> str:
    return "1 IPU" if count == 1 else f"{count} IPUs"
