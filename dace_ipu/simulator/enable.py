"""The environment in which Poplar programs build and run against the simulator.

After ``eval "$(dace-ipu enable)"`` a plain ``g++ --std=c++11 program.cpp -lpoplar`` finds headers and libraries, the
program finds them again when it runs, ``popc`` is on the PATH, and CMake finds the packages ``poplar`` and ``poplibs``.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from dace_ipu.simulator.build import Libraries, ensure_built
from dace_ipu.simulator.cache import cache_folder
from dace_ipu.simulator.popc.identity import tool_key
from dace_ipu.simulator.popc.store import digest, write_whole
from dace_ipu.simulator.sdk_folder import sdk_folder

__all__ = ["activate", "codelet_environment", "environment", "exports"]

_POPC = Path(__file__).parent / "popc" / "standalone.py"


def environment(libraries: Libraries | None = None) -> dict[str, str]:
    """Return the variables to set, complete values: the folders come before what the variables hold now.

    ``libraries`` are built if they are not given. Raises what
    :func:`~dace_ipu.simulator.build.ensure_built` raises.
    """
    built = ensure_built() if libraries is None else libraries
    sdk = sdk_folder(built, _popc_script())
    return {
        "POPLAR_SDK_ENABLED": str(sdk),
        "CMAKE_PREFIX_PATH": _prepended("CMAKE_PREFIX_PATH", sdk),
        "PATH": _prepended("PATH", sdk / "bin"),
        "LD_LIBRARY_PATH": _prepended("LD_LIBRARY_PATH", built.lib_dir),
        "LIBRARY_PATH": _prepended("LIBRARY_PATH", sdk / "lib"),
        "CPLUS_INCLUDE_PATH": _prepended("CPLUS_INCLUDE_PATH", built.include_dir),
        **codelet_environment(),
    }


def codelet_environment() -> dict[str, str]:
    """Return the variables by which libpoplar finds the codelet compiler and its cache."""
    return {
        "DACE_IPU_POPC": shlex.quote(str(_popc_script())),
        "DACE_IPU_CODELET_CACHE": str(cache_folder() / "codelets"),
        "DACE_IPU_POPC_KEY": tool_key(),
    }


def activate() -> None:
    """Set the variables of :func:`codelet_environment` in this process, for libraries that it loads."""
    os.environ.update(codelet_environment())


def exports() -> str:
    """Return :func:`environment` as commands of a POSIX shell, a line each."""
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in environment().items())


def _prepended(variable: str, folder: Path) -> str:
    """Return the variable with ``folder`` in front, once. An empty entry would mean the working directory."""
    entries = os.environ.get(variable, "").split(os.pathsep)
    return os.pathsep.join([str(folder), *(entry for entry in entries if entry not in ("", str(folder)))])


def _popc_script() -> Path:
    """Return the command ``popc`` for this Python and this copy of the package, written if it is not there."""
    command = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(_POPC))} "$@"\n'
    script = cache_folder() / "bin" / digest(command) / "popc"
    if not script.is_file():
        script.parent.mkdir(parents=True, exist_ok=True)
        write_whole(script, lambda path: path.write_text(command, encoding="utf-8"), executable=True)
    return script
