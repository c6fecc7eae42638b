"""Control flow outside of maps: loops, branches, jumps and the symbols that edges assign, as steps of a tile graph.

Counters of loops and other symbols whose values are known on the device only are *device scalars*: variables of one
element that single vertices update. A jump (break, continue, return) clears flags; what stands behind it in its region
runs only if they are still set. See decision 0011.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import (
    BreakBlock,
    ConditionalBlock,
    ContinueBlock,
    ControlFlowBlock,
    ControlFlowRegion,
    LoopRegion,
    ReturnBlock,
    SDFGState,
)

from dace_ipu.lowering import local_symbols, loops, queries, sequential
from dace_ipu.lowering.assignments import Assignments
from dace_ipu.lowering.device import Device
from dace_ipu.lowering.device_loops import DeviceLoops
from dace_ipu.lowering.jumps import Frame, may_jump, returns
from dace_ipu.lowering.places import Failure, source_of
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.symbolic import Unsupported, convert_condition
from dace_ipu.lowering.tasklets import lower_expression
from dace_ipu.tile_graph.nodes import Branch, Choice, Source, Step

__all__ = ["lower_sdfg"]

States = Callable[[SDFGState, Scope], Iterator[Step]]


def lower_sdfg(sdfg: SDFG, scope: Scope, device: Device, states: States) -> Iterator[Step]:
    """The steps of an SDFG with all it holds; ``states`` lowers what stands in one state."""
    control = _Control(device, states, Assignments(device, sdfg))
    with device.reporting(sdfg, scope):
        yield from control.sdfg(sdfg, scope)


@dataclass
class _Control:
    """Lowers the regions of one SDFG."""

    device: Device
    states: States
    symbols: Assignments
    frames: list[Frame] = field(default_factory=list)

    # ---- regions -----------------------------------------------------------------------------------------------------

    def sdfg(self, sdfg: SDFG, scope: Scope) -> Iterator[Step]:
        """All steps."""
        yield from self.symbols.begin(scope)
        if returns(sdfg):
            self.frames.append(Frame(self.device.flag("running")))
            yield self.device.set_flags({self.frames[0].going: True}, Source())
        yield from self._region(sdfg, scope)

    def _region(self, region: ControlFlowRegion, scope: Scope) -> Iterator[Step]:
        yield from self._blocks(list(loops.straight_line(region)), region, scope)

    def _blocks(
        self, blocks: list[tuple[ControlFlowBlock, dict[str, str]]], region: ControlFlowRegion, scope: Scope
    ) -> Iterator[Step]:
        for position, (block, assignments) in enumerate(blocks):
            with self.device.reporting(block, scope, block):
                yield from self._block(block, scope)
                yield from self.symbols.assign(assignments, block, scope)
            if may_jump(block) and self.frames:
                yield from self._rest(blocks[position + 1 :], region, scope)
                return

    def _rest(
        self, blocks: list[tuple[ControlFlowBlock, dict[str, str]]], region: ControlFlowRegion, scope: Scope
    ) -> Iterator[Step]:
        """What follows a jump. The copies to the host at the end of the program are made in any case."""
        last = len(blocks)
        if region is self.device.sdfg and blocks and self._copies_out(blocks[-1][0]):
            last -= 1
        rest = tuple(self._blocks(blocks[:last], region, scope))
        if rest:
            yield Branch(self.frames[-1].going, rest)
        yield from self._blocks(blocks[last:], region, scope)

    def _copies_out(self, block: ControlFlowBlock) -> bool:
        hosts = {host.name for host in self.device.hosts}
        return isinstance(block, SDFGState) and any(n.data in hosts for n in block.sink_nodes() if hasattr(n, "data"))

    def _block(self, block: ControlFlowBlock, scope: Scope) -> Iterator[Step]:
        match block:
            case SDFGState():
                yield from self.states(block, scope)
            case LoopRegion() | ConditionalBlock():
                self._forget_assigned(block, scope)
                yield from self._with_fallback(block, scope)
                self._forget_assigned(block, scope)
            case BreakBlock():
                yield self.device.set_flags({self.frames[-1].going: False, self.frames[-1].looping: False}, Source())
            case ContinueBlock():
                yield self.device.set_flags({self.frames[-1].going: False}, Source())
            case ReturnBlock():
                flags = {flag: False for frame in self.frames for flag in (frame.going, frame.looping) if flag}
                if flags:
                    yield self.device.set_flags(flags, Source())
            case ControlFlowRegion():
                yield from self._region(block, scope)
            case _:
                raise Unsupported(f"a {type(block).__name__} outside of a map")

    def _with_fallback(self, block: LoopRegion | ConditionalBlock, scope: Scope) -> Iterator[Step]:
        """A loop or branch of scalar work as one vertex; another one as control flow of the device.

        What has no such form becomes one vertex as well, if it can.
        """
        if sequential.is_scalar_work(block, scope.sdfg):
            try:
                yield self._one_vertex(block, scope, "runs on one tile: it is scalar work, and no map")
                return
            except (Unsupported, Failure):
                pass  # told apart by what the other form says
        own = replace(scope, environment=dict(scope.environment))
        with self.device.trial() as findings:
            steps = tuple(self._control_flow(block, own))
        if not findings.has_errors:
            scope.environment.update(own.environment)
            yield from steps
            return
        reason = findings.diagnostics[0].message
        try:
            yield self._one_vertex(block, scope, f"runs on one tile: {reason}")
        except (Unsupported, Failure):
            self.device.findings.extend(findings.diagnostics)

    def _control_flow(self, block: LoopRegion | ConditionalBlock, scope: Scope) -> Iterator[Step]:
        if isinstance(block, LoopRegion):
            yield from DeviceLoops(self.device, self.symbols, self.frames, self._region).lower(block, scope)
        else:
            yield from self._branches(list(block.branches), block, scope)

    def _forget_assigned(self, block: LoopRegion | ConditionalBlock, scope: Scope) -> None:
        """What a loop or branch assigns has several values, at its begin and behind it."""
        self.device.forget({str(scope.environment.get(name)) for name in queries.assigned_symbols(block)})

    def _one_vertex(self, block: LoopRegion | ConditionalBlock, scope: Scope, note: str) -> Step:
        place = source_of(block, scope.sdfg, block)
        statements = sequential.statements(block, scope, self.device)
        label = f"{block.loop_variable}_loop" if isinstance(block, LoopRegion) and block.loop_variable else "sequence"
        return self.device.single(label, statements, place, note)

    # ---- branches ----------------------------------------------------------------------------------------------------

    def _branches(self, branches: list[Any], block: ConditionalBlock, scope: Scope) -> Iterator[Step]:
        if not branches:
            return
        condition, region = branches[0]
        own = replace(scope, environment=dict(scope.environment))
        if condition is None:
            yield from self._region(region, own)
            return
        place = source_of(block, scope.sdfg, block)
        known = self._built_condition(condition.as_string, scope)
        if known is not None and known in (sympy.true, sympy.false):
            chosen = self._region(region, own) if known == sympy.true else self._branches(branches[1:], block, scope)
            yield from chosen
            return
        predicate = ""
        if known is None:
            predicate, before = self._predicate(condition.as_string, scope, place)
            yield from before
        then = tuple(self._region(region, own))
        orelse = tuple(self._branches(branches[1:], block, scope))
        if then or orelse:
            yield Branch(predicate, then, orelse, place) if known is None else Choice(known, then, orelse, place)

    def _predicate(self, text: str, scope: Scope, place: Source) -> tuple[str, tuple[Step, ...]]:
        """The predicate of a branch and what computes it."""
        inner = self.device.body_scope(scope)
        prelude, test = lower_expression(text, inner, local_symbols.containers(text, inner))
        return self.device.test(prelude, test, None, place)

    def _built_condition(self, text: str, scope: Scope) -> Any:
        """The condition, if it is known when the graph is built: it depends on integer symbols only. Else None."""
        names = loops.names_in(text)
        types = scope.sdfg.symbols
        constants = {
            name for name in scope.sdfg.constants if name not in scope.environment
        }  # those that are no integers
        if names & (constants | set(scope.sdfg.arrays)):
            return None
        if any(np.dtype(types[n].type).kind not in "iu" for n in names & set(types)):
            return None
        found = convert_condition(text, scope.environment)
        return None if found is None or self.device.runtime_names(found) else found
