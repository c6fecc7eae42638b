"""Compiles generated host programs fast: with a precompiled header of their own, and without optimisation.

They include DaCe's headers, the runtime's and Poplar's, which take several times as long to read as the rest of a
program, and they only build graphs: what takes time then is inside of the libraries.

DaCe force-includes a precompiled <dace/dace.h> into every generated file, and GCC takes one such header a file. A CMake
file, which an environment may name, replaces it::

    <cache>/simulator/<key>/host/<key of compiler, flags and DaCe's headers>/dace_ipu_host.hpp.gch, host.cmake

All of it is a matter of speed: GCC ignores a precompiled header that does not fit and reads the plain one, and where
none can be made programs are compiled as DaCe does.
"""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

import filelock

from dace_ipu import compat
from dace_ipu.simulator.build import INCLUDE, RUNTIME_INCLUDE, Libraries, ensure_built
from dace_ipu.simulator.popc.store import digest
from dace_ipu.simulator.toolchain import Compiler, MissingCompiler, describe

__all__ = ["HEADERS", "cmake_files"]

_HEADER = "dace_ipu_host.hpp"

#: What a generated host program includes.
HEADERS = (
    "dace/dace.h",
    "dace_ipu/blocks.hpp",
    "dace_ipu/combine.hpp",
    "dace_ipu/fill.hpp",
    "dace_ipu/integers.hpp",
    "dace_ipu/mapping.hpp",
    "dace_ipu/perf.hpp",
    "dace_ipu/product.hpp",
    "dace_ipu/programs.hpp",
    "dace_ipu/rows.hpp",
    "poplar/Graph.hpp",
    "poplar/Program.hpp",
    "poputil/TileMapping.hpp",
    "algorithm",
    "cstdint",
)

# The codelets' text needs no header at all.
_CMAKE = """\
foreach(DACE_IPU_FILE ${{DACE_CPP_FILES}})
  if(DACE_IPU_FILE MATCHES "/ipu/[^/]*_ipu[.]cpp$")
    set_source_files_properties(${{DACE_IPU_FILE}} PROPERTIES COMPILE_OPTIONS "-O0;-I{folder};-include;{header}")
  elseif(DACE_IPU_FILE MATCHES "/ipu/[^/]*_ipu_embedded[.]cpp$")
    set_source_files_properties(${{DACE_IPU_FILE}} PROPERTIES COMPILE_OPTIONS "")
  endif()
endforeach()
"""


def cmake_files() -> list[Path]:
    """Return the CMake file for DaCe's build of a program, with the header precompiled now if it is not there.

    None for a compiler that is not GCC, where DaCe is told not to precompile, and where it fails.
    """
    setup = compat.precompiling()
    if setup is None:
        return []
    try:
        return [_precompiled(ensure_built(), setup)]
    except (OSError, MissingCompiler, subprocess.CalledProcessError):
        return []


@functools.cache
def _precompiled(libraries: Libraries, setup: compat.Precompiling) -> Path:
    compiler = describe((setup.compiler,))
    key = digest(compiler.identity, *setup.flags, *_state(setup.include))[:16]
    folder = libraries.lib_dir.parent / "host" / key
    file = folder / "host.cmake"
    if not file.is_file():
        folder.parent.mkdir(exist_ok=True)
        with filelock.FileLock(folder.with_suffix(".lock")):
            if not file.is_file():  # another process may have made it meanwhile
                _make(folder, compiler, setup)
    return file


def _state(folder: Path) -> list[str]:
    """Names, sizes and times of DaCe's headers; those of this package are in the key of the libraries."""
    files = ((path, path.stat()) for path in sorted(folder.rglob("*")) if path.is_file())
    return [f"{path} {status.st_size} {status.st_mtime_ns}" for path, status in files]


def _make(folder: Path, compiler: Compiler, setup: compat.Precompiling) -> None:
    """Make the folder, which appears when it is complete."""
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as temporary:
        made = Path(temporary) / "made"
        made.mkdir()
        (made / _HEADER).write_text("".join(f"#include <{header}>\n" for header in HEADERS), encoding="utf-8")
        includes = [f"-I{path}" for path in (setup.include, RUNTIME_INCLUDE, INCLUDE)]
        words = [*compiler.command, *setup.flags, "-O0", *includes, "-x", "c++-header", str(made / _HEADER)]
        subprocess.run([*words, "-o", str(made / f"{_HEADER}.gch")], check=True, capture_output=True)
        (made / "host.cmake").write_text(_CMAKE.format(folder=folder, header=_HEADER), encoding="utf-8")
        made.rename(folder)
