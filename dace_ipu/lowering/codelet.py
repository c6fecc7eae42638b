"""The inside of a map as the body of a codelet: states, nested SDFGs, inner maps and loops become statements."""

from __future__ import annotations

from typing import Any

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
from dace_ipu.lowering.array_copies import edge_between_arrays
from dace_ipu.lowering.local_data import declarations, declare_transients, is_local, with_locals
from dace_ipu.lowering.local_symbols import assign, containers, declare_symbols
from dace_ipu.lowering.places import located
from dace_ipu.lowering.queries import order, scope_locals
from dace_ipu.lowering.reductions import reduction_of
from dace_ipu.lowering.references import Reference, ScalarReference, window_of
from dace_ipu.lowering.scope import Scope, dtype_of, integer_constants
from dace_ipu.lowering.stream_code import both, popped, stream_at
from dace_ipu.lowering.streams import Stream
from dace_ipu.lowering.symbolic import Unsupported
from dace_ipu.lowering.tasklets import Output, Pointer, Target, lower_expression, lower_tasklet
from dace_ipu.lowering.views import bind_view, bind_views, is_view
from dace_ipu.tile_graph.body import (
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    For,
    If,
    Statement,
    While,
    symbol,
)
from dace_ipu.tile_graph.indices import are_equal

__all__ = [
    "connector_target",
    "enter_nested",
    "lower_block",
    "lower_map",
    "lower_region",
    "lower_scope",
    "lower_tasklet_node",
]

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


def _view_node(state: SDFGState, node: nodes.AccessNode, scope: Scope) -> list[Statement]:
    bind_view(state, node, scope)
    edge = compat.view_edge(state, node)
    result: list[Statement] = []
    for other in state.in_edges(node):
        source = state.memlet_path(other)[0].src
        if other is not edge and isinstance(source, nodes.AccessNode) and not other.data.is_empty():
            result += edge_between_arrays(state, other, source.data, node.data, scope)
    return result + _leaving(state, node, scope, edge)


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


# ---- nested SDFGs and control flow
# ------------------------------------------------------------------------------------------------


def _nested(state: SDFGState, node: nodes.NestedSDFG, scope: Scope) -> list[Statement]:
    inner = enter_nested(state, node, scope)
    locals_ = sorted(name for name in node.sdfg.arrays if is_local(inner, name))
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
    if len(outer_shape) == len(inner_shape) and all(map(are_equal, outer_shape, inner_shape)):
        return reference
    rank = len(inner_shape)
    return reference.through(window_of(memlet.subset, rank, scope.environment))


def lower_region(region: ControlFlowRegion, scope: Scope) -> list[Statement]:
    """The statements of a control-flow region inside a codelet. Raises Failure."""
    result: list[Statement] = []
    if isinstance(region, SDFG):
        result += declare_symbols(region, scope)
    for block, assignments in loops.straight_line(region):
        with located(block, scope.sdfg, block):
            result += lower_block(block, scope)
            result += assign(assignments, scope)
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
    body = lower_region(loop, scope)
    if not prelude and not loop.inverted and not (advance and loops.has_continue(loop)):
        return [*before, While(condition, (*body, *advance))]
    test = [*prelude, If(Code(f"not ({condition.text})", condition.reads), (Break(),))]
    return [*before, *_endless(loop, body, test, advance, scope)]


def _endless(
    loop: LoopRegion, body: list[Statement], test: list[Statement], advance: list[Statement], scope: Scope
) -> list[Statement]:
    """A loop that ends by a jump. What stands between two turns comes first, so that ``continue`` gets there."""
    between = list(advance)
    if loop.inverted:
        between = [*advance, *test] if loop.update_before_condition else [*test, *advance]
    started = scope.names.fresh("started")
    scope.types[started] = np.dtype(np.bool_)
    turn = body if loop.inverted else [*test, *body]
    if not between:
        return [While(Code("True"), tuple(turn))]
    first = If(Code(started), tuple(between))
    return [
        Declare(started, scope.types[started], Code("False"), constant=False),
        While(Code("True"), (first, Assign(started, Code("True")), *turn)),
    ]


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
