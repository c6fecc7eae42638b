"""The profile of a run, as the simulator writes it. Fields are named as in the JSON, in Python's spelling.

Sizes are bytes, durations cycles of the tile clock. Cycles and bytes of a step are those of all its executions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "SCHEMA",
    "Build",
    "Cycles",
    "GraphCounts",
    "Memory",
    "Profile",
    "ProgramReport",
    "ReportError",
    "Step",
    "Target",
    "VariableUse",
    "VertexType",
]

#: The version of the profile that this module describes.
SCHEMA = 2


class ReportError(Exception):
    """There is no report, or it cannot be read."""


@dataclass(frozen=True)
class Target:
    """The machine. ``clock`` is in Hz; ``type`` is 'IPU', 'IPU_MODEL' or 'CPU'."""

    name: str
    arch: str
    type: str
    num_ipus: int = field(metadata={"key": "numIPUs"})
    tiles_per_ipu: int = field(metadata={"key": "tilesPerIPU"})
    num_tiles: int
    clock: float
    bytes_per_tile: int


@dataclass(frozen=True)
class GraphCounts:
    """How many of each a graph has."""

    variables: int
    vertices: int
    edges: int
    compute_sets: int


@dataclass(frozen=True)
class Cycles:
    """Cycles of all runs by phase; ``total`` is the sum of the first four.

    ``rearrange`` is the part of compute that copies data on the tiles because a vertex needs it in one piece;
    ``global_exchange`` the part of exchange between IPUs.
    """

    compute: int
    exchange: int
    sync: int
    host: int
    total: int
    rearrange: int = 0
    global_exchange: int = 0


@dataclass(frozen=True)
class Step:
    """One compute set or copy. ``balance`` is the mean compute time of all tiles, also those without vertices, divided
    by the longest: 1 if all tiles finish together.
    """

    name: str
    kind: str
    executions: int
    compute_cycles: int
    exchange_cycles: int
    sync_cycles: int
    host_cycles: int
    bytes_exchanged: int
    rearranged_bytes: int
    tiles_used: int
    balance: float
    vertices: int
    rearrange_cycles: int = 0
    pre_arrange_cycles: int = 0
    post_arrange_cycles: int = 0
    write_back_cycles: int = 0
    global_exchange_cycles: int = 0

    @property
    def cycles(self) -> int:
        """Cycles of all phases and executions."""
        return self.compute_cycles + self.exchange_cycles + self.sync_cycles + self.host_cycles


@dataclass(frozen=True)
class VariableUse:
    """The bytes of a variable on a tile."""

    name: str
    bytes: int


@dataclass(frozen=True)
class Memory:
    """Bytes on the tiles, gaps included: of each (``per_tile``), and more about the fullest one.

    ``per_tile_overflowed`` are the bytes that have no place on a tile.
    """

    max_tile: int
    max_bytes: int
    total_bytes: int
    by_category_of_max_tile: Mapping[str, int]
    largest_variables_of_max_tile: tuple[VariableUse, ...]
    per_tile: tuple[int, ...]
    per_tile_overflowed: tuple[int, ...] = ()


@dataclass(frozen=True)
class VertexType:
    """A codelet: how many vertices there are of it, what one costs on average, and where that comes from.

    ``estimate`` and what it was chosen from, ``code`` and ``set_perf_estimate``, are worker slots of a ``Vertex`` and
    tile cycles of others; ``slots_per_element`` is by the elements of the widest edge.
    """

    name: str
    count: int
    estimate_source: str
    cycles: int = 0
    estimate: float = 0
    slots_per_element: float = 0
    code: float | None = None
    set_perf_estimate: float | None = None


@dataclass(frozen=True)
class Profile:
    """All runs of one built graph."""

    schema: int
    target: Target
    graph: GraphCounts
    runs: int
    cycles: Cycles
    steps: tuple[Step, ...]
    memory: Memory
    vertex_types: tuple[VertexType, ...]

    def microseconds(self, cycles: float) -> float:
        """The time that ``cycles`` take on this machine, in microseconds; 0 on a target without a clock (a CPU)."""
        return cycles / self.target.clock * 1e6 if self.target.clock else 0.0


@dataclass(frozen=True)
class Build:
    """A graph that was built: for which program and symbols (``N=20``), why, and in how many seconds."""

    program: str
    symbols: str
    reason: str
    seconds: float


@dataclass(frozen=True)
class ProgramReport:
    """One graph that is alive. ``notes`` say where scopes run and why. No profile on real hardware."""

    program: str
    symbols: str
    runs: int
    profile: Profile | None
    notes: tuple[str, ...] = ()


def key_of(name: str, metadata: Mapping[str, Any]) -> str:
    """The JSON key of a field: ``bytesPerTile`` for ``bytes_per_tile``, unless the field names another."""
    first, *others = name.split("_")
    return str(metadata.get("key", first + "".join(map(str.capitalize, others))))
