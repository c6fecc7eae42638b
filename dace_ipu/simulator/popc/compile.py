"""From preprocessed text to a module, with errors in terms of the user's source."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dace_ipu.simulator.popc.classes import Assembly, Parsed, parse
from dace_ipu.simulator.popc.errors import PopcError, SourceError
from dace_ipu.simulator.popc.flags import compiler_command, linker_command, pricing_options
from dace_ipu.simulator.popc.options import Options
from dace_ipu.simulator.popc.preprocess import Translation
from dace_ipu.simulator.popc.table import ASSERTION, counted_entries, generate
from dace_ipu.simulator.pricing.clang import ClangError, find_clang
from dace_ipu.simulator.pricing.count import compile_counted
from dace_ipu.simulator.toolchain import Compiler

__all__ = ["compile_module"]

_ASSEMBLY = "dace_ipu assembly"
_TILE_ID = "__builtin_ipu_get_tile_id"

_DEVICE_TARGET = re.compile(r'target\s*\(\s*"(?:supervisor|worker)"\s*\)')

_ASSERTION = re.compile(rf":\d+: error: static assertion failed(?: due to requirement '.*')?: {ASSERTION}")

# What older versions of g++ say, beside errors only, about warnings that popc turns off.
_UNKNOWN_WARNING = re.compile(
    r"^(At global scope:\n)?cc1plus: note: unrecognized command-line option.*\n?", re.MULTILINE
)

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
    parsed = parse(translation)
    table = generate(parsed.vertices, _TILE_ID in translation.user_text)
    text = f"{_for_host(translation, parsed, compiler)}\n{table}"
    with tempfile.TemporaryDirectory(prefix="popc-") as folder, ThreadPoolExecutor(1) as beside:
        compiled, counted = Path(folder) / "codelets.o", Path(folder) / "counted.o"
        pricing = beside.submit(_price, translation, parsed, options, counted)
        messages = _run(compiler_command(options, compiler, compiled), text, parsed, options)
        objects = [compiled, counted] if pricing.result() else [compiled]
        _link(compiler, objects, output, parsed, options)
    if messages:
        print(messages, end="", file=sys.stderr)


def _price(translation: Translation, parsed: Parsed, options: Options, output: Path) -> bool:
    """Compile entries that count what vertices cost to an object, and return whether there is one."""
    clang = find_clang() if options.priced else None
    if clang is None:
        return False
    text = translation.unit + counted_entries(parsed.vertices)
    try:
        compile_counted(text, pricing_options(options, translation.device_types), clang, output)
    except ClangError as error:
        if options.verbose:
            print(f"popc: note: cycles are not counted from the code: {error}", file=sys.stderr)
        return False
    return True


def _link(compiler: Compiler, objects: list[Path], output: Path, parsed: Parsed, options: Options) -> None:
    """Link, without the entries that count if they need what the host's library does not have."""
    try:
        _run(linker_command(compiler, objects, output), "", parsed, options)
    except PopcError:
        if len(objects) == 1:
            raise
        _run(linker_command(compiler, objects[:1], output), "", parsed, options)


def _run(command: list[str], text: str, parsed: Parsed, options: Options) -> str:
    """Run a command and return its warnings. Raises :class:`PopcError`."""
    if options.verbose:
        print(shlex.join(command), file=sys.stderr)
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode != 0:
        raise _error(result.stderr, parsed)
    return result.stderr


def _for_host(translation: Translation, parsed: Parsed, compiler: Compiler) -> str:
    """Return the text without what only a compiler for the IPU understands."""
    text = _without_assembly(translation.text, parsed.assembly)
    text = _DEVICE_TARGET.sub("", text)
    if compiler.kind == "clang":
        return text
    for pattern in _VECTOR_TYPES:
        text = pattern.sub(_vector_type, text)
    _check_vector_types(text, translation)
    return text


def _without_assembly(text: str, assembly: Sequence[Assembly]) -> str:
    """Replace assembly by a directive that fails, with a number to know it by, if the code is used at all.

    Code that nothing uses never gets to the assembler: files hold both a template for hardware and one for the model.
    """
    lines = [line.encode() for line in text.split("\n")]
    for number, code in reversed(list(enumerate(assembly))):
        (first, start), (last, end) = code.start, code.end
        failing = f'".error \\"{_ASSEMBLY} {number}\\""'.encode()
        rest = lines[last][end:]
        lines[first : last + 1] = [lines[first][:start] + failing, *([b""] * (last - first))]
        lines[last] += rest
    return b"\n".join(lines).decode()


def _vector_type(match: re.Match[str]) -> str:
    """Rewrite the declaration of a vector type, on as many lines."""
    newlines = "\n" * match[0].count("\n")
    return f"typedef poplar::detail::VectorOf<{match['lane']}, {match['lanes']}> {match['name']};{newlines}"


def _check_vector_types(text: str, translation: Translation) -> None:
    rows = [row for row, line in enumerate(text.split("\n")) if "ext_vector_type" in line]
    findings = [(translation.place(row), "the simulator's compiler has no ext_vector_type here") for row in rows]
    if findings:
        raise SourceError(findings)


def _error(messages: str, parsed: Parsed) -> PopcError:
    """Return what went wrong, from the messages of compiler, assembler and linker."""
    used = sorted({int(number) for number in re.findall(rf"{_ASSEMBLY} (\d+)", messages)})
    if used:
        places = (parsed.assembly[number].place for number in used)
        return SourceError((place, "the simulator cannot run the IPU's assembly") for place in places)
    return PopcError(_readable(messages))


def _readable(errors: str) -> str:
    """Return the messages with popc's own assertions and the linker's complaints in plain words."""
    undefined = re.findall(r"undefined (?:reference to|symbol:) [`']?(.+?)'?$", errors, re.MULTILINE)
    if undefined:
        return "\n".join(f"popc: error: '{symbol}' is used but not defined" for symbol in dict.fromkeys(undefined))
    errors = _UNKNOWN_WARNING.sub("", errors)
    lines: list[str] = []
    is_assertion = False
    for line in errors.rstrip().split("\n"):
        is_caret = re.fullmatch(r" +\|[ ~^]*", line)
        if re.fullmatch(r"In file included from <stdin>:\d+:", line) or (is_assertion and is_caret):
            continue  # popc's list of sources; a caret that points into popc's text, not into the line shown
        lines.append(_ASSERTION.sub(": error: ", line))
        is_assertion = lines[-1] != line or (is_assertion and line.startswith(" "))
    return "\n".join(lines)
