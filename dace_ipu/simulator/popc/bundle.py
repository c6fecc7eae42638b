"""Several modules in one file: what popc writes if some of its inputs are compiled already.

    b"dace_ipu modules"   then for each module its size, 8 bytes, the least significant first, and its bytes

Projects compile each source to a ``.gp`` file and then link these to one, as Graphcore's own libraries do. Every module
stays a shared library of its own; libpoplar loads one after another (src/poplar/core/codelets.cpp).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dace_ipu.simulator.popc.errors import PopcError

__all__ = ["join", "split"]

_MAGIC = b"dace_ipu modules"
_ELF = b"\x7fELF"


def split(path: Path) -> Iterator[bytes]:
    """Yield the modules in a file that popc wrote. Raises :class:`PopcError` for any other."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PopcError(f"popc: error: cannot read '{path}': {error.strerror}") from error
    if content.startswith(_ELF):
        yield content
        return
    if not content.startswith(_MAGIC):
        raise PopcError(f"popc: error: '{path}' was not made by the simulator's popc")
    at = len(_MAGIC)
    while at < len(content):
        size = int.from_bytes(content[at : at + 8], "little")
        yield content[at + 8 : at + 8 + size]
        at += 8 + size


def join(modules: Iterable[bytes]) -> bytes:
    """Return the content of a file that holds ``modules``, equal ones once: of a single one, just that."""
    distinct = list(dict.fromkeys(modules))
    if len(distinct) == 1:
        return distinct[0]
    return _MAGIC + b"".join(len(module).to_bytes(8, "little") + module for module in distinct)
