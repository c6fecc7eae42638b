"""The containers that live inside a map: on the stack of its codelet, or in the storage of the scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import sympy
from dace import data
from dace.sdfg import nodes
from dace.sdfg.state import SDFGState

from dace_ipu.lowering.queries import order, used_outside
from dace_ipu.lowering.references import ArrayReference, ScalarReference
from dace_ipu.lowering.scope import Scope, dtype_of, user_name
from dace_ipu.lowering.stream_code import capacity_of
from dace_ipu.lowering.streams import Stream
from dace_ipu.lowering.symbolic import Unsupported
from dace_ipu.tile_graph.body import Declare, Expr, LocalArray, Statement

__all__ = ["declarations", "declare_transients", "is_local", "slice_limits", "with_locals"]

#: Bytes that the arrays of one codelet may take on a worker's stack.
MAX_LOCAL_BYTES = 16 * 1024


def declare_transients(state: SDFGState, entry: nodes.EntryNode | None, scope: Scope) -> Scope:
    """The scope of a map's inside: containers that live there get local names (see ``declarations``)."""
    inside = {n.data for n in order(state, entry) if isinstance(n, nodes.AccessNode)}
    elsewhere = used_outside(scope.sdfg, state, entry) if entry is not None else set()
    own = sorted(name for name in inside - elsewhere if is_local(scope, name))
    streams = [name for name in own if isinstance(scope.sdfg.arrays[name], data.Stream)]
    scope = replace(scope, streams={**scope.streams, **{name: _local_stream(name, scope, entry) for name in streams}})
    return with_locals(scope, (name for name in own if name not in streams))


def _local_stream(name: str, scope: Scope, entry: nodes.EntryNode | None) -> Stream:
    desc = scope.sdfg.arrays[name]
    capacity, proven = capacity_of(name, scope, entry)
    shape, dtype = scope.indices(desc.shape), dtype_of(desc)
    size = sympy.prod((*shape, capacity)) * dtype.itemsize
    if not size.is_Integer or size > MAX_LOCAL_BYTES:
        raise Unsupported(f"the stream '{name}' of up to {capacity} items inside a map")
    names = [scope.names.fresh(user_name(name) + part) for part in ("", "_first", "_count")]
    scope.types.update({names[0]: dtype, **dict.fromkeys(names[1:], np.dtype(np.int32))})
    return Stream(names[0], names[1], names[2], dtype, shape, capacity, proven)


def is_local(scope: Scope, name: str) -> bool:
    """Whether a container of the scope's SDFG has no place yet, and is not another one's elements."""
    desc = scope.sdfg.arrays[name]
    known = name in scope.references or name in scope.streams
    return desc.transient and not known and not isinstance(desc, data.View)


def with_locals(scope: Scope, containers: Iterable[str]) -> Scope:
    """The scope with local scalars and arrays for these transients: on the stack while there is room, then in the
    scope's storage. Raises Unsupported for an array that fits into neither.
    """
    references = dict(scope.references)
    room = MAX_LOCAL_BYTES
    for container in containers:
        desc = scope.sdfg.arrays[container]
        dtype = dtype_of(desc)
        if isinstance(desc, data.Scalar) or all(size == 1 for size in desc.shape):
            name = scope.names.fresh(user_name(container))
            scope.types[name] = dtype
            references[container] = ScalarReference(name, dtype)
            continue
        spent = _stack_bytes(container, scope)
        if spent is None or spent > room:
            references[container] = _stored(container, scope)
            continue
        room -= spent
        name = scope.names.fresh(user_name(container))
        scope.types[name] = dtype
        references[container] = ArrayReference(name, dtype)
    return replace(scope, references=references)


def _stack_bytes(container: str, scope: Scope) -> int | None:
    """The bytes of an array, None if its size is not constant."""
    desc = scope.sdfg.arrays[container]
    shape = [convert_or_none(size, scope) for size in desc.shape]
    if any(size is None or not size.is_Integer for size in shape):
        return None
    return int(np.prod([int(size) for size in shape if size is not None])) * dtype_of(desc).itemsize


def convert_or_none(size: Any, scope: Scope) -> Any:
    """A size of this scope, None if it is no index expression."""
    try:
        return scope.index(size)
    except Unsupported:
        return None


def _stored(container: str, scope: Scope) -> ArrayReference:
    desc = scope.sdfg.arrays[container]
    if scope.storage is None:
        raise Unsupported(
            f"the array '{container}' of shape {tuple(desc.shape)} inside a map: a codelet has no heap, and its stack "
            f"holds {MAX_LOCAL_BYTES} bytes of arrays"
        )
    shape = scope.indices(desc.shape)
    found = scope.storage.array(container, dtype_of(desc), shape, slice_limits(scope.sdfg.states(), scope))
    scope.types[found.name] = found.dtype
    return found


def slice_limits(states: Iterable[SDFGState], scope: Scope) -> list[tuple[Expr, Expr]]:
    """Sizes of slices, each with the size of an array that it is taken from, which bounds it.

    What a state slices is in bounds whenever the state runs, and so is another array of that size in it.
    """
    found: list[tuple[Expr, Expr]] = []
    for edge in (edge for state in states for edge in state.edges()):
        desc = None if edge.data.is_empty() else scope.sdfg.arrays.get(edge.data.data)
        if desc is None or len(desc.shape) != len(edge.data.subset):
            continue
        for part, whole in zip(edge.data.subset.size(), desc.shape, strict=True):
            size, limit = convert_or_none(part, scope), convert_or_none(whole, scope)
            if size is not None and limit is not None and size != limit:
                found.append((size, limit))
    return found


def declarations(inner: Scope, outer: Scope) -> Iterator[Statement]:
    """Declares what ``inner`` has and ``outer`` has not, but for what lies in the scope's storage."""
    for container, reference in inner.references.items():
        if container in outer.references or (isinstance(reference, ArrayReference) and reference.chain):
            continue
        if isinstance(reference, ScalarReference):
            yield Declare(reference.name, reference.dtype, None, constant=False)
        else:
            shape = tuple(int(size) for size in inner.indices(inner.sdfg.arrays[container].shape))
            yield LocalArray(reference.name, reference.dtype, shape)
    for name, stream in inner.streams.items():
        if name not in outer.streams:
            yield from stream.local_arrays()
