"""Code that pushes to streams and pops from them: along the edges of a state."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy
from dace import data, subsets
from dace.sdfg import nodes
from dace.sdfg.state import SDFGState

from dace_ipu import compat
from dace_ipu.lowering.capacity import pushes
from dace_ipu.lowering.references import ScalarReference
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.streams import Stream
from dace_ipu.lowering.symbolic import Unsupported
from dace_ipu.tile_graph.body import Assign, Code, Expr, For, Statement, Store, While, symbol

__all__ = ["both", "capacity_of", "popped", "stream_at", "through_stream"]


def stream_at(name: str, subset: subsets.Range | None, scope: Scope) -> Stream:
    """The stream that a memlet names: one of an array of streams, or the only one."""
    stream = scope.stream(name)
    if subset is None or len(subset) != len(stream.shape):
        subset = subsets.Range.from_array(scope.sdfg.arrays[name])
    if subset.num_elements() != 1:
        raise Unsupported(f"several streams of '{name}' at once")
    return stream.at(scope.indices(begin for begin, _, _ in subset.ndrange()))


def _new_place(scope: Scope) -> str:
    """A name for the place of an item."""
    name = scope.names.fresh("place")
    scope.types[name] = np.dtype(np.int32)
    return name


def _new_item(stream: Stream, scope: Scope) -> ScalarReference:
    """A name for an item that is taken from a stream."""
    name = scope.names.fresh("item")
    scope.types[name] = stream.dtype
    return ScalarReference(name, stream.dtype)


def through_stream(state: SDFGState, edge: Any, source: str, target: str, scope: Scope) -> list[Statement]:
    """A copy to a stream pushes all elements; one to an array pops as many items as there are and fit; one between
    streams moves all items.
    """
    from_, to = compat.source_subset(edge, state), compat.target_subset(edge, state)
    arrays = scope.sdfg.arrays
    if not isinstance(arrays[source], data.Stream):
        if any(isinstance(e.src, nodes.AccessNode) and e.src.data in scope.streams for e in state.in_edges(edge.src)):
            raise Unsupported(f"the array '{source}' between two streams, which may be filled in part,")
        stream = stream_at(target, to, scope)
        return _each_element(source, from_, scope, lambda value: stream.push(value, _new_place(scope)))
    stream = stream_at(source, from_, scope)
    item = _new_item(stream, scope)
    value = Code(item.name)
    if isinstance(arrays[target], data.Stream):
        onto = stream_at(target, to, scope)
        moved = (*stream.pop(item.name, _new_place(scope)), *onto.push(value, _new_place(scope)))
        return [While(stream.not_empty, moved)]

    def pop(element: Code) -> list[Statement]:
        (_, access), *_ = element.reads or ((element.text, None),)
        then = Assign(element.text, value) if access is None else Store(access, value)
        return [stream.pop_if_any(item, _new_place(scope), [then])]

    return _each_element(target, to, scope, pop)


def _each_element(
    name: str, subset: subsets.Range | None, scope: Scope, do: Callable[[Code], list[Statement]]
) -> list[Statement]:
    """Loops over the elements of a part of an array (None: of all of it), in their order."""
    reference = scope.reference(name)
    if isinstance(reference, ScalarReference):
        return do(Code(reference.name))
    box = subsets.Range.from_array(scope.sdfg.arrays[name]) if subset is None else subset
    sizes = scope.indices(box.size())
    counters = [scope.names.fresh("k") if size != 1 else "" for size in sizes]
    offsets = [symbol(counter) if counter else sympy.Integer(0) for counter in counters]
    ranges = zip(box.ndrange(), offsets, strict=True)
    element = tuple(scope.index(begin) + scope.index(step) * offset for (begin, _, step), offset in ranges)
    body = do(Code("_0", (("_0", reference.access(element)),)))
    for counter, size in reversed(list(zip(counters, sizes, strict=True))):
        if counter:
            body = [For(counter, sympy.Integer(0), size, sympy.Integer(1), tuple(body))]
    return body


def popped(edge: Any, scope: Scope, before: list[Statement]) -> ScalarReference | None:
    """The item that an edge takes from a stream, and to ``before`` the taking; None if the edge reads an array."""
    if not isinstance(scope.sdfg.arrays[edge.data.data], data.Stream):
        return None
    if edge.data.subset.num_elements() != 1:
        raise Unsupported(f"a chunk of several items of the stream '{edge.data.data}'")
    stream = stream_at(edge.data.data, edge.data.subset, scope)
    item = _new_item(stream, scope)
    before += stream.pop(item.name, _new_place(scope))
    return item


def capacity_of(name: str, scope: Scope, entry: nodes.EntryNode | None = None) -> tuple[Expr, bool]:
    """The number of items that a stream has room for, and whether that is proven to be enough. Raises Unsupported."""
    said = scope.index(scope.sdfg.arrays[name].buffer_size)
    counted = pushes(scope.sdfg, name, entry)
    if counted is not None:
        return sympy.Max(said, scope.index(counted), 1), True
    if said.is_Integer and said <= 1:
        raise Unsupported(
            f"the stream '{name}', which may hold any number of items,",
            hints=(f"give it a size: sdfg.add_stream('{name}', ..., buffer_size=...)",),
        )
    return said, False


def both(first: Code, second: Code) -> Code:
    """``first and second``; the placeholders of the second one get other names."""
    new = {name: f"_{len(first.reads) + k}" for k, (name, _) in enumerate(second.reads)}
    text = _renamed(second.text, new)
    return Code(f"({first.text}) and ({text})", (*first.reads, *((new[n], a) for n, a in second.reads)))


def _renamed(text: str, new: dict[str, str]) -> str:
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = new.get(node.id, node.id)
    return ast.unparse(tree)
