"""Random graphs on the simulator against NumPy, thousands of them: python bench/fuzz.py [programs] [first seed]"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from dace_ipu.simulator.build import ensure_built
from tests.random_graphs.runner import build_driver, mismatches

BATCH = 250


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    start = time.perf_counter()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        command = build_driver(ensure_built(), Path(folder))
        for seed in range(first, first + count, BATCH):
            for problem in mismatches(command, range(seed, min(seed + BATCH, first + count))):
                failures += 1
                print(problem, flush=True)
    print(f"{count} programs, {failures} failures, {time.perf_counter() - start:.1f} s")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
