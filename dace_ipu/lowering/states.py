"""What stands in one state outside of maps, as steps of a tile graph: maps, tasklets, copies, nested SDFGs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from dace import data
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState

from dace_ipu import compat
from dace_ipu.lowering import array_copies, codelet, local_data, queries, views
from dace_ipu.lowering.device import HOST_VALUE_SUFFIX, ONE, ZERO, Device
from dace_ipu.lowering.extents import Extents
from dace_ipu.lowering.places import Failure, located, source_of
from dace_ipu.lowering.private_arrays import PrivateArrays
from dace_ipu.lowering.scope import Scope, dtype_of, tidy
from dace_ipu.lowering.stream_code import capacity_of
from dace_ipu.lowering.streams import Stream, used_in
from dace_ipu.lowering.symbolic import Unsupported
from dace_ipu.lowering.tasklets import lower_expression
from dace_ipu.registration import IPU_L1
from dace_ipu.tile_graph.body import Declare, Expr, For, Statement, symbol
from dace_ipu.tile_graph.nodes import Copy, CopyIn, CopyOut, Range, Slice, Source, Step

__all__ = ["States"]

INT32 = np.dtype(np.int32)


@dataclass
class States:
    """Lowers states. ``sdfg`` lowers a nested SDFG."""

    device: Device
    sdfg: Callable[[SDFG, Scope], Iterator[Step]]

    # ---- data --------------------------------------------------------------------------------------------------------

    def declare_arrays(self, scope: Scope) -> None:
        """Give the arrays of an SDFG their variables: those that live on the device and are not local to a map.

        Arrays whose shapes depend on symbols that are not known yet are declared where they are used first.
        """
        unknown = set(queries.assigned_symbols(scope.sdfg)) | queries.counters(scope.sdfg)
        for name, desc in sorted(scope.sdfg.arrays.items()):
            is_late = {str(s) for size in desc.shape for s in getattr(size, "free_symbols", ())} & unknown
            if self._is_own(name, scope) and not is_late:
                with located(desc, scope.sdfg):
                    scope.references[name] = self.device.array(name, desc, scope)
        for name, (_, value) in sorted(scope.sdfg.constants_prop.items()):
            if np.ndim(value) or name in scope.sdfg.arrays:
                constant = self.device.constant(name, np.atleast_1d(value))
                scope.references[name] = constant
                scope.types[constant.name] = constant.dtype

    def declare_streams(self, scope: Scope) -> Iterator[Step]:
        """Give the streams of an SDFG their variables, and empty them."""
        for name, desc in sorted(scope.sdfg.arrays.items()):
            is_own = isinstance(desc, data.Stream) and desc.transient and name not in scope.streams
            if is_own and queries.lives_outside_maps(scope.sdfg, name):
                with self.device.reporting(desc, scope):
                    yield from self._declare_stream(name, desc, scope)

    def _declare_stream(self, name: str, desc: data.Stream, scope: Scope) -> Iterator[Step]:
        shape, dtype = scope.indices(desc.shape), dtype_of(desc)
        scope.streams[name] = Stream(name, name, name, dtype, shape, ONE, True)  # if it gets no size: one finding
        stream = self.device.stream(tidy(name), dtype, shape, *capacity_of(name, scope))
        scope.streams[name] = stream
        scope.types.update({stream.items: dtype, stream.first: INT32, stream.count: INT32})
        yield self.device.single(f"clear_{name}", stream.clear(), source_of(desc, scope.sdfg))

    def _is_own(self, name: str, scope: Scope) -> bool:
        desc = scope.sdfg.arrays[name]
        is_array = name not in scope.references and not isinstance(desc, (data.View, data.Stream))
        return is_array and desc.storage == IPU_L1 and queries.lives_outside_maps(scope.sdfg, name)

    def _declare_late(self, state: SDFGState, scope: Scope) -> None:
        for name in sorted({node.data for node in state.data_nodes()}):
            if self._is_own(name, scope):
                limits = self._limits(state, scope)
                scope.references[name] = self.device.array(name, scope.sdfg.arrays[name], scope, limits)

    def _limits(self, state: SDFGState, scope: Scope) -> dict[Expr, Expr]:
        """Sizes of slices that are computed on the device → the size of the array that they are taken from."""
        found: dict[Expr, Expr] = {}
        for size, limit in local_data.slice_limits([state], scope):
            if self.device.runtime_names(size) and not self.device.runtime_names(limit):
                found.setdefault(self.device.resolved(size), limit)
        return found

    # ---- nodes -------------------------------------------------------------------------------------------------------

    def state(self, state: SDFGState, scope: Scope) -> Iterator[Step]:
        """The steps of one state."""
        with self.device.reporting(state, scope, state):
            self._declare_late(state, scope)
        scope = replace(scope, references=dict(scope.references))
        with self.device.reporting(state, scope, state):
            views.bind_views(state, None, scope)
        for node in queries.order(state, None):
            with self.device.reporting(node, scope, state):
                yield from self._node(state, node, scope)

    def _node(self, state: SDFGState, node: nodes.Node, scope: Scope) -> Iterator[Step]:
        match node:
            case nodes.AccessNode():
                yield from self._access_node(state, node, scope)
            case nodes.MapEntry():
                yield self._map(state, node, scope)
            case nodes.Tasklet():
                body = codelet.lower_tasklet_node(state, node, self.device.body_scope(scope))
                yield self.device.single(node.label, body, source_of(node, scope.sdfg, state))
            case nodes.NestedSDFG():
                inner = codelet.enter_nested(state, node, scope)
                self.declare_arrays(inner)
                yield from self.declare_streams(inner)
                yield from self.sdfg(node.sdfg, inner)
            case nodes.LibraryNode():
                raise Unsupported(
                    f"the library node '{node.label}' ({type(node).__name__}), which has no pure expansion,"
                )
            case nodes.ConsumeEntry():
                yield self._consume(state, node, scope)
            case _:
                raise Unsupported(f"a {type(node).__name__}")

    # ---- maps --------------------------------------------------------------------------------------------------------

    def _consume(self, state: SDFGState, entry: nodes.ConsumeEntry, scope: Scope) -> Step:
        inner = replace(self.device.body_scope(scope), storage=PrivateArrays(self.device))
        body = codelet.lower_consume(state, entry, inner)
        return self._in_order(entry.consume.label, body, source_of(entry, scope.sdfg, state))

    def _in_order(self, label: str, body: list[Statement], place: Source) -> Step:
        return self.device.single(label, body, place, "runs on one tile: the items of a stream have an order")

    def _map(self, state: SDFGState, entry: nodes.MapEntry, scope: Scope) -> Step:
        if used_in(state, entry, scope.sdfg):
            inner = replace(self.device.body_scope(scope), storage=PrivateArrays(self.device))
            body = codelet.lower_map(state, entry, inner)
            return self._in_order(entry.map.label, body, source_of(entry, scope.sdfg, state))
        known = set(self.device.variables)
        try:
            return self._parallel_map(state, entry, scope)
        except Unsupported as error:
            for name in self.device.variables.keys() - known:
                del self.device.variables[name]
            return self._single_map(state, entry, scope, error)

    def _parallel_map(self, state: SDFGState, entry: nodes.MapEntry, scope: Scope) -> Step:
        inner = self.device.body_scope(scope)
        before, inner = self._dynamic_ranges(state, entry, inner)
        extents = Extents(self.device, inner.names, inner.types)
        for parameter, limits in zip(entry.map.params, entry.map.range.ndrange(), strict=True):
            value = extents.add(parameter, *(inner.index(limit) for limit in limits))
            inner = inner.with_symbol(parameter, value)
        inner = replace(inner, storage=PrivateArrays(self.device, extents))
        inner = local_data.declare_transients(state, entry, inner)
        body = [*local_data.declarations(inner, scope), *codelet.lower_scope(state, entry, inner)]
        domain, body = extents.domain(body)
        place = source_of(entry, scope.sdfg, state)
        return self.device.map_step(entry.map.label, domain, [*before, *body], place)

    def _single_map(self, state: SDFGState, entry: nodes.MapEntry, scope: Scope, why: Unsupported) -> Step:
        """A map whose range has no bound that is known when the graph is built, as loops of one vertex."""
        place = source_of(entry, scope.sdfg, state)
        inner = replace(self.device.body_scope(scope), storage=PrivateArrays(self.device))
        try:
            body = codelet.lower_map(state, entry, inner)
        except (Unsupported, Failure):
            raise why from None
        return self.device.single(entry.map.label, body, place, f"runs on one tile: {why}")

    def _dynamic_ranges(self, state: SDFGState, entry: nodes.MapEntry, scope: Scope) -> tuple[list[Statement], Scope]:
        """What the range of a map reads from memory: a host scalar's value, or a scalar that the body reads first."""
        before: list[Statement] = []
        for edge in compat.dynamic_map_inputs(state, entry):
            target = codelet.connector_target(edge, scope)
            host = self.device.host_scalar(target)
            if host is not None:
                scope = scope.with_symbol(edge.dst_conn, symbol(host + HOST_VALUE_SUFFIX))
                continue
            name, dtype = scope.names.fresh(edge.dst_conn), dtype_of(scope.sdfg.arrays[edge.data.data])
            _, value = lower_expression("value", scope, {"value": target})
            before.append(Declare(name, dtype, value))
            scope.types[name] = dtype
            scope = scope.with_symbol(edge.dst_conn, symbol(name))
        return before, scope

    # ---- copies ------------------------------------------------------------------------------------------------------

    def _access_node(self, state: SDFGState, node: nodes.AccessNode, scope: Scope) -> Iterator[Step]:
        desc = node.desc(scope.sdfg)
        if isinstance(desc, (data.Reference, data.Structure)):
            raise Unsupported(f"the {type(desc).__name__.lower()} '{node.data}'")
        own_view = None
        if isinstance(desc, data.View):
            views.bind_view(state, node, scope)
            own_view = compat.view_edge(state, node)
        for edge in sorted(state.in_edges(node), key=lambda e: str(e.dst_conn)):
            source = edge.src
            if edge is own_view or not isinstance(source, nodes.AccessNode) or edge.data.is_empty():
                continue
            if not views.is_view(source, scope, node, state):
                yield from self._copy(state, edge, source.data, node.data, scope)

    def _copy(self, state: SDFGState, edge: Any, source: str, target: str, scope: Scope) -> Iterator[Step]:
        hosts = {h.name for h in self.device.hosts} if scope.sdfg is self.device.sdfg else set()
        place = source_of(edge, scope.sdfg, state)
        if source in scope.streams or target in scope.streams:
            body = array_copies.edge_between_arrays(state, edge, source, target, self.device.body_scope(scope))
            yield self.device.single(f"copy_{tidy(source)}", body, place)
        elif source in hosts:
            yield CopyIn(source, scope.array(target).name)
        elif target in hosts:
            yield CopyOut(scope.array(source).name, target)
        else:
            slices = self._as_slices(state, edge, source, target, scope)
            if slices is None:
                yield self._copy_map(state, edge, source, target, scope, place)
            elif slices[0].variable == slices[1].variable:
                yield from self._copy_within(*slices, place)
            else:
                yield Copy(*slices, place)

    def _copy_within(self, source: Slice, target: Slice, place: Source) -> Iterator[Step]:
        """A copy between parts of one array, which may overlap: all is read before anything is written."""
        array = self.device.variables[source.variable]
        shape = tuple(-sympy.floor(-(r.end - r.begin) / sympy.Integer(r.step)) for r in source.ranges)
        name = self.device.temporary(f"{array.name}_part", array, shape)
        whole = Slice(name, tuple(Range(ZERO, size) for size in shape))
        yield Copy(source, whole, place)
        yield Copy(whole, target, place)

    def _as_slices(
        self, state: SDFGState, edge: Any, source: str, target: str, scope: Scope
    ) -> tuple[Slice, Slice] | None:
        """Both ends as slices, if the copy neither converts nor combines and both are plain boxes."""
        from_, to = scope.array(source), scope.array(target)
        if from_.chain or to.chain or from_.dtype != to.dtype or edge.data.wcr is not None:
            return None
        boxes = array_copies.both_subsets(state, edge, source, target, scope.sdfg)
        slices = []
        for array, box in zip((from_, to), boxes, strict=True):
            ranges = tuple(self._range(scope, *limits) for limits in box.ndrange())
            if any(r is None for r in ranges) or len(ranges) != len(self.device.variables[array.name].shape):
                return None
            slices.append(Slice(array.name, tuple(r for r in ranges if r is not None)))
        return slices[0], slices[1]

    def _range(self, scope: Scope, begin: Any, last: Any, step: Any) -> Range | None:
        values = [scope.index(v) for v in (begin, last, step)]
        if any(self.device.runtime_names(value) for value in values):
            return None
        for value in values:
            self.device.note_host_scalars(value)
        first, end, stride = values
        if not stride.is_Integer or stride == 0:
            return None
        return Range(first, end + (1 if stride > 0 else -1), int(stride))

    def _copy_map(self, state: SDFGState, edge: Any, source: str, target: str, scope: Scope, place: Source) -> Step:
        """A copy that converts, combines, reshapes or is indexed by data: an element-wise map."""
        inner = self.device.body_scope(scope)
        statements = array_copies.edge_between_arrays(state, edge, source, target, inner)
        label = f"copy_{tidy(source)}"
        extents = Extents(self.device, inner.names, inner.types)
        rest = statements
        while len(rest) == 1 and isinstance(rest[0], For):
            loop = rest[0]
            extents.add_loop(loop)
            rest = list(loop.body)
        try:
            domain, body = extents.domain(rest)
        except Unsupported as error:
            return self.device.single(label, statements, place, f"runs on one tile: {error}")
        return self.device.map_step(label, domain, body, place)
