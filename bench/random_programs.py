"""Tries random programs on the IPU target against NumPy, and prints the smallest one that fails.

``python bench/random_programs.py --programs 10000`` takes about a second and a half a program on each core. Without
``--simulate`` only the interpreter of the tile graph runs them, which takes half a second. Each process has a seed of
its own; ``--seed`` repeats a run. Needs the checkout: the programs' grammar is in ``tests/random_programs``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

from tests.random_programs.grammar import Example, examples
from tests.random_programs.running import FrontendFault, check


def _try_programs(work: tuple[int, int, bool]) -> tuple[Counter[str], str]:
    """Run ``count`` programs from a seed; return how they went, and what was wrong with the first that failed."""
    count, seed, simulate = work
    outcomes: Counter[str] = Counter()

    @hypothesis.seed(seed)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(examples())
    def run(example: Example) -> None:
        try:
            check(example, folder, simulate)
        except FrontendFault:
            outcomes["DaCe's frontend refuses"] += 1
        else:
            outcomes["right"] += 1

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        try:
            run()
        except Exception as error:
            outcomes["failed"] += 1
            return outcomes, f"seed {seed}: {type(error).__name__}: {error}\n" + "\n".join(
                getattr(error, "__notes__", [])
            )
    return outcomes, ""


def main() -> int:
    """Return 1 if a program failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    os.environ["DACE_cache"] = "hash"  # a build folder for each program
    batch = 50
    work = [(batch, options.seed + number, options.simulate) for number in range(-(-options.programs // batch))]
    total: Counter[str] = Counter()
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=1) as pool:
        for number, (outcomes, message) in enumerate(pool.imap_unordered(_try_programs, work), 1):
            total += outcomes
            if message:
                print(message)
            counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(total.items()))
            print(f"{number} of {len(work)} batches: {counts}", file=sys.stderr)
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
