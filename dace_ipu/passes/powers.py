"""Powers in indices that are the same for all iterations of a vertex: computed once, before its loops."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

import numpy as np
import sympy

from dace_ipu.passes.domain import Domain
from dace_ipu.passes.rewrite import Body, Rewrite, expressions, fresh
from dace_ipu.tile_graph.body import Code, Declare, DType, Expr, symbol, walk
from dace_ipu.tile_graph.indices import index_text

__all__ = ["with_powers_first"]

_WIDE, _NARROW = np.dtype(np.int64), np.dtype(np.int32)


def with_powers_first(body: Body, domain: Domain, known: Set[str], taken: Set[str]) -> Body:
    """The statements after declarations of the powers in their indices and ranges that only ``known`` names make.

    Before: ``for k: B[k] = A[k % R**(K - t)]``. After: ``power = R**(K - t)``, ``for k: B[k] = A[k % power]``. A power
    that is no larger than the extent of an array has 32 bits: 64 bits take many times as long to divide by.
    """
    found = {power for s in walk(body) for expr in expressions(s) for power in expr.atoms(sympy.Pow)}
    powers = [p for p in found if p.exp.free_symbols and {s.name for s in p.free_symbols} <= known]
    names: dict[Expr, str] = {}
    for power in sorted(powers, key=str):
        names[power] = fresh("power", taken | set(names.values()))
    if not names:
        return body
    declared = tuple(Declare(name, _type(power, domain), Code(index_text(power))) for power, name in names.items())
    return (*declared, *_Powers({}, powers={power: symbol(name) for power, name in names.items()}).body(body))


def _type(power: Expr, domain: Domain) -> DType:
    """Of what holds the power: exponents grow up to those of the sizes of arrays, which 32 bits hold."""
    sizes = {p for v in domain.graph.variables for size in v.shape for p in size.atoms(sympy.Pow)}
    small = (p for p in sizes if p.base == power.base and domain.iterating.at_most(power.exp, p.exp))
    return _NARROW if any(small) else _WIDE


@dataclass(frozen=True)
class _Powers(Rewrite):
    """Replaces powers in indices and ranges."""

    powers: dict[Expr, Expr] = field(default_factory=dict)

    def expr(self, expr: Expr) -> Expr:
        return expr.xreplace(self.powers)
