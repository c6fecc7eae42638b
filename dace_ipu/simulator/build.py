"""The simulator's libraries: compiled once per machine, into the cache folder.

Every folder below ``src`` that is named like a library of Poplar becomes that library; everything else is part of
``libpoplar``. What is built is kept under a key of sources, headers, compiler, processor and flags::

    <cache>/simulator/<key>/lib/libpoplar.so ...
    <cache>/simulator/<key>/lib/codelets/popops/*.gp ...   codelets of the libraries on top of Poplar
    <cache>/simulator/<key>/host/                 what generated programs compile with (host_programs.py)
    <cache>/simulator/objects/                    single objects, so that a change of one source compiles one source

Several processes may ask at once (a lock per key) and may be killed at any time (a folder appears when it is complete).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import filelock

from dace_ipu.simulator.cache import cache_folder
from dace_ipu.simulator.objects import BuildError, ObjectCache
from dace_ipu.simulator.popc.driver import compile_cached
from dace_ipu.simulator.popc.errors import PopcError
from dace_ipu.simulator.popc.identity import tool_key
from dace_ipu.simulator.popc.options import Options
from dace_ipu.simulator.progress import Progress
from dace_ipu.simulator.toolchain import Compiler, cpu_identity, find_compiler

__all__ = ["INCLUDE", "RUNTIME_INCLUDE", "BuildError", "Libraries", "ensure_built", "planned"]

_ROOT = Path(__file__).parent
#: The headers of the simulator.
INCLUDE = _ROOT / "include"
_SOURCES = _ROOT / "src"
#: What generated programs call, on top of Poplar; with a real SDK it is compiled into each program.
_RUNTIME = _ROOT.parent / "runtime"
#: Its headers.
RUNTIME_INCLUDE = _RUNTIME / "include"

#: The libraries beside libpoplar, each after those it may use.
_COMPANIONS = ("poputil", "popops", "poprand", "poplin", "popnn", "popsparse", "gcl", "popfloat", "pva")
_RUNTIME_LIBRARY = "dace_ipu"
#: What the thread sanitizer's build holds beside libpoplar: the others build graphs, in one thread.
_THREAD_COMPANIONS = ("poputil",)

# -ffp-contract=off: results do not depend on which processor has fused operations.
_FLAGS = ("-std=c++17", "-fPIC", "-ffp-contract=off", "-Wall", "-Wextra", "-pthread")
_OPTIMISED = ("-O2", "-ftree-vectorize", "-march=native")
#: For libraries that only build graphs: a third less time to compile.
_LIGHTLY_OPTIMISED = ("-O1", "-march=native")
_SANITIZED = ("-O1", "-g1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=undefined")


_ATTEMPTS = 3
_MONTH = 30 * 24 * 60 * 60.0


@dataclass(frozen=True)
class Libraries:
    """The built simulator. As a path (``os.fspath``) it is the folder of the libraries."""

    include_dir: Path
    lib_dir: Path
    names: tuple[str, ...]  # "poplar", "poputil", ...; a library after those it uses
    key: str

    def __fspath__(self) -> str:
        return str(self.lib_dir)

    @property
    def files(self) -> tuple[Path, ...]:
        """The shared libraries, in the order of ``names``."""
        return tuple(self.lib_dir / f"lib{name}.so" for name in self.names)

    @property
    def is_complete(self) -> bool:
        """Whether all of them exist."""
        return all(file.is_file() for file in self.files)


def ensure_built(progress: bool = True, sanitize: str = "") -> Libraries:
    """Return the simulator's libraries, compiled now if they are not in the cache.

    Later calls in a process cost nothing. With ``progress`` a build that takes more than two seconds shows a line on
    stderr. With ``sanitize`` it is another build, with the compiler's sanitizers: "address,undefined" of all libraries
    of Poplar, "thread" of libpoplar and libpoputil only.

    Raises :class:`BuildError` with the compiler's output, or if the cache folder cannot be written, and
    :class:`~dace_ipu.simulator.toolchain.MissingCompiler`.
    """
    return _ensure_built(cache_folder(), progress, sanitize)


@functools.cache
def _ensure_built(cache: Path, progress: bool, sanitize: str) -> Libraries:
    for _ in range(_ATTEMPTS):
        libraries = planned(sanitize)
        if not libraries.is_complete:
            with _lock(cache / "simulator" / f"{libraries.key}.lock"):
                if not libraries.is_complete:  # another process may have built it meanwhile
                    _build(libraries, progress, sanitize)
        if libraries.is_complete:
            _mark_used(libraries)
            return libraries
    raise BuildError("the simulator's sources change all the time")


def _build(libraries: Libraries, progress: bool, sanitize: str) -> None:
    """Build, unless the sources change meanwhile: nothing may be kept under a key that is not its own."""
    build = _Build(libraries, find_compiler(), sanitize, Progress(progress))
    build.run(is_current=lambda: planned(sanitize) == libraries)
    _remove_unused(libraries.lib_dir.parents[1])


def _mark_used(libraries: Libraries) -> None:
    with contextlib.suppress(OSError):  # a cache of others, that may only be read
        os.utime(libraries.lib_dir.parent)


def _remove_unused(folder: Path) -> None:
    """Remove builds that nobody asked for in a month, objects as old, and what killed builds left behind."""
    oldest = time.time() - _MONTH
    builds = (path.parent for path in folder.glob("*/lib"))
    for path in (*builds, *folder.glob(".*"), *folder.glob("objects/*.o"), *folder.glob("objects/index/*.json")):
        with contextlib.suppress(OSError):  # another process may be faster
            if path.stat().st_mtime < oldest:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def planned(sanitize: str = "") -> Libraries:
    """Return what :func:`ensure_built` gives or would build, without building it."""
    wanted = _companions(sanitize)
    companions = (
        name for name in wanted if name == _RUNTIME_LIBRARY or ((_SOURCES / name).is_dir() and _sources(name))
    )
    names = ("poplar", *companions)
    key = _key(sanitize)
    return Libraries(INCLUDE, cache_folder() / "simulator" / key / "lib", names, key)


def _companions(sanitize: str) -> tuple[str, ...]:
    if sanitize == "thread":
        return _THREAD_COMPANIONS
    return _COMPANIONS if sanitize else (*_COMPANIONS, _RUNTIME_LIBRARY)


def _flags(sanitize: str, library: str) -> tuple[str, ...]:
    return (*_FLAGS, *_variant(sanitize, library), *_includes(INCLUDE, _SOURCES, RUNTIME_INCLUDE))


def _variant(sanitize: str, library: str) -> tuple[str, ...]:
    if sanitize:
        return (*_SANITIZED, f"-fsanitize={sanitize}")
    return _LIGHTLY_OPTIMISED if library in _COMPANIONS else _OPTIMISED


def _includes(*folders: Path) -> tuple[str, ...]:
    return tuple(part for folder in folders for part in ("-I", str(folder)))


def _key(sanitize: str) -> str:
    """Return a hash of all that the libraries depend on. Contents are read: a few milliseconds."""
    state = hashlib.sha256()
    facts = (find_compiler().identity, tool_key(priced=False), cpu_identity(), *_FLAGS)
    variants = (flag for library in ("poplar", *_COMPANIONS) for flag in _variant(sanitize, library))
    state.update("\0".join((*facts, *variants)).encode())
    for folder in (INCLUDE, _SOURCES, RUNTIME_INCLUDE, _RUNTIME / "src"):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            state.update(f"\0{path.relative_to(_ROOT.parent)}\0".encode())
            state.update(path.read_bytes())
    return state.hexdigest()[:16]


def _sources(name: str) -> list[Path]:
    """Return the sources of a library: of its folder, or for libpoplar of all folders that are no library's."""
    if name == _RUNTIME_LIBRARY:
        return sorted((_RUNTIME / "src").rglob("*.cpp"))
    if name != "poplar":
        return sorted(set((_SOURCES / name).rglob("*.cpp")) - set(_codelets(name)))
    return sorted(path for path in _SOURCES.rglob("*.cpp") if path.relative_to(_SOURCES).parts[0] not in _COMPANIONS)


def _codelets(name: str) -> list[Path]:
    """Return the sources of a library's codelets: for popc, not for the library."""
    return sorted((_SOURCES / name / "codelets").glob("*.cpp"))


def _lock(path: Path) -> filelock.BaseFileLock:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise BuildError(
            f"cannot write the cache folder '{path.parent}': {error.strerror or error}\n"
            "the environment variable DACE_IPU_CACHE can name another"
        ) from error
    return filelock.FileLock(path)


@dataclass
class _Build:
    """One build of all libraries, into a temporary folder that gets its name at the end."""

    libraries: Libraries
    compiler: Compiler
    sanitize: str
    progress: Progress

    def run(self, is_current: Callable[[], bool]) -> None:
        home = self.libraries.lib_dir.parent
        with tempfile.TemporaryDirectory(prefix=f".{home.name}.", dir=home.parent) as folder:
            build = Path(folder) / "build"
            (build / "lib").mkdir(parents=True)
            objects = self._compile(build / "lib" / "codelets")
            for name in self.libraries.names:
                self._link(name, objects[name], build / "lib")
            if is_current():
                shutil.rmtree(home, ignore_errors=True)  # a damaged one
                build.rename(home)

    def _compile(self, modules: Path) -> dict[str, list[Path]]:
        """Compile all sources on the available cores, codelets into ``modules``; return the objects by library."""
        sources = {name: _sources(name) for name in self.libraries.names}
        codelets = {name: _codelets(name) for name in self.libraries.names}
        total = sum(len(paths) for paths in (*sources.values(), *codelets.values()))
        with self.progress.started("compiling the simulator, once on this machine", total), _pool() as pool:
            jobs = [pool.submit(self._compile_codelets, path, modules / name) for name, path in _all(codelets)]
            tasks = {path: pool.submit(self._compile_one, name, path) for name, path in _all(sources)}
            _raise_first_error([*jobs, *tasks.values()], pool)
        return {name: [tasks[path].result() for path in paths] for name, paths in sources.items()}

    def _compile_codelets(self, source: Path, folder: Path) -> None:
        # Their libraries say what these vertices cost, so nothing needs to be counted.
        flags = ("-I", str(_SOURCES), "-DDACE_IPU_LIBRARY_CODELETS")
        options = Options((str(source),), preprocessor=flags, optimisation="-O2", priced=False)
        try:
            module = compile_cached(options)
        except PopcError as error:
            raise BuildError(str(error)) from error
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(module, folder / f"{source.stem}.gp")
        self.progress.advance()

    def _compile_one(self, library: str, source: Path) -> Path:
        folder = self.libraries.lib_dir.parents[1] / "objects"
        compiled = ObjectCache(folder, self.compiler, _flags(self.sanitize, library)).object_of(source)
        self.progress.advance()
        return compiled

    def _link(self, name: str, objects: list[Path], folder: Path) -> None:
        uses = self.libraries.names[: self.libraries.names.index(name)]
        sanitizers = [f"-fsanitize={self.sanitize}"] if self.sanitize else []
        command = [
            *(*self.compiler.command, "-shared", "-pthread", *sanitizers, "-o", str(folder / f"lib{name}.so")),
            *(f"-Wl,-soname,lib{name}.so", "-Wl,-rpath,$ORIGIN", "-Wl,--as-needed"),
            *map(str, objects),
            *("-L", str(folder), *(f"-l{used}" for used in reversed(uses)), "-ldl"),
        ]
        if not sanitizers:
            command.append("-Wl,-z,defs")
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise BuildError(f"cannot link lib{name}.so:\n{result.stderr.rstrip()}")


def _all(sources: dict[str, list[Path]]) -> Iterator[tuple[str, Path]]:
    for name, paths in sources.items():
        yield from ((name, path) for path in paths)


def _pool() -> ThreadPoolExecutor:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ThreadPoolExecutor(max_workers=cores)


def _raise_first_error(tasks: Sequence[Future[Any]], pool: ThreadPoolExecutor) -> None:
    finished, _ = wait(tasks, return_when=FIRST_EXCEPTION)
    for task in finished:
        error = task.exception()
        if error is not None:
            pool.shutdown(cancel_futures=True)
            raise error
