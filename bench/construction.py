"""Graph construction and load, and how they grow with tiles: python bench/construction.py

Goal: less than 0.3 s for axpy and the stencil on 1,472 tiles, growth linear in tiles.
"""

from __future__ import annotations

import os
import time
from functools import partial

from programs import PROGRAMS
from table import median_seconds, show

import dace_ipu

TILES = (16, 256, 1472, 5888)
SIZES = {"axpy": 1_000_000, "stencil": 700}


def main() -> None:
    rows = []
    for name, size in SIZES.items():
        for tiles in TILES:
            os.environ["DACE_compiler_ipu_tiles"] = str(min(tiles, 1472))
            os.environ["DACE_compiler_ipu_ipus"] = str(max(1, tiles // 1472))
            program = PROGRAMS[name]
            compiled = dace_ipu.to_ipu(program.sdfg(f"ipu_{tiles}")).compile()
            compiled(**program.arguments(16))  # codelets are compiled
            arguments = program.arguments(size)
            start = time.perf_counter()
            compiled(**arguments)
            first = time.perf_counter() - start
            again = median_seconds(partial(compiled, **arguments), 5)
            rows.append((name, tiles, first, again, first - again, (first - again) / tiles * 1e6))
    show(
        "graph construction and load",
        ("program", "tiles", "first call s", "later call s", "build s", "us a tile"),
        rows,
    )


if __name__ == "__main__":
    main()
