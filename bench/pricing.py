"""What counting cycles from the code adds to a build: python bench/pricing.py

Processor seconds, as a second processor hides most of it: of popc for one file of codelets, and of whole cold builds of
generated programs, from the SDFG to the end of a first call. Goal: at most 20 % of a build.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import show

from dace_ipu.simulator.cache import cache_folder

GOLDEN = Path(__file__).parents[1] / "golden"
_CLANG = "DACE_IPU_PRICING_CLANG"


def processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def popc_seconds(source: Path, is_priced: bool) -> float:
    """The least of three runs of popc, without its cache."""
    variables = {**os.environ, **({} if is_priced else {_CLANG: "none"})}
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "dace_ipu.simulator.popc.standalone", "-O3", str(source), "-o", f"{folder}/x.gp"]
        return min(_seconds_of(words, variables) for _ in range(3))


def _seconds_of(words: list[str], variables: dict[str, str]) -> float:
    before = processor_seconds()
    subprocess.run(words, check=True, env=variables, stdout=subprocess.DEVNULL)
    return processor_seconds() - before


def build_seconds(is_priced: bool) -> dict[str, float]:
    """By program; in a process of its own, with the compiled simulator but no compiled codelets."""
    with tempfile.TemporaryDirectory() as folder:
        for built in cache_folder().glob("*"):
            if built.name != "codelets":
                (Path(folder) / built.name).symlink_to(built)
        variables = {**os.environ, "DACE_default_build_folder": f"{folder}/programs", "DACE_IPU_CACHE": folder}
        variables |= {} if is_priced else {_CLANG: "none"}
        words = [sys.executable, __file__, "--builds"]
        output = subprocess.run(words, check=True, env=variables, capture_output=True, text=True).stdout
        seconds: dict[str, float] = json.loads(output.splitlines()[-1])
        return seconds


def build_all() -> None:
    """Build and call every program once, and print the seconds as JSON."""
    from programs import PROGRAMS

    import dace_ipu

    seconds = {}
    for number, (name, program) in enumerate([("warm", PROGRAMS["axpy"]), *PROGRAMS.items()]):
        sdfg = program.sdfg(f"pricing_{number}")
        before = processor_seconds()
        dace_ipu.to_ipu(sdfg)
        sdfg.compile()(**program.arguments(16))
        time.sleep(1)  # a codelet compiler in the background
        seconds[name] = processor_seconds() - before
    del seconds["warm"]  # imports, CMake's own caches
    print(json.dumps(seconds))


def _rows(without: dict[str, float], priced: dict[str, float]) -> list[tuple[str, float, float, float]]:
    return [(name, without[name], priced[name], 100 * (priced[name] / without[name] - 1)) for name in without]


def main() -> None:
    if "--builds" in sys.argv:
        return build_all()
    sources = sorted(GOLDEN.glob("*/codelets.cpp"))[:3]
    popc = [{source.parent.name: popc_seconds(source, priced) for source in sources} for priced in (False, True)]
    show("popc, one file", ("codelets of", "without s", "with s", "more %"), _rows(*popc))
    builds = [build_seconds(priced) for priced in (False, True)]
    show("cold build and first call", ("program", "without s", "with s", "more %"), _rows(*builds))
    return None


if __name__ == "__main__":
    main()
