"""Where the workers of a tile may divide a loop: never inside a 32-bit word that two of them would write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sympy

from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import DType, Expr, For, Store, symbol, walk
from dace_ipu.tile_graph.nodes import Field

__all__ = ["Border", "border"]

_WORD = 4  # bytes: the least that the memory writes at once (Target::getAtomicStoreGranularity)


@dataclass(frozen=True)
class Border:
    """Iterations at which a worker's share may begin: ``phase`` behind a multiple of ``grain``."""

    grain: int
    phase: Expr


def border(loop: For, fields: Mapping[str, Field], dtypes: Mapping[str, DType]) -> Border | None:
    """Return where a shared loop may be divided, None if no place suits all its narrow writes.

    Fields begin at a word. Element ``c*i + o`` begins a word where that is a multiple of the elements a word.
    """
    borders = set(_borders(loop, fields, dtypes))
    if None in borders:
        return None
    grain = max((b.grain for b in borders if b), default=1)
    phases = {sympy.Mod(b.phase, b.grain) for b in borders if b}
    if len(phases) > 1 or len({b.grain for b in borders if b}) > 1:
        same = all(b.phase == 0 for b in borders if b)
        return Border(grain, sympy.S.Zero) if same else None
    return Border(grain, phases.pop() if phases else sympy.S.Zero)


def _borders(loop: For, fields: Mapping[str, Field], dtypes: Mapping[str, DType]) -> Iterator[Border | None]:
    counter = symbol(loop.variable)
    inner = {symbol(s.variable) for s in walk(loop.body) if isinstance(s, For)}
    for statement in walk(loop.body):
        if not isinstance(statement, Store) or statement.target.data not in fields:
            continue
        grain = _WORD // min(_WORD, element_type(dtypes[statement.target.data]).size)
        for index in statement.target.indices:
            if grain > 1 and counter in index.free_symbols:
                yield _border(index, counter, inner, grain)


def _border(index: Expr, counter: sympy.Symbol, inner: set[sympy.Symbol], grain: int) -> Border | None:
    factor = sympy.diff(index, counter)
    offset = sympy.expand(index - factor * counter)
    if not factor.is_Integer or inner & offset.free_symbols:
        return None
    if factor == 1:
        return Border(grain, -offset)
    if factor == -1:  # the share of a worker ends where the next word begins
        return Border(grain, offset + 1)
    return Border(grain, sympy.S.Zero) if offset.is_Integer and 0 <= offset < abs(factor) else None
