"""The preprocessor's output, with the place every line came from.

popc reads classes from preprocessed text, so that macros, conditional code and the user's own headers are seen as the
compiler sees them. What comes from system headers (this package's included) is hidden from it.
"""

from __future__ import annotations

import dataclasses
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dace_ipu.simulator.popc.errors import Place, PopcError
from dace_ipu.simulator.popc.flags import preprocessor_command
from dace_ipu.simulator.popc.options import Options
from dace_ipu.simulator.toolchain import Compiler

__all__ = ["Translation", "preprocess", "prerequisites"]

_REGISTRATION = "poplar/abi/codelet_registration.hpp"
_MARKER = re.compile(r'# (?P<line>\d+) "(?P<file>(?:[^"\\]|\\.)*)"(?P<flags>[ \d]*)')

# A source that defines the device's vector types itself, as one for the IPU Model may: then they are its own.
_DEVICE_TYPE = re.compile(
    r"(?:\b(?:using|struct|class)\s+|\btypedef\b(?![^;]*ext_vector_type)[^;{}]*\s)"
    r"(?:float|half|u?char|u?short|u?int|u?long)[24]\s*(?:=(?![^;]*ext_vector_type)|;|\{|:)"
)


@dataclass(frozen=True)
class Translation:
    """One preprocessed translation unit.

    ``text`` is what the compiler gets. ``user_text`` has as many lines, empty where the line is not the user's;
    ``origins`` gives the place of each. ``dependencies`` are the files of the user that were read.
    ``unit`` is the text before preprocessing, and ``device_types`` whether it sees the device's vector types.
    """

    text: str
    user_text: str
    origins: tuple[Place | None, ...]
    dependencies: tuple[str, ...]
    unit: str = ""
    device_types: bool = True

    def place(self, row: int) -> Place:
        """Return where row ``row`` of the text (counted from 0) came from."""
        return self.origins[row] or Place("<built-in>", 1)


def preprocess(options: Options, compiler: Compiler) -> Translation:
    """Run the preprocessor over the sources, all in one translation unit. Raises :class:`PopcError`."""
    translation = _preprocess(options, compiler, device_types=True)
    if _DEVICE_TYPE.search(translation.user_text):
        return _preprocess(options, compiler, device_types=False)
    return translation


def _preprocess(options: Options, compiler: Compiler, device_types: bool) -> Translation:
    for source in options.sources:
        if not Path(source).is_file():
            raise PopcError(f"popc: error: no such file: '{source}'")
    unit = [f"#include <{_REGISTRATION}>", *(f'#include "{source}"' for source in options.sources)]
    with tempfile.TemporaryDirectory(prefix="popc-") as folder:
        dependencies = Path(folder) / "dependencies"
        command = [
            *preprocessor_command(options, compiler, device_types),
            "-MMD",
            "-MF",
            str(dependencies),
            "-MT",
            "module",
            "-",
        ]
        if options.verbose:
            print(shlex.join(command), file=sys.stderr)
        result = subprocess.run(command, input="\n".join(unit) + "\n", capture_output=True, text=True)
        if result.returncode != 0:
            raise PopcError(result.stderr.rstrip())
        files = prerequisites(dependencies.read_text(encoding="utf-8"))
        translation = _translation(result.stdout, files)
        return dataclasses.replace(translation, unit="\n".join(unit) + "\n", device_types=device_types)


def _translation(text: str, dependencies: tuple[str, ...]) -> Translation:
    origins: list[Place | None] = []
    user_lines: list[str] = []
    file, line, is_users = "", 0, False
    for content in text.split("\n"):
        marker = _MARKER.fullmatch(content)
        if marker:
            file, line = re.sub(r"\\(.)", r"\1", marker["file"]), int(marker["line"])
            is_users = "3" not in marker["flags"] and not file.startswith("<")
            origins.append(None)
            user_lines.append("")
            continue
        origins.append(Place(file, line) if is_users else None)
        user_lines.append(content if is_users else "")
        line += 1
    return Translation(text, "\n".join(user_lines), tuple(origins), dependencies)


def prerequisites(rule: str) -> tuple[str, ...]:
    """Return the files that a Makefile rule, as a compiler writes it, depends on."""
    words = re.split(r"(?<!\\)\s+", rule.replace("\\\n", " ").partition(":")[2].strip())
    return tuple(word.replace("\\ ", " ") for word in words if word not in ("", "-"))
