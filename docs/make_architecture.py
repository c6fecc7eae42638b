"""Writes the generated blocks of architecture.md: what the stages really make of smooth.py.

python docs/make_architecture.py            write them
python docs/make_architecture.py --check    exit with 1, and show the difference, if they are out of date

Everything comes from offloading, lowering, passes and printers; no C++ is compiled.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ControlFlowRegion, LoopRegion, SDFGState
from dace.sdfg.utils import dfs_topological_sort

from dace_ipu import passes, to_ipu
from dace_ipu.lowering import lower
from dace_ipu.registration import IPU_STORAGES
from dace_ipu.targets.poplar import program
from dace_ipu.tile_graph.nodes import TileGraph
from dace_ipu.tile_graph.printer import to_text
from dace_ipu.transformations.checks import device_scopes

__all__ = ["blocks", "main", "renewed"]

FOLDER = Path(__file__).parent
PAGE = FOLDER / "architecture.md"
PROGRAM = FOLDER / "smooth.py"

#: A generated block: its name in the opening marker, then anything up to the closing one.
_BLOCK = re.compile(r"<!-- generated: (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def main(arguments: list[str] | None = None) -> int:
    """Write or check the page. Returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is out of date")
    check = parser.parse_args(arguments).check
    old = PAGE.read_text(encoding="utf-8")
    new = renewed(old, blocks())
    if not check:
        PAGE.write_text(new, encoding="utf-8")
        return 0
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), PAGE.name, f"{PAGE.name} as it should be", lineterm=""
    )
    difference = "\n".join(lines)
    if difference:
        print(f"{difference}\n\n{PAGE.name} is out of date: run 'python docs/make_architecture.py'")
    return int(bool(difference))


def renewed(page: str, texts: Mapping[str, str]) -> str:
    """The page with its blocks replaced. Raises ValueError if a block is missing or has no text."""
    found = _BLOCK.findall(page)
    if sorted(found) != sorted(texts):
        raise ValueError(f"the page has the blocks {sorted(found)}, but there are texts for {sorted(texts)}")
    return _BLOCK.sub(lambda match: _marked(match[1], texts[match[1]]), page)


def _marked(name: str, text: str) -> str:
    return f"<!-- generated: {name} -->\n{text}\n<!-- end -->"


def blocks() -> dict[str, str]:
    """What each block of the page should hold, in Markdown."""
    sdfg = to_ipu(_sdfg())
    (scope,) = device_scopes(sdfg)
    lowered = lower(scope, "smooth")
    final, names = _passes(lowered)
    texts = program.texts([final], "smooth", "smooth_state_t", sdfg.init_signature())
    return {
        "program": _code("python", _from(PROGRAM.read_text(encoding="utf-8"), "@dace.program")),
        "sdfg": _code("text", "\n".join(_region(sdfg, 0))),
        "lowered": _code("text", to_text(lowered)),
        "passes": names,
        "final": _code("text", _from(to_text(final), "variables")),
        "host_build": _code("cpp", _until(_from(texts.host, "// Builds the graph"), "body.add(Execute(update_B));")),
        "host_run": _code("cpp", _until(_from(texts.host, 'extern "C" void __dace_ipu_run'), "\n}")),
        "codelet": _code("cpp", _until(_from(texts.codelets, f"// {PROGRAM.name}:"), "\n};")),
    }


def _sdfg() -> SDFG:
    spec = importlib.util.spec_from_file_location(PROGRAM.stem, PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sdfg: SDFG = module.smooth.to_sdfg()
    sdfg.name = "smooth"  # DaCe puts the module's name in front
    return sdfg


# ---- texts -----------------------------------------------------------------------------------------------------------


def _code(language: str, text: str) -> str:
    return f"```{language}\n{text.strip()}\n```"


def _from(text: str, start: str) -> str:
    """The text from ``start`` on. Raises ValueError if it does not occur."""
    return text[text.index(start) :]


def _until(text: str, end: str) -> str:
    """The text up to and with ``end``. Raises ValueError if it does not occur."""
    return text[: text.index(end) + len(end)]


def _passes(graph: TileGraph) -> tuple[TileGraph, str]:
    """The graph after all passes, and their names in order, in bold where they change this program."""
    names = []
    for step in passes.PIPELINE:
        before, graph = graph, step.apply(graph)
        names.append(f"**{step.name}**" if graph != before else step.name)
    return graph, "\n→ ".join(names)


# ---- an SDFG in words ------------------------------------------------------------------------------------------------


def _region(region: ControlFlowRegion, depth: int) -> Iterator[str]:
    yield f"{'  ' * depth}{_title(region)}"
    for block in region.bfs_nodes():
        if isinstance(block, SDFGState):
            yield from _state(block, depth + 1)
        elif isinstance(block, ControlFlowRegion):
            yield from _region(block, depth + 1)


def _title(region: ControlFlowRegion) -> str:
    match region:
        case SDFG():
            return f"SDFG {region.name}"
        case LoopRegion():
            parts = (region.init_statement, region.loop_condition, region.update_statement)
            return f"loop {'; '.join(part.as_string for part in parts)}"
    return f"region {region.label}"


def _state(state: SDFGState, depth: int) -> Iterator[str]:
    yield f"{'  ' * depth}state {state.label}"
    yield from _nodes(state, None, depth + 1)


def _nodes(state: SDFGState, entry: nodes.EntryNode | None, depth: int) -> Iterator[str]:
    """What stands in a scope, in the order in which it could run."""
    for node in dfs_topological_sort(state, state.source_nodes()):
        if state.entry_node(node) is entry:
            yield from _node(state, node, depth)


def _node(state: SDFGState, node: nodes.Node, depth: int) -> Iterator[str]:
    match node:
        case nodes.AccessNode():
            yield from (f"{'  ' * depth}{copy}" for copy in _copies(state, node))
        case nodes.MapEntry():
            yield f"{'  ' * depth}{_map(state, node)}"
            yield from _nodes(state, node, depth + 1)
        case nodes.NestedSDFG():
            yield from _region(node.sdfg, depth)


def _copies(state: SDFGState, node: nodes.AccessNode) -> Iterator[str]:
    for edge in state.out_edges(node):
        if isinstance(edge.dst, nodes.AccessNode):
            names = f"{_storage(node, state)} to {_storage(edge.dst, state)}"
            yield f"copy {names}, {node.desc(state.sdfg).dtype.type.__name__}[{edge.data.subset}]"


def _storage(node: nodes.AccessNode, state: SDFGState) -> str:
    storage = node.desc(state.sdfg).storage
    return f"{node.data} ({storage.name})" if storage in IPU_STORAGES else node.data


def _map(state: SDFGState, entry: nodes.MapEntry) -> str:
    ranges = ", ".join(f"{p} in {r}" for p, r in zip(entry.map.params, str(entry.map.range).split(", "), strict=True))
    reads = ", ".join(str(edge.data) for edge in state.out_edges(entry))
    writes = ", ".join(str(edge.data) for edge in state.in_edges(state.exit_node(entry)))
    return f"map {ranges} ({entry.map.schedule.name}) from {reads} to {writes}"


if __name__ == "__main__":
    sys.exit(main())
