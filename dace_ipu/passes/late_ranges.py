"""Loops whose range the device computes: taken apart into a range that is known, and a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from dace_ipu.passes.domain import ZERO, scalar_source
from dace_ipu.passes.rewrite import defined_names, fresh, replace_names, used_names
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import written
from dace_ipu.tile_graph.body import Access, Code, Declare, If, Store
from dace_ipu.tile_graph.nodes import MapStep, RepeatWhile, Step, TileGraph

__all__ = ["LateRange", "are_scalars", "start_of", "under_condition"]


@dataclass(frozen=True)
class LateRange:
    """``j[0] = begin - 1; repeat { j[0] = j[0] + 1; predicate[0] = j[0] < end } while predicate { ... }``, as the
    lowering writes it; ``begin`` and ``end`` read scalars of the device.
    """

    counter: str
    end: Code

    @classmethod
    def of(cls, loop: RepeatWhile) -> LateRange | None:
        """The range of a loop of that form, None for another one."""
        if len(loop.condition) != 1 or not isinstance(loop.condition[0], MapStep) or loop.condition[0].domain:
            return None
        match loop.condition[0].body:
            case (Declare(name=name, value=Code() as value), Store() as count, Store() as test):
                end = _end(test.value, name)
                counts = count.value == Code(name) and value.reads and value.reads[0][1] == count.target
                step = ast.parse(value.text, mode="eval").body
                is_one = isinstance(step, ast.BinOp) and isinstance(step.op, ast.Add) and _is_one(step.right)
                if counts and is_one and end is not None and test.target.data == loop.predicate:
                    return cls(count.target.data, end)
        return None

    def guarded(self, steps: tuple[MapStep, ...], start: Code) -> tuple[MapStep, ...]:
        """The maps under the condition that the counter is in the range; ``start`` is its value before the loop."""
        names = _names_of_scalars(steps, (start, self.end))
        low, high = (_with_names(code, names) for code in (start, self.end))
        test = Code(f"{low} + 1 <= counted and counted < {high}", (("counted", Access(self.counter, (ZERO,))),))
        return tuple(_under(step, test, names) for step in steps)


def _end(test: Code, counter: str) -> Code | None:
    match ast.parse(test.text.strip(), mode="eval").body:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt()], comparators=[end]) if name == counter:
            return Code(ast.unparse(end), test.reads)
        case _:
            return None


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _names_of_scalars(steps: tuple[MapStep, ...], codes: Iterable[Code]) -> dict[str, str]:
    """The scalars of the device that computations read, with the names that the maps have for them, or new ones."""
    taken = {
        n for step in steps for n in defined_names(step.body) | used_names(step.body) | {d.name for d in step.domain}
    }
    known = {scalar_source(s): s.name for step in steps for s in prelude_of(step.body)[0] if isinstance(s, Declare)}
    names: dict[str, str] = {}
    for code in codes:
        for _, read in code.reads:
            if read.data not in names:
                names[read.data] = known.get(read.data) or fresh(f"{read.data}_value", taken | set(names.values()))
    return names


def _with_names(code: Code, names: dict[str, str]) -> str:
    return f"({replace_names(code.text, {read: names[access.data] for read, access in code.reads})})"


def under_condition(steps: tuple[MapStep, ...], condition: Code) -> tuple[MapStep, ...]:
    """Maps that do nothing unless a condition on integers of the device holds, not even read what one of them sets."""
    names = _names_of_scalars(steps, (condition,))
    inside = frozenset().union(*(written(step) for step in steps))
    return tuple(_under(step, Code(_with_names(condition, names)), names, inside) for step in steps)


def _under(step: MapStep, test: Code, names: dict[str, str], inside: frozenset[str] = frozenset()) -> MapStep:
    prelude, rest = prelude_of(step.body)
    known = {scalar_source(s) for s in prelude}
    missing = (source for source in names if source not in known)
    reads = tuple(Declare(names[s], np.dtype(np.int32), Code("_0", (("_0", Access(s, (ZERO,))),))) for s in missing)
    first = tuple(s for s in prelude if scalar_source(s) not in inside)
    return replace(step, body=(*first, *reads, If(test, (*(s for s in prelude if s not in first), *rest))))


def are_scalars(codes: Iterable[Code], graph: TileGraph) -> bool:
    """Whether computations read nothing but integers of one element."""
    reads = [read for code in codes for _, read in code.reads]
    return all(read.indices == (ZERO,) and graph.variable(read.data).dtype == np.dtype(np.int32) for read in reads)


def start_of(step: Step, counter: str) -> Code | None:
    """The value that a step, which does nothing else, gives a counter."""
    match step:
        case MapStep(domain=(), body=(Store(target=Access(data=name), value=value, reduction=None),)):
            return value if name == counter else None
        case _:
            return None
