"""Arrays that are read as if they had another shape get that shape: a copy instead of divisions for each element."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import sympy
from sympy.core.function import AppliedUndef

from dace_ipu.passes.domain import ZERO, normalised
from dace_ipu.passes.footprints import sites
from dace_ipu.passes.rewrite import Rewrite, fresh
from dace_ipu.passes.runtime_scalars import runtime_names
from dace_ipu.passes.steps import map_steps, written
from dace_ipu.tile_graph.body import Access, Expr, symbol
from dace_ipu.tile_graph.indices import quotient
from dace_ipu.tile_graph.nodes import Copy, MapStep, Range, Slice, Step, TileGraph, Variable

__all__ = ["ReshapeReads", "places_of"]


@dataclass(frozen=True)
class ReshapeReads:
    """Before: ``for i in 0:N for k in 0:K: ... A[(K * i + k) // 16, (K * i + k) % 16]``, where ``A`` has 16 columns.

    After: a copy of the elements of ``A``, in their order, to ``t`` of the shape (N, K), and ``... t[i, k]``.

    Only where the indices are the places of one number in the array, and that number is the place of two dimensions of
    the map in the new shape. Where it is one dimension, and the sizes are powers, of which nobody can tell what a block
    of the map reads, the copy has all elements in a row. The copies are the map's own, made each time before it.
    """

    name: str = "reshape_reads"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with copies of the arrays that are read in another shape."""
        work = _Work(graph)
        steps = map_steps(graph.steps, work.reshaped)
        return replace(graph, steps=steps, variables=(*graph.variables, *work.added))


@dataclass
class _Work:
    graph: TileGraph
    added: list[Variable] = field(default_factory=list)

    def reshaped(self, step: Step) -> tuple[Step, ...]:
        """A map, after the copies that it reads."""
        if not isinstance(step, MapStep) or runtime_names(step.body):
            return (step,)
        extents = {d.name: d.extent for d in normalised(step).domain}
        copies: list[Step] = []
        new: dict[Access, Access] = {}
        for access in dict.fromkeys(site.access for site in sites(step.body) if not site.writes):
            found = None if access.data in written(step) else _as_matrix(access, extents, self.graph)
            if found is not None:
                name = self._copied(access.data, tuple(extents[index] for index in found), copies)
                new[access] = Access(name, tuple(map(symbol, found)))
        body = Rewrite({}, read=lambda access: new.get(access, access)).body(step.body)
        return (*copies, replace(step, body=body)) if new else (step,)

    def _copied(self, name: str, shape: tuple[Expr, ...], copies: list[Step]) -> str:
        """The name of a copy of a variable of that shape, by way of one with all elements in a row."""
        original = self.graph.variable(name)
        everything = tuple(Range(ZERO, size) for size in original.shape)
        row = self._variable(f"{name}_in_a_row", original, (sympy.prod(original.shape),))
        copies.append(Copy(Slice(name, everything), Slice(row.name, (Range(ZERO, row.shape[0]),))))
        if len(shape) == 1:
            return row.name
        matrix = self._variable(f"{name}_reshaped", original, shape)
        used = Slice(row.name, (Range(ZERO, sympy.prod(shape)),))
        copies.append(Copy(used, Slice(matrix.name, tuple(Range(ZERO, size) for size in shape))))
        return matrix.name

    def _variable(self, hint: str, like: Variable, shape: tuple[Expr, ...]) -> Variable:
        taken = {v.name for v in (*self.graph.variables, *self.added)} | {n for n, _ in self.graph.symbols}
        variable = Variable(fresh(hint, taken), like.dtype, shape, source=like.source)
        self.added.append(variable)
        return variable


def _as_matrix(access: Access, extents: dict[str, Expr], graph: TileGraph) -> tuple[str, ...] | None:
    """The dimensions of a map, outer first, by which an access counts through all elements of an array."""
    shape = graph.variable(access.data).shape
    last = access.indices[-1]
    if len(shape) < 2 or not isinstance(last, sympy.Mod) or last.args[1] != shape[-1]:
        return None
    place = sympy.expand(last.args[0])
    if access.indices != places_of(last.args[0], shape):
        return None
    if str(place) in extents and any(index.atoms(AppliedUndef) for index in access.indices):
        return (str(place),)
    for inner, size in extents.items():
        outer = next((name for name in extents if sympy.expand(place - symbol(inner) - size * symbol(name)) == 0), None)
        if outer is not None and outer != inner:
            return outer, inner
    return None


def places_of(place: Expr, shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The indices of the element with this number, row-major."""
    found: list[Expr] = []
    for size in reversed(shape[1:]):
        found.insert(0, sympy.Mod(place, size))
        place = quotient(place, size)
    return (place, *found)
