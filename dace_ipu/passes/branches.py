"""Branches around maps become conditions in the maps: what a loop needs to become a dimension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.late_ranges import are_scalars, under_condition
from dace_ipu.passes.rewrite import defined_names, fresh, used_names
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import written
from dace_ipu.tile_graph.body import Access, Code, If, Store
from dace_ipu.tile_graph.nodes import Branch, MapStep, Step, TileGraph

__all__ = ["without_branches"]


def without_branches(steps: tuple[Step, ...], used: Mapping[str, int], graph: TileGraph) -> tuple[MapStep, ...] | None:
    """Steps that are maps and branches around maps, as maps; None if there is anything else.

    Before: ``p[0] = e[0] >= w[0]``, ``if p: for i in 0:N: A[i] = 0``. After: ``for i in 0:N: if e >= w: A[i] = 0``. A
    condition on more than integers of the device stays where it is computed: ``for i in 0:N: if p[0]: A[i] = 0``.
    ``used`` counts the steps of the program that touch each variable.
    """
    result: list[MapStep] = []
    for step in steps:
        if isinstance(step, MapStep):
            result.append(step)
            continue
        inner = without_branches(step.then, used, graph) if isinstance(step, Branch) and not step.orelse else None
        if inner is None or not isinstance(step, Branch):
            return None
        condition = _condition(step, tuple(result), inner, used, graph)
        if condition is not None:
            result = [other for other in result if step.predicate not in written(other)]
            result += under_condition(inner, condition)
        elif not any(step.predicate in written(other) for other in inner):
            result += [_if(step.predicate, other) for other in inner]
        else:
            return None
    return tuple(result)


def _condition(
    branch: Branch, before: tuple[MapStep, ...], inner: tuple[MapStep, ...], used: Mapping[str, int], graph: TileGraph
) -> Code | None:
    """What a predicate says, if only the branch asks and it is made of integers that do not change before its end."""
    makers = [k for k, step in enumerate(before) if branch.predicate in written(step)]
    if len(makers) != 1 or used[branch.predicate] != 2:
        return None
    match before[makers[0]]:
        case MapStep(domain=(), body=(Store(value=value, reduction=None),)) if are_scalars((value,), graph):
            between = (*before[makers[0] + 1 :], *inner)
            sources = {read.data for _, read in value.reads}
            return None if any(sources & written(step) for step in between) else value
        case _:
            return None


def _if(predicate: str, step: MapStep) -> MapStep:
    prelude, rest = prelude_of(step.body)
    name = fresh("_0", defined_names(step.body) | used_names(step.body))
    return replace(step, body=(*prelude, If(Code(name, ((name, Access(predicate, (ZERO,))),)), rest)))
