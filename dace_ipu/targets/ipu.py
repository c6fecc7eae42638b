"""DaCe's view of the IPU: dispatches device scopes, and hands everything else over.

The frame (DaCe's own generated file) calls one function for each device program. That function, the graph-building code
and the codelets are printed by ``dace_ipu.targets.poplar`` from a tile graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dace import data, dtypes
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ControlFlowRegion, SDFGState, StateSubgraphView

from dace_ipu import build_lock, compat, config, environment, passes
from dace_ipu.errors import Diagnostic, DiagnosticError, Place
from dace_ipu.lowering import HOST_VALUE_SUFFIX, lower
from dace_ipu.lowering.verify import as_diagnostics
from dace_ipu.registration import IPU_SCHEDULES, IPU_STORAGES, IPU_Cycles, IPU_Device
from dace_ipu.simulator import ahead
from dace_ipu.targets.poplar import program
from dace_ipu.targets.poplar.expressions import ExpressionError
from dace_ipu.tile_graph.nodes import TileGraph
from dace_ipu.tile_graph.spec import SpecError
from dace_ipu.transformations.checks import check_after, is_device_program

__all__ = ["IPUCodeGen"]


class IPUCodeGen(compat.TargetCodeGenerator):
    """Code generator for ``ScheduleType.IPU_Device`` scopes and data in ``StorageType.IPU_L1``."""

    title = "IPU"
    target_name = "ipu"
    language = "cpp"

    _frame: compat.DaCeCodeGenerator

    def __init__(self, frame: compat.DaCeCodeGenerator, sdfg: SDFG) -> None:
        self._frame = frame
        self._sdfg = sdfg
        self._dispatcher = frame.dispatcher
        self._programs: list[TileGraph] = []
        # Here and not in `preprocess`: DaCe calls that only for targets it finds in use, and host code that uses device
        # data is none.
        check_after(sdfg)
        self._register(frame.dispatcher)

    def _register(self, dispatcher: compat.TargetDispatcher) -> None:
        dispatcher.register_map_dispatcher(list(IPU_SCHEDULES), self)
        for storage in IPU_STORAGES:
            dispatcher.register_array_dispatcher(storage, self)
        dispatcher.register_node_dispatcher(self, self._is_device_node)
        for storage in IPU_STORAGES:
            for other in dtypes.StorageType:
                compat.register_copies(dispatcher, storage, other, self)

    @staticmethod
    def _is_device_node(sdfg: SDFG, state: SDFGState, node: nodes.Node) -> bool:
        return isinstance(node, nodes.NestedSDFG) and is_device_program(node)

    def preprocess(self, sdfg: SDFG) -> None:
        """Make DaCe include the headers and the state field of the run-time context."""
        compat.use_environment(self._dispatcher, environment.current().full_class_path())
        compat.mark_used(self._dispatcher, self)

    @property
    def has_initializer(self) -> bool:
        """The program's context is made when DaCe initialises the program."""
        return True

    @property
    def has_finalizer(self) -> bool:
        """The context goes with the program."""
        return True

    # ---- device programs ---------------------------------------------------------------------------------------------

    def generate_scope(
        self,
        sdfg: SDFG,
        cfg: ControlFlowRegion,
        dfg_scope: StateSubgraphView,
        state_id: int,
        function_stream: compat.CodeIOStream,
        callsite_stream: compat.CodeIOStream,
    ) -> None:
        """A device scope becomes a call of its run function. Raises DiagnosticError for any other scope."""
        state = cfg.state(state_id)
        entry = dfg_scope.source_nodes()[0]
        assert isinstance(entry, nodes.MapEntry)
        inner = [n for n in dfg_scope.nodes() if isinstance(n, nodes.NestedSDFG) and state.entry_node(n) is entry]
        if entry.map.schedule != IPU_Device or len(inner) != 1:
            raise DiagnosticError([_outside_device_scope(entry, sdfg, state)])
        self._generate(sdfg, cfg, state, inner[0], function_stream, callsite_stream)

    def generate_node(
        self,
        sdfg: SDFG,
        cfg: ControlFlowRegion,
        dfg: SDFGState,
        state_id: int,
        node: nodes.Node,
        function_stream: compat.CodeIOStream,
        callsite_stream: compat.CodeIOStream,
    ) -> None:
        """A device program without its map (TrivialMapElimination removes it) is generated the same way."""
        assert isinstance(node, nodes.NestedSDFG)
        self._generate(sdfg, cfg, cfg.state(state_id), node, function_stream, callsite_stream)

    def _generate(
        self,
        sdfg: SDFG,
        cfg: ControlFlowRegion,
        state: SDFGState,
        node: nodes.NestedSDFG,
        function_stream: compat.CodeIOStream,
        callsite_stream: compat.CodeIOStream,
    ) -> None:
        suffix = f"_{len(self._programs) + 1}" if self._programs else ""
        lowered = lower(node, f"{self._sdfg.name}{suffix}")
        try:
            graph = passes.run(lowered)
        except SpecError as error:
            raise as_diagnostics(error, lowered) from error
        self._programs.append(graph)
        state_struct = compat.mangle_dace_state_struct_name(self._sdfg)
        function_stream.write(program.run_declaration(graph, state_struct) + "\n")
        arguments = ["__state", *self._host_arguments(sdfg, state, node, graph), *self._symbols(sdfg, node, graph)]
        callsite_stream.write(f"{program.run_name(graph)}({', '.join(arguments)});")

    def _host_arguments(self, sdfg: SDFG, state: SDFGState, node: nodes.NestedSDFG, graph: TileGraph) -> Iterable[str]:
        for host in graph.hosts:
            name = _connected_container(state, node, host.name)
            is_copied = isinstance(sdfg.arrays[name], data.Scalar) and not host.scalar
            yield ("&" if is_copied else "") + compat.host_argument(self._frame, sdfg, name)

    def _symbols(self, sdfg: SDFG, node: nodes.NestedSDFG, graph: TileGraph) -> Iterable[str]:
        for name, _ in graph.symbols:
            if name in node.symbol_mapping:
                yield str(compat.sym2cpp(node.symbol_mapping[name]))
            else:  # a host scalar that ranges depend on
                yield compat.host_argument(self._frame, sdfg, name.removesuffix(HOST_VALUE_SUFFIX))

    # ---- data --------------------------------------------------------------------------------------------------------

    def declare_array(self, *_: Any) -> None:
        """Device data has no pointer in the frame."""

    def allocate_array(self, *_: Any) -> None:
        """Device data is allocated when the graph is built."""

    def deallocate_array(self, *_: Any) -> None:
        """Device data goes with the engine."""

    def define_out_memlet(self, *_: Any) -> None:
        """Nothing on the host is defined by device data."""

    def copy_memory(
        self,
        sdfg: SDFG,
        cfg: ControlFlowRegion,
        dfg: SDFGState,
        state_id: int,
        src_node: nodes.Node,
        dst_node: nodes.Node,
        edge: Any,
        function_stream: compat.CodeIOStream,
        callsite_stream: compat.CodeIOStream,
    ) -> None:
        """Copies between host and device stand inside device scopes only: raises DiagnosticError."""
        raise DiagnosticError(
            [
                Diagnostic(
                    Place.of(edge, sdfg, cfg.state(state_id)),
                    f"a copy between '{src_node}' and '{dst_node}' touches IPU memory outside of a device scope",
                    hints=("offload the whole program with OffloadToIPU",),
                )
            ]
        )

    # ---- files -------------------------------------------------------------------------------------------------------

    def get_generated_codeobjects(self) -> list[compat.CodeObject]:
        """host.cpp, codelets.cpp (to read; not for the host's compiler) and the codelets as an embedded text.

        Raises DiagnosticError for a computation that codelets have no code for.
        """
        signature = self._sdfg.init_signature(free_symbols=self._frame.free_symbols(self._sdfg))
        state_struct = compat.mangle_dace_state_struct_name(self._sdfg)
        header = compat.CodeIOStream()
        self._frame.generate_fileheader(self._sdfg, header, self.target_name)
        try:
            texts = program.texts(
                self._programs, self._sdfg.name, state_struct, signature, header.getvalue(), self._options()
            )
        except ExpressionError as error:
            finding = Diagnostic(Place.of(self._sdfg), f"{error}: this cannot run on the IPU")
            raise DiagnosticError([finding]) from error
        if build_lock.is_building() and config.settings().mode == "simulator":
            ahead.compile_ahead(texts.codelets)
        return [
            self._code_object("ipu", "", texts.host, linkable=True),
            self._code_object("ipu_codelets", "codelet", texts.codelets, linkable=False),
            self._code_object("ipu_embedded", "", texts.embedded, linkable=True),
        ]

    def _options(self) -> program.Options:
        settings = config.settings()
        return program.Options(
            settings.target,
            settings.ipus,
            settings.tiles,
            settings.graph_cache_size,
            report_cycles=IPU_Cycles in self._dispatcher.instrumentation,
        )

    def _code_object(self, suffix: str, target_type: str, text: str, linkable: bool) -> compat.CodeObject:
        return compat.CodeObject(
            f"{self._sdfg.name}_{suffix}",
            text,
            "cpp",
            IPUCodeGen,
            f"IPU {target_type or 'host'}",
            target_type=target_type,
            environments={environment.current().full_class_path()},
            linkable=linkable,
        )


def _connected_container(state: SDFGState, node: nodes.NestedSDFG, connector: str) -> str:
    edges = [*state.in_edges_by_connector(node, connector), *state.out_edges_by_connector(node, connector)]
    return str(edges[0].data.data)


def _outside_device_scope(entry: nodes.MapEntry, sdfg: SDFG, state: SDFGState) -> Diagnostic:
    return Diagnostic(
        Place.of(entry, sdfg, state),
        f"the map '{entry.map.label}' is scheduled on the IPU ({entry.map.schedule.name}) outside of a device scope",
        notes=("a device program is a map over 0:1 with schedule IPU_Device around one nested SDFG",),
        hints=("offload the whole program with OffloadToIPU",),
    )


compat.register_extension(compat.TargetCodeGenerator, IPUCodeGen, name="ipu")
