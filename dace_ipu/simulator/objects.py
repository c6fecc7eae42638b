"""Compiled objects of the simulator's libraries, kept by the contents of everything they were compiled from."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dace_ipu.simulator.popc.errors import PopcError
from dace_ipu.simulator.popc.preprocess import prerequisites
from dace_ipu.simulator.popc.store import Store, digest, write_whole
from dace_ipu.simulator.toolchain import Compiler

__all__ = ["BuildError", "ObjectCache"]


class BuildError(Exception):
    """The simulator's libraries could not be built. The text holds the compiler's output."""


@dataclass(frozen=True)
class ObjectCache:
    """The objects that one compiler makes with one set of flags, in a folder shared with others."""

    folder: Path
    compiler: Compiler
    flags: tuple[str, ...]

    def __post_init__(self) -> None:
        (self.folder / "index").mkdir(parents=True, exist_ok=True)

    def object_of(self, source: Path) -> Path:
        """Return the object of a source, compiled if it, a header or the compiler changed. Raises BuildError."""
        store = Store(self.folder, ".o")
        command = digest(self.compiler.identity, *self.flags, str(source))
        known = store.recall(command)
        if known is not None:
            known.touch()  # unused ones are removed some day
            return known
        try:
            return self._compile(store, source, command)
        except PopcError as error:
            raise BuildError(str(error)) from error

    def _compile(self, store: Store, source: Path, command: str) -> Path:
        with tempfile.TemporaryDirectory(prefix="dace_ipu-") as folder:
            rule = Path(folder) / "rule"
            compiled = Path(folder) / "object"
            words = [*self.compiler.command, *self.flags, "-MMD", "-MF", str(rule), "-c", str(source)]
            result = subprocess.run([*words, "-o", str(compiled)], capture_output=True, text=True)
            if result.returncode != 0:
                raise BuildError(f"cannot compile {source}:\n{result.stderr.rstrip()}")
            files = prerequisites(rule.read_text(encoding="utf-8"))
            contents = (Path(path).read_text(encoding="utf-8", errors="surrogateescape") for path in files)
            key = digest(command, *contents)
            write_whole(store.file(key), lambda path: path.write_bytes(compiled.read_bytes()))
        store.remember(command, key, files)
        return store.file(key)
