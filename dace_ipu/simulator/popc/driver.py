"""popc as a command."""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from dace_ipu.simulator.popc.bundle import join, split
from dace_ipu.simulator.popc.compile import compile_module
from dace_ipu.simulator.popc.errors import PopcError
from dace_ipu.simulator.popc.identity import POPLAR_VERSION, tool_key
from dace_ipu.simulator.popc.options import USAGE, Options, parse
from dace_ipu.simulator.popc.preprocess import preprocess
from dace_ipu.simulator.popc.store import Store, digest, open_store, write_whole
from dace_ipu.simulator.toolchain import MissingCompiler, find_compiler

__all__ = ["compile_cached", "main"]


def main(arguments: Sequence[str]) -> int:
    """Run popc with the words of a command line and return its exit status: 0, or 1 after an error on stderr."""
    if "--help" in arguments or "-h" in arguments:
        print(USAGE, end="")
        return 0
    if "--version" in arguments:
        print(f"POPLAR version {POPLAR_VERSION} (dace_ipu simulator {tool_key()})")
        return 0
    try:
        _run(parse(arguments))
    except (PopcError, MissingCompiler) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _run(options: Options) -> None:
    if options.cached or options.key:
        print(compile_cached(options))
        return
    first = (*options.sources, *options.modules)[0]
    output = Path(options.output or Path(first).with_suffix(".gp").name)
    if options.modules:
        content = join(_modules(options))
        write_whole(output, lambda path: path.write_bytes(content))
    else:
        compiler = find_compiler()
        translation = preprocess(options, compiler)
        write_whole(output, lambda path: compile_module(translation, options, compiler, path))


def _modules(options: Options) -> Iterator[bytes]:
    """Yield the modules of the command line, what its sources compile to as the last."""
    for path in options.modules:
        yield from split(Path(path))
    if options.sources:
        yield compile_cached(dataclasses.replace(options, modules=())).read_bytes()


def compile_cached(options: Options) -> Path:
    """Return the module for ``options`` in the cache, compiled now if need be. Raises :class:`PopcError`."""
    store = open_store(_cache_folder())
    command = digest(tool_key(options.priced), os.getcwd(), repr(options))
    if options.key and store.file(options.key).is_file():
        return store.file(options.key)
    return store.recall(command) or _compile_into(store, options, command)


def _compile_into(store: Store, options: Options, command: str) -> Path:
    compiler = find_compiler()
    start = time.time()
    translation = preprocess(options, compiler)
    flags = repr((options.optimisation, options.standard, options.compiler))
    key = options.key or digest(tool_key(options.priced), flags, translation.text)
    module = store.file(key)
    if not module.is_file():
        write_whole(module, lambda path: compile_module(translation, options, compiler, path))
    store.remember(command, key, translation.dependencies, start)
    store.prune()
    return module


def _cache_folder() -> Path:
    folder = os.environ.get("DACE_IPU_CODELET_CACHE")
    if folder:
        return Path(folder)
    from dace_ipu.simulator.cache import cache_folder  # slow to import, and libpoplar always sets the variable

    return cache_folder() / "codelets"
