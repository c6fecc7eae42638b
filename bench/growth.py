"""How the tool's time and the graph's construction grow with the number of maps: python bench/growth.py

Goal: linear. Each map is a stencil on the result of the one before, so that none can be fused.
"""

from __future__ import annotations

import time

import dace
import numpy as np
from table import show

import dace_ipu

N = dace.symbol("N")
MAPS = (4, 8, 16, 32, 64)


def chain(maps: int) -> dace.SDFG:
    """A program of that many stencils, from A to B and back."""
    sdfg = dace.SDFG(f"chain_{maps}")
    for name in "AB":
        sdfg.add_array(name, [N], dace.float32)
    state = sdfg.add_state()
    for k in range(maps):
        source, target = ("A", "B") if k % 2 == 0 else ("B", "A")
        reads = {name: dace.Memlet(f"{source}[i + {d}]") for name, d in (("left", -1), ("right", 1))}
        writes = {"out": dace.Memlet(f"{target}[i]")}
        state = sdfg.add_state_after(state)
        state.add_mapped_tasklet(f"m{k}", {"i": "1:N-1"}, reads, "out = left + right", writes, external_edges=True)
    return sdfg


def main() -> None:
    rows = []
    for maps in MAPS:
        sdfg = chain(maps)
        start = time.perf_counter()
        dace_ipu.to_ipu(sdfg)
        offloaded = time.perf_counter()
        sdfg.generate_code()
        generated = time.perf_counter()
        program = sdfg.compile()
        compiled = time.perf_counter()
        arrays = {name: np.ones(20_000, np.float32) for name in "AB"}
        program(**arrays, N=16)  # compiles the codelets
        called = time.perf_counter()
        program(**arrays, N=20_000)
        built = time.perf_counter()
        times = np.diff([start, offloaded, generated, compiled, called, built])
        rows.append((maps, *map(float, times), float(times[-1]) / maps * 1e3))
    columns = ("maps", "offload s", "generate s", "compile s", "first call s", "build s", "build ms a map")
    show("growth with the number of maps, 1,472 tiles", columns, rows)


if __name__ == "__main__":
    main()
