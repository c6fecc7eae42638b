"""Measures one NPBench kernel and writes what it found as JSON: ``python npbench_worker.py KERNEL PRESET RESULT``.

Works in the current folder. Every stage is written at once, so that the caller knows how far a kernel got that crashed
or took too long.
"""

from __future__ import annotations

import copy
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dace
import npbench_kernels as kernels
import numpy as np
from work_bound import lower_bound

import dace_ipu
from dace_ipu.transformations import pipeline
from dace_ipu.transformations.narrow import narrow

Record = dict[str, Any]


def main() -> None:
    kernel, preset, result = sys.argv[1:]
    path = Path(result)
    record: Record = {"kernel": kernel, "stage": "start"}
    try:
        measure(kernel, preset, lambda news: _write(path, record, news))
    except BaseException as error:
        lines = [line for line in str(error).strip().splitlines() if line.strip()] or [""]
        _write(path, record, {"error": f"{type(error).__name__}: {lines[0].strip()[:160]}"})
        raise


def _write(path: Path, record: Record, news: Record) -> None:
    record.update(news)
    path.with_suffix(".new").write_text(json.dumps(record), encoding="utf-8")
    path.with_suffix(".new").replace(path)


def measure(kernel: str, preset: str, write: Callable[[Record], None]) -> None:
    """All figures of a kernel, written as they come."""
    np.seterr(all="ignore")
    write({"stage": "numpy"})
    data = kernels.rounded(kernels.data_of(kernel, preset))
    want = _reference(kernel, data, single=True)
    exact = _reference(kernel, data, single=False)
    write({"stage": "frontend"})
    sdfg = kernels.function(kernel, "dace").to_sdfg(simplify=True)
    narrow(sdfg)
    ipu = copy.deepcopy(sdfg)
    ipu.name = f"{kernel}_ipu"
    write({"stage": "shape"})
    start = time.perf_counter()
    pipeline.shape(ipu)
    shaped = time.perf_counter() - start
    shape = copy.deepcopy(ipu)
    write({"stage": "offload"})
    start = time.perf_counter()
    ipu.apply_transformations(dace_ipu.OffloadToIPU)
    write({"stage": "compile"})
    program = ipu.compile()
    write({"stage": "run"})
    first = _call(kernel, program, data)
    built = shaped + time.perf_counter() - start
    second = _call(kernel, program, data)
    write({"build": built - second[1], "run": second[1], "bytes": _bytes(program, data), **_profile()})
    wrong = [m for outputs, _ in (first, second) for m in kernels.mistakes(kernel, outputs, want, exact)]
    bound = lower_bound(shape, data, _profile()["all_tiles"])
    write({"stage": "cpu", "bound": bound.total, "wrong": wrong[:3]})
    write(_on_cpu(kernel, sdfg, data))
    write({"stage": "done"})


def _reference(kernel: str, data: kernels.Data, single: bool) -> kernels.Data:
    arguments = kernels.rounded(data, single)
    order = kernels.info_of(kernel)["input_args"]
    returned = kernels.function(kernel, "numpy", single)(*(arguments[name] for name in order))
    return kernels.outputs(kernel, arguments, returned)


def _call(kernel: str, program: Any, data: kernels.Data) -> tuple[kernels.Data, float]:
    """The outputs of a call with fresh data, and its seconds."""
    fresh = kernels.rounded(data)
    arguments = _arguments(program.sdfg, fresh)
    start = time.perf_counter()
    returned = program(**arguments)
    seconds = time.perf_counter() - start
    return kernels.outputs(kernel, {**fresh, **arguments}, returned), seconds


def _arguments(sdfg: dace.SDFG, data: kernels.Data) -> kernels.Data:
    """What the SDFG takes of the data, in the types that it asks for."""
    result = {}
    for name, desc in sdfg.arglist().items():
        if name.startswith("__return"):
            continue
        value, dtype = data[name], desc.dtype.as_numpy_dtype()
        if isinstance(desc, dace.data.Array):
            value = np.ascontiguousarray(value, dtype)
            if value.ndim != len(desc.shape):  # nbody's masses have a second dimension of 1; DaCe refuses views
                value = np.array(value.reshape([n for n in value.shape if n != 1]))
        else:
            value = np.asarray(value, dtype).item()
        result[name] = value
    return result


def _bytes(program: Any, data: kernels.Data) -> int:
    arguments = _arguments(program.sdfg, data)
    return sum(value.nbytes for value in arguments.values() if isinstance(value, np.ndarray))


def _profile() -> Record:
    """What the report of the two calls says, for one call. Cycles are without the host's, and without what the streams
    of arguments and results take on the tiles, which the bound does not know either.
    """
    program = dace_ipu.last_report().programs[0]
    profile = program.profile
    assert profile is not None
    runs = profile.runs
    steps = [step for step in profile.steps if step.kind != "streamCopy"]
    parts = [sum(getattr(step, f"{part}_cycles") for step in steps) for part in ("compute", "exchange", "sync")]
    device = sum(parts)
    return {
        "cycles": device // runs,
        "host": profile.cycles.host // runs,
        "streams": sum(step.cycles for step in profile.steps if step.kind == "streamCopy") // runs,
        "shares": [part / (device or 1) for part in parts],
        "compute_sets": profile.graph.compute_sets,
        "tiles": max((step.tiles_used for step in profile.steps if step.kind == "execute"), default=0),
        "worst": profile.memory.max_bytes,
        "all_tiles": profile.target.num_tiles,
        "notes": list(program.notes),
        "steps": [[s.name, s.kind, s.executions, s.cycles, s.tiles_used] for s in profile.steps],
    }


def _on_cpu(kernel: str, sdfg: dace.SDFG, data: kernels.Data) -> Record:
    """Seconds of the CPU backend, which cannot compile every kernel."""
    try:
        sdfg.name = f"{kernel}_cpu"
        start = time.perf_counter()
        program = sdfg.compile()
        build = time.perf_counter() - start
        return {"cpu_build": build, "cpu_run": min(_call(kernel, program, data)[1] for _ in range(2))}
    except Exception as error:
        return {"cpu_error": f"{type(error).__name__}"}


if __name__ == "__main__":
    os.environ.setdefault("DACE_profiling", "0")
    main()
