"""Maps that read an element and its neighbours."""

from __future__ import annotations

from itertools import combinations

import sympy

from dace_ipu.passes.footprints import sites
from dace_ipu.tile_graph.body import Access, symbol
from dace_ipu.tile_graph.nodes import MapStep

__all__ = ["is_stencil"]

MOST_READS = 30  # of one variable: more would take long to compare


def is_stencil(step: MapStep) -> bool:
    """Whether a map of two or three dimensions reads neighbours along its rows and across them: elements of one
    variable whose last indices, and some whose other indices, differ by constants.
    """
    if len(step.domain) not in (2, 3):
        return False
    last = symbol(step.domain[-1].name)
    reads: dict[str, dict[Access, None]] = {}
    for site in sites(step.body):
        if site.store is None and site.access.indices and last in site.access.indices[-1].free_symbols:
            reads.setdefault(site.access.data, {})[site.access] = None
    pairs = (pair for found in reads.values() for pair in combinations(tuple(found)[:MOST_READS], 2))
    apart = [_apart(a, b) for a, b in pairs]
    return any(gaps and gaps[-1] for gaps in apart) and any(any(gaps[:-1]) for gaps in apart)


def _apart(a: Access, b: Access) -> list[int]:
    """How far apart two elements are along each dimension; nothing if that is no constant."""
    gaps = [sympy.expand(x - y) for x, y in zip(a.indices, b.indices, strict=True)]
    return [int(gap) for gap in gaps] if all(gap.is_Integer for gap in gaps) else []
