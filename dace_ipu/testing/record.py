"""Everything that a golden folder pins about a program: made by generating, compiling and running it once."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG

from dace_ipu import passes
from dace_ipu.lowering import lower
from dace_ipu.profile import Report, last_report
from dace_ipu.tile_graph.printer import to_text
from dace_ipu.transformations import to_ipu
from dace_ipu.transformations.checks import device_scopes

__all__ = ["Record", "expected_values", "record"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Record:
    """``texts`` by file name. ``values`` are all arrays after the run, and what the program returned; ``outputs`` those
    of them that the program writes.
    """

    texts: dict[str, str]
    values: dict[str, Array]
    outputs: dict[str, Array]


def record(program: Any, arguments: dict[str, Any], symbols: dict[str, int], build_folder: Path, root: Path) -> Record:
    """Offload ``program`` (unless it is), generate its code, compile it, and run it on copies of ``arguments``."""
    with _working_directory(root):  # generated comments name files relative to it
        sdfg = _offloaded(program)
        sdfg.build_folder = str(build_folder)
        written = sdfg.read_and_write_sets()[1]
        texts = {"tile_graph.txt": _tile_graphs(sdfg), **_generated(sdfg)}
        values = _run(sdfg, copy.deepcopy(arguments), symbols)
    first_line = _first_line(program)
    texts = {file: _portable(text, root, first_line) for file, text in texts.items()}
    texts["profile.json"] = _portable(profile_text(last_report()), root, first_line)
    outputs = {key: value for key, value in values.items() if key in written or key.startswith("__return")}
    return Record(texts, values, outputs)


def expected_values(expected: Any, arguments: Mapping[str, Any]) -> dict[str, Array]:
    """The values that a run should leave behind, by name: from a mapping, or from a function that does the same."""
    if not callable(expected):
        return {name: np.asarray(value) for name, value in expected.items()}
    given = copy.deepcopy(dict(arguments))
    returned = expected(**given)
    return {**_arrays(given), **_returned(returned)}


def profile_text(report: Report) -> str:
    """A report as JSON without the one thing that is not deterministic, the seconds that builds took."""
    data = copy.deepcopy(dict(report.data))
    for build in data["builds"]:
        build.pop("seconds", None)
    return _json(data) + "\n"


def _offloaded(program: Any) -> SDFG:
    """A new SDFG on the IPU. A ``@dace.program`` is called like its function: DaCe puts the module in front, whose name
    depends on how pytest imports it.
    """
    if isinstance(program, SDFG):
        return to_ipu(copy.deepcopy(program))
    sdfg = program.to_sdfg()
    module = sdfg.name.removesuffix(program.f.__name__)
    sdfg.name = program.f.__name__
    for node, _ in sdfg.all_nodes_recursive():
        if isinstance(node, nodes.MapEntry):
            node.map.label = node.map.label.removeprefix(module)
    return to_ipu(sdfg)


def _tile_graphs(sdfg: SDFG) -> str:
    """The device programs, named as the code generator names them."""
    names = (f"{sdfg.name}_{k}" if k > 1 else sdfg.name for k in range(1, 1 << 30))
    graphs = [passes.run(lower(scope, name)) for scope, name in zip(device_scopes(sdfg), names, strict=False)]
    return "\n".join(to_text(graph) for graph in graphs)


def _generated(sdfg: SDFG) -> dict[str, str]:
    codes = {code.name: code.clean_code for code in sdfg.generate_code()}
    return {"host.cpp": codes[f"{sdfg.name}_ipu"], "codelets.cpp": codes[f"{sdfg.name}_ipu_codelets"]}


def _run(sdfg: SDFG, arguments: dict[str, Any], symbols: dict[str, int]) -> dict[str, Array]:
    returned = sdfg.compile()(**arguments, **symbols)
    return {**_arrays(arguments), **_returned(copy.deepcopy(returned))}


def _arrays(arguments: Mapping[str, Any]) -> dict[str, Array]:
    return {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}


def _returned(value: Any) -> dict[str, Array]:
    """What a program returned, under the names that DaCe gives to it."""
    if value is None:
        return {}
    if isinstance(value, (tuple, list)):
        return {f"__return_{k}": np.asarray(part) for k, part in enumerate(value)}
    return {"__return": np.asarray(value)}


# ---- text that is the same everywhere --------------------------------------------------------------------------------


@contextlib.contextmanager
def _working_directory(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _first_line(program: Any) -> tuple[str, int] | None:
    """The file of a ``@dace.program`` and the line that its definition starts on."""
    function = getattr(program, "f", None)
    if function is None:
        return None
    return Path(function.__code__.co_filename).name, function.__code__.co_firstlineno


def _portable(text: str, root: Path, first_line: tuple[str, int] | None) -> str:
    """``text`` without the path of the project, and with lines counted from the start of the program's definition,
    so that a program may move within its file.
    """
    text = text.replace(f"{root}/", "")
    if first_line is None:
        return text
    file, first = first_line
    return re.sub(rf"(?<=\b{re.escape(file)}:)\d+", lambda line: str(int(line[0]) - first + 1), text)


def _json(value: Any, indent: str = "") -> str:
    """JSON with one line for each object or list that holds no other, in the order given."""
    inner = f"{indent} "
    if isinstance(value, dict) and any(isinstance(v, (dict, list)) for v in value.values()):
        lines = [f"{inner}{json.dumps(key)}: {_json(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(v, (dict, list)) for v in value):
        return "[\n" + ",\n".join(inner + _json(item, inner) for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)
