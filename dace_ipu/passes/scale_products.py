"""A matrix that is scaled before a product with a vector: the result, which is smaller, is scaled instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import sympy

from dace_ipu.passes.domain import ZERO
from dace_ipu.passes.match_products import factors_of, nest_of
from dace_ipu.passes.rewrite import fresh
from dace_ipu.passes.steps import uses, walk_steps, written
from dace_ipu.tile_graph.body import Access, Code, Store, symbol
from dace_ipu.tile_graph.nodes import Dimension, MapStep, Product, Step, TileGraph, with_inner_steps
from dace_ipu.tile_graph.products import Notation

__all__ = ["ScaleProducts"]


@dataclass(frozen=True)
class ScaleProducts:
    """Before: ``for i, j: t[i, j] = alpha[0] * A[i, j]``, then ``y[0:M] = t[0:M, 0:N] * x[0:N] as ij,j->i``.

    After: ``y[0:M] = A[0:M, 0:N] * x[0:N] as ij,j->i``, then ``for i: y[i] = alpha[0] * y[i]``.

    Only where the result has fewer dimensions than the matrix, nothing else uses the scaled matrix, and nothing writes
    the matrix or the factor before the product. A vector is scaled behind the product too, as ``beta * x @ A``: a
    result is as small, and what uses it next can be fused with the map. Only float32: the rounding changes, and float16
    may overflow.
    """

    name: str = "scale_products"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with fewer scaled matrices."""
        names = {step.name for step in walk_steps(graph.steps) if isinstance(step, (MapStep, Product))}
        steps = _in_list(graph.steps, graph, names)
        left = uses(steps)
        return replace(graph, steps=steps, variables=tuple(v for v in graph.variables if left[v.name] or v.persistent))


def _in_list(steps: tuple[Step, ...], graph: TileGraph, names: set[str]) -> tuple[Step, ...]:
    steps = tuple(with_inner_steps(step, lambda inner: _in_list(inner, graph, names)) for step in steps)
    for index, step in enumerate(steps):
        if isinstance(step, Product) and not step.adds:
            for position, scaling in _scalings(step, steps[:index], graph):
                product = _without(step, scaling)
                scale = _scale(product, scaling, names)
                rest = (*steps[:position], *steps[position + 1 : index], product, scale, *steps[index + 1 :])
                return _in_list(rest, graph, names)
    return steps


@dataclass(frozen=True)
class _Scaling:
    """``scaled[...] = value``, where the value is a product of ``matrix``, at the same element, and of scalars."""

    scaled: str
    matrix: Access
    value: Code


def _scalings(product: Product, before: tuple[Step, ...], graph: TileGraph) -> Iterator[tuple[int, _Scaling]]:
    """The steps that do nothing but scale an operand of a product, with their positions."""
    notation = Notation.of(product)
    used = uses(graph.steps)
    for box, runs in ((product.left, notation.left), (product.right, notation.right)):
        position = next((k for k, step in enumerate(before) if box.variable in written(step)), None)
        ranks = [len(of.replace(".", "")) for of in (notation.target, runs)]
        smaller = ranks[0] < ranks[1] or ranks == [1, 1]
        if position is None or not smaller or used[box.variable] != 2 or graph.variable(box.variable).persistent:
            continue
        scaling = _scaling(before[position], graph)
        changed = frozenset().union(*(written(step) for step in before[position:]), {product.target.variable})
        if scaling is not None and not changed & {read.data for _, read in scaling.value.reads}:
            yield position, scaling


def _scaling(step: Step, graph: TileGraph) -> _Scaling | None:
    nest = nest_of(step, graph) if isinstance(step, MapStep) else None
    if nest is None or nest[1].reduction is not None:
        return None
    extents, store = nest
    target = graph.variable(store.target.data)
    pairs = zip(store.target.indices, target.shape, strict=True)
    whole = all(sympy.expand(extents.get(str(at), ZERO) - size) == 0 for at, size in pairs)
    factors = factors_of(store.value)
    if not whole or target.dtype != np.dtype(np.float32) or len(extents) != len(target.shape) or factors is None:
        return None
    matrices = [access for access in factors if access.indices == store.target.indices]
    scalars = [access for access in factors if all(index.is_Integer for index in access.indices)]
    same = len(matrices) == 1 and len(matrices) + len(scalars) == len(factors)
    return _Scaling(target.name, matrices[0], store.value) if same and _same_type(factors, graph) else None


def _same_type(factors: tuple[Access, ...], graph: TileGraph) -> bool:
    return {graph.variable(access.data).dtype for access in factors} == {np.dtype(np.float32)}


def _without(product: Product, scaling: _Scaling) -> Product:
    """The product of the matrix as it was before it was scaled."""
    left, right = (
        replace(box, variable=scaling.matrix.data) if box.variable == scaling.scaled else box
        for box in (product.left, product.right)
    )
    return replace(product, left=left, right=right)


def _scale(product: Product, scaling: _Scaling, names: set[str]) -> MapStep:
    """The map that scales what the product leaves."""
    domain, indices = [], []
    for number, interval in enumerate(product.target.ranges):
        domain.append(Dimension(f"i{number}", sympy.expand(interval.end - interval.begin)))
        indices.append(sympy.expand(interval.begin + symbol(f"i{number}")))
    target = Access(product.target.variable, tuple(indices))
    reads = tuple((name, target if read == scaling.matrix else read) for name, read in scaling.value.reads)
    name = fresh(f"scale_{product.target.variable}", names)
    names.add(name)
    store = Store(target, Code(scaling.value.text, reads))
    return MapStep(name, tuple(domain), (store,), product.source)
