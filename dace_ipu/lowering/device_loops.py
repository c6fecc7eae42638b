"""Loops outside of maps as loops of the device program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from dace.sdfg.state import ControlFlowRegion, LoopRegion

from dace_ipu import compat
from dace_ipu.lowering import local_symbols, loops
from dace_ipu.lowering.assignments import Assignments
from dace_ipu.lowering.bounds import Bounds
from dace_ipu.lowering.device import ZERO, Device, store
from dace_ipu.lowering.jumps import Frame, may_jump
from dace_ipu.lowering.places import source_of
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.symbolic import Unsupported, python_text
from dace_ipu.lowering.tasklets import lower_expression
from dace_ipu.tile_graph import body as code
from dace_ipu.tile_graph.body import Code, Declare, Expr, Statement, symbol
from dace_ipu.tile_graph.nodes import Branch, Repeat, RepeatWhile, Source, Step

__all__ = ["DeviceLoops"]


@dataclass
class DeviceLoops:
    """Lowers the loops of one SDFG. ``region`` lowers their bodies; ``frames`` are those that jumps may leave."""

    device: Device
    symbols: Assignments
    frames: list[Frame]
    region: Callable[[ControlFlowRegion, Scope], Iterator[Step]]

    def lower(self, loop: LoopRegion, scope: Scope) -> Iterator[Step]:
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
            found = self.symbols.index(value, scope)
            if found is None:
                return None
            values.append(found)
        return values[0], values[1], values[2]

    def _counted(self, loop: LoopRegion, begin: Expr, end: Expr, step: Expr, scope: Scope) -> Iterator[Step]:
        place = source_of(loop, scope.sdfg, loop)
        is_built = not self.device.runtime_names(begin) and not self.device.runtime_names(end)
        frame = self._frame(loop)
        inner, counter = self._counter(loop, begin, end, step, scope)
        before: list[Statement] = []
        tests_first = not is_built and not frame and counter != ""
        if counter:
            start = sympy.expand(begin - step) if tests_first else begin
            before.append(store(counter, Code(python_text(start))))
        first = self._flags(frame, looping=True)
        if before or first:
            yield self.device.single(f"first_{loop.loop_variable}", [*before, *first], place)
        if is_built and not frame:
            count = end - begin if step == 1 else -sympy.floor(-(end - begin) / step)
            body = (*self._turn(loop, frame, inner), *self._advance(loop, counter, step, frame, place))
            if body:
                yield Repeat(count, body, place)
            return
        if not counter:
            raise Unsupported(f"the loop over '{loop.loop_variable}'")
        if tests_first:
            predicate, condition = self._next_turn(loop, counter, end, step, place)
            yield RepeatWhile(condition, predicate, tuple(self._turn(loop, frame, inner)), place)
            return
        sign = "<" if step > 0 else ">"
        token = inner.environment[loop.loop_variable]
        test = Code(f"{token} {sign} {python_text(end)}")
        predicate, condition = self.device.test([], test, frame, place)
        body = (*self._turn(loop, frame, inner), *self._advance(loop, counter, step, frame, place))
        yield RepeatWhile(condition, predicate, body, place)

    def _next_turn(
        self, loop: LoopRegion, counter: str, end: Expr, step: Expr, place: Source
    ) -> tuple[str, tuple[Step, ...]]:
        """The predicate of a loop, and the one step that counts and computes it: the counter starts a step early."""
        predicate, name = self.device.flag("condition"), self.device.names.fresh(f"next_{counter}_value")
        dtype, sign = self.device.variables[counter].dtype, "<" if step > 0 else ">"
        value = Code(f"_0 + {step}", (("_0", code.Access(counter, (ZERO,))),))
        body: list[Statement] = [
            Declare(name, dtype, value),
            store(counter, Code(name)),
            store(predicate, Code(f"{name} {sign} {python_text(end)}")),
        ]
        return predicate, (self.device.single(f"next_{loop.loop_variable}", body, place),)

    def _counter(self, loop: LoopRegion, begin: Expr, end: Expr, step: Expr, scope: Scope) -> tuple[Scope, str]:
        """The scope of a loop's body and the variable that counts, if there has to be one."""
        name = loop.loop_variable
        runtime = self.device.runtime_names(begin) | self.device.runtime_names(end)
        outside = self.symbols.assigned.used_outside(name)
        jumps = any(may_jump(block) for block in loop.nodes())
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
            yield self.device.set_flags({frame.going: True}, Source())
            self.frames.append(frame)
        try:
            yield from self.region(loop, scope)
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
            yield self.device.single(f"first_{loop.loop_variable or 'turn'}", first, place)
        body = tuple(self._turn(loop, frame, inner))
        update = tuple(self._update(loop, frame, inner, place))
        body_scope = self.device.body_scope(inner)
        text = loop.loop_condition.as_string
        prelude, test = lower_expression(text, body_scope, local_symbols.containers(text, body_scope))
        predicate, condition = self.device.test(prelude, test, frame, place)
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
        token = self.device.scalar(name, self.symbols.dtype(name))
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
        before, value = lower_expression(text, inner, local_symbols.containers(text, inner))
        token = str(scope.environment[target])
        return [*before, store(self.device.runtime[token], value)]

    def _frame(self, loop: LoopRegion) -> Frame | None:
        if not any(may_jump(block) for block in loop.nodes()):
            return None
        return Frame(self.device.flag("going"), self.device.flag("looping"))

    def _flags(self, frame: Frame | None, looping: bool) -> list[Statement]:
        return [store(frame.looping, Code(str(looping)))] if frame else []
