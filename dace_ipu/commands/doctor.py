"""``dace-ipu doctor``: is everything here that the simulator needs?"""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

from dace_ipu.simulator import build
from dace_ipu.simulator.cache import cache_folder
from dace_ipu.simulator.toolchain import MissingCompiler, find_compiler

__all__ = ["Finding", "add_parser", "run"]

_OLDEST_PYTHON = (3, 10)
_OLDEST_GCC = 9
_OLDEST_CLANG = 10


@dataclass(frozen=True)
class Finding:
    """One line of the report. ``remedy`` says what to do and is empty if nothing is wrong."""

    subject: str
    state: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"{'problem' if self.remedy else 'ok':8}{self.subject}: {self.state}"
        return line + "".join(f"\n        {part}" for part in self.remedy.splitlines())


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    subparsers.add_parser("doctor", help="check compiler, cache folder, libraries and versions")


def run(args: argparse.Namespace) -> int:
    """Print a line for every check. The exit status is 1 if one found a problem."""
    findings = [check() for check in _CHECKS]
    print("\n".join(map(str, findings)))
    return int(any(finding.remedy for finding in findings))


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    wanted = ".".join(map(str, _OLDEST_PYTHON))
    return Finding("Python", version, "" if sys.version_info >= _OLDEST_PYTHON else f"install Python {wanted} or newer")


def _dace() -> Finding:
    try:
        version = importlib.metadata.version("dace")
    except importlib.metadata.PackageNotFoundError:
        return Finding("DaCe", "not installed", "pip install 'dace>=2.0.0b1,<3'")
    return Finding("DaCe", version, "" if version.startswith("2.") else "pip install 'dace>=2.0.0b1,<3'")


def _compiler() -> Finding:
    try:
        compiler = find_compiler()
    except MissingCompiler as error:
        return Finding("C++ compiler", "missing", str(error))
    oldest = _OLDEST_CLANG if compiler.kind == "clang" else _OLDEST_GCC
    remedy = f"the simulator needs version {oldest} or newer" if 0 < compiler.major < oldest else ""
    return Finding("C++ compiler", f"{' '.join(compiler.command)}, {compiler.version}", remedy)


def _cache() -> Finding:
    folder = cache_folder()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            return Finding("cache folder", f"{folder}, writable")
    except OSError as error:
        remedy = "make it writable, or name another folder in the environment variable DACE_IPU_CACHE"
        return Finding("cache folder", f"{folder}, not writable ({error.strerror or error})", remedy)


def _libraries() -> Finding:
    subject = "simulator's libraries"
    try:
        libraries = build.planned()
    except MissingCompiler:
        return Finding(subject, "not built", "needs the compiler above")
    if libraries.is_complete:
        return Finding(subject, f"{', '.join(libraries.names)} in {libraries.lib_dir}")
    if libraries.lib_dir.is_dir():  # appears when it is complete
        return Finding(subject, f"damaged: {libraries.lib_dir}", "run 'dace-ipu build'")
    return Finding(subject, "not built yet; built when they are first needed, or by 'dace-ipu build'")


_CHECKS: tuple[Callable[[], Finding], ...] = (_python, _dace, _compiler, _cache, _libraries)
