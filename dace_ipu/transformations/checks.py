"""What a program must not hold to go to the IPU, reported all at once, before anything is changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dace import data, dtypes, symbolic
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG

from dace_ipu.errors import DiagnosticCollector, Place
from dace_ipu.registration import IPU_STORAGES, IPU_Device, IPU_Global

__all__ = ["check_after", "check_before", "device_dtype", "device_scopes", "is_device_program", "precision"]

_SUPPORTED: tuple[Any, ...] = (
    dtypes.float32, dtypes.float16, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64,
    dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64, dtypes.bool_, dtypes.complex64,
)  # fmt: skip
_NARROWED: dict[Any, Any] = {dtypes.float64: dtypes.float32, dtypes.complex128: dtypes.complex64}

#: A message, its notes and its hints.
_Finding = tuple[str, list[str], list[str]]

#: DaCe's names for what a program returns. Their types are DaCe's choice, not the user's.
RETURN_PREFIX = "__return"


def device_dtype(dtype: Any, float64: str) -> Any:
    """The type that the device holds data of ``dtype`` in."""
    return _NARROWED.get(dtype, dtype) if float64 == "float32" else dtype


def device_scopes(sdfg: SDFG) -> Iterator[nodes.NestedSDFG]:
    """The nested SDFGs that are device programs, in the order of the states."""
    for state in sdfg.states():
        for node in state.nodes():
            if isinstance(node, nodes.NestedSDFG) and is_device_program(node):
                yield node


def is_device_program(node: nodes.NestedSDFG) -> bool:
    """Whether a nested SDFG at host level works on the IPU, also where TrivialMapElimination has removed the map
    around it.
    """
    return any(desc.storage in IPU_STORAGES for desc in node.sdfg.arrays.values())


def precision(sdfg: SDFG, float64: str) -> str:
    """The policy for float64: 'float32' also where only DaCe's type rules brought float64 into a program without any.

    DaCe computes ``float32 array + loop counter`` in float64, which NumPy does not. If no argument, cast or array that
    the user wrote is float64, the transients and what the program returns are narrowed to what the user wrote.
    """
    arguments = (
        desc.dtype for name, desc in sdfg.arrays.items() if not desc.transient and not name.startswith(RETURN_PREFIX)
    )
    if any(dtype in _NARROWED for dtype in arguments) or any(
        _wrote_float64(node, state) for node, state in sdfg.all_nodes_recursive()
    ):
        return float64
    return "float32"


def _wrote_float64(node: Any, state: Any) -> bool:
    """Whether a tasklet is one that the frontend makes of ``np.float64(x)`` or of ``np.zeros(n)`` and the like."""
    if not isinstance(node, nodes.Tasklet):
        return False
    if any(dtype.type.__name__ in node.label for dtype in _NARROWED):
        return True
    sdfg = state.sdfg
    outputs = [state.memlet_path(e)[-1].dst for e in state.out_edges(node)]
    arrays = [sdfg.arrays[n.data] for n in outputs if isinstance(n, nodes.AccessNode)]
    return not node.in_connectors and any(isinstance(d, data.Array) and d.dtype in _NARROWED for d in arrays)


def check_before(sdfg: SDFG, float64: str) -> None:
    """Types, streams, callbacks and the like. Raises DiagnosticError."""
    findings = DiagnosticCollector()
    from_arguments = any(desc.dtype in _NARROWED for desc in sdfg.arrays.values() if not desc.transient)
    for name, dtype in sorted(sdfg.symbols.items()):
        if isinstance(dtype, dtypes.callback):
            _callback(findings, Place.of(sdfg), name)
    for nested in sdfg.all_sdfgs_recursive():
        for name, desc in sorted(nested.arrays.items()):
            follows = desc.dtype in _NARROWED and from_arguments if desc.transient else nested is not sdfg
            if not follows or (
                desc.transient and _is_special(desc)
            ):  # from what is reported anyway: the user knows the arguments, not DaCe's temporaries
                _check_container(nested, name, desc, float64, findings)
    for node, parent in sdfg.all_nodes_recursive():
        _check_node(node, parent, findings)
    findings.raise_if_errors()


def _is_special(desc: data.Data) -> bool:
    """Whether a container is refused for more than its type."""
    moved = any(offset != 0 for offset in getattr(desc, "offset", ()))
    return moved or isinstance(desc, (data.Structure, data.Reference)) or desc.storage == IPU_Global


def _has_unknown_size(desc: data.Data) -> bool:
    return any(symbolic.issymbolic(size) and size.atoms(symbolic.UndefinedSymbol) for size in desc.shape)


def _check_container(sdfg: SDFG, name: str, desc: data.Data, float64: str, findings: DiagnosticCollector) -> None:
    if isinstance(desc.dtype, dtypes.callback):
        _callback(findings, _first_use(sdfg, name, desc), name)
        return
    found = (
        _of_another_kind(sdfg, name, desc)
        or _where_it_cannot_be(name, desc)
        or _of_another_type(name, desc, keeps_float64=float64 == "float32")
    )
    if found is not None:
        message, notes, hints = found
        findings.error(_first_use(sdfg, name, desc), message, notes=notes, hints=hints)


def _of_another_kind(sdfg: SDFG, name: str, desc: data.Data) -> _Finding | None:
    is_argument = isinstance(desc, data.Stream) and not desc.transient and sdfg.parent is None
    if not is_argument and not isinstance(desc, (data.Structure, data.Reference)) and desc.dtype != dtypes.pyobject():
        return None
    kind = type(desc).__name__.lower() if not isinstance(desc, data.Scalar) else "Python object"
    return f"the {kind} '{name}' cannot live on the IPU", [], [_INSTEAD.get(kind, "keep it out of the program")]


def _where_it_cannot_be(name: str, desc: data.Data) -> _Finding | None:
    if any(offset != 0 for offset in getattr(desc, "offset", ())):
        hint = "leave out the offset of the array, and subtract it from the indices"
        return f"'{name}' has indices that do not begin at 0, which is not supported yet", [], [hint]
    if _has_unknown_size(desc):
        message = f"'{name}' has a dimension of unknown size ('?'), but the device holds all of it"
        return message, [], ["give the dimension a symbol: dace.symbol('N')"]
    if desc.storage == IPU_Global:
        hint = "leave the storage of arrays to OffloadToIPU: it puts them into the tiles' memory (IPU_L1)"
        return f"'{name}' is in IPU_Global (Streaming Memory), which is not supported yet", [], [hint]
    return None


def _of_another_type(name: str, desc: data.Data, keeps_float64: bool) -> _Finding | None:
    """``keeps_float64``: the host keeps the wide types, and what goes to the device is converted."""
    if desc.dtype in _SUPPORTED or (desc.dtype in _NARROWED and keeps_float64):
        return None
    if desc.dtype in _NARROWED:
        hint = "OffloadToIPU(float64='float32') keeps the host's arrays and converts on the way in and out"
        message = f"'{name}' is {desc.dtype.type.__name__}, which does not exist on the IPU"
        return message, ["the machine computes in float32 and float16"], [hint]
    names = ", ".join(t.type.__name__ for t in _SUPPORTED)
    message = f"'{name}' has elements of type {desc.dtype}, which the IPU does not have"
    return message, [f"supported are {names}"], []


def _callback(findings: DiagnosticCollector, place: Place, name: str) -> None:
    findings.error(place, f"the callback '{name}' cannot be called from the IPU", hints=[_CALL_ELSEWHERE])


_CALL_ELSEWHERE = "call it before or after the program, or keep it on the host: to_ipu(..., allow_host=True)"

_INSTEAD = {
    "stream": "pass an array: streams are transients of a program",
    "arrayreference": "use a view, or the arrays themselves under a condition",
    "structure": "pass the members as arrays",
    "structureview": "pass the members as arrays",
    "Python object": "call Python before or after the program",
}


def _first_use(sdfg: SDFG, name: str, desc: data.Data) -> Place:
    for state in sdfg.states():
        for node in state.data_nodes():
            if node.data == name:
                return Place.of(node, sdfg, state)
    return Place.of(desc, sdfg)


def _check_node(node: Any, parent: Any, findings: DiagnosticCollector) -> None:
    if isinstance(node, nodes.Tasklet) and node.side_effects:
        findings.error(
            Place.of(node, None, parent),
            f"the tasklet '{node.label}' calls back to the host",
            hints=[_CALL_ELSEWHERE],
        )


def check_after(sdfg: SDFG) -> None:
    """Host code must not touch what lives on the device: DaCe's validation lets it through and the program crashes."""
    findings = DiagnosticCollector()
    on_device = {name for name, desc in sdfg.arrays.items() if desc.storage in IPU_STORAGES}
    if not on_device:
        return
    for edge in sdfg.all_interstate_edges():
        for name in sorted({str(s) for s in edge.data.free_symbols} & on_device):
            _host_access(findings, Place.of(edge.src, sdfg, edge.src), name)
    for region in sdfg.all_control_flow_regions():
        for name in sorted(
            {m.data for m in region.get_meta_read_memlets()} & on_device if region is not sdfg else set()
        ):
            _host_access(findings, Place.of(region, sdfg, region), name)
    for state in sdfg.states():
        for node in state.nodes():
            _check_host_node(sdfg, state, node, on_device, findings)
    findings.raise_if_errors()


def _check_host_node(sdfg: SDFG, state: Any, node: Any, on_device: set[str], findings: DiagnosticCollector) -> None:
    if not isinstance(node, (nodes.Tasklet, nodes.NestedSDFG, nodes.MapEntry, nodes.LibraryNode)):
        return
    inside = isinstance(node, nodes.MapEntry) and node.map.schedule == IPU_Device
    if inside or (isinstance(node, nodes.NestedSDFG) and is_device_program(node)):
        return
    for edge in state.all_edges(node):
        if edge.data.data in on_device:
            _host_access(findings, Place.of(node, sdfg, state), edge.data.data)


def _host_access(findings: DiagnosticCollector, place: Place, name: str) -> None:
    findings.error(
        place,
        f"host code uses '{name}', which lives on the IPU",
        notes=["the host has no pointer to the tiles' memory"],
        hints=["offload the whole program with OffloadToIPU, or copy the array to the host first"],
    )
