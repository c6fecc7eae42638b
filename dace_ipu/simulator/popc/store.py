"""A cache of compiled files (codelet modules, objects of the libraries), content-addressed.

    <folder>/<key>.gp            a module; .o for an object
    <folder>/index/<hash>.json   what a command line last gave: its key and the contents of the files it read

Several processes may use the cache at once and may be killed at any time: files appear whole (written under another
name, then renamed) and are never changed. What nobody used for a month is removed, once a day at most. Where the folder
cannot be written, a temporary one takes its place.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from dace_ipu.simulator.popc.errors import PopcError

__all__ = ["Store", "digest", "digest_of_file", "open_store", "write_whole"]

_DAY = 24 * 60 * 60.0
_MONTH = 30 * _DAY

# File systems take the time from a clock that moves in steps of up to 10 ms: a file may look older than it is.
_CLOCK_STEP = 0.02


@dataclass(frozen=True)
class Store:
    """A cache folder, which exists and can be written."""

    folder: Path
    suffix: str = ".gp"

    def file(self, key: str) -> Path:
        """Return where the file of that key is, or would be."""
        return self.folder / f"{key}{self.suffix}"

    def recall(self, command: str) -> Path | None:
        """Return the file that ``command`` (a hash) gave, if the files it read have not changed since."""
        try:
            entry = json.loads(self._index(command).read_text(encoding="utf-8"))
            unchanged = all(digest_of_file(path) == content for path, content in entry["files"].items())
            file = self.file(entry["key"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None  # never compiled, or a file is gone, or the entry is damaged: compile again
        if not unchanged or not file.is_file():
            return None
        with contextlib.suppress(OSError):  # a sign of use, for prune
            os.utime(file, ns=(time.time_ns(), file.stat().st_mtime_ns))
        return file

    def remember(self, command: str, key: str, files: Iterable[str], since: float) -> bool:
        """Note that ``command``, which started at ``since``, read ``files`` and gave the file ``key``.

        Returns False, and notes nothing, if one of them was changed since: what was read is then not known.
        """
        contents = {os.path.abspath(path): digest_of_file(path) for path in files}
        if any(os.stat(path).st_mtime >= since - _CLOCK_STEP for path in contents):
            return False
        text = json.dumps({"key": key, "files": contents})
        write_whole(self._index(command), lambda path: path.write_text(text, encoding="utf-8"))
        return True

    def prune(self) -> None:
        """Remove the files that were neither written nor read for a month, if that was not done today."""
        marker = self.folder / ".pruned"
        with contextlib.suppress(OSError):  # another process may be faster
            if marker.exists() and time.time() - marker.stat().st_mtime < _DAY:
                return
            marker.touch()
        for path in [*self.folder.glob(f"*{self.suffix}"), *self.folder.glob("index/*.json")]:
            with contextlib.suppress(OSError):
                status = path.stat()
                if time.time() - max(status.st_mtime, status.st_atime) > _MONTH:
                    path.unlink()

    def _index(self, command: str) -> Path:
        return self.folder / "index" / f"{command}.json"


def open_store(folder: Path) -> Store:
    """Return the cache in ``folder``, or, if it cannot be written, one in a temporary folder, and say so on stderr."""
    try:
        (folder / "index").mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        return Store(folder)
    except OSError as error:
        temporary = Path(tempfile.mkdtemp(prefix="dace_ipu-codelets-"))
        (temporary / "index").mkdir()
        reason = error.strerror or str(error)
        print(f"popc: note: cannot write the cache '{folder}' ({reason}); using '{temporary}'", file=sys.stderr)
        return Store(temporary)


def write_whole(path: Path, write: Callable[[Path], object], executable: bool = False) -> None:
    """Let ``write`` make a file and give it the name ``path`` when it is complete. Raises :class:`PopcError`."""
    temporary: Path | None = None
    try:
        _remove_leftovers(path.parent)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        write(temporary)
        temporary.chmod((0o777 if executable else 0o666) & ~_umask())  # mkstemp makes it private
        os.replace(temporary, path)
    except OSError as error:
        raise PopcError(f"popc: error: cannot write '{path}': {error.strerror or error}") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def digest(*parts: str) -> str:
    """Return a short hash of texts: 16 hexadecimal digits."""
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:16]


def digest_of_file(path: str | Path) -> str:
    """Return a hash of a file's contents. Raises ``OSError``."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed processes left behind."""
    for path in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):  # another process may be faster
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink()


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
