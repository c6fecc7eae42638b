"""What popc's output depends on, besides the source and the options."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

from dace_ipu.simulator.popc.flags import INCLUDE
from dace_ipu.simulator.popc.store import digest, digest_of_file
from dace_ipu.simulator.pricing.clang import find_clang
from dace_ipu.simulator.toolchain import cpu_identity, find_compiler

__all__ = ["POPLAR_VERSION", "tool_key"]

#: The version of the SDK whose API this is, as ``poplar::versionString`` says it too.
POPLAR_VERSION = "3.3.0"

# The headers that codelets see, as patterns below the include folder; the others are for host programs only.
_CODELET_HEADERS = (
    "*",
    "arch/*",
    "poplar/codelet/*",
    "poplar/abi/*",
    "poplar/Vertex.hpp",
    "poplar/Vector*Types.hpp",
    "poplar/FieldTypes.hpp",
    "poplar/InOutTypes.hpp",
    "poplar/HalfFloat.hpp",
    "poplar/Quarter.hpp",
    "poplar/Loops.hpp",
    "poplar/TileConstants.hpp",
    "poplar/StackSizeDefs.hpp",
    "poplar/AvailableVTypes.h",
)


@functools.cache
def tool_key(priced: bool = True) -> str:
    """Return a hash of the compiler, the processor, the codelets' headers and popc itself, and for modules that count
    cycles of the clang that prices them.

    Raises :class:`~dace_ipu.simulator.toolchain.MissingCompiler`.
    """
    contents = (digest_of_file(path) for path in _files())
    clang = find_clang() if priced else None
    return digest(find_compiler().identity, cpu_identity(), clang.identity if clang else "", *contents)


def _files() -> Iterator[Path]:
    for folder in (Path(__file__).parent, Path(__file__).parents[1] / "pricing"):
        yield from sorted(folder.glob("*.py"))
    for pattern in _CODELET_HEADERS:
        yield from sorted(path for path in INCLUDE.glob(pattern) if path.is_file())
