"""A profile under the names that Graphcore's libpva uses, where the meaning is the same.

Scripts that read reports of the SDK work after ``import dace_ipu.profile as pva`` and ``pva.openReport(path)``::

    report.compilation.target.numTiles            report.execution.totalCycles
    report.compilation.graph.numComputeSets       report.execution.steps[i].name, .cycles, .ipus[0].cycles, .program
    report.compilation.tiles[i].memory.total.includingGaps, .excludingGaps
    report.compilation.tiles[i].memory.category.vertexCode, .alwaysLiveBytes, .notAlwaysLiveBytes

Sizes are bytes, durations cycles of the tile clock. What differs from the SDK: a step stands for all executions of its
program (``count``), and its cycles are their sum; all IPUs take the same time, as they wait for each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from dace_ipu.profile.schema import ReportError

__all__ = ["Compilation", "Execution", "Program", "ProgramVisitor"]

_Data = Mapping[str, Any]

#: Kinds of programs that PopVision knows under another name.
_KINDS = {
    "Execute": "OnTileExecute",
    "Copy": "DoExchange",
    "StreamToTensor": "StreamCopyMid",
    "TensorToStream": "StreamCopyMid",
    "RemoteToTensor": "DoExchange",
    "TensorToRemote": "DoExchange",
}


class ProgramVisitor:
    """Base of classes whose methods ``visit<Kind>(program)`` are called by :meth:`Program.accept`; others do nothing.

    Kinds are OnTileExecute, DoExchange, StreamCopyMid, Sequence, Repeat, RepeatWhileTrue, RepeatWhileFalse, If, Switch,
    Call, Sync, HostCall, WriteUndef, PrintTensor, Abort, AbortOnCondition, CycleStart, CycleEnd and CycleStamp.
    """


class Program:
    """A node of the tree of programs. ``type`` is its kind; ``children`` are its parts."""

    def __init__(self, compilation: Compilation, data: _Data) -> None:
        self._compilation = compilation
        self.name: str = data["name"]
        kind: str = data["kind"]
        self.type = _KINDS.get(kind, kind)
        self.count: int = data.get("count", 1)
        self._data = data

    @property
    def children(self) -> list[Program]:
        """The parts; an empty one is left out."""
        return [self._compilation.nodes[k] for k in self._data["children"] if k >= 0]

    @property
    def computeset(self) -> SimpleNamespace:
        """The compute set of an OnTileExecute. Raises :class:`ReportError` for another program."""
        if "computeSet" not in self._data:
            raise ReportError(f"the program '{self.name}' ({self.type}) executes no compute set")
        return self._compilation.computeSets[self._data["computeSet"]]

    def accept(self, visitor: Any) -> None:
        """Call the visitor's method for this kind, if it has one."""
        method = getattr(visitor, f"visit{self.type}", None)
        if method is not None:
            method(self)


class Compilation:
    """What was built: target, graph, programs, variables, and the memory of the tiles."""

    def __init__(self, profile: _Data) -> None:
        self._profile = profile

    @cached_property
    def target(self) -> SimpleNamespace:
        """The machine."""
        target = self._profile["target"]
        per_ipu = target["bytesPerTile"] * target["tilesPerIPU"]
        return SimpleNamespace(
            architecture=target["arch"],
            bytesPerIPU=per_ipu,
            bytesPerTile=target["bytesPerTile"],
            clockFrequency=target["clock"],
            numIPUs=target["numIPUs"],
            numTiles=target["numTiles"],
            tilesPerIpu=target["tilesPerIPU"],
            totalMemory=per_ipu * target["numIPUs"],
            type=target["type"],
        )

    @cached_property
    def graph(self) -> SimpleNamespace:
        """How many of each the graph has."""
        counts = self._profile["graph"]
        return SimpleNamespace(
            numComputeSets=counts["computeSets"],
            numEdges=counts["edges"],
            numVars=counts["variables"],
            numVertices=counts["vertices"],
        )

    @cached_property
    def nodes(self) -> list[Program]:
        """All programs, in the order of the file."""
        return [Program(self, data) for data in self._profile["programs"]]

    @property
    def programs(self) -> list[Program]:
        """The programs of the engine, in its order; an empty one is left out."""
        return [self.nodes[k] for k in self._profile["entryPrograms"] if k >= 0]

    @cached_property
    def computeSets(self) -> list[SimpleNamespace]:
        """``name``, and ``vertices`` with one entry for each: its ``type.name``."""
        return [
            SimpleNamespace(name=data["name"], vertices=_vertices(data["verticesByType"]))
            for data in self._profile["computeSets"]
        ]

    @cached_property
    def vertices(self) -> list[SimpleNamespace]:
        """The codelets: ``name``, ``count``, ``cycles`` of all instances once, ``estimateSource``."""
        return [SimpleNamespace(**data) for data in self._profile["vertexTypes"]]

    @cached_property
    def tiles(self) -> list[SimpleNamespace]:
        """``id``, ``ipu`` and ``memory`` of every tile."""
        per_ipu = self._profile["target"]["tilesPerIPU"]
        return [
            SimpleNamespace(id=tile, ipu=tile // per_ipu, memory=self._memory(tile))
            for tile in range(self._profile["target"]["numTiles"])
        ]

    def _memory(self, tile: int) -> SimpleNamespace:
        memory = self._profile["memory"]
        with_gaps, without = memory["perTile"][tile], memory["perTileExcludingGaps"][tile]
        not_always = memory["perTileNotAlwaysLive"][tile]
        categories = dict.fromkeys(memory["byCategory"], 0)
        categories.update((name, of_tile[tile]) for name, of_tile in memory["perTileByCategory"].items())
        return SimpleNamespace(
            total=SimpleNamespace(includingGaps=with_gaps, excludingGaps=without),
            nonInterleaved=SimpleNamespace(excludingGaps=memory["perTileNonInterleaved"][tile]),
            interleaved=SimpleNamespace(excludingGaps=memory["perTileInterleaved"][tile]),
            overflowed=SimpleNamespace(excludingGaps=memory["perTileOverflowed"][tile]),
            alwaysLiveBytes=without - not_always,
            notAlwaysLiveBytes=not_always,
            category=SimpleNamespace(**categories),
        )

    @cached_property
    def variables(self) -> list[SimpleNamespace]:
        """All variables and constants: ``name``, ``size``, ``type``, ``alwaysLive``."""
        return [
            SimpleNamespace(name=v["name"], size=v["bytes"], type=v["type"], alwaysLive=v["alwaysLive"])
            for v in self._profile["variables"]
        ]

    @property
    def alwaysLiveVariables(self) -> list[SimpleNamespace]:
        """Those that keep their memory all the time."""
        return [variable for variable in self.variables if variable.alwaysLive]

    @cached_property
    def livenessProgramSteps(self) -> list[SimpleNamespace]:
        """Program by program: ``name``, and ``notAlwaysLiveMemory.bytes`` over all tiles."""
        return [
            SimpleNamespace(name=data["name"], notAlwaysLiveMemory=SimpleNamespace(bytes=data["notAlwaysLiveBytes"]))
            for data in self._profile["memory"]["livenessProgramSteps"]
        ]


class Execution:
    """What ran."""

    def __init__(self, profile: _Data, compilation: Compilation) -> None:
        self._profile = profile
        self._compilation = compilation

    @property
    def totalCycles(self) -> int:
        """Cycles of all runs."""
        return int(self._profile["cycles"]["total"])

    @cached_property
    def steps(self) -> list[SimpleNamespace]:
        """One for each program that costs something, in the order of the program, for all its executions."""
        nodes = self._compilation.nodes
        programs = {data["step"]: node for data, node in zip(self._profile["programs"], nodes, strict=True)}
        return [self._step(data, programs[k]) for k, data in enumerate(self._profile["steps"])]

    def _step(self, data: _Data, program: Program) -> SimpleNamespace:
        cycles = sum(data[f"{phase}Cycles"] for phase in ("compute", "exchange", "sync", "host"))
        ipus = [SimpleNamespace(ipu=k, cycles=cycles) for k in range(self._profile["target"]["numIPUs"])]
        return SimpleNamespace(
            name=data["name"],
            program=program,
            count=data["executions"],
            cycles=cycles,
            computeCycles=data["computeCycles"],
            exchangeCycles=data["exchangeCycles"],
            globalExchangeCycles=data["globalExchangeCycles"],
            syncCycles=data["syncCycles"],
            hostCycles=data["hostCycles"],
            rearrangeCycles=data["rearrangeCycles"],
            tileBalance=data["balance"],
            ipus=ipus,
        )

    @cached_property
    def runs(self) -> list[SimpleNamespace]:
        """The calls of ``Engine::run``, the first thousand: ``name``, ``program``, ``cycles``."""
        entries = self._profile["entryPrograms"]
        return [
            SimpleNamespace(
                name=f"run {k}",
                program=self._compilation.nodes[entries[run["program"]]] if entries[run["program"]] >= 0 else None,
                cycles=run["cycles"],
            )
            for k, run in enumerate(self._profile["runRecords"])
        ]


def _vertices(by_type: Mapping[str, int]) -> list[SimpleNamespace]:
    return [SimpleNamespace(type=SimpleNamespace(name=name)) for name, count in by_type.items() for _ in range(count)]
