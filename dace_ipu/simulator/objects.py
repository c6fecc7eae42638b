"""Compiled objects of the simulator's libraries, kept by the contents of everything they were compiled from."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from dace_ipu.simulator.popc.errors import PopcError
from dace_ipu.simulator.popc.preprocess import prerequisites
from dace_ipu.simulator.popc.store import Store, digest, write_whole
from dace_ipu.simulator.toolchain import Compiler

__all__ = ["BuildError", "ObjectCache"]


class BuildError(Exception):
    """The simulator's libraries could not be built. The text holds the compiler's output."""


_ATTEMPTS = 5


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
            for _ in range(_ATTEMPTS):
                compiled = self._compile(store, source, command)
                if compiled is not None:
                    return compiled
        except PopcError as error:
            raise BuildError(str(error)) from error
        raise BuildError(f"cannot compile {source}: it, or a header, changes all the time")

    def _compile(self, store: Store, source: Path, command: str) -> Path | None:
        """Return the object, or None if a file changed meanwhile: it is then not known what was compiled."""
        start = time.time()
        with tempfile.TemporaryDirectory(prefix="dace_ipu-") as folder:
            rule = Path(folder) / "rule"
            compiled = Path(folder) / "object"
            words = [*self.compiler.command, *self.flags, "-MMD", "-MF", str(rule), "-c", str(source)]
            result = subprocess.run([*words, "-o", str(compiled)], capture_output=True, text=True)
            if result.returncode != 0:
                raise BuildError(f"cannot compile {source}:\n{result.stderr.rstrip()}")
            content = compiled.read_bytes()
            key = hashlib.sha256(content).hexdigest()[:16]
            write_whole(store.file(key), lambda path: path.write_bytes(content))
            files = prerequisites(rule.read_text(encoding="utf-8"))
        return store.file(key) if store.remember(command, key, files, start) else None
