"""The headers of a host program: those whose names its text uses, and nothing else."""

from __future__ import annotations

import re

__all__ = ["HEADERS", "includes_text", "using_text"]

#: What a host program may include, in groups, and the names that it has each header for. None: always.
_GROUPS: tuple[dict[str, str | None], ...] = (
    {
        "dace_ipu/blocks.hpp": r"dace_ipu::Blocks\b",
        "dace_ipu/combine.hpp": r"dace_ipu::combine\b",
        "dace_ipu/fill.hpp": r"dace_ipu::constantLike\b",
        "dace_ipu/integers.hpp": r"dace_ipu::(floor_div|mod|ipow|count)\b|(?<!\w)(at|shape)\(",
        "dace_ipu/mapping.hpp": r"dace_ipu::(mapToBlocks|mapLanes)\b",
        "dace_ipu/perf.hpp": r"dace_ipu::(vertexCycles|multiVertexCycles)\b",
        "dace_ipu/product.hpp": r"dace_ipu::(addProductCodelets|multiply|multiplyAdd|multiplyInPlace|leftOperand|rightOperand)\b",
        "dace_ipu/programs.hpp": None,
        "dace_ipu/rows.hpp": r"dace_ipu::rows\b",
    },
    {
        "poplar/Graph.hpp": None,
        "poplar/Program.hpp": None,
        "poputil/TileMapping.hpp": r"poputil::",
    },
    {
        "algorithm": r"std::(min|max)\b",
        "cstdint": r"std::u?int(8|16|32|64)_t\b",
    },
)

_USED = ("at", "shape")  # of the runtime, without its name in front

#: All of them, for who prepares them for the compiler.
HEADERS = tuple(header for group in _GROUPS for header in group)


def includes_text(code: str) -> str:
    """The include lines of a program with this code."""
    groups = (
        "".join(f"#include <{header}>\n" for header, names in group.items() if names is None or re.search(names, code))
        for group in _GROUPS
    )
    return "\n".join(lines for lines in groups if lines)


def using_text(code: str) -> str:
    """What stands before the graph-building functions, so that they name Poplar's things briefly."""
    found = (name for name in _USED if re.search(rf"(?<![\w:.]){name}\(", code))
    lines = ("using namespace poplar;", "using namespace poplar::program;", *(f"using dace_ipu::{n};" for n in found))
    return "".join(f"{line}\n" for line in lines)
