"""What a repeated call costs beyond moving the data: python bench/call.py

Goal: less than 1 ms.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from programs import PROGRAMS
from table import median_seconds, show

import dace_ipu


def copies(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Move the data once."""
    return [array.copy() for array in arrays]


def main() -> None:
    rows = []
    for name, size in (("axpy", 1000), ("axpy", 1_000_000), ("stencil", 100), ("total", 1000)):
        program = PROGRAMS[name]
        arguments = program.arguments(size)
        compiled = dace_ipu.to_ipu(program.sdfg("ipu_call")).compile()
        call = median_seconds(partial(compiled, **arguments), 50)
        arrays = [a for a in arguments.values() if isinstance(a, np.ndarray)]
        move = median_seconds(partial(copies, arrays), 50)
        rows.append((name, size, call * 1e3, move * 1e3, (call - move) * 1e3))
    show("repeated calls", ("program", "size", "call ms", "copies of the data ms", "difference ms"), rows)


if __name__ == "__main__":
    main()
