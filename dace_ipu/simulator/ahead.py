"""Compiles the codelets of a program while its host code compiles, so that the first call finds them in the cache.

Nothing depends on it: if it fails, or is not done in time, libpoplar compiles them when the graph is built, and says
what is wrong with them.
"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
import threading
from pathlib import Path

from dace_ipu.simulator.enable import codelet_environment

__all__ = ["codelet_key", "compile_ahead", "fnv1a"]

#: What generated programs give to ``Graph::addCodelets`` (runtime/src/engine.hpp).
_FLAGS = "-O3 -fwrapv"


def compile_ahead(source: str) -> None:
    """Start compiling a codelet source in the background, unless the cache has it."""
    try:
        environment = codelet_environment()
    except OSError:  # a cache folder that cannot be written: the build that follows says so better
        return
    key = codelet_key(source, environment["DACE_IPU_POPC_KEY"])
    if not (Path(environment["DACE_IPU_CODELET_CACHE"]) / f"{key}.gp").is_file():
        threading.Thread(target=_compile, args=(source, key, environment["DACE_IPU_POPC"]), daemon=True).start()


def codelet_key(source: str, popc_key: str) -> str:
    """The name under which libpoplar looks for a source in memory (src/poplar/core/popc.cpp), 16 hexadecimal digits."""
    words = "\0".join((source, _FLAGS, popc_key))
    return f"{fnv1a(words.encode()):016x}"


def fnv1a(data: bytes) -> int:
    """The FNV-1a hash of 64 bits (Fowler, Noll and Vo)."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def _compile(source: str, key: str, popc: str) -> None:
    with tempfile.TemporaryDirectory(prefix="dace_ipu_") as folder:
        file = Path(folder) / "codelets.cpp"
        file.write_text(source, encoding="utf-8")
        command = [*shlex.split(popc), "--cached", f"--key={key}", *_FLAGS.split(), str(file)]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
