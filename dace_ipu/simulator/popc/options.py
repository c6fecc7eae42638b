"""The command line of popc: Graphcore's options, and two for libpoplar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dace_ipu.simulator.popc.errors import PopcError

__all__ = ["Options", "USAGE", "parse"]

USAGE = """\
usage: popc [options] file.cpp... [module.gp...]

Compiles codelets for the dace_ipu simulator. Modules compiled before become part of the new one.

  -o FILE            write the module to FILE (default: the first file's name with the suffix .gp)
  -I DIR, -D MACRO, -U MACRO, -include FILE, -isystem DIR
                     for the preprocessor
  -std=STANDARD      C++ standard (default: gnu++17, the least)
  -O0 ... -O3        optimisation (default: -O3)
  -f..., -W..., -g   for the host's C++ compiler
  -target=..., --target=..., -m...
                     accepted and ignored: the simulator runs every target on the host
  -v                 show the commands
  --version, --help

for libpoplar:
  --cached           keep the module in the cache and print its path as the last line
  --key=KEY          16 hexadecimal digits under which the cache keeps it
"""

_SOURCE_SUFFIXES = (".cpp", ".cc", ".cxx", ".c++", ".c", ".C")
_MODULE_SUFFIXES = (".gp", ".o")
_NO_CODE = "the simulator cannot make, or run, code of the IPU"
_WITH_VALUE = ("-I", "-D", "-U", "-include", "-isystem", "-iquote")  # the value may be the next word
_IGNORED_WITH_VALUE = ("-target", "--target", "-mllvm", "-mcpu", "-Xclang", "-x", "-L", "-MF", "-MT", "-MQ")
_IGNORED = re.compile(
    r"--?target=.*|-m.*|-c|-pipe|-s|--verbose|-L.+|-l.+|-Wl,.*|-M[DMPG]*|-R.+|-Qunused-arguments"
    # Only clang knows these, which the real popc is.
    r"|-Weverything|-f(no-)?color-diagnostics|-ferror-limit=.*|-f(no-)?(slp-)?vectorize|-f(no-)?integrated-as"
)
_OLD_STANDARDS = re.compile(r"-std=(c|gnu)\+\+(98|03|0x|11|1y|14)|-std=(c|gnu)(89|90|99|11|17|18)")
_KEY = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Options:
    """A parsed command line. ``preprocessor`` and ``compiler`` are flags for the host's compiler, in order."""

    sources: tuple[str, ...]
    modules: tuple[str, ...] = ()  # compiled already
    preprocessor: tuple[str, ...] = ()
    compiler: tuple[str, ...] = ()
    standard: str = "-std=gnu++17"
    optimisation: str = "-O3"
    output: str | None = None
    verbose: bool = False
    cached: bool = False
    key: str | None = None
    priced: bool = True  # the module counts cycles; not an option of the command line


def parse(arguments: Sequence[str]) -> Options:
    """Return the options in ``arguments``. Raises :class:`PopcError` for what popc does not do."""
    return _Parser(iter(arguments)).parse()


class _Parser:
    """Goes through the words of a command line once."""

    def __init__(self, words: Iterator[str]) -> None:
        self._words = words
        self._sources: list[str] = []
        self._modules: list[str] = []
        self._preprocessor: list[str] = []
        self._compiler: list[str] = []
        self._single: dict[str, str] = {}
        self._flags: set[str] = set()

    def parse(self) -> Options:
        for word in self._words:
            if word.startswith("-") and word != "-":
                self._option(word)
            else:
                self._source(word)
        if not self._sources and not self._modules:
            raise PopcError("popc: error: no source file\n" + USAGE)
        return Options(
            sources=tuple(self._sources),
            modules=tuple(self._modules),
            preprocessor=tuple(self._preprocessor),
            compiler=tuple(self._compiler),
            standard=self._single.get("-std", Options.standard),
            optimisation=self._single.get("-O", Options.optimisation),
            output=self._single.get("-o"),
            verbose="-v" in self._flags,
            cached="--cached" in self._flags,
            key=self._single.get("--key"),
        )

    def _source(self, word: str) -> None:
        if word.endswith(_MODULE_SUFFIXES):
            self._modules.append(word)
        elif word.endswith(_SOURCE_SUFFIXES):
            self._sources.append(word)
        else:
            raise PopcError(f"popc: error: '{word}' is no C++ source; {_NO_CODE}")

    def _option(self, word: str) -> None:
        for option in _WITH_VALUE:
            if word.startswith(option):
                self._preprocessor.append(option + (word[len(option) :] or self._next(word)))
                return
        if word in _IGNORED_WITH_VALUE:
            self._next(word)
        elif word in ("-v", "--cached"):
            self._flags.add(word)
        elif word.startswith("-o"):
            self._single["-o"] = word[2:] or self._next(word)
        elif word.startswith("--key="):
            self._single["--key"] = _checked_key(word.removeprefix("--key="))
        elif word.startswith("-std="):
            self._single["-std"] = Options.standard if _OLD_STANDARDS.fullmatch(word) else word
        elif word.startswith("-O"):
            self._single["-O"] = word
        elif not _IGNORED.fullmatch(word):
            self._compiler.append(_checked_flag(word))

    def _next(self, word: str) -> str:
        value = next(self._words, None)
        if value is None:
            raise PopcError(f"popc: error: option {word} needs a value")
        return value


def _checked_flag(word: str) -> str:
    if word in ("-S", "-emit-llvm", "--emit-llvm"):
        raise PopcError(f"popc: error: {word}: {_NO_CODE}")
    if not re.match(r"-[fWgw]", word):
        raise PopcError(f"popc: error: the simulator's popc has no option '{word}'")
    return word


def _checked_key(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise PopcError(f"popc: error: --key takes 16 hexadecimal digits, not '{key}'")
    return key
