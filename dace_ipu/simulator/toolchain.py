"""The C++ compiler of the host: which one, and what tells its output from another's.

The simulator compiles two kinds of code: its own libraries and codelets. Both use one compiler, found in this order:
the environment variable ``DACE_IPU_CXX``, then ``CXX``, then ``g++``, ``c++`` and ``clang++`` on the PATH.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Compiler", "MissingCompiler", "cpu_identity", "describe", "find_compiler"]

_ON_PATH = ("g++", "c++", "clang++")
_VARIABLES = ("DACE_IPU_CXX", "CXX")

_HOW_TO_INSTALL = """\
install one:
  Debian, Ubuntu:  sudo apt install g++
  Fedora, RHEL:    sudo dnf install gcc-c++
  conda:           conda install -c conda-forge cxx-compiler
  macOS:           xcode-select --install
or name one in the environment variable DACE_IPU_CXX"""


class MissingCompiler(Exception):
    """There is no C++ compiler, or the one that was asked for does not run. The text says how to get one."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the simulator needs a C++17 compiler, but {reason}\n{_HOW_TO_INSTALL}")


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler.

    ``command`` starts it (more than one word for ``CXX='ccache g++'``), ``kind`` is the family whose options it takes,
    ``version`` is the first line it says about itself, ``identity`` changes whenever its output may.
    """

    command: tuple[str, ...]
    kind: Literal["gcc", "clang"]
    version: str
    identity: str

    @property
    def major(self) -> int:
        """The major version, 0 if the compiler does not tell."""
        found = re.search(r"\b(\d+)\.\d+", self.version)
        return int(found[1]) if found else 0


@functools.cache
def find_compiler() -> Compiler:
    """Return the compiler to use, the same in all calls of a process. Raises :class:`MissingCompiler`."""
    for command, origin in _candidates():
        path = shutil.which(command[0])
        if path is None:
            raise MissingCompiler(f"{origin} is '{command[0]}', which does not exist")
        return describe((path, *command[1:]))
    raise MissingCompiler(f"none of {', '.join(_ON_PATH)} is on the PATH")


def cpu_identity() -> str:
    """Return what distinguishes this machine's processor for ``-march=native``: its name and instruction sets."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            wanted = ("model name", "flags", "Features", "CPU part")
            first = file.read().split("\n\n", 1)[0]
            return "\n".join(line for line in first.splitlines() if line.startswith(wanted))
    except OSError:
        return f"{platform.machine()} {platform.processor()}"


def _candidates() -> Iterator[tuple[list[str], str]]:
    """Yield commands and where they were asked for; those from the PATH only if they exist."""
    for variable in _VARIABLES:
        command = shlex.split(os.environ.get(variable, ""))
        if command:
            yield command, f"the environment variable {variable}"
    yield from (([name], "the PATH") for name in _ON_PATH if shutil.which(name))


def describe(command: tuple[str, ...]) -> Compiler:
    """Return what is known of the compiler that ``command`` starts. Raises :class:`MissingCompiler`."""
    version = _version(command)
    kind: Literal["gcc", "clang"] = "clang" if "clang" in version else "gcc"
    facts = (*command, version, sys.platform, platform.machine(), *_signatures(command))
    return Compiler(command, kind, version.splitlines()[0], hashlib.sha256("\n".join(facts).encode()).hexdigest())


def _version(command: tuple[str, ...]) -> str:
    try:
        result = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise MissingCompiler(f"'{shlex.join(command)} --version' fails: {error}") from error
    return result.stdout.strip() or "unknown"


def _signatures(command: tuple[str, ...]) -> Iterator[str]:
    """Yield size and time of the executables: distributions patch a compiler without changing its version."""
    for word in command:
        path = shutil.which(word)
        if path is not None:
            status = os.stat(os.path.realpath(path))
            yield f"{status.st_size} {status.st_mtime_ns}"
