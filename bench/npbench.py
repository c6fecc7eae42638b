"""NPBench on the IPU target, kernel by kernel: what is right, where it runs, and how far it is from what is possible.

::

    git clone --depth 1 https://github.com/spcl/npbench "$HOME/npbench"
    NPBENCH_ROOT="$HOME/npbench" python bench/npbench.py [--preset S] [--only gemm,adi] [--jobs 2] [--markdown table.md]

Kernels are in float32, without float64 that DaCe's frontend brings in, through the whole pipeline of
``auto_optimize``, without a part on the host. Each is a process of its own with a timeout. Columns:

* **result**: two calls with fresh data, all arrays and returned values against NumPy in float32 (``npbench_kernels``);
* **where**: 'all tiles', or how many maps and loops run on one tile, because they cannot be divided or by choice, as
  all tiles are estimated to take longer; scalars outside of maps are counted apart;
* **sets**: compute sets of the graph; **tiles** that the widest one uses;
* **cycles** of a call on the device, without the host's traffic; **bound**: see ``work_bound``; **ratio** of both;
* **c/e/s**: percent of compute, exchange, sync;
* **KB**: fullest tile, and in brackets the share of a tile in the arguments;
* **run** in ms (the simulator's wall time), and against DaCe's CPU backend in one thread;
* **build** in s: shaping, offloading, code, compilers, graph, and against the CPU backend's code and compiler.

Kernels with a ``while`` or with ranges from data have a bound that is too low. Goals: ratio 3, run 3, build 2.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import npbench_kernels as kernels
from table import show

COLUMNS = ("kernel", "result", "where", "sets", "tiles", "cycles", "bound", "ratio", "c/e/s", "KB", "run", "build")
FOLDER = Path(__file__).parent
Record = dict[str, Any]


def main() -> int:
    """Measure and print. Returns the number of kernels that are not right."""
    options = _options()
    kernels.root()
    names = options.only.split(",") if options.only else list(kernels.TINY)
    unknown = sorted(set(names) - set(kernels.TINY))
    if unknown:
        sys.exit(f"no such kernels: {', '.join(unknown)}")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        records = list(pool.map(lambda name: _measured(name, options, Path(folder)), names))
    rows = [_row(record) for record in records]
    right = sum(row[1].startswith("right") for row in rows)
    title = f"NPBench, preset {options.preset}: {right} of {len(rows)} right"
    show(title, COLUMNS, rows)
    if options.markdown:
        options.markdown.write_text(_markdown(title, rows), encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps(records, indent=1), encoding="utf-8")
    return len(rows) - right


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("::")[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--preset", choices=("tiny", "S", "M", "L", "paper"), default="tiny")
    parser.add_argument("--only", help="kernels, separated by commas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for a kernel")
    parser.add_argument("--markdown", type=Path, help="write the table to this file")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser.parse_args()


def _measured(kernel: str, options: argparse.Namespace, folder: Path) -> Record:
    """The record of a kernel, measured in a process and a folder of its own."""
    place = folder / kernel
    place.mkdir()
    result = place / "result.json"
    start = time.perf_counter()
    ending = _finish(_start(kernel, options.preset, place, result), options.timeout)
    record: Record = json.loads(result.read_text(encoding="utf-8")) if result.exists() else {"kernel": kernel}
    if record.get("stage") != "done" and "error" not in record:
        record["error"] = ending
    print(f"{kernel:26} {time.perf_counter() - start:6.1f} s  {_result(record)}", file=sys.stderr, flush=True)
    return record


def _start(kernel: str, preset: str, place: Path, result: Path) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "DACE_default_build_folder": str(place / ".dacecache"),
        "PYTHONPATH": _paths(),
        "OMP_NUM_THREADS": "1",  # waiting threads would be measured where others use the machine
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, str(FOLDER / "npbench_worker.py"), kernel, preset, str(result)]
    with (place / "log.txt").open("wb") as log:
        return subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            env=environment,
            cwd=place,
            start_new_session=True,
        )


def _paths() -> str:
    return os.pathsep.join(filter(None, (str(FOLDER), str(FOLDER.parent), os.environ.get("PYTHONPATH"))))


def _finish(process: subprocess.Popen[bytes], timeout: float) -> str:
    """How a process ended."""
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # compilers as well
        process.wait()
        return f"no end in {timeout:.0f} s"
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


# ---- the table -------------------------------------------------------------------------------------------------------


def _row(record: Record) -> tuple[str, ...]:
    result = _result(record)
    if "cycles" not in record:
        return (record["kernel"], result, *[""] * (len(COLUMNS) - 2))
    share = record["bytes"] / record["all_tiles"]
    return (
        record["kernel"],
        result,
        _where(record),
        str(record["compute_sets"]),
        str(record["tiles"]),
        f"{record['cycles']:,}",
        f"{record['bound']:,.0f}",
        f"{record['cycles'] / record['bound']:.1f}",
        "/".join(f"{100 * part:.0f}" for part in record["shares"]),
        f"{record['worst'] / 1024:.1f} ({share / 1024:.2g})",
        _against(record, "run", 1000, "ms"),
        _against(record, "build", 1, "s"),
    )


def _result(record: Mapping[str, Any]) -> str:
    if "wrong" in record:
        return "right" if not record["wrong"] else f"WRONG: {record['wrong'][0]}"
    return f"{record.get('stage', 'start')}: {record.get('error', 'not finished')}"


def _where(record: Record) -> str:
    """What the notes of the report say about parts that do not use all tiles."""
    notes = [note for note in record["notes"] if "one tile" in note]
    scalars = sum("it is a single computation" in note for note in notes)
    chosen = sum("is estimated to take longer" in note for note in notes)
    parts = len(notes) - scalars - chosen
    kinds = ((parts, "on one tile"), (chosen, "chosen for one tile"), (scalars, "scalars"))
    texts = [f"{count} {kind}" for count, kind in kinds if count]
    return ", ".join(texts if parts or chosen else ["all tiles", *texts])


def _against(record: Record, what: str, factor: float, unit: str) -> str:
    text = f"{factor * record[what]:.3g} {unit}"
    cpu = record.get(f"cpu_{what}")
    return f"{text}, {record[what] / cpu:.1f}x" if cpu else text


def _markdown(title: str, rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(cells) + " |" for cells in (COLUMNS, ("---",) * len(COLUMNS), *rows)]
    return "\n".join([f"**{title}**", "", *lines, ""])


if __name__ == "__main__":
    sys.exit(min(main(), 100))
