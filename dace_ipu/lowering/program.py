"""A device scope as a tile graph: its states, copies, maps and repeats in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy
from dace import data, dtypes
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ConditionalBlock, ControlFlowBlock, ControlFlowRegion, LoopRegion, SDFGState

from dace_ipu import compat
from dace_ipu.errors import DiagnosticCollector
from dace_ipu.lowering import codelet, loops, queries
from dace_ipu.lowering.places import Failure, located, source_of
from dace_ipu.lowering.references import ArrayReference
from dace_ipu.lowering.scope import Names, Scope, dtype_of, tidy, user_name
from dace_ipu.lowering.settle import mentions, settle
from dace_ipu.lowering.symbolic import Unsupported, convert
from dace_ipu.lowering.tasklets import lower_expression
from dace_ipu.registration import IPU_L1
from dace_ipu.tile_graph.body import Access, Code, Declare, DType, Expr, For, Statement, Store, codes, symbol, walk
from dace_ipu.tile_graph.nodes import (
    Copy,
    CopyIn,
    CopyOut,
    Dimension,
    HostArray,
    MapStep,
    Range,
    Repeat,
    Slice,
    Source,
    Step,
    TileGraph,
    Variable,
)

__all__ = ["DEVICE_PREFIX", "HOST_VALUE_SUFFIX", "lower"]

#: A host scalar that ranges depend on becomes a symbol of this name, beside the variable that holds it on the device.
HOST_VALUE_SUFFIX = "_value"

#: The offloading transformation names the device's copy of the host array ``A`` so.
DEVICE_PREFIX = "ipu_"

CONTROL_FLOW_HINT = (
    "loops with a counter that the body does not use, straight-line code, and any control flow inside a map run on the "
    "IPU"
)


def lower(node: nodes.NestedSDFG, name: str) -> TileGraph:
    """The tile graph of a device scope. Raises DiagnosticError with everything that cannot run on the IPU."""
    program = _Program(node.sdfg, name)
    program.lower()
    return program.graph()


@dataclass
class _Program:
    sdfg: SDFG
    name: str
    hosts: list[HostArray] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    runtime: dict[str, str] = field(default_factory=dict)  # symbols computed on the device → their variables
    undefined: set[str] = field(default_factory=set)  # symbols without one value at this place
    scalars: dict[str, DType] = field(default_factory=dict)  # host scalars that ranges depend on
    findings: DiagnosticCollector = field(default_factory=DiagnosticCollector)
    steps: tuple[Step, ...] = ()

    # ---- the whole
    # ----------------------------------------------------------------------------------------------------

    def lower(self) -> None:
        """Collects host arrays, variables and steps. Raises DiagnosticError with every finding."""
        self.names = Names({str(s) for s in self.sdfg.symbols} | {str(s) for s in self.sdfg.free_symbols})
        scope = Scope(self.sdfg, self.names)
        self._declare_hosts()
        self._declare_arrays(scope)
        self.steps = tuple(self._region(self.sdfg, scope))
        self.findings.raise_if_errors()

    def graph(self) -> TileGraph:
        """The finished tile graph."""
        types = {**{str(s): np.dtype(t.type) for s, t in self.sdfg.symbols.items()}, **self.scalars}
        used = sorted(_free_names(self) & set(types))
        symbols = tuple((s, types[s]) for s in used)
        computed = _used_variables(self.steps)
        steps = tuple(s for s in self.steps if not (isinstance(s, CopyIn) and s.variable not in computed))
        variables = tuple(v for v in self.variables.values() if v.name in computed)
        hosts = {s.host for s in steps if isinstance(s, (CopyIn, CopyOut))}
        return TileGraph(self.name, symbols, tuple(h for h in self.hosts if h.name in hosts), variables, steps)

    def _declare_hosts(self) -> None:
        for name, desc in sorted(self.sdfg.arrays.items()):
            if desc.transient or desc.storage == IPU_L1:
                continue
            scalar = isinstance(desc, data.Scalar)
            plain: dict[str, Expr] = {}
            shape = (sympy.Integer(1),) if scalar else tuple(convert(s, plain) for s in desc.shape)
            strides = (sympy.Integer(1),) if scalar else tuple(convert(s, plain) for s in desc.strides)
            offset = (
                sympy.Integer(0)
                if scalar
                else convert(desc.start_offset if hasattr(desc, "start_offset") else 0, plain)
            )
            self.hosts.append(HostArray(name, dtype_of(desc), shape, strides, offset, scalar))

    def _declare_arrays(self, scope: Scope) -> None:
        """Give the arrays of an SDFG their variables: those that live on the device and are not local to a map."""
        for name, desc in sorted(scope.sdfg.arrays.items()):
            is_own = name not in scope.references and not isinstance(desc, (data.View, data.Stream))
            if is_own and desc.storage == IPU_L1 and self._lives_outside_maps(scope.sdfg, name):
                with located(desc, scope.sdfg):
                    scope.references[name] = self._variable(name, desc, scope)
        for name, (_, value) in sorted(scope.sdfg.constants_prop.items()):
            if np.ndim(value):
                constant = self._constant(name, np.asarray(value))
                scope.references[name] = constant
                scope.types[constant.name] = constant.dtype

    def _lives_outside_maps(self, sdfg: SDFG, name: str) -> bool:
        if not sdfg.arrays[name].transient or sdfg.arrays[name].lifetime == dtypes.AllocationLifetime.Persistent:
            return True
        return any(
            n.data == name and st.entry_node(n) is None for st in sdfg.states() for n in st.data_nodes()
        ) or name in queries.control_flow_reads(sdfg)

    def _variable(self, name: str, desc: data.Data, scope: Scope) -> ArrayReference:
        hint = (
            name.removeprefix(DEVICE_PREFIX)
            if name.removeprefix(DEVICE_PREFIX) in self.sdfg.arrays
            else user_name(name)
        )
        shape = (sympy.Integer(1),) if isinstance(desc, data.Scalar) else scope.indices(desc.shape)
        dtype = dtype_of(desc)
        unique = self.names.fresh(hint)
        persistent = desc.lifetime == dtypes.AllocationLifetime.Persistent
        self.variables[unique] = Variable(unique, dtype, shape, persistent, source=source_of(desc, scope.sdfg))
        scope.types[unique] = dtype
        return ArrayReference(unique, dtype)

    def _constant(self, name: str, value: np.ndarray[Any, Any]) -> ArrayReference:
        unique = self.names.fresh(name)
        shape = tuple(sympy.Integer(s) for s in value.shape)
        self.variables[unique] = Variable(unique, value.dtype, shape, constant=tuple(value.reshape(-1).tolist()))
        return ArrayReference(unique, value.dtype)

    # ---- control flow
    # -------------------------------------------------------------------------------------------------

    def _region(self, region: ControlFlowRegion, scope: Scope) -> Iterator[Step]:
        try:
            blocks = list(loops.straight_line(region))
        except Unsupported as error:
            self._report(Failure.at(error, region, scope.sdfg, None, (CONTROL_FLOW_HINT,)))
            return
        for block, assignments in blocks:
            yield from self._block(block, scope)
            yield from self._assign(assignments, block, scope)

    def _block(self, block: ControlFlowBlock, scope: Scope) -> Iterator[Step]:
        match block:
            case SDFGState():
                yield from self._state(block, replace(scope, references=dict(scope.references)))
            case LoopRegion():
                yield from self._loop(block, scope)
            case ConditionalBlock():
                conditions = " / ".join(c.as_string for c, _ in block.branches if c is not None)
                self._refuse_control_flow(block, scope, f"the branch on '{conditions}' outside of a map")
            case ControlFlowRegion():
                yield from self._region(block, scope)
            case _:
                self._refuse_control_flow(block, scope, f"the {type(block).__name__} outside of a map")

    def _refuse_control_flow(self, block: ControlFlowBlock, scope: Scope, what: str) -> None:
        self._report(Failure.at(Unsupported(what), block, scope.sdfg, block, (CONTROL_FLOW_HINT,)))

    def _report(self, failure: Failure) -> None:
        self.findings.add(failure.diagnostic)

    def _loop(self, loop: LoopRegion, scope: Scope) -> Iterator[Step]:
        counted = loops.counted(loop)
        variable = loop.loop_variable
        if counted is None or not loops.is_index_range(counted, scope):
            self._refuse_control_flow(loop, scope, f"the loop 'while {loop.loop_condition.as_string}' outside of a map")
            return
        if compat.uses_symbol(loop, variable) or loop.has_break or loop.has_continue:
            what = (
                f"the loop over '{variable}', which its body uses,"
                if not loop.has_break
                else f"the loop over '{variable}' with a break"
            )
            self._refuse_control_flow(loop, scope, f"{what} outside of a map")
            return
        with self._one_turn(loop):
            body = tuple(self._region(loop, replace(scope, environment=dict(scope.environment))))
        begin, end, step = (scope.index(v) for v in (counted.begin, counted.end, counted.step))
        count = -sympy.floor(-(end - begin) / step)
        if body:
            yield Repeat(count, body, source_of(loop, scope.sdfg, loop))

    def _one_turn(self, loop: LoopRegion) -> Any:
        return _Undefined(self.undefined, set(queries.assigned_symbols(loop)) - set(self.runtime))

    def _assign(self, assignments: dict[str, str], block: ControlFlowBlock, scope: Scope) -> Iterator[Step]:
        """Symbols that follow from symbols are replaced by their values; those that depend on data are computed on
        the device.
        """
        new: dict[str, Expr] = {}
        for name, text in sorted(assignments.items()):
            with _reporting(self, block, scope):
                value = self._graph_time_value(text, scope)
                if value is None:
                    yield self._runtime_symbol(name, text, block, scope)
                else:
                    new[name] = value
        scope.environment.update(new)
        self.undefined.difference_update(new)

    def _graph_time_value(self, text: str, scope: Scope) -> Expr | None:
        containers = codelet.containers(text, scope)
        environment = dict(scope.environment)
        for name, target in containers.items():
            host = self._host_scalar(target)
            if host is None:
                return None
            environment[name] = symbol(host + HOST_VALUE_SUFFIX)
        try:
            value = convert(text, environment)
        except (Unsupported, TypeError, SyntaxError, AttributeError):
            return None
        if {str(s) for s in value.free_symbols} & (set(self.runtime) | self.undefined):
            return None
        self._note_host_scalars(value)
        return value

    def _host_scalar(self, target: object) -> str | None:
        """The host scalar (an integer that the program never writes) that a container holds a copy of, if so."""
        if not isinstance(target, Access):
            return None
        host = next((h for h in self.hosts if h.name == target.data), None)
        is_integer = host is not None and host.dtype.kind in "iu" and host.scalar
        device_name = DEVICE_PREFIX + target.data
        return (
            target.data if is_integer and not compat.is_written(self.sdfg, device_name, host_copy=target.data) else None
        )

    def _note_host_scalars(self, value: Expr) -> None:
        for name in {str(s) for s in value.free_symbols}:
            host = next((h for h in self.hosts if h.name + HOST_VALUE_SUFFIX == name and h.scalar), None)
            if host is not None:
                self.scalars[name] = host.dtype

    def _runtime_symbol(self, name: str, text: str, block: ControlFlowBlock, scope: Scope) -> Step:
        dtype = np.dtype(self.sdfg.symbols[name].type) if name in self.sdfg.symbols else np.dtype(np.int32)
        if name not in self.runtime:
            unique = self.names.fresh(name)
            self.variables[unique] = Variable(unique, dtype, (sympy.Integer(1),))
            self.runtime[name] = unique
            scope.types[unique] = dtype
        inner = self._body_scope(scope)
        before, code = lower_expression(text, inner, codelet.containers(text, inner))
        store = Store(Access(self.runtime[name], (sympy.Integer(0),)), code)
        return self._map_step(name, (), [*before, store], inner, source_of(block, scope.sdfg, block))

    # ---- states
    # -------------------------------------------------------------------------------------------------------

    def _state(self, state: SDFGState, scope: Scope) -> Iterator[Step]:
        for node in codelet.order(state, None):
            with _reporting(self, node, scope, state):
                yield from self._node(state, node, scope)

    def _node(self, state: SDFGState, node: nodes.Node, scope: Scope) -> Iterator[Step]:
        match node:
            case nodes.AccessNode():
                yield from self._access_node(state, node, scope)
            case nodes.MapEntry():
                yield self._map(state, node, scope)
            case nodes.Tasklet():
                inner = self._body_scope(scope)
                body = codelet.lower_tasklet_node(state, node, inner)
                yield self._map_step(node.label, (), body, inner, source_of(node, scope.sdfg, state))
            case nodes.NestedSDFG():
                yield from self._nested(state, node, scope)
            case nodes.LibraryNode():
                raise Unsupported(
                    f"the library node '{node.label}' ({type(node).__name__}), which has no pure expansion,"
                )
            case nodes.ConsumeEntry():
                raise Unsupported(f"the consume scope '{node}'")
            case _:
                raise Unsupported(f"a {type(node).__name__}")

    def _nested(self, state: SDFGState, node: nodes.NestedSDFG, scope: Scope) -> Iterator[Step]:
        inner = codelet.enter_nested(state, node, scope)
        self._declare_arrays(inner)
        yield from self._region(node.sdfg, inner)

    # ---- maps
    # ---------------------------------------------------------------------------------------------------------

    def _map(self, state: SDFGState, entry: nodes.MapEntry, scope: Scope) -> Step:
        scope = self._with_dynamic_ranges(state, entry, scope)
        inner = self._body_scope(scope)
        domain: list[Dimension] = []
        for parameter, (begin, last, step) in zip(entry.map.params, entry.map.range.ndrange(), strict=True):
            first, stride = self._fixed(scope, begin), self._fixed(scope, step)
            name = inner.names.fresh(parameter)
            domain.append(Dimension(name, sympy.floor((self._fixed(scope, last) - first) / stride) + 1))
            inner = inner.with_symbol(parameter, first + stride * symbol(name))
            inner.types[name] = np.dtype(np.int32)
        inner = codelet.declare_transients(state, entry, inner)
        body = [*codelet.declarations(inner, scope), *codelet.lower_scope(state, entry, inner)]
        return self._map_step(entry.map.label, tuple(domain), body, inner, source_of(entry, scope.sdfg, state))

    def _with_dynamic_ranges(self, state: SDFGState, entry: nodes.MapEntry, scope: Scope) -> Scope:
        for edge in compat.dynamic_map_inputs(state, entry):
            host = self._host_scalar(codelet.connector_target(edge, scope))
            if host is None:
                raise Unsupported(
                    f"the range of the map '{entry.map.label}', which depends on the device data '{edge.data.data}',"
                )
            scope = scope.with_symbol(edge.dst_conn, symbol(host + HOST_VALUE_SUFFIX))
        return scope

    def _fixed(self, scope: Scope, expression: Any) -> Expr:
        """An expression that is known when the graph is built. Raises Unsupported."""
        value = scope.index(expression)
        names = {str(s) for s in value.free_symbols}
        unknown = sorted(names & (set(self.runtime) | self.undefined))
        if unknown:
            raise Unsupported(f"a range or copy that depends on '{unknown[0]}', which is computed on the device,")
        self._note_host_scalars(value)
        return value

    def _body_scope(self, scope: Scope) -> Scope:
        """The scope of a codelet: symbols that are computed on the device are scalars there."""
        taken = set(self.variables) | set(self.runtime) | {str(s) for s in self.sdfg.symbols} | set(self.scalars)
        inner = Scope(scope.sdfg, Names(taken), dict(scope.references), dict(scope.environment), dict(scope.types))
        for name, variable in self.runtime.items():
            local = inner.names.fresh(f"{name}_value")
            inner.environment[name] = symbol(local)
            inner.types[local] = self.variables[variable].dtype
        return inner

    def _map_step(
        self, label: str, domain: tuple[Dimension, ...], body: list[Statement], scope: Scope, source: Source
    ) -> MapStep:
        settled = settle(tuple(body))
        used = frozenset().union(*(mentions(s) for s in walk(settled))) if settled else frozenset()
        for name in sorted(used & self.undefined):
            raise Unsupported(
                f"the value of '{name}', which a loop outside of a map carries from one turn to the next,"
            )
        prelude = tuple(
            Declare(
                str(scope.environment[name]),
                self.variables[v].dtype,
                Code("_0", (("_0", Access(v, (sympy.Integer(0),))),)),
            )
            for name, v in sorted(self.runtime.items())
            if str(scope.environment[name]) in used
        )
        return MapStep(self.names.fresh(self._step_name(label, settled)), domain, prelude + settled, source)

    def _step_name(self, label: str, body: tuple[Statement, ...]) -> str:
        """The user's name of a map; one that the frontend made up is called after the array that it writes."""
        program = re.escape(self.sdfg.name.removesuffix("_device"))
        made_up = re.fullmatch(rf"_.*|(assign|copy|{program})_\d*.*|\d.*", label)
        targets = [s.target.data for s in walk(body) if isinstance(s, Store)]
        if made_up and targets:
            return f"update_{targets[-1]}"
        return tidy(label).removesuffix("_map").strip("_") or "map"

    # ---- copies
    # -------------------------------------------------------------------------------------------------------

    def _access_node(self, state: SDFGState, node: nodes.AccessNode, scope: Scope) -> Iterator[Step]:
        desc = node.desc(scope.sdfg)
        if isinstance(desc, data.Stream):
            raise Unsupported(f"the stream '{node.data}'")
        if isinstance(desc, (data.Reference, data.Structure)):
            raise Unsupported(f"the {type(desc).__name__.lower()} '{node.data}'")
        own_view = None
        if isinstance(desc, data.View):
            codelet.bind_view(state, node, scope)
            own_view = compat.view_edge(state, node)
        for edge in sorted(state.in_edges(node), key=lambda e: str(e.dst_conn)):
            source = edge.src
            if edge is own_view or not isinstance(source, nodes.AccessNode) or edge.data.is_empty():
                continue
            if not codelet.is_view(source, scope, node, state):
                yield from self._copy(state, edge, source.data, node.data, scope)

    def _copy(self, state: SDFGState, edge: Any, source: str, target: str, scope: Scope) -> Iterator[Step]:
        hosts = {h.name for h in self.hosts} if scope.sdfg is self.sdfg else set()
        place = source_of(edge, scope.sdfg, state)
        if source in hosts:
            yield CopyIn(source, scope.array(target).name)
        elif target in hosts:
            yield CopyOut(scope.array(source).name, target)
        else:
            slices = self._as_slices(state, edge, source, target, scope)
            if slices is None:
                yield self._copy_map(state, edge, source, target, scope, place)
            elif slices[0].variable == slices[1].variable:
                yield from self._copy_within(*slices, scope, place)
            else:
                yield Copy(*slices, place)

    def _copy_within(self, source: Slice, target: Slice, scope: Scope, place: Source) -> Iterator[Step]:
        """A copy between parts of one array, which may overlap: all is read before anything is written."""
        array = self.variables[source.variable]
        shape = tuple(-sympy.floor(-(r.end - r.begin) / sympy.Integer(r.step)) for r in source.ranges)
        name = self.names.fresh(f"{array.name}_part")
        self.variables[name] = Variable(name, array.dtype, shape, source=array.source)
        scope.types[name] = array.dtype
        whole = Slice(name, tuple(Range(sympy.Integer(0), size) for size in shape))
        yield Copy(source, whole, place)
        yield Copy(whole, target, place)

    def _as_slices(
        self, state: SDFGState, edge: Any, source: str, target: str, scope: Scope
    ) -> tuple[Slice, Slice] | None:
        """Both ends as slices, if the copy neither converts nor combines and both are plain boxes."""
        from_, to = scope.array(source), scope.array(target)
        if from_.chain or to.chain or from_.dtype != to.dtype or edge.data.wcr is not None:
            return None
        boxes = codelet.both_subsets(state, edge, source, target, scope.sdfg)
        slices = []
        for array, box in zip((from_, to), boxes, strict=True):
            ranges = tuple(self._range(scope, *limits) for limits in box.ndrange())
            if any(r is None for r in ranges) or len(ranges) != len(self.variables[array.name].shape):
                return None
            slices.append(Slice(array.name, tuple(r for r in ranges if r is not None)))
        return slices[0], slices[1]

    def _range(self, scope: Scope, begin: Any, last: Any, step: Any) -> Range | None:
        values = [scope.index(v) for v in (begin, last, step)]
        if {str(s) for v in values for s in v.free_symbols} & (set(self.runtime) | self.undefined):
            return None
        first, end, stride = values
        if not stride.is_Integer or stride == 0:
            return None
        return Range(first, end + (1 if stride > 0 else -1), int(stride))

    def _copy_map(self, state: SDFGState, edge: Any, source: str, target: str, scope: Scope, place: Source) -> Step:
        """A copy that converts, combines, reshapes or is indexed by data: an element-wise map."""
        inner = self._body_scope(scope)
        statements = codelet.edge_between_arrays(state, edge, source, target, inner)
        domain: list[Dimension] = []
        while len(statements) == 1 and isinstance(statements[0], For):
            loop = statements[0]
            domain.append(Dimension(loop.variable, loop.end))
            statements = list(loop.body)
        return self._map_step(f"copy_{tidy(source)}", tuple(domain), statements, inner, place)


class _Undefined:
    """While a loop body is lowered, and after it, the symbols that it assigns have no one value until they are
    assigned.
    """

    def __init__(self, undefined: set[str], names: set[str]) -> None:
        self._undefined, self._names = undefined, names

    def __enter__(self) -> None:
        self._undefined |= self._names

    def __exit__(self, *exception: object) -> None:
        self._undefined |= self._names


class _reporting:
    """Collects a failure inside, with its place, and goes on behind it."""

    def __init__(self, program: _Program, element: object, scope: Scope, block: ControlFlowBlock | None = None) -> None:
        self._program, self._element, self._scope, self._block = program, element, scope, block

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, Unsupported):
            error = Failure.at(error, self._element, self._scope.sdfg, self._block)
        if not isinstance(error, Failure):
            return False
        self._program._report(error)
        return True


def _used_variables(steps: tuple[Step, ...]) -> set[str]:
    used: set[str] = set()
    for step in steps:
        match step:
            case MapStep():
                used |= {a.data for a in _accesses(step.body)}
            case Copy():
                used |= {step.source_slice.variable, step.target_slice.variable}
            case CopyOut():
                used.add(step.variable)
            case Repeat():
                used |= _used_variables(step.body)
            case _:
                pass
    return used


def _accesses(body: tuple[Statement, ...]) -> Iterator[Access]:
    for statement in walk(body):
        for code in codes(statement):
            yield from (access for _, access in code.reads)
        if isinstance(statement, Store):
            yield statement.target


def _free_names(program: _Program) -> set[str]:
    expressions = [e for h in program.hosts for e in (*h.shape, *h.strides, h.offset)]
    expressions += [e for v in program.variables.values() for e in v.shape]
    return {str(s) for e in expressions for s in e.free_symbols} | _step_names(program.steps)


def _step_names(steps: tuple[Step, ...]) -> set[str]:
    names: set[str] = set()
    for step in steps:
        match step:
            case MapStep():
                names |= {str(s) for d in step.domain for s in d.extent.free_symbols}
                names = names.union(*(mentions(s) for s in walk(step.body)))
            case Copy():
                ranges = (*step.source_slice.ranges, *step.target_slice.ranges)
                names |= {str(s) for r in ranges for e in (r.begin, r.end) for s in e.free_symbols}
            case Repeat():
                names |= {str(s) for s in step.count.free_symbols} | _step_names(step.body)
            case _:
                pass
    return names
