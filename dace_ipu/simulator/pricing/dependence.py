"""Whether what an entry costs may depend on the contents of its edges.

The cost of an entry is decided by branches and by sizes of block moves. They may depend on the worker and on what
lies in the vertex's state: plain fields, sizes of edges, and the tables of rows of edge lists. Those are part of the
key under which libpoplar keeps a cost. All else is data: what is loaded through an edge or from a variable, or returned
by a function that is not inlined. A vertex that changes its own state is data to itself. One that reads the cycle
counter has to count every time, as what it reads comes from its own cost.
"""

from __future__ import annotations

import re

from dace_ipu.simulator.pricing.ir import Function, Instruction, Module

__all__ = ["CYCLE_COUNTER", "depends_on_data"]

#: What a reading of the cycle counter calls (poplar/codelet/Host.hpp).
CYCLE_COUNTER = "@dace_ipu_cycle_counter"

_STATE, _TABLE, _EDGE = 0, 1, 2
_PURE = re.compile(
    r"@llvm\.(?:smax|smin|umax|umin|abs|ctlz|cttz|ctpop|fshl|fshr|usub\.sat|uadd\.sat|uadd\.with|umul\.with)"
)


def depends_on_data(module: Module, entry: Function) -> bool:
    """Return whether the cost of ``entry(state, worker)`` may depend on data. True when in doubt."""
    return _Dependence(module, entry).answer()


class _Dependence:
    """Propagates, to a fixed point, which values are data and which memory pointers point to."""

    def __init__(self, module: Module, entry: Function) -> None:
        self._module = module
        self._entry = entry
        self._definitions = entry.definitions()
        self._data: set[str] = set()
        self._points: dict[str, int] = {}
        self._tables: set[str] = set()

    def answer(self) -> bool:
        if self._entry.parameters:
            self._points[self._entry.parameters[0]] = _STATE
        self._find_tables()
        instructions = [i for block in self._entry.blocks for i in block.instructions]
        before = (-1, -1)
        while before != (len(self._data), len(self._points)):
            before = (len(self._data), len(self._points))
            for i in instructions:
                self._visit(i)
        return any(self._decides(i) for i in instructions)

    def _find_tables(self) -> None:
        """A field through which pointers are loaded is a table of rows: no edge holds pointers."""
        for i in self._definitions.values():
            if i.opcode == "load" and i.type == "ptr" and i.operands:
                self._tables |= {self._field(base) for base in self._bases(i.operands[-1])}

    def _field(self, load: str) -> str:
        """Return the place in the state that a load reads, "" for none: a field may be loaded again and again."""
        read = self._definitions[load].operands
        pointer = read[-1] if read else ""
        if pointer == self._entry.parameters[0]:
            return "0"
        definition = self._definitions.get(pointer)
        if definition is None or definition.opcode != "getelementptr":
            return ""
        offset = re.search(r", i\d+ (\d+)$", definition.text.partition(", !")[0])
        return offset[1] if offset and definition.operands == (self._entry.parameters[0],) else ""

    def _bases(self, name: str) -> set[str]:
        """Return the loads that a pointer is computed from."""
        seen: set[str] = set()
        work, found = [name], set()
        while work:
            each = work.pop()
            definition = self._definitions.get(each)
            if each in seen or definition is None:
                continue
            seen.add(each)
            if definition.opcode == "load":
                found.add(each)
            elif definition.opcode == "getelementptr":
                work.append(definition.operands[0]) if definition.operands else None
            elif definition.opcode in ("phi", "select"):
                work += definition.operands
        return found

    def _visit(self, i: Instruction) -> None:
        if i.result is None:
            return
        if i.opcode == "load":
            self._load(i)
        elif i.opcode == "call" and not _PURE.match(i.detail):
            self._data.add(i.result)
        elif any(name in self._data for name in i.operands):
            self._data.add(i.result)
        if i.opcode in ("getelementptr", "phi", "select", "freeze"):
            levels = [self._points[name] for name in i.operands if name in self._points]
            if levels:
                self._points[i.result] = max(levels)

    def _load(self, i: Instruction) -> None:
        pointer = i.operands[-1] if i.operands else ""
        level = self._points.get(pointer, _EDGE)
        if level >= _EDGE or pointer in self._data:
            self._data.add(i.result or "")
        elif i.type == "ptr":
            is_table = level == _STATE and self._field(i.result or "") in self._tables - {""}
            self._points[i.result or ""] = _TABLE if is_table else _EDGE

    def _decides(self, i: Instruction) -> bool:
        if i.opcode in ("br", "switch", "indirectbr"):
            return any(name in self._data for name in i.operands)
        if i.opcode == "store":
            return self._points.get(i.operands[-1] if i.operands else "", _EDGE) < _EDGE
        if i.opcode != "call":
            return False
        if i.detail == CYCLE_COUNTER:
            return True
        if i.detail in self._module.functions:
            return self._may_differ(self._module.functions[i.detail])
        if i.detail.startswith(("@llvm.mem", "@mem")):
            to_state = bool(i.operands) and self._points.get(i.operands[0], _EDGE) < _EDGE
            return to_state or any(name in self._data for name in i.operands[2:])
        return False

    def _may_differ(self, called: Function) -> bool:
        """Whether two calls of a function may cost different amounts, or read the cycle counter."""
        instructions = [i for block in called.blocks for i in block.instructions]
        branches = any(len(block.successors) > 1 for block in called.blocks)
        return branches or any(i.opcode == "call" and i.detail == CYCLE_COUNTER for i in instructions)
