"""From preprocessed text to a module, with errors in terms of the user's source."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from dace_ipu.simulator.popc.classes import find_vertices
from dace_ipu.simulator.popc.errors import PopcError, SourceError
from dace_ipu.simulator.popc.flags import compiler_command
from dace_ipu.simulator.popc.options import Options
from dace_ipu.simulator.popc.preprocess import Translation
from dace_ipu.simulator.popc.table import ASSERTION, generate
from dace_ipu.simulator.toolchain import Compiler

__all__ = ["compile_module"]

_TILE_ID = "__builtin_ipu_get_tile_id"

_DEVICE_TARGET = re.compile(r'target\s*\(\s*"(?:supervisor|worker)"\s*\)')

_ASSERTION = re.compile(rf":\d+: error: static assertion failed(?: due to requirement '.*')?: {ASSERTION}")

_VECTOR_ATTRIBUTE = r"__attribute__\s*\(\(\s*(?:__)?ext_vector_type(?:__)?\s*\(\s*(?P<lanes>[^()]+?)\s*\)\s*\)\)"
_VECTOR_TYPES = tuple(
    re.compile(pattern.replace("ATTRIBUTE", _VECTOR_ATTRIBUTE))
    for pattern in (
        r"typedef\s+(?P<lane>[^;{}()]+?)\s+(?P<name>\w+)\s*ATTRIBUTE\s*;",
        r"typedef\s+(?P<lane>[^;{}()]+?)\s*ATTRIBUTE\s*(?P<name>\w+)\s*;",
        r"using\s+(?P<name>\w+)\s*=\s*(?P<lane>[^;{}()]+?)\s*ATTRIBUTE\s*;",
    )
)


def compile_module(translation: Translation, options: Options, compiler: Compiler, output: Path) -> None:
    """Write the shared library ``output``. Warnings of the compiler go to stderr. Raises :class:`PopcError`."""
    table = generate(find_vertices(translation), _TILE_ID in translation.user_text)
    text = f"{_for_host(translation, compiler)}\n{table}"
    command = compiler_command(options, compiler, output)
    if options.verbose:
        print(shlex.join(command), file=sys.stderr)
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode != 0:
        raise PopcError(_readable(result.stderr))
    if result.stderr:
        print(result.stderr, end="", file=sys.stderr)


def _for_host(translation: Translation, compiler: Compiler) -> str:
    """Return the text without what only a compiler for the IPU understands."""
    text = _DEVICE_TARGET.sub("", translation.text)
    if compiler.kind == "clang":
        return text
    for pattern in _VECTOR_TYPES:
        text = pattern.sub(_vector_type, text)
    _check_vector_types(text, translation)
    return text


def _vector_type(match: re.Match[str]) -> str:
    """Rewrite the declaration of a vector type, on as many lines."""
    newlines = "\n" * match[0].count("\n")
    return f"typedef poplar::detail::VectorOf<{match['lane']}, {match['lanes']}> {match['name']};{newlines}"


def _check_vector_types(text: str, translation: Translation) -> None:
    rows = [row for row, line in enumerate(text.split("\n")) if "ext_vector_type" in line]
    findings = [(translation.place(row), "the simulator's compiler has no ext_vector_type here") for row in rows]
    if findings:
        raise SourceError(findings)


def _readable(errors: str) -> str:
    """Return the compiler's errors with popc's own assertions and the linker's complaints in plain words."""
    undefined = re.findall(r"undefined (?:reference to|symbol:) [`']?(.+?)'?$", errors, re.MULTILINE)
    if undefined:
        return "\n".join(f"popc: error: '{symbol}' is used but not defined" for symbol in dict.fromkeys(undefined))
    lines: list[str] = []
    is_assertion = False
    for line in errors.rstrip().split("\n"):
        is_caret = re.fullmatch(r" +\|[ ~^]*", line)
        if re.fullmatch(r"In file included from <stdin>:\d+:", line) or (is_assertion and is_caret):
            continue  # popc's list of sources; a caret that points into popc's text, not into the line shown
        lines.append(_ASSERTION.sub(": error: ", line))
        is_assertion = lines[-1] != line or (is_assertion and line.startswith(" "))
    return "\n".join(lines)
