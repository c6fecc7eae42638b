"""Rows of ``fidelity.py`` for stencils: a blur by phase and over IPUs, its convolution, and a halo exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rows import Row, average_compute, milliseconds, of_step, pure_exchange, vertices_only

from dace_ipu.profile.schema import Profile, Step

__all__ = ["rows"]

_BLUR = "Gaussian blur 2200x1122, cycles of a step, Mk1 (lbm-graphcore)"
_MEAN = "Gaussian blur, 1 IPU, mean of all tiles, cycles"
_SPEEDUP = "Gaussian blur, float, times as fast as 1 IPU"
_STRONG = "Gaussian blur, float, 1,000 iterations of two steps, ms"
_WEAK = "Gaussian blur, 500x1000 an IPU, 100 iterations, ms"
_CONVOLUTION = "Gaussian blur as a convolution, 1 IPU, cycles of a step"
_HALO = "halo exchange, cycles, Mk1 model (lbm-graphcore)"
_IMAGE = "2200 1122"

_BUSIEST = "of the busiest tile; the mean of all tiles is far lower, though their blocks are alike: see below"
_COLUMNS = "PopLibs' regression for words of 8 bytes is dearer than these columns of pixels"
_ROWS = "here pieces of 16 bytes took as long as longer ones"
_CODELET = "our codelet is not the published one, which has loops for nine regions"
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
# Of all tiles, as the SDK prints it for 200 steps: compute with rearranging, exchange.
_MEANS = {"half4": (9_776_488.5, 98_879.4), "float2": (15_322_789.5, 179_984.5), "float": (32_146_868.4, 179_984.5)}
_STRONG_SCALING = {1: 284.24, 2: 162.5, 4: 83.15, 8: 52.26, 16: 30.3}
_FIGURES: dict[str, tuple[Callable[[Step], float], str]] = {
    "exchange": (pure_exchange, _BUSIEST),
    "exchange between IPUs": (lambda step: step.global_exchange_cycles, ""),
    "rearranging before": (lambda step: step.pre_arrange_cycles, _COLUMNS),
    "rearranging after": (lambda step: step.write_back_cycles, _ROWS),
    "sync": (lambda step: step.sync_cycles, _SYNC),
    "compute": (vertices_only, _BUSIEST),
}


def rows() -> Iterable[Row]:
    yield from _blur()
    for kind, (compute, exchange) in _MEANS.items():
        program = f"blur {kind} 1 {_IMAGE}"
        what = f"{kind}: compute with rearranging"
        yield Row(_MEAN, what, program, average_compute, compute / 200, _CODELET)
        yield Row(_MEAN, f"{kind}: exchange", program, lambda profile: profile.cycles.exchange, exchange / 200)
    for ipus, published in _STRONG_SCALING.items():
        yield Row(_STRONG, _ipus(ipus), f"blur float {ipus} {_IMAGE}", milliseconds(2000), published, _BUSIEST)
    one = _STRONG_SCALING[1]
    for ipus, published in list(_STRONG_SCALING.items())[1:]:
        program = f"blur float {ipus} {_IMAGE}"
        base = f"blur float 1 {_IMAGE}"
        yield Row(_SPEEDUP, _ipus(ipus), program, milliseconds(2000), one / published, faster_than=base)
    for kind, ipus, published in (("half4", 1, 2.549), ("half4", 16, 3.571), ("float", 1, 6.924), ("float", 16, 7.956)):
        program = f"blur {kind} {ipus} {500 * ipus} 1000"
        yield Row(_WEAK, f"{kind}, {_ipus(ipus)}", program, milliseconds(200), published, _BUSIEST)
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
