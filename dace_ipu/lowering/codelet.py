"""The inside of a map as the body of a codelet: states, nested SDFGs, inner maps and loops become statements."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import sympy
from dace import data, dtypes, subsets
from dace.memlet import Memlet
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import (
    BreakBlock,
    ConditionalBlock,
    ContinueBlock,
    ControlFlowBlock,
    ControlFlowRegion,
    LoopRegion,
    SDFGState,
)

from dace_ipu import compat
from dace_ipu.lowering import loops
from dace_ipu.lowering.places import located
from dace_ipu.lowering.queries import assigned_symbols, scope_locals, used_outside, wide_symbols
from dace_ipu.lowering.reductions import reduction_of
from dace_ipu.lowering.references import ArrayReference, Reference, ScalarReference, view_of, window_of
from dace_ipu.lowering.scope import Scope, dtype_of, integer_constants, user_name
from dace_ipu.lowering.stream_code import both, capacity_of, popped, stream_at, through_stream
from dace_ipu.lowering.streams import Stream
from dace_ipu.lowering.symbolic import Unsupported, convert, python_text, quotient
from dace_ipu.lowering.tasklets import Output, Pointer, Target, lower_expression, lower_tasklet
from dace_ipu.tile_graph.body import (
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    Expr,
    For,
    If,
    LocalArray,
    Reduction,
    Statement,
    Store,
    While,
    symbol,
)

__all__ = [
    "bind_view",
    "bind_views",
    "both_subsets",
    "connector_target",
    "containers",
    "declarations",
    "declare_transients",
    "edge_between_arrays",
    "enter_nested",
    "is_view",
    "lower_block",
    "lower_map",
    "lower_region",
    "lower_scope",
    "lower_tasklet_node",
    "order",
    "python_text",
    "symbol_type",
]

#: Bytes that the arrays of one codelet may take on a worker's stack.
MAX_LOCAL_BYTES = 16 * 1024


def order(state: SDFGState, scope: nodes.EntryNode | None) -> list[nodes.Node]:
    """The nodes right inside a scope (None: of the whole state), sources before what depends on them."""
    parents = state.scope_dict()
    position = {node: k for k, node in enumerate(nx.topological_sort(state.nx))}
    inside = [node for node in state.nodes() if parents[node] is scope and not isinstance(node, nodes.ExitNode)]
    return sorted(inside, key=position.__getitem__)


# ---- one state
# --------------------------------------------------------------------------------------------------------------------


def lower_scope(state: SDFGState, entry: nodes.EntryNode | None, scope: Scope) -> list[Statement]:
    """The statements of a map's inside, or of a state (``entry`` is None) that runs inside a codelet. Raises
    Failure.
    """
    result: list[Statement] = []
    bind_views(state, entry, scope)
    for node in order(state, entry):
        with located(node, scope.sdfg, state):
            result += _node(state, node, scope)
    return result


def bind_views(state: SDFGState, entry: nodes.EntryNode | None, scope: Scope) -> None:
    """Let the views of a scope stand for what they view, also where they are written first. Raises Failure."""
    for node in order(state, entry):
        if isinstance(node, nodes.AccessNode) and isinstance(node.desc(scope.sdfg), data.View):
            with located(node, scope.sdfg, state):
                if node.data not in scope.references:
                    bind_view(state, node, scope)


def _node(state: SDFGState, node: nodes.Node, scope: Scope) -> list[Statement]:
    match node:
        case nodes.Tasklet():
            return lower_tasklet_node(state, node, scope)
        case nodes.AccessNode():
            return _access_node(state, node, scope)
        case nodes.MapEntry():
            return lower_map(state, node, scope)
        case nodes.NestedSDFG():
            return _nested(state, node, scope)
        case nodes.ConsumeEntry():
            return lower_consume(state, node, scope)
        case nodes.LibraryNode():
            raise Unsupported(
                f"the library node '{node.label}' ({type(node).__name__}), which has no expansion for a codelet"
            )
        case _:
            raise Unsupported(f"a {type(node).__name__} inside a map")


def lower_tasklet_node(state: SDFGState, node: nodes.Tasklet, scope: Scope) -> list[Statement]:
    """The statements of a tasklet. Raises Unsupported."""
    if node.language != dtypes.Language.Python:
        raise Unsupported(f"the tasklet '{node.label}', which is written in {node.language.name} and not in Python,")
    if compat.side_effects(node):
        raise Unsupported(f"the tasklet '{node.label}', which calls back to the host,")
    if any(isinstance(d, dtypes.vector) for d in (*node.in_connectors.values(), *node.out_connectors.values())):
        raise Unsupported(f"the tasklet '{node.label}', whose connectors are vectors,", ("let it compute one element",))
    before: list[Statement] = []
    inputs: dict[str, Target] = {}
    for edge in state.in_edges(node):
        if edge.dst_conn and not edge.data.is_empty():
            item = popped(edge, scope, before)
            inputs[edge.dst_conn] = connector_target(edge, scope) if item is None else item
    outputs: dict[str, list[Output]] = {}
    for edge in state.out_edges(node):
        if edge.src_conn and not edge.data.is_empty():
            outputs.setdefault(edge.src_conn, []).append(_output(edge, scope))
    return [*before, *lower_tasklet(node.code.code, scope, inputs, outputs)]


def connector_target(edge: Any, scope: Scope) -> Target:
    """What a connector on this edge stands for: an element, a local scalar or several elements."""
    reference = scope.reference(edge.data.data)
    return _target(reference, edge.data.subset, scope, scope.sdfg.arrays[edge.data.data])


def _output(edge: Any, scope: Scope) -> Output:
    desc = scope.sdfg.arrays[edge.data.data]
    if isinstance(desc, data.Stream):
        return Output(stream_at(edge.data.data, edge.data.subset, scope), None, True, dtype_of(desc))
    target = _target(scope.reference(edge.data.data), edge.data.subset, scope, desc)
    return Output(target, reduction_of(edge.data.wcr), edge.data.dynamic, dtype_of(desc))


def _target(reference: Reference, subset: subsets.Range, scope: Scope, desc: data.Data) -> Target:
    if isinstance(reference, ScalarReference):
        return reference
    if isinstance(desc, data.Scalar) or subset.num_elements() == 1:
        return reference.access(scope.indices(begin for begin, _, _ in subset.ndrange()))
    rank = sum(1 for size in subset.size() if size != 1)
    return Pointer(reference, window_of(subset, rank, scope.environment), rank)


def _access_node(state: SDFGState, node: nodes.AccessNode, scope: Scope) -> list[Statement]:
    """What flows into an access node from other access nodes, and from it out of the map."""
    if isinstance(node.desc(scope.sdfg), data.View):
        return _view_node(state, node, scope)
    result: list[Statement] = []
    for edge in state.in_edges(node):
        source = state.memlet_path(edge)[0].src
        if (
            isinstance(source, nodes.AccessNode)
            and not isinstance(edge.src, nodes.ExitNode)  # what comes out of a map was copied in the map
            and not edge.data.is_empty()
            and not is_view(source, scope, node, state)
        ):
            result += edge_between_arrays(state, edge, source.data, node.data, scope)
    return result + _leaving(state, node, scope)


def _leaving(state: SDFGState, node: nodes.AccessNode, scope: Scope, view_edge: Any = None) -> list[Statement]:
    """What flows from an access node through the exit of its map to another one."""
    result: list[Statement] = []
    for edge in state.out_edges(node):
        target = state.memlet_path(edge)[-1].dst
        leaves = isinstance(edge.dst, nodes.ExitNode) and isinstance(target, nodes.AccessNode)
        if leaves and edge is not view_edge and not edge.data.is_empty():
            result += edge_between_arrays(state, edge, node.data, target.data, scope)
    return result


def is_view(source: nodes.AccessNode, scope: Scope, node: nodes.AccessNode, state: SDFGState) -> bool:
    """Whether the edge only says that ``source`` is a view of ``node``: writing the view has written the array."""
    if not isinstance(source.desc(scope.sdfg), data.View):
        return False
    edge = compat.view_edge(state, source)
    return edge is not None and state.memlet_path(edge)[-1].dst is node


def _view_node(state: SDFGState, node: nodes.AccessNode, scope: Scope) -> list[Statement]:
    bind_view(state, node, scope)
    edge = compat.view_edge(state, node)
    result: list[Statement] = []
    for other in state.in_edges(node):
        source = state.memlet_path(other)[0].src
        if other is not edge and isinstance(source, nodes.AccessNode) and not other.data.is_empty():
            result += edge_between_arrays(state, other, source.data, node.data, scope)
    return result + _leaving(state, node, scope, edge)


def bind_view(state: SDFGState, node: nodes.AccessNode, scope: Scope) -> None:
    """Let a view's name stand for what it views. Raises Unsupported."""
    edge = compat.view_edge(state, node)
    if edge is None:
        raise Unsupported(f"the view '{node.data}' of nothing")
    incoming = edge.dst is node
    viewed = state.memlet_path(edge)[0].src if incoming else state.memlet_path(edge)[-1].dst
    subset = compat.source_subset(edge, state) if incoming else compat.target_subset(edge, state)
    desc = viewed.desc(scope.sdfg)
    if isinstance(desc, data.View) and viewed.data not in scope.references:
        bind_view(state, viewed, scope)
    if subset is None:
        subset = subsets.Range.from_array(desc)
    array = scope.array(viewed.data)
    if dtype_of(node.desc(scope.sdfg)) != array.dtype:
        raise Unsupported(
            f"the view '{node.data}', which reads the bytes of '{viewed.data}' as {dtype_of(node.desc(scope.sdfg))},",
            hints=("convert the elements instead: astype",),
        )
    scope.references[node.data] = array.through(view_of(node.desc(scope.sdfg), subset, desc, scope.environment))


def edge_between_arrays(state: SDFGState, edge: Any, source: str, target: str, scope: Scope) -> list[Statement]:
    """An element-wise copy along an edge, as loops; items of streams are pushed or popped. Raises Unsupported."""
    if any(isinstance(scope.sdfg.arrays[name], data.Stream) for name in (source, target)):
        return through_stream(state, edge, source, target, scope)
    source_subset, target_subset = both_subsets(state, edge, source, target, scope.sdfg)
    reduction = reduction_of(edge.data.wcr)
    from_, to = scope.reference(source), scope.reference(target)
    sizes = scope.indices(source_subset.size())
    loop_names = [scope.names.fresh("k") if size != 1 else "" for size in sizes]
    offsets = [symbol(name) if name else sympy.Integer(0) for name in loop_names]
    statement = _move(
        from_, _element(source_subset, offsets, scope), to, _matching(target_subset, offsets, sizes, scope), reduction
    )
    result: Statement = statement
    for name, size in reversed(list(zip(loop_names, sizes, strict=True))):
        if name:
            result = For(name, sympy.Integer(0), size, sympy.Integer(1), (result,))
    return [result]


# ---- streams
# ---------------------------------------------------------------------------------------------------------------------


def lower_consume(state: SDFGState, entry: nodes.ConsumeEntry, scope: Scope) -> list[Statement]:
    """A consume scope: takes items one by one until there are none, or until its condition holds. Raises Unsupported.

    There is one processing element, number 0.
    """
    (into,) = (edge for edge in state.in_edges(entry) if edge.dst_conn == "IN_stream")
    if entry.consume.chunksize != 1:
        raise Unsupported(f"the consume scope '{entry.consume.label}' in chunks of {entry.consume.chunksize} items")
    if len([e for e in state.out_edges(entry) if e.src_conn == "OUT_stream"]) != 1:
        raise Unsupported(f"the consume scope '{entry.consume.label}', whose items go to several nodes,")
    stream = stream_at(into.data.data, into.data.subset, scope)
    condition = stream.not_empty
    if entry.consume.condition is not None and entry.consume.condition.as_string.strip() not in ("", "1"):
        text = f"not ({entry.consume.condition.as_string})"
        prelude, quiet = lower_expression(text, scope, containers(text, scope))
        if prelude:
            raise Unsupported(f"the condition of the consume scope '{entry.consume.label}'")
        condition = both(condition, quiet)
    inner = declare_transients(state, entry, scope.with_symbol(entry.consume.pe_index, sympy.Integer(0)))
    return [While(condition, (*declarations(inner, scope), *lower_scope(state, entry, inner)))]


def both_subsets(
    state: SDFGState, edge: Any, source: str, target: str, sdfg: SDFG
) -> tuple[subsets.Range, subsets.Range]:
    """The elements that a copy reads of ``source`` and writes of ``target``, where the memlet names only one side too.

    Raises Unsupported if the memlet names neither side, or one that does not fit the other.
    """
    source_subset, target_subset = compat.source_subset(edge, state), compat.target_subset(edge, state)
    given = source_subset if source_subset is not None else target_subset
    if given is None:
        raise Unsupported("a copy without subsets")
    return (
        _same_box(given, sdfg.arrays[source]) if source_subset is None else source_subset,
        _same_box(given, sdfg.arrays[target]) if target_subset is None else target_subset,
    )


def _same_box(subset: subsets.Range, desc: data.Data) -> subsets.Range:
    """DaCe's rule for a copy with one subset: the other side has the same one if it fits, else starts at the origin."""
    whole: subsets.Range = subsets.Range.from_array(desc)
    if _equal(subset.num_elements(), whole.num_elements()):
        return whole
    if len(subset) == len(whole):
        return subset
    raise Unsupported(f"a copy of [{subset}] to or from an array of {len(whole)} dimensions without saying where")


def _equal(a: Any, b: Any) -> bool:
    """Whether two of DaCe's expressions are equal; symbols of one name are, whatever is assumed about them."""
    return bool(sympy.simplify(convert(a, {}) - convert(b, {})) == 0)


def _element(subset: subsets.Range, offsets: Sequence[Expr], scope: Scope) -> tuple[Expr, ...]:
    ranges = [(scope.index(b), scope.index(s)) for b, _, s in subset.ndrange()]
    return tuple(begin + step * offset for (begin, step), offset in zip(ranges, offsets, strict=True))


def _matching(subset: subsets.Range, offsets: Sequence[Expr], sizes: Sequence[Expr], scope: Scope) -> tuple[Expr, ...]:
    """The element of ``subset`` at the same position (row-major) as ``offsets`` in a box of ``sizes``."""
    own = scope.indices(subset.size())
    varying = [k for k, size in enumerate(own) if size != 1]
    given = [offset for offset, size in zip(offsets, sizes, strict=True) if size != 1]
    wanted = [size for size in sizes if size != 1]
    if len(varying) == len(given) and all(
        sympy.simplify(own[k] - w) == 0 for k, w in zip(varying, wanted, strict=True)
    ):
        by_dimension = dict(zip(varying, given, strict=True))
        return _element(subset, [by_dimension.get(k, sympy.Integer(0)) for k in range(len(own))], scope)
    return _element(subset, _delinearised(offsets, sizes, own), scope)


def _delinearised(offsets: Sequence[Expr], sizes: Sequence[Expr], own: Sequence[Expr]) -> list[Expr]:
    position: Expr = sympy.Integer(0)
    for offset, size in zip(offsets, sizes, strict=True):
        position = position * size + offset
    result: list[Expr] = []
    for size in reversed(own):
        result.append(sympy.Mod(position, size) if len(result) < len(own) - 1 else position)
        position = quotient(position, size)
    return result[::-1]


def _move(
    source: Reference, at: tuple[Expr, ...], target: Reference, to: tuple[Expr, ...], reduction: Reduction | None
) -> Statement:
    code = Code(source.name) if isinstance(source, ScalarReference) else Code("_0", (("_0", source.access(at)),))
    if isinstance(target, ScalarReference):
        return Assign(target.name, code, reduction)
    return Store(target.access(to), code, reduction)


# ---- inner maps
# -------------------------------------------------------------------------------------------------------------------


def lower_map(state: SDFGState, entry: nodes.MapEntry, scope: Scope) -> list[Statement]:
    """A map inside a codelet: loops. Raises Unsupported or Failure."""
    before, inner = _dynamic_ranges(state, entry, scope)
    ranges = []
    for parameter, (begin, end, step) in zip(entry.map.params, entry.map.range.ndrange(), strict=True):
        name = scope.names.fresh(parameter)
        limits = inner.index(begin), inner.index(end), inner.index(step)
        inner = inner.with_symbol(parameter, symbol(name))
        ranges.append((name, *limits))
    inner = declare_transients(state, entry, inner)
    body = [*declarations(inner, scope), *lower_scope(state, entry, inner)]
    for name, begin, end, step in reversed(ranges):
        body = [For(name, begin, loops.exclusive_end(begin, end, step), step, tuple(body))]
    return [*before, *body]


def _dynamic_ranges(state: SDFGState, entry: nodes.MapEntry, scope: Scope) -> tuple[list[Statement], Scope]:
    """Map ranges that are read from memory become local scalars."""
    before: list[Statement] = []
    for edge in compat.dynamic_map_inputs(state, entry):
        name = scope.names.fresh(edge.dst_conn)
        target = connector_target(edge, scope)
        dtype = dtype_of(scope.sdfg.arrays[edge.data.data])
        _, code = lower_expression("value", scope, {"value": target})
        before.append(Declare(name, dtype, code))
        scope.types[name] = dtype
        scope = scope.with_symbol(edge.dst_conn, symbol(name))
    return before, scope


def declare_transients(state: SDFGState, entry: nodes.EntryNode | None, scope: Scope) -> Scope:
    """The scope of a map's inside: containers that live there get local names (see ``declarations``)."""
    inside = {n.data for n in order(state, entry) if isinstance(n, nodes.AccessNode)}
    elsewhere = used_outside(scope.sdfg, state, entry) if entry is not None else set()
    own = sorted(name for name in inside - elsewhere if _is_local(scope, name))
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


def _is_local(scope: Scope, name: str) -> bool:
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


# ---- nested SDFGs and control flow
# ------------------------------------------------------------------------------------------------


def _nested(state: SDFGState, node: nodes.NestedSDFG, scope: Scope) -> list[Statement]:
    inner = enter_nested(state, node, scope)
    locals_ = sorted(name for name in node.sdfg.arrays if _is_local(inner, name))
    own = with_locals(inner, (name for name in locals_ if name not in scope_locals(node.sdfg)))
    return [*declarations(own, inner), *lower_region(node.sdfg, own)]


def enter_nested(state: SDFGState, node: nodes.NestedSDFG, scope: Scope) -> Scope:
    """The scope of a nested SDFG: its connectors stand for what they are connected to. Raises Unsupported."""
    mapped = {str(name): scope.index(value) for name, value in node.symbol_mapping.items()}
    environment = integer_constants(node.sdfg) | mapped
    references = {name: r for name, r in scope.references.items() if name in scope.sdfg.constants}
    inner = Scope(node.sdfg, scope.names, references, environment, scope.types, scope.storage)
    for edge in sorted(state.all_edges(node), key=lambda e: str(e.dst_conn if e.dst is node else e.src_conn)):
        connector = edge.dst_conn if edge.dst is node else edge.src_conn
        if not connector or edge.data.is_empty():
            continue
        if isinstance(node.sdfg.arrays[connector], data.Stream):
            inner.streams[connector] = _same_streams(edge.data.data, node.sdfg.arrays[connector], scope, inner)
        elif connector not in references:
            references[connector] = _connected(edge.data, node.sdfg.arrays[connector], scope, inner)
    return inner


def _same_streams(name: str, inner_desc: data.Stream, scope: Scope, inner: Scope) -> Stream:
    stream = scope.stream(name)
    if inner.indices(inner_desc.shape) != stream.shape:
        raise Unsupported(f"a part of the array of streams '{name}' for a nested SDFG")
    return stream


def _connected(memlet: Memlet, inner_desc: data.Data, scope: Scope, inner: Scope) -> Reference:
    """A connector is the container it is connected to (DaCe's contract since 2.0), or a window of it (older
    programs).
    """
    reference = scope.reference(memlet.data)
    if isinstance(reference, ScalarReference):
        return reference
    outer_desc = scope.sdfg.arrays[memlet.data]
    outer_shape, inner_shape = scope.indices(outer_desc.shape), inner.indices(inner_desc.shape)
    if len(outer_shape) == len(inner_shape) and all(
        sympy.simplify(a - b) == 0 for a, b in zip(outer_shape, inner_shape, strict=True)
    ):
        return reference
    rank = len(inner_shape)
    return reference.through(window_of(memlet.subset, rank, scope.environment))


def lower_region(region: ControlFlowRegion, scope: Scope) -> list[Statement]:
    """The statements of a control-flow region inside a codelet. Raises Failure."""
    result: list[Statement] = []
    if isinstance(region, SDFG):
        result += _declare_symbols(region, scope)
    for block, assignments in loops.straight_line(region):
        with located(block, scope.sdfg, block):
            result += lower_block(block, scope)
            result += _assignments(assignments, scope)
    return result


def _declare_symbols(sdfg: SDFG, scope: Scope) -> Iterator[Statement]:
    """Symbols that edges assign are local scalars of the codelet."""
    for name in assigned_symbols(sdfg):
        local, dtype = scope.names.fresh(name), symbol_type(sdfg, name)
        value = None
        if name in scope.environment:  # one that comes from outside and is changed here
            value = Code(python_text(scope.environment[name]))
        scope.environment[name] = symbol(local)
        scope.types[local] = dtype
        yield Declare(local, dtype, value, constant=False)


def symbol_type(sdfg: SDFG, name: str) -> np.dtype[Any]:
    """The type that a symbol has on the device. One of 64 bits has 32, as the machine's integers, unless it is data."""
    dtype = compat.symbol_type(sdfg, name)
    narrow = {"int64": "int32", "uint64": "uint32"}.get(dtype.name)
    return dtype if narrow is None or name in wide_symbols(sdfg) else np.dtype(narrow)


def _assignments(assignments: dict[str, str], scope: Scope) -> list[Statement]:
    """The assignments of an edge: all right sides are evaluated before anything is assigned."""
    before: list[Statement] = []
    result: list[Statement] = []
    several = len(assignments) > 1
    for name, text in sorted(assignments.items()):
        prelude, code = lower_expression(text, scope, containers(text, scope))
        before += prelude
        local = str(scope.environment[name])
        if several and _uses(assignments, name):
            held = scope.names.fresh(f"new_{name}")
            dtype = scope.types[local]
            before.append(Declare(held, dtype, code))
            code = Code(held)
        result.append(Assign(local, code))
    return [*before, *result]


def _uses(assignments: dict[str, str], name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name
        for other, text in assignments.items()
        if other != name
        for node in ast.walk(ast.parse(text.strip(), mode="eval"))
    )


def containers(text: str, scope: Scope) -> dict[str, Target]:
    """The containers that an expression of control flow names, as what it may read."""
    names = {node.id for node in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Name)}
    result: dict[str, Target] = {}
    for name in sorted(names & set(scope.sdfg.arrays)):
        reference, desc = scope.reference(name), scope.sdfg.arrays[name]
        if isinstance(reference, ScalarReference):
            result[name] = reference
        elif all(size == 1 for size in desc.shape):
            result[name] = reference.access((sympy.Integer(0),) * len(desc.shape))
        else:
            whole = subsets.Range.from_array(desc)
            window = window_of(whole, len(desc.shape), scope.environment)
            result[name] = Pointer(reference, window, len(desc.shape))
    return result


def lower_block(block: ControlFlowBlock, scope: Scope) -> list[Statement]:
    """The statements of a state, a loop or a branch inside a codelet. Raises Unsupported or Failure."""
    match block:
        case SDFGState():
            inner = declare_transients(block, None, scope)
            return [*declarations(inner, scope), *lower_scope(block, None, inner)]
        case LoopRegion():
            return _loop(block, scope)
        case ConditionalBlock():
            return _conditional(list(block.branches), scope)
        case BreakBlock():
            return [Break()]
        case ContinueBlock():
            return [Continue()]
        case ControlFlowRegion():
            return lower_region(block, scope)
        case _:
            raise Unsupported(f"a {type(block).__name__} inside a map")


def _loop(loop: LoopRegion, scope: Scope) -> list[Statement]:
    counted = loops.counted(loop)
    if counted is None or not loops.is_index_range(counted, scope):
        return _while(loop, scope)
    name = scope.names.fresh(loop.loop_variable)
    begin, end, step = (scope.index(value) for value in (counted.begin, counted.end, counted.step))
    body = lower_region(loop, scope.with_symbol(loop.loop_variable, symbol(name)))
    return [For(name, begin, end, step, tuple(body))]


def _while(loop: LoopRegion, scope: Scope) -> list[Statement]:
    if loop.inverted:
        raise Unsupported("a loop that tests its condition behind its body")
    before: list[Statement] = []
    advance: list[Statement] = []
    if loop.loop_variable and loop.init_statement is not None and loop.update_statement is not None:
        name = scope.names.fresh(loop.loop_variable)
        scope.types[name] = np.dtype(np.int32)
        text = loops.assignment_value(loop.init_statement)
        before, first = lower_expression(text, scope, containers(text, scope))
        before.append(Declare(name, scope.types[name], first, constant=False))
        scope = scope.with_symbol(loop.loop_variable, symbol(name))
        text = loops.assignment_value(loop.update_statement)
        advance, value = lower_expression(text, scope, containers(text, scope))
        advance.append(Assign(name, value))
    text = loop.loop_condition.as_string
    prelude, condition = lower_expression(text, scope, containers(text, scope))
    if prelude or (advance and loops.has_continue(loop)):
        raise Unsupported(f"the loop 'while {text}' inside a map")
    return [*before, While(condition, (*lower_region(loop, scope), *advance))]


def _conditional(branches: list[Any], scope: Scope) -> list[Statement]:
    if not branches:
        return []
    condition, body = branches[0]
    then = lower_region(body, scope)
    if condition is None:
        return then
    text = condition.as_string
    before, code = lower_expression(text, scope, containers(text, scope))
    return [*before, If(code, tuple(then), tuple(_conditional(branches[1:], scope)))]
