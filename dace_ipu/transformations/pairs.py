"""Arrays of pairs (value, index), which DaCe makes of ``np.argmin`` and ``np.argmax``, are split into two arrays.

The machine has no elements of two members, and a reduction of pairs has no order of its own that tiles may share.

Before: a map that reduces ``P[j]`` by ``lambda x, y: pair(val=min(x.val, y.val), idx=...)`` over ``pair(A[i, j], i)``.
After: one that reduces ``P_val[j]`` by ``min`` over ``A[i, j]``, and one that reduces ``P_idx[j]`` by ``min`` over the
``i`` with ``A[i, j] == P_val[j]``, or a NaN there: the first such index, as in NumPy. What is made in another way
stays as it is, and is reported by the checks.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

import numpy as np
from dace import data, dtypes
from dace.memlet import Memlet
from dace.properties import CodeBlock
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState

from dace_ipu.transformations.connectors import named

__all__ = ["split_pairs"]

_VALUE, _INDEX = "val", "idx"


def split_pairs(sdfg: SDFG) -> None:
    """Split the arrays of pairs of a program, in place; those that no argmin or argmax makes are left alone."""
    for nested in list(sdfg.all_sdfgs_recursive()):
        for name, desc in sorted(nested.arrays.items()):
            if _is_pair(desc) and desc.transient:
                uses = _Uses(nested, name)
                if uses.understood:
                    uses.split()


def _is_pair(desc: data.Data) -> bool:
    return isinstance(desc.dtype, dtypes.struct) and set(desc.dtype.fields) == {_VALUE, _INDEX}


def _members(tasklet: nodes.Tasklet) -> dict[str, ast.expr] | None:
    """The members of the pair that a tasklet makes, if that is all it does."""
    match tasklet.code.code:
        case [ast.Assign(targets=[ast.Name()], value=ast.Call(args=[], keywords=keywords))]:
            found = {keyword.arg or "": keyword.value for keyword in keywords}
            return found if found.keys() == {_VALUE, _INDEX} else None
    return None


class _Reads(ast.NodeTransformer):
    """Replaces ``connector.idx`` by ``connector``, and notes which members are read."""

    def __init__(self, connector: str) -> None:
        self.connector = connector
        self.members: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id == self.connector:
            self.members.add(node.attr)
            return ast.Name(self.connector, ast.Load())
        self.generic_visit(node)
        return node


class _Uses:
    """All uses of one array of pairs: tasklets that begin it, reduce into it, and read one of its members."""

    def __init__(self, sdfg: SDFG, name: str) -> None:
        self.sdfg, self.name, self.desc = sdfg, name, sdfg.arrays[name]
        self.begun: list[tuple[SDFGState, Any]] = []
        self.reduced: list[tuple[SDFGState, Any]] = []
        self.read: list[tuple[SDFGState, Any, str]] = []
        self.understood = all(self._node(state, node) for state in sdfg.states() for node in state.data_nodes())
        self.understood = self.understood and bool(self.reduced)

    def _node(self, state: SDFGState, node: nodes.AccessNode) -> bool:
        if node.data != self.name:
            return True
        written = all(self._written(state, state.memlet_path(edge)[0]) for edge in state.in_edges(node))
        return written and all(
            self._is_read(state, leaf) for edge in state.out_edges(node) for leaf in state.memlet_tree(edge).leaves()
        )

    def _written(self, state: SDFGState, edge: Any) -> bool:
        if not isinstance(edge.src, nodes.Tasklet) or _members(edge.src) is None:
            return False
        if edge.data.wcr is None:
            self.begun.append((state, edge))
            return True
        self.reduced.append((state, edge))
        return _is_extreme(edge.data.wcr) and isinstance(state.entry_node(edge.src), nodes.MapEntry)

    def _is_read(self, state: SDFGState, edge: Any) -> bool:
        if not isinstance(edge.dst, nodes.Tasklet):
            return False
        reads = _Reads(edge.dst_conn)
        for statement in edge.dst.code.code:
            reads.visit(copy.deepcopy(statement))
        self.read.append((state, edge, *sorted(reads.members)[:1]))
        return len(reads.members) == 1

    # ---- the change --------------------------------------------------------------------------------------------------

    def split(self) -> None:
        """Two arrays instead of the one."""
        self.arrays = {member: self._array(member) for member in (_VALUE, _INDEX)}
        for state, edge, member in self.read:
            self._split_read(state, edge, member)
        for state, edge in self.begun:
            self._split_begin(state, edge)
        for state, edge in self.reduced:
            self._split_reduction(state, edge)
        for interstate in self.sdfg.all_interstate_edges():
            for symbol, text in interstate.data.assignments.items():
                interstate.data.assignments[symbol] = self._in_text(text)
        for state in self.sdfg.states():
            state.remove_nodes_from([n for n in state.data_nodes() if n.data == self.name])
        del self.sdfg.arrays[self.name]

    def _array(self, member: str) -> str:
        clone = copy.deepcopy(self.desc)
        clone.dtype = self.desc.dtype.fields[member]
        added: str = self.sdfg.add_datadesc(f"{self.name}_{member}", clone, find_new_name=True)
        return added

    def _in_text(self, text: str) -> str:
        for member, array in self.arrays.items():
            tree = ast.parse(text, mode="eval")
            text = ast.unparse(_Members(self.name, member, array).visit(tree))
        return text

    def _split_read(self, state: SDFGState, edge: Any, member: str) -> None:
        """The path to a tasklet comes from the array of the member; its code reads that alone."""
        path = state.memlet_path(edge)
        node = self._access(state, path[0].src, member)
        state.add_edge(node, None, path[0].dst, path[0].dst_conn, path[0].data)
        state.remove_edge(path[0])
        for each in state.memlet_tree(edge).root().traverse_children(include_self=True):
            each.edge.data.data = self.arrays[member]
        tasklet = edge.dst
        reads = _Reads(edge.dst_conn)
        tasklet.code = CodeBlock([reads.visit(statement) for statement in tasklet.code.code], tasklet.language)
        tasklet.in_connectors[edge.dst_conn] = dtypes.typeclass(None)

    def _access(self, state: SDFGState, old: nodes.AccessNode, member: str) -> nodes.AccessNode:
        """The node of a member that stands where ``old`` stood."""
        known = self._nodes.setdefault(id(old), {})
        if member not in known:
            known[member] = state.add_access(self.arrays[member])
        found: nodes.AccessNode = known[member]
        return found

    @property
    def _nodes(self) -> dict[int, dict[str, nodes.AccessNode]]:
        table: dict[int, dict[str, nodes.AccessNode]] = self.__dict__.setdefault("_table", {})
        return table

    def _split_begin(self, state: SDFGState, edge: Any) -> None:
        """Values begin at infinity, indices at the largest one; a tasklet for each."""
        index = np.iinfo(self.sdfg.arrays[self.arrays[_INDEX]].dtype.type).max
        self._second_output(state, edge, _INDEX, str(index))
        self._first_output(state, edge, _VALUE, _farthest(self._value_type(), self._is_min()))

    def _value_type(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = np.dtype(self.sdfg.arrays[self.arrays[_VALUE]].dtype.type)
        return dtype

    def _is_min(self) -> bool:
        return "min(" in str(self.reduced[0][1].data.wcr)

    def _first_output(self, state: SDFGState, edge: Any, member: str, code: str, wcr: str | None = None) -> None:
        """Let the tasklet compute one member alone."""
        tasklet = edge.src
        tasklet.code = CodeBlock(f"{edge.src_conn} = {code}")
        tasklet.out_connectors[edge.src_conn] = dtypes.typeclass(None)
        path = state.memlet_path(edge)
        old = path[-1].dst
        for each in path:
            each.data.data = self.arrays[member]
            each.data.wcr = wcr
        state.add_edge(path[-1].src, path[-1].src_conn, self._access(state, old, member), None, path[-1].data)
        state.remove_edge(path[-1])

    def _second_output(self, state: SDFGState, edge: Any, member: str, code: str) -> None:
        """Another tasklet beside it, without inputs, for the other member."""
        path = state.memlet_path(edge)
        tasklet = state.add_tasklet(f"{edge.src.label}_{member}", {}, named("__member"), f"__member = {code}")
        for entry in [e for e in state.in_edges(edge.src) if e.data.is_empty()]:
            state.add_edge(entry.src, None, tasklet, None, Memlet())
        memlet = copy.deepcopy(edge.data)
        memlet.data = self.arrays[member]
        exits = [each.dst for each in path[:-1]]
        target = self._access(state, path[-1].dst, member)
        state.add_memlet_path(tasklet, *exits, target, src_conn="__member", memlet=memlet)

    def _split_reduction(self, state: SDFGState, edge: Any) -> None:
        members = _members(edge.src)
        assert members is not None
        value, index = (ast.unparse(members[member]) for member in (_VALUE, _INDEX))
        old = state.memlet_path(edge)[-1].dst
        subset = copy.deepcopy(edge.data.subset)
        entry, inputs = state.entry_node(edge.src), list(state.in_edges(edge.src))
        assert isinstance(entry, nodes.MapEntry)
        kind = "min" if self._is_min() else "max"
        self._first_output(state, edge, _VALUE, value, f"lambda x, y: {kind}(x, y)")
        last = np.iinfo(self.sdfg.arrays[self.arrays[_INDEX]].dtype.type).max
        again = (
            f"({value}) == __best"
            if self._value_type().kind in "iub"
            else f"({value}) == __best or ({value}) != ({value})"
        )
        tasklet = state.add_tasklet(
            f"{edge.src.label}_index", named(*edge.src.in_connectors, "__best"), named("__index"),
            f"__index = ({index}) if {again} else {last}",
        )  # fmt: skip
        begin, end = state.add_map(f"{entry.map.label}_index", _ranges(entry))
        for each in inputs:
            if not each.data.is_empty():
                outer = state.memlet_path(each)[-2]
                state.add_memlet_path(
                    outer.src,
                    begin,
                    tasklet,
                    src_conn=outer.src_conn,
                    dst_conn=each.dst_conn,
                    memlet=copy.deepcopy(each.data),
                )
        best = Memlet(data=self.arrays[_VALUE], subset=copy.deepcopy(subset))
        state.add_memlet_path(self._access(state, old, _VALUE), begin, tasklet, dst_conn="__best", memlet=best)
        memlet = Memlet(data=self.arrays[_INDEX], subset=subset, wcr="lambda x, y: min(x, y)")
        state.add_memlet_path(tasklet, end, self._access(state, old, _INDEX), src_conn="__index", memlet=memlet)


class _Members(ast.NodeTransformer):
    """``P[0].idx`` → ``P_idx[0]``."""

    def __init__(self, name: str, member: str, array: str) -> None:
        self.name, self.member, self.array = name, member, array

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        names = [n for n in ast.walk(node.value) if isinstance(n, ast.Name) and n.id == self.name]
        if node.attr != self.member or not names:
            return node
        names[0].id = self.array
        return node.value


def _is_extreme(wcr: Any) -> bool:
    """Whether a reduction keeps the smaller or larger value, and with it its index."""
    text = str(wcr)
    return f"{_VALUE}=min(" in text.replace(" ", "") or f"{_VALUE}=max(" in text.replace(" ", "")


def _farthest(dtype: np.dtype[Any], is_min: bool) -> str:
    """What no value is farther away than from the extreme that is searched."""
    if dtype.kind == "f":
        return "math.inf" if is_min else "-math.inf"
    limits = np.iinfo(dtype)
    return str(limits.max if is_min else limits.min)


def _ranges(entry: nodes.MapEntry) -> dict[str, Any]:
    return dict(zip(entry.map.params, (str(r) for r in map(_text, entry.map.range.ndrange())), strict=True))


def _text(limits: tuple[Any, Any, Any]) -> str:
    begin, last, step = limits
    return f"{begin}:{last} + 1:{step}"
