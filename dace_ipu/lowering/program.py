"""A device scope as a tile graph."""

from __future__ import annotations

import numpy as np
import sympy
from dace import data
from dace.sdfg import nodes
from dace.sdfg.sdfg import SDFG

from dace_ipu.lowering.control import lower_sdfg
from dace_ipu.lowering.device import DEVICE_PREFIX, HOST_VALUE_SUFFIX, Device
from dace_ipu.lowering.scope import Names, Scope, dtype_of, integer_constants
from dace_ipu.lowering.settle import mentions
from dace_ipu.lowering.states import States
from dace_ipu.lowering.symbolic import convert
from dace_ipu.lowering.verify import verified
from dace_ipu.registration import IPU_L1
from dace_ipu.tile_graph.body import Access, Expr, Statement, Store, codes, walk
from dace_ipu.tile_graph.conditions import comparisons
from dace_ipu.tile_graph.nodes import (
    Branch,
    Choice,
    Copy,
    CopyIn,
    CopyOut,
    HostArray,
    MapStep,
    Repeat,
    RepeatWhile,
    Step,
    TileGraph,
    Variable,
    walk_steps,
)

__all__ = ["DEVICE_PREFIX", "HOST_VALUE_SUFFIX", "lower"]


def lower(node: nodes.NestedSDFG, name: str) -> TileGraph:
    """The tile graph of a device scope. Raises DiagnosticError with everything that cannot run on the IPU."""
    sdfg = node.sdfg
    hosts = _hosts(sdfg)
    taken = {str(s) for s in sdfg.free_symbols}
    names = Names(taken | {host.name + HOST_VALUE_SUFFIX for host in hosts})
    device = Device(sdfg, name, hosts, names=names)
    states = States(device, lambda sdfg, scope: lower_sdfg(sdfg, scope, device, states.state))
    scope = Scope(sdfg, names, environment=integer_constants(sdfg))
    states.declare_arrays(scope)
    steps = (*states.declare_streams(scope), *lower_sdfg(sdfg, scope, device, states.state))
    device.findings.raise_if_errors()
    return verified(_graph(device, steps))


def _hosts(sdfg: SDFG) -> list[HostArray]:
    return [
        _host(name, desc, integer_constants(sdfg))
        for name, desc in sorted(sdfg.arrays.items())
        if not (desc.transient or desc.storage == IPU_L1)
    ]


def _host(name: str, desc: data.Data, plain: dict[str, Expr]) -> HostArray:
    if isinstance(desc, data.Scalar):
        return HostArray(name, dtype_of(desc), (sympy.Integer(1),), (sympy.Integer(1),), sympy.Integer(0), True)
    offset = convert(desc.start_offset if hasattr(desc, "start_offset") else 0, plain)
    shape, strides = (tuple(convert(s, plain) for s in values) for values in (desc.shape, desc.strides))
    return HostArray(name, dtype_of(desc), shape, strides, offset)


def _graph(device: Device, steps: tuple[Step, ...]) -> TileGraph:
    """The tile graph of what was gathered; what nothing uses is left out."""
    computed = _used_variables(steps)
    steps = tuple(s for s in steps if not (isinstance(s, CopyIn) and s.variable not in computed))
    variables = tuple(v for v in device.variables.values() if v.name in computed)
    used = {s.host for s in steps if isinstance(s, (CopyIn, CopyOut))}
    hosts = tuple(h for h in device.hosts if h.name in used)
    free = {str(s) for s in device.sdfg.free_symbols}
    types = {s: np.dtype(t.type) for s, t in device.sdfg.symbols.items() if s in free} | device.scalars
    symbols = tuple((s, types[s]) for s in sorted(_free_names(device, variables, steps) & set(types)))
    return TileGraph(device.name, symbols, hosts, variables, steps)


def _used_variables(steps: tuple[Step, ...]) -> set[str]:
    used: set[str] = set()
    for step in walk_steps(steps):
        match step:
            case MapStep():
                used |= {a.data for a in _accesses(step.body)}
            case Copy():
                used |= {step.source_slice.variable, step.target_slice.variable}
            case CopyOut():
                used.add(step.variable)
            case RepeatWhile() | Branch():
                used.add(step.predicate)
            case _:
                pass
    return used


def _accesses(body: tuple[Statement, ...]) -> list[Access]:
    found: list[Access] = []
    for statement in walk(body):
        for code in codes(statement):
            found += [access for _, access in code.reads]
        if isinstance(statement, Store):
            found.append(statement.target)
    return found


def _free_names(device: Device, variables: tuple[Variable, ...], steps: tuple[Step, ...]) -> set[str]:
    expressions = [e for h in device.hosts for e in (*h.shape, *h.strides, h.offset)]
    expressions += [e for v in variables for e in (*v.shape, *(v.bounds or ()))]
    return {str(s) for e in expressions for s in e.free_symbols} | _step_names(steps)


def _step_names(steps: tuple[Step, ...]) -> set[str]:
    names: set[str] = set()
    for step in walk_steps(steps):
        match step:
            case MapStep():
                names |= {str(s) for d in step.domain for s in d.extent.free_symbols}
                names = names.union(*(mentions(s) for s in walk(step.body)))
            case Copy():
                ranges = (*step.source_slice.ranges, *step.target_slice.ranges)
                names |= {str(s) for r in ranges for e in (r.begin, r.end) for s in e.free_symbols}
            case Repeat():
                names |= {str(s) for s in step.count.free_symbols}
            case Choice():
                names |= {str(s) for e in comparisons(step.condition) for s in e.free_symbols}
            case _:
                pass
    return names
