"""What is known inside of a vertex: its names, its sizes, and which elements of its fields exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy

from dace_ipu.passes.clean_up import assigned_in
from dace_ipu.passes.facts import Facts
from dace_ipu.passes.fields import size_of
from dace_ipu.passes.footprints import facts_of
from dace_ipu.passes.rewrite import Body, defined_names, used_names
from dace_ipu.tile_graph.body import Access, DType, Expr, codes, symbol, walk
from dace_ipu.tile_graph.nodes import WORKER, WORKERS_PER_TILE, ComputeSet, Field, Layout, TileGraph

__all__ = ["Elements", "changed_names", "elements_of", "entry_facts", "names_of"]


@dataclass(frozen=True)
class Elements:
    """The element types and the sizes of some fields of a vertex."""

    types: Mapping[str, DType]
    sizes: Mapping[str, tuple[Expr, ...]]

    def exists(self, access: Access, facts: Facts) -> bool:
        """Whether an element is surely in its field."""
        pairs = zip(access.indices, self.sizes[access.data], strict=True)
        return all(facts.holds(index) and facts.at_most(index, size - 1) for index, size in pairs)


def elements_of(fields: tuple[Field, ...], graph: TileGraph) -> Elements:
    """The elements of these fields."""
    types = {field.name: graph.variable(field.variable).dtype for field in fields}
    return Elements(types, {field.name: _sizes(field) for field in fields})


def _sizes(field: Field) -> tuple[Expr, ...]:
    return () if field.layout is Layout.SCALAR else tuple(size_of(interval) for interval in field.ranges)


def entry_facts(compute_set: ComputeSet) -> Facts:
    """What holds where the body begins: blocks are not empty."""
    worker = facts_of(WORKER, (sympy.Integer(0), sympy.Integer(WORKERS_PER_TILE - 1)))
    return Facts().and_also(*worker, *(symbol(dimension.size) - 1 for dimension in compute_set.block))


def names_of(compute_set: ComputeSet) -> set[str]:
    """All names that have a meaning in the body."""
    taken = {edge.name for edge in compute_set.fields} | {value.name for value in compute_set.values}
    taken |= {name for dimension in compute_set.block for name in (dimension.begin, dimension.size)}
    aliases = {name for s in walk(compute_set.body) for code in codes(s) for name, _ in code.reads}
    return taken | aliases | defined_names(compute_set.body) | used_names(compute_set.body)


def changed_names(body: Body) -> set[str]:
    """The names whose value a body defines or changes."""
    return defined_names(body) | assigned_in(body)
