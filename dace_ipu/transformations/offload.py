"""Moves a whole SDFG to the IPU: one device scope that holds everything, fed by host arrays.

Before: arrays ``A``, ``B`` and the blocks that work on them. After: one state with a map ``__ipu in 0:1`` (schedule
IPU_Device) around a
nested SDFG, which copies ``A`` to ``ipu_A`` (storage IPU_L1) where it is read before it is written, runs the blocks
on the copies, and
copies back what was written.
"""

from __future__ import annotations

import copy
from typing import Any

from dace import data, dtypes
from dace.memlet import Memlet
from dace.properties import Property, make_properties
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG, InterstateEdge
from dace.sdfg.state import SDFGState
from dace.transformation import transformation

from dace_ipu import compat
from dace_ipu.errors import DiagnosticCollector, DiagnosticError
from dace_ipu.lowering import lower
from dace_ipu.lowering.program import DEVICE_PREFIX
from dace_ipu.registration import IPU_L1, IPU_STORAGES, IPU_Device, IPU_Multicore
from dace_ipu.transformations import (
    checks,
    connectors,
    expand,
    fuse,
    liveness,
    local_shapes,
    narrow,
    pairs,
    parts,
    scalars,
)

__all__ = ["OffloadToIPU", "to_ipu"]


@make_properties
@transformation.explicit_cf_compatible
class OffloadToIPU(transformation.MultiStateTransformation):  # type: ignore[type-var]  # a decorator for passes
    """Offload a whole program to the IPU. Raises :class:`dace_ipu.DiagnosticError` with all that cannot run there.

    ``float64``: 'refuse' (the machine has none) or 'float32', which converts host arrays on their way in and out.
    ``allow_host``: what cannot run on the IPU stays on the host, and a :class:`HostPartWarning` says what and why.
    """

    float64 = Property(
        dtype=str, default="refuse", choices=["refuse", "float32"], desc="What to do with float64 and complex128 data"
    )
    allow_host = Property(dtype=bool, default=False, desc="Leave parts that cannot run on the IPU on the host")

    @staticmethod
    def annotates_memlets() -> bool:
        """Memlets are left as they are."""
        return True

    @classmethod
    def expressions(cls) -> list[Any]:
        """Matches the SDFG as a whole."""
        return [SDFG("_")]

    @staticmethod
    def is_offloaded(sdfg: SDFG) -> bool:
        """Whether the program holds a device scope already."""
        return any(
            isinstance(n, nodes.MapEntry) and n.map.schedule == IPU_Device for st in sdfg.states() for n in st.nodes()
        )

    def can_be_applied(self, graph: Any, expr_index: int, sdfg: SDFG, permissive: bool = False) -> bool:
        """Once: a program that is on the IPU stays as it is."""
        return sdfg.parent_nsdfg_node is None and not self.is_offloaded(sdfg)

    def apply(self, graph: Any, sdfg: SDFG) -> None:
        """Offload in place; on an error the SDFG is left as it was."""
        trial = copy.deepcopy(sdfg)
        try:
            _offload(trial, self.float64)
        except DiagnosticError as whole:
            if not self.allow_host:
                raise
            trial = _in_parts(sdfg, self.float64, whole)
        _adopt(sdfg, trial)


def to_ipu(program: SDFG | compat.DaceProgram, float64: str = "refuse", allow_host: bool = False) -> SDFG:
    """Simplify and offload an SDFG in place, and return it; an annotated ``@dace.program`` gives a new one.
    Offloading twice is harmless.

    Raises :class:`dace_ipu.DiagnosticError` with everything that cannot run on the IPU; with ``allow_host`` only if
    that is all of it.
    """
    sdfg = program.to_sdfg(simplify=False) if isinstance(program, compat.DaceProgram) else program
    if OffloadToIPU.is_offloaded(sdfg):
        return sdfg
    sdfg.fill_scope_connectors()  # DaCe compiles programs without them, but cannot simplify them
    sdfg.simplify()
    sdfg.apply_transformations(OffloadToIPU, options={"float64": float64, "allow_host": allow_host}, validate=True)
    return sdfg


def _in_parts(sdfg: SDFG, float64: str, whole: DiagnosticError) -> SDFG:
    """The program with several device scopes; ``whole`` is why it cannot be one."""
    trial = copy.deepcopy(sdfg)
    float64 = checks.precision(trial, float64)
    try:
        parts.offload_parts(trial, lambda part: _offload(part, float64))
    except DiagnosticError as error:
        findings = DiagnosticCollector(list(whole.diagnostics))
        findings.extend(error.diagnostics)
        raise DiagnosticError(findings.diagnostics) from None
    trial.validate()
    checks.check_after(trial)
    return trial


def _adopt(sdfg: SDFG, other: SDFG) -> None:
    """Let ``sdfg`` become ``other``: its blocks, containers and symbols."""
    for block in list(sdfg.nodes()):
        compat.remove_block(sdfg, block)
    for name in list(sdfg.arrays):
        if name not in other.arrays:
            del sdfg.arrays[name]
    sdfg.arrays.update(other.arrays)
    _move_blocks(other, sdfg)
    sdfg.reset_cfg_list()


def _offload(sdfg: SDFG, float64: str) -> None:
    pairs.split_pairs(sdfg)
    float64 = checks.precision(sdfg, float64)
    checks.check_before(sdfg, float64)
    scalars.pass_scalars_as_data(sdfg)
    local_shapes.bound_local_shapes(sdfg)
    expand.expand_library_nodes(sdfg)
    fuse.fuse_maps(sdfg)
    read, written = liveness.read_before_written(sdfg), liveness.written(sdfg) - _passed_by_value(sdfg)
    host = {name: desc for name, desc in sdfg.arrays.items() if not desc.transient}
    if not written & host.keys():
        _clear(sdfg)  # nothing that it computes can be seen
        return
    used = liveness.used(sdfg)
    inner = _device_sdfg(sdfg)
    clones = {name: _clone(inner, name, desc, float64) for name, desc in host.items() if name in used}
    _set_storages(inner, set(host), float64)
    _rename(inner, clones)
    for name in host:
        if name in clones:
            inner.arrays[name] = copy.deepcopy(sdfg.arrays[name])
        else:  # an argument that nothing uses stays an argument, of the host's program alone
            del inner.arrays[name]
    _copy_states(inner, clones, read, written)
    _embed(sdfg, inner, clones, read, written)
    sdfg.reset_cfg_list()
    sdfg.validate()
    checks.check_after(sdfg)
    for device in checks.device_scopes(sdfg):
        lower(device, sdfg.name)


def _passed_by_value(sdfg: SDFG) -> set[str]:
    """Arguments that a program may assign to as it may to names of its own: the caller sees nothing of it."""
    return {name for name, desc in sdfg.arrays.items() if isinstance(desc, data.Scalar) and not desc.transient}


def _clear(sdfg: SDFG) -> None:
    for block in list(sdfg.nodes()):
        compat.remove_block(sdfg, block)
    for name in [name for name, desc in sdfg.arrays.items() if desc.transient]:
        del sdfg.arrays[name]
    sdfg.add_state("no_effect", is_start_block=True)


def _device_sdfg(sdfg: SDFG) -> SDFG:
    """A new SDFG with all blocks and transients of ``sdfg``, which is left without blocks."""
    inner = SDFG(f"{sdfg.name}_device")
    inner.symbols = copy.deepcopy(sdfg.symbols)
    inner.constants_prop = dict(sdfg.constants_prop)
    for name, desc in list(sdfg.arrays.items()):
        inner.arrays[name] = desc
        if desc.transient:
            del sdfg.arrays[name]
        else:
            sdfg.arrays[name] = copy.deepcopy(desc)
    _move_blocks(sdfg, inner)
    return inner


def _move_blocks(source: SDFG, target: SDFG) -> None:
    start, blocks, edges = source.start_block, list(source.nodes()), list(source.edges())
    for block in blocks:
        compat.remove_block(source, block)
    for block in blocks:
        target.add_node(block, is_start_block=block is start)
    for edge in edges:
        target.add_edge(edge.src, edge.dst, edge.data)
    compat.own_blocks(target)


def _clone(inner: SDFG, name: str, desc: data.Data, float64: str) -> str:
    """Add the device's copy of a host array: row-major, whatever the host's layout is."""
    shape = (1,) if isinstance(desc, data.Scalar) else desc.shape
    clone = data.Array(
        checks.device_dtype(desc.dtype, float64), shape, storage=IPU_L1, transient=True, debuginfo=desc.debuginfo
    )
    return inner.add_datadesc(DEVICE_PREFIX + name, clone, find_new_name=True)


def _set_storages(inner: SDFG, host: set[str], float64: str) -> None:
    _place(inner, host)
    if float64 == "float32":
        narrow.narrow(inner)


def _place(inner: SDFG, host: set[str]) -> None:
    """Schedules and storages of an SDFG that runs outside of maps, and of those nested in it outside of maps."""
    for state in inner.states():
        scopes = state.scope_dict()
        for node in state.nodes():
            if isinstance(node, nodes.MapEntry):
                node.map.schedule = IPU_Multicore if scopes[node] is None else dtypes.ScheduleType.Sequential
            if isinstance(node, nodes.NestedSDFG) and scopes[node] is None:
                _place(node.sdfg, set())
    for name, desc in inner.arrays.items():
        if desc.transient and name not in host and desc.storage not in IPU_STORAGES:
            desc.storage = IPU_L1 if _at_top(inner, name) else compat.REGISTER


def _at_top(inner: SDFG, name: str) -> bool:
    lifetime = inner.arrays[name].lifetime
    return lifetime == dtypes.AllocationLifetime.Persistent or any(
        node.data == name and state.entry_node(node) is None for state in inner.states() for node in state.data_nodes()
    )


def _rename(inner: SDFG, clones: dict[str, str]) -> None:
    """Let everything in ``inner`` name the clones instead of the host's arrays."""
    descriptors = {clone: inner.arrays.pop(clone) for clone in clones.values()}
    compat.replace_containers(inner, clones)
    inner.arrays.update(descriptors)


def _copy_states(inner: SDFG, clones: dict[str, str], read: set[str], written: set[str]) -> None:
    incoming = sorted(name for name in clones if name in read)
    if incoming:
        state = inner.add_state_before(inner.start_block, "copy_in", is_start_block=True)
        for name in incoming:
            _add_copy(state, name, clones[name], inner)
    outgoing = sorted(name for name in clones if name in written)
    if outgoing:
        state = inner.add_state("copy_out")
        for block in [b for b in inner.sink_nodes() if b is not state]:
            inner.add_edge(block, state, InterstateEdge())
        for name in outgoing:
            _add_copy(state, clones[name], name, inner)


def _add_copy(state: SDFGState, source: str, target: str, sdfg: SDFG) -> None:
    state.add_nedge(state.add_read(source), state.add_write(target), Memlet.from_array(source, sdfg.arrays[source]))


def _embed(sdfg: SDFG, inner: SDFG, clones: dict[str, str], read: set[str], written: set[str]) -> None:
    """Put ``inner`` into a device scope of ``sdfg``."""
    state = sdfg.add_state("ipu", is_start_block=True)
    ins = sorted(name for name in clones if name in read)
    outs = sorted(name for name in clones if name in written)
    for name in set(inner.arrays) & set(clones) - set(ins) - set(outs):
        del inner.arrays[name]
    free = sorted(str(s) for s in inner.free_symbols if str(s) not in inner.arrays)
    node = state.add_nested_sdfg(inner, connectors.named(*ins), connectors.named(*outs), {s: s for s in free})
    node.no_inline = True
    entry, exit_ = state.add_map("ipu", {"__ipu": "0:1"}, schedule=IPU_Device)
    if not ins:
        state.add_nedge(entry, node, Memlet())
    for name in ins:
        memlet = Memlet.from_array(name, sdfg.arrays[name])
        state.add_memlet_path(state.add_read(name), entry, node, dst_conn=name, memlet=memlet)
    for name in outs:
        memlet = Memlet.from_array(name, sdfg.arrays[name])
        state.add_memlet_path(node, exit_, state.add_write(name), src_conn=name, memlet=memlet)
    if not outs:
        state.add_nedge(node, exit_, Memlet())
