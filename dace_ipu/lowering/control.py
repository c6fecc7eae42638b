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

from dace_ipu import compat
from dace_ipu.lowering import codelet, loops, queries, sequential
from dace_ipu.lowering.assigned import Assigned
from dace_ipu.lowering.bounds import Bounds
from dace_ipu.lowering.device import HOST_VALUE_SUFFIX, ZERO, Device, store
from dace_ipu.lowering.places import Failure, source_of
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.symbolic import Unsupported, convert, convert_condition
from dace_ipu.lowering.tasklets import lower_expression
from dace_ipu.tile_graph import body as code
from dace_ipu.tile_graph.body import Code, Expr, Statement, symbol
from dace_ipu.tile_graph.nodes import Branch, Choice, Repeat, RepeatWhile, Source, Step

__all__ = ["Control"]

States = Callable[[SDFGState, Scope], Iterator[Step]]


@dataclass
class Frame:
    """What a jump has to stop: ``going`` says that the rest of this turn runs, ``looping`` that there is another."""

    going: str
    looping: str = ""


@dataclass
class Control:
    """Lowers regions. ``states`` lowers what stands in one state."""

    device: Device
    states: States
    frames: list[Frame] = field(default_factory=list)
    assigned: Assigned | None = None

    # ---- regions -----------------------------------------------------------------------------------------------------

    def sdfg(self, sdfg: SDFG, scope: Scope) -> Iterator[Step]:
        """The steps of an SDFG with all it holds."""
        outer = self.assigned, self.frames
        try:
            self.assigned, self.frames = Assigned(sdfg), []
            yield from self._carried(sdfg, scope)
            if _returns(sdfg):
                self.frames = [Frame(self.device.flag("running"))]
                yield self._set({self.frames[0].going: True}, Source())
            yield from self._region(sdfg, scope)
        except Unsupported as error:
            self.device.findings.add(Failure.at(error, sdfg, sdfg, None).diagnostic)
        finally:
            self.assigned, self.frames = outer

    def _carried(self, sdfg: SDFG, scope: Scope) -> Iterator[Step]:
        """Symbols with several values at one place become scalars of the device; they start from outside values."""
        assert self.assigned is not None
        for name in self.assigned.carried():
            outside = scope.environment.get(name)
            is_parameter = outside is not None or name in {str(s) for s in sdfg.free_symbols}
            dtype = self._dtype(sdfg, name)
            token = self.device.scalar(name, dtype)
            if is_parameter:
                value = Code(codelet.python_text(outside if outside is not None else symbol(name)))
                yield self.device.single(name, [store(self.device.runtime[token], value)], Source())
            scope.environment[name] = symbol(token)
            scope.types[token] = self.device.variables[self.device.runtime[token]].dtype

    @staticmethod
    def _dtype(sdfg: SDFG, name: str) -> np.dtype[Any]:
        return np.dtype(sdfg.symbols[name].type if name in sdfg.symbols else np.int32)

    def _region(self, region: ControlFlowRegion, scope: Scope) -> Iterator[Step]:
        yield from self._blocks(list(loops.straight_line(region)), region, scope)

    def _blocks(
        self, blocks: list[tuple[ControlFlowBlock, dict[str, str]]], region: ControlFlowRegion, scope: Scope
    ) -> Iterator[Step]:
        for position, (block, assignments) in enumerate(blocks):
            with self.device.reporting(block, scope, block):
                yield from self._block(block, scope)
                yield from self._assign(assignments, block, scope)
            if _may_jump(block) and self.frames:
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
                yield self._set({self.frames[-1].going: False, self.frames[-1].looping: False}, Source())
            case ContinueBlock():
                yield self._set({self.frames[-1].going: False}, Source())
            case ReturnBlock():
                flags = {flag: False for frame in self.frames for flag in (frame.going, frame.looping) if flag}
                if flags:
                    yield self._set(flags, Source())
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
                yield self._one_vertex(block, scope, "")
                return
            except (Unsupported, Failure):
                pass  # told apart by what the other form says
        with self.device.trial() as findings:
            steps = tuple(self._loop(block, scope) if isinstance(block, LoopRegion) else self._branch(block, scope))
        if not findings.has_errors:
            yield from steps
            return
        reason = findings.diagnostics[0].message
        try:
            yield self._one_vertex(block, scope, f"runs on one tile: {reason}")
        except (Unsupported, Failure):
            self.device.findings.extend(findings.diagnostics)

    def _forget_assigned(self, block: LoopRegion | ConditionalBlock, scope: Scope) -> None:
        """What a loop or branch assigns has several values, at its begin and behind it."""
        self.device.forget({str(scope.environment.get(name)) for name in queries.assigned_symbols(block)})

    def _one_vertex(self, block: LoopRegion | ConditionalBlock, scope: Scope, note: str) -> Step:
        place = source_of(block, scope.sdfg, block)
        statements = sequential.statements(block, scope, self.device)
        label = f"{block.loop_variable}_loop" if isinstance(block, LoopRegion) and block.loop_variable else "sequence"
        return self.device.single(label, statements, place, note)

    # ---- loops -------------------------------------------------------------------------------------------------------

    def _loop(self, loop: LoopRegion, scope: Scope) -> Iterator[Step]:
        counted = loops.counted(loop)
        plain = counted is not None and loop.loop_variable not in scope.environment_carried(self.device.runtime)
        limits = self._limits(counted, scope) if plain and counted is not None else None
        if limits is None:
            yield from self._general(loop, scope)
        else:
            yield from self._counted(loop, *limits, scope)

    def _limits(self, counted: loops.Counted, scope: Scope) -> tuple[Expr, Expr, Expr] | None:
        """Begin, end and step of a counted loop as index expressions; None if they are read from memory."""
        values = []
        for value in (counted.begin, counted.end, counted.step):
            found = self._index(value, scope)
            if found is None:
                return None
            values.append(found)
        return values[0], values[1], values[2]

    def _index(self, value: Any, scope: Scope) -> Expr | None:
        """An expression of symbols and of host scalars that nothing writes; None if it reads other data."""
        environment = dict(scope.environment)
        names = {str(s) for s in sympy.sympify(value).free_symbols} if not isinstance(value, str) else set()
        if isinstance(value, str):
            names = loops.names_in(value)
        for name in names & set(scope.sdfg.arrays):
            target = codelet.containers(name, scope)[name]
            host = self.device.host_scalar(target)
            if host is None:
                return None
            environment[name] = symbol(host + HOST_VALUE_SUFFIX)
        try:
            found = convert(value, environment)
        except (Unsupported, TypeError, SyntaxError, AttributeError):
            return None
        self.device.note_host_scalars(found)
        return found

    def _counted(self, loop: LoopRegion, begin: Expr, end: Expr, step: Expr, scope: Scope) -> Iterator[Step]:
        place = source_of(loop, scope.sdfg, loop)
        is_built = not self.device.runtime_names(begin) and not self.device.runtime_names(end)
        frame = self._frame(loop)
        inner, counter = self._counter(loop, begin, end, step, scope)
        before: list[Statement] = []
        if counter:
            before.append(store(counter, Code(codelet.python_text(begin))))
        first = self._flags(frame, looping=True)
        if before or first:
            yield self.device.single(loop.loop_variable, [*before, *first], place)
        if is_built and not frame:
            count = -sympy.floor(-(end - begin) / step)
            body = (*self._turn(loop, frame, inner), *self._advance(loop, counter, step, frame, place))
            if body:
                yield Repeat(count, body, place)
            return
        if not counter:
            raise Unsupported(f"the loop over '{loop.loop_variable}'")
        sign = "<" if step > 0 else ">"
        token = inner.environment[loop.loop_variable]
        test = Code(f"{token} {sign} {codelet.python_text(end)}")
        predicate, condition = self._test([], test, frame, place)
        body = (*self._turn(loop, frame, inner), *self._advance(loop, counter, step, frame, place))
        yield RepeatWhile(condition, predicate, body, place)

    def _counter(self, loop: LoopRegion, begin: Expr, end: Expr, step: Expr, scope: Scope) -> tuple[Scope, str]:
        """The scope of a loop's body and the variable that counts, if there has to be one."""
        assert self.assigned is not None
        name = loop.loop_variable
        runtime = self.device.runtime_names(begin) | self.device.runtime_names(end)
        outside = self.assigned.used_outside(name)
        jumps = any(_may_jump(block) for block in loop.nodes())
        if not (compat.uses_symbol(loop, name) or runtime or outside or jumps):
            return scope, ""
        span = None if outside else self._span(begin, end, step)
        token = self.device.scalar(name, np.dtype(np.int32), span)
        if not outside:
            self.device.fixed.add(token)
        scope.types[token] = np.dtype(np.int32)
        inner = scope.with_symbol(name, symbol(token))
        if outside:
            scope.environment[name] = symbol(token)
        return inner, self.device.runtime[token]

    def _span(self, begin: Expr, end: Expr, step: Expr) -> Bounds | None:
        """The least and the greatest value of a counter inside of its loop."""
        first, last = self.device.bounds(begin), self.device.bounds(end)
        if first is None or last is None:
            return None
        low, high = (first[0], last[1] - 1) if step > 0 else (last[0] + 1, first[1])
        for value in (low, high):
            self.device.note_host_scalars(value)
        return sympy.expand(low), sympy.expand(high)

    def _turn(self, loop: LoopRegion, frame: Frame | None, scope: Scope) -> Iterator[Step]:
        """One turn of a loop."""
        if frame is not None:
            yield self._set({frame.going: True}, Source())
            self.frames.append(frame)
        try:
            yield from self._region(loop, scope)
        finally:
            if frame is not None:
                self.frames.pop()

    def _advance(
        self, loop: LoopRegion, counter: str, step: Expr, frame: Frame | None, place: Source
    ) -> Iterator[Step]:
        if counter:
            value = Code(f"_0 + {step}", (("_0", code.Access(counter, (ZERO,))),))
            advance = self.device.single(f"next_{loop.loop_variable}", [store(counter, value)], place)
            yield Branch(frame.looping, (advance,)) if frame else advance

    def _general(self, loop: LoopRegion, scope: Scope) -> Iterator[Step]:
        """``init; while condition: body; update``, with the test before or behind the body."""
        place, frame = source_of(loop, scope.sdfg, loop), self._frame(loop)
        inner = self._general_counter(loop, scope)
        before = self._statement(loop.init_statement, inner) if loop.init_statement is not None else []
        first = [*before, *self._flags(frame, looping=True)]
        if first:
            yield self.device.single(loop.loop_variable or "loop", first, place)
        body = tuple(self._turn(loop, frame, inner))
        update = tuple(self._update(loop, frame, inner, place))
        body_scope = self.device.body_scope(inner)
        text = loop.loop_condition.as_string
        prelude, test = lower_expression(text, body_scope, codelet.containers(text, body_scope))
        predicate, condition = self._test(prelude, test, frame, place)
        if not loop.inverted:
            yield RepeatWhile(condition, predicate, (*body, *update), place)
        elif loop.update_before_condition:
            yield RepeatWhile((*body, *update, *condition), predicate, (), place)
        else:
            yield RepeatWhile((*body, *condition), predicate, update, place)

    def _general_counter(self, loop: LoopRegion, scope: Scope) -> Scope:
        name = loop.loop_variable
        carried = scope.environment_carried(self.device.runtime)
        if not name or loop.init_statement is None or name in carried:
            return scope
        token = self.device.scalar(name, self._dtype(scope.sdfg, name))
        scope.types[token] = self.device.variables[self.device.runtime[token]].dtype
        scope.environment[name] = symbol(token)
        return scope

    def _update(self, loop: LoopRegion, frame: Frame | None, scope: Scope, place: Source) -> Iterator[Step]:
        if loop.update_statement is None:
            return
        update = self.device.single(f"next_{loop.loop_variable}", self._statement(loop.update_statement, scope), place)
        yield Branch(frame.looping, (update,)) if frame else update

    def _statement(self, statement: Any, scope: Scope) -> list[Statement]:
        """``i = ...`` of a loop."""
        target, text = loops.assignment(statement)
        inner = self.device.body_scope(scope)
        before, value = lower_expression(text, inner, codelet.containers(text, inner))
        token = str(scope.environment[target])
        return [*before, store(self.device.runtime[token], value)]

    def _test(
        self, prelude: list[Statement], test: Code, frame: Frame | None, place: Source
    ) -> tuple[str, tuple[Step, ...]]:
        """The predicate of a loop, and the step that computes it: false once the loop was left by a jump."""
        predicate = self.device.flag("condition")
        body: list[Statement] = [*prelude, store(predicate, test)]
        if frame is not None:
            looping = Code("_0", (("_0", code.Access(frame.looping, (ZERO,))),))
            body = [store(predicate, Code("False")), code.If(looping, tuple(body))]
        return predicate, (self.device.single(f"update_{predicate}", body, place),)

    def _frame(self, loop: LoopRegion) -> Frame | None:
        if not any(_may_jump(block) for block in loop.nodes()) and not _jumps(loop):
            return None
        return Frame(self.device.flag("going"), self.device.flag("looping"))

    def _flags(self, frame: Frame | None, looping: bool) -> list[Statement]:
        return [store(frame.looping, Code(str(looping)))] if frame else []

    def _set(self, flags: dict[str, bool], place: Source) -> Step:
        return self.device.single("jump", [store(flag, Code(str(value))) for flag, value in flags.items()], place)

    # ---- branches ----------------------------------------------------------------------------------------------------

    def _branch(self, block: ConditionalBlock, scope: Scope) -> Iterator[Step]:
        yield from self._branches(list(block.branches), block, scope)

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
        if known is None:
            predicate = self.device.flag("condition")
            yield self._predicate(predicate, condition.as_string, scope, place)
        then = tuple(self._region(region, own))
        orelse = tuple(self._branches(branches[1:], block, scope))
        if then or orelse:
            yield Branch(predicate, then, orelse, place) if known is None else Choice(known, then, orelse, place)

    def _predicate(self, predicate: str, text: str, scope: Scope, place: Source) -> Step:
        inner = self.device.body_scope(scope)
        prelude, test = lower_expression(text, inner, codelet.containers(text, inner))
        return self.device.single(f"update_{predicate}", [*prelude, store(predicate, test)], place)

    def _built_condition(self, text: str, scope: Scope) -> Any:
        """The condition, if it is known when the graph is built: it depends on integer symbols only. Else None."""
        names = loops.names_in(text)
        types = scope.sdfg.symbols
        if names & set(scope.sdfg.arrays) or any(np.dtype(types[n].type).kind not in "iu" for n in names & set(types)):
            return None
        found = convert_condition(text, scope.environment)
        return None if found is None or self.device.runtime_names(found) else found

    # ---- assignments -------------------------------------------------------------------------------------------------

    def _assign(self, assignments: dict[str, str], block: ControlFlowBlock, scope: Scope) -> Iterator[Step]:
        """Symbols that follow from what is known get their expressions, others are computed on the device.

        All right sides are evaluated before anything is assigned.
        """
        new: dict[str, Expr] = {}
        equal: dict[str, Expr] = {}
        late: list[Statement] = []
        before: list[Statement] = []
        inner = self.device.body_scope(scope)
        for name, text in sorted(assignments.items()):
            value = None if self._is_carried(name, scope) else self._known_value(text, scope)
            if value is not None:
                new[name] = value
                continue
            token = self._token(name, scope)
            prelude, computed = lower_expression(text, inner, codelet.containers(text, inner))
            held = inner.names.fresh(f"new_{name}")
            dtype = self.device.variables[self.device.runtime[token]].dtype
            before += [*prelude, code.Declare(held, dtype, computed)]
            late.append(store(self.device.runtime[token], Code(held)))
            new[name] = symbol(token)
            known = self._index(text, scope)
            if known is not None:
                equal[token] = known
        tokens = {str(new[name]) for name in new} & self.device.runtime.keys()
        self.device.forget(tokens)
        self.device.equal |= {t: v for t, v in equal.items() if not self.device.runtime_names(v) & tokens}
        if late:
            yield self.device.single(next(iter(assignments)), [*before, *late], source_of(block, scope.sdfg, block))
        scope.environment.update(new)

    def _is_carried(self, name: str, scope: Scope) -> bool:
        assert self.assigned is not None
        return name in self.assigned.carried()

    def _token(self, name: str, scope: Scope) -> str:
        """The device scalar of a symbol; the same one wherever the symbol is carried or assigned again."""
        assert self.assigned is not None
        known = scope.environment.get(name)
        if known is not None and str(known) in self.device.runtime and not self.assigned.once(name):
            return str(known)
        token = self.device.scalar(name, self._dtype(scope.sdfg, name))
        scope.types[token] = self.device.variables[self.device.runtime[token]].dtype
        if self.assigned.once(name):
            self.device.fixed.add(token)
        return token

    def _known_value(self, text: str, scope: Scope) -> Expr | None:
        """The value of an assignment as an expression that holds wherever the symbol is used; None if there is none."""
        value = self._index(text, scope)
        if value is None or not self.device.runtime_names(value) <= self.device.fixed:
            return None
        return value if self._stays(value, text, scope) else None

    def _stays(self, value: Expr, text: str, scope: Scope) -> bool:
        return not any(isinstance(atom, sympy.Float) for atom in sympy.preorder_traversal(value))


def _jumps(region: ControlFlowRegion) -> bool:
    return any(isinstance(b, (BreakBlock, ContinueBlock, ReturnBlock)) for b in region.all_control_flow_blocks())


def _returns(region: ControlFlowRegion) -> bool:
    return any(isinstance(block, ReturnBlock) for block in region.all_control_flow_blocks())


def _may_jump(block: ControlFlowBlock) -> bool:
    """Whether a block may leave the region that it stands in: breaks of a loop inside do not."""
    match block:
        case BreakBlock() | ContinueBlock() | ReturnBlock():
            return True
        case LoopRegion():
            return _returns(block)
        case ConditionalBlock():
            return any(_may_jump(inner) for _, body in block.branches for inner in body.nodes())
        case SDFGState():
            return False
        case ControlFlowRegion():
            return any(_may_jump(inner) for inner in block.nodes())
        case _:
            return False
