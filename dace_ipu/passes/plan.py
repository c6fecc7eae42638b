"""The decision which dimensions of a map are divided among vertices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy

from dace_ipu.passes.classify import Kind, Verdict, classify, kind_for
from dace_ipu.passes.domain import Domain
from dace_ipu.tile_graph.body import Boolean, Expr, symbol
from dace_ipu.tile_graph.nodes import WORKERS_PER_TILE
from dace_ipu.tile_graph.reductions import identity

MOST_SHARED = 50_000  # elements, of the 160,000 words of a tile, that each tile may hold of operands of all
FEW = 256  # iterations: fewer parallel ones than this are worth giving up for a larger reduction


@dataclass(frozen=True)
class Plan:
    """The dimensions that are divided among vertices, whether reductions leave partial results, and what went wrong."""

    divided: tuple[str, ...]
    lanes: bool = False
    note: str = ""


def plan_of(domain: Domain) -> Plan:
    """Which dimensions to divide: those that are parallel; if they are few, those of a larger reduction instead."""
    verdicts = classify(domain)
    parallel = tuple(name for name, verdict in verdicts.items() if verdict.kind is Kind.PARALLEL)
    reducing = tuple(name for name, verdict in verdicts.items() if verdict.kind is Kind.REDUCTION)
    if reducing and _is_worth_it(parallel, reducing, domain):
        missing = _without_identity(reducing, domain)
        if not missing:
            return Plan(_shareable_first(reducing, domain), lanes=True)
        if not parallel:
            return Plan(
                (),
                note=f"runs on one tile: the reduction into '{missing}' has no identity to start partial results from",
            )
    if parallel or not verdicts:
        return Plan(_shareable_first(parallel, domain))
    return Plan((), note=_obstacle(verdicts))


def alternative(plan: Plan, domain: Domain) -> tuple[Boolean, Plan] | None:
    """Another plan and the condition, on the symbols of the program, under which it is the better one.

    A plan that divides parallel dimensions only brings all of an operand that these do not touch to every tile. If that
    is more than a tile should hold, the dimensions of the reduction are divided instead, if they are along it.
    """
    verdicts = classify(domain)
    reducing = tuple(name for name, verdict in verdicts.items() if verdict.kind is Kind.REDUCTION)
    if plan.lanes or not plan.divided or not reducing or _without_identity(reducing, domain):
        return None
    other = Plan(_shareable_first(reducing, domain), lanes=True)
    here, there = shared_elements(plan, domain), shared_elements(other, domain)
    targets = sum(sympy.prod(domain.shape(name)) for name in reduced_by(other.divided, domain))
    condition = sympy.And(here > MOST_SHARED, here > there + WORKERS_PER_TILE * targets)
    return None if condition == sympy.false else (condition, other)


def shared_elements(plan: Plan, domain: Domain) -> Expr:
    """How many elements all tiles read of what no divided dimension touches."""
    divided = {symbol(name) for name in plan.divided}
    reads = {site.access for site in domain.sites if site.access.data not in domain.written}
    shared = {a.data for a in reads if not any(index.free_symbols & divided for index in a.indices)}
    return sympy.Add(*(sympy.prod(domain.shape(name)) for name in sorted(shared)))


def _shareable_first(names: tuple[str, ...], domain: Domain) -> tuple[str, ...]:
    """The first dimension is what the workers of a tile share: not one of three colours, if there is another."""
    first = next(
        (n for n in names if not (domain.extents[n].is_Integer and domain.extents[n] < WORKERS_PER_TILE)), None
    )
    return names if first is None else (first, *(name for name in names if name != first))


def _obstacle(verdicts: dict[str, Verdict]) -> str:
    return "runs on one tile: " + "; ".join(verdict.reason for verdict in verdicts.values())


def _is_worth_it(parallel: tuple[str, ...], reducing: tuple[str, ...], domain: Domain) -> bool:
    """Whether to divide the reduction: nothing else can be divided, or only a few iterations of a larger reduction."""
    few, many = (sympy.prod([domain.extents[name] for name in names]) for names in (parallel, reducing))
    return not parallel or bool(few.is_Integer and few < FEW and not (many.is_Integer and many <= few))


def _without_identity(dimensions: tuple[str, ...], domain: Domain) -> str | None:
    """The first variable whose partial results would have nothing to start from."""
    for variable in reduced_by(dimensions, domain):
        reduction = domain.of(variable)[0].reduction
        if reduction is None or identity(reduction, domain.graph.variable(variable).dtype) is None:
            return variable
    return None


def reduced_by(dimensions: tuple[str, ...], domain: Domain) -> Iterator[str]:
    """The variables that several blocks combine into, if these dimensions are divided."""
    for variable in domain.written:
        if any(kind_for(name, variable, domain) is Kind.REDUCTION for name in dimensions):
            yield variable
