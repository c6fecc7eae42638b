"""A report as a compiled program writes it, small enough to change by hand."""

from __future__ import annotations

import copy
from typing import Any

STEP = {
    "name": "update_y", "kind": "execute", "executions": 2, "computeCycles": 600, "exchangeCycles": 100,
    "syncCycles": 200, "hostCycles": 0, "rearrangeCycles": 0, "globalExchangeCycles": 0,
    "bytesExchanged": 64, "rearrangedBytes": 0,
    "hostBytes": 0, "tilesUsed": 3, "balance": 0.75, "vertices": 3,
}  # fmt: skip
COPY = {
    **STEP, "name": "x_in -> x", "kind": "streamCopy", "computeCycles": 0, "exchangeCycles": 0, "syncCycles": 60,
    "hostCycles": 40, "tilesUsed": 0, "balance": 0, "vertices": 0,
}  # fmt: skip
PROFILE = {
    "schema": 2,
    "poplarVersion": "3.3.0 (dace_ipu simulator)",
    "target": {
        "name": "Mk2 GC200", "arch": "ipu2", "type": "IPU", "numIPUs": 1, "tilesPerIPU": 4, "numTiles": 4,
        "clock": 1e9, "bytesPerTile": 1000,
    },
    "graph": {"variables": 2, "vertices": 3, "edges": 6, "computeSets": 1},
    "runs": 2,
    "cycles": {"compute": 600, "exchange": 100, "sync": 260, "host": 40, "total": 1000},
    "steps": [COPY, STEP],
    "runRecords": [{"program": 0, "cycles": 450}, {"program": 0, "cycles": 550}],
    "programs": [
        {"name": "main", "kind": "Sequence", "children": [1, 2, -1], "step": -1},
        {"name": "x_in -> x", "kind": "StreamToTensor", "children": [], "step": 0},
        {"name": "twice", "kind": "Repeat", "children": [3], "step": -1, "count": 2},
        {"name": "update_y", "kind": "Execute", "children": [], "step": 1, "computeSet": 0, "vertices": 3},
    ],
    "entryPrograms": [0, -1],
    "computeSets": [{"name": "update_y", "vertices": 3, "verticesByType": {"update_y": 3}}],
    "variables": [
        {"name": "x", "type": "float", "elements": 200, "bytes": 800, "constant": False, "alwaysLive": True},
        {"name": "y", "type": "float", "elements": 25, "bytes": 100, "constant": False, "alwaysLive": False,
         "live": [0, 1]},
    ],
    "memory": {
        "maxTile": 2, "maxBytes": 500, "totalBytes": 1100, "outOfMemory": False,
        "byCategoryOfMaxTile": {"variables": 300, "stack": 200, "constants": 0},
        "byCategory": {"variables": 900, "stack": 200, "constants": 0},
        "largestVariablesOfMaxTile": [{"name": "x", "bytes": 200}, {"name": "y", "bytes": 100}],
        "perTile": [200, 200, 500, 200],
        "perTileExcludingGaps": [190, 190, 480, 190],
        "perTileNonInterleaved": [190, 190, 400, 190],
        "perTileInterleaved": [0, 0, 80, 0],
        "perTileNotAlwaysLive": [10, 10, 80, 10],
        "perTileOverflowed": [0, 0, 0, 0],
        "perTileByCategory": {"variables": [140, 140, 430, 140], "stack": [50, 50, 50, 50]},
        "livenessProgramSteps": [{"name": "x_in -> x", "notAlwaysLiveBytes": 110}],
    },
    "vertexTypes": [
        {"name": "update_y", "count": 3, "cycles": 90, "stateBytes": 60, "estimateSource": "code", "estimate": 30,
         "slotsPerElement": 3.6, "code": 30, "setPerfEstimate": 1200}
    ],
}  # fmt: skip
REPORT = {
    "name": "axpy",
    "builds": [
        {"program": "axpy", "symbols": "N=20", "reason": "first call with N=20", "seconds": 0.5},
        {"program": "axpy", "symbols": "N=50", "reason": "N changed 20 → 50", "seconds": 0.25},
    ],
    "programs": [
        {
            "program": "axpy", "symbols": "N=50", "runs": 2, "profile": PROFILE,
            "notes": ["map 'y' runs on one tile: it is tiny"],
        }
    ],
}  # fmt: skip


def report(**changes: Any) -> dict[str, Any]:
    """The report, with keys of it replaced."""
    return {**copy.deepcopy(REPORT), **changes}


def profile(path: str = "", value: Any = None) -> dict[str, Any]:
    """The profile, with the entry at a path such as ``memory.perTile`` replaced."""
    made: Any = copy.deepcopy(PROFILE)
    if path:
        *parents, last = path.split(".")
        inner = made
        for key in parents:
            inner = inner[int(key) if isinstance(inner, list) else key]
        inner[last] = value
    return made
