"""Maps that multiply matrices become steps of their own, which PopLibs plans for the matrix unit."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from dataclasses import dataclass, replace

import sympy

from dace_ipu.passes.coverage import is_whole
from dace_ipu.passes.domain import normalised
from dace_ipu.passes.literals import literal
from dace_ipu.passes.rewrite import Body, used_names
from dace_ipu.passes.runtime_scalars import prelude_of, runtime_names
from dace_ipu.passes.steps import last_user, written
from dace_ipu.tile_graph.body import Access, Code, Expr, For, Op, Store, symbol
from dace_ipu.tile_graph.nodes import MapStep, Product, Range, Slice, Step, TileGraph, with_inner_steps
from dace_ipu.tile_graph.products import PRODUCT_TYPES, Notation

__all__ = ["MatchProducts", "factors_of", "nest_of", "product_of"]

FEW = 512  # multiplications: what is known to have fewer takes longer to arrange than to compute in a map


@dataclass(frozen=True)
class MatchProducts:
    """Before: ``init: for i, j: C[i, j] = 0``, then ``mm: for i, j, k: C[i, j] += A[i, k] * B[k, j]``.

    After: ``mm: C[0:I, 0:J] = A[0:I, 0:K] * B[0:K, 0:J] as ik,kj->ij``. Products of more dimensions, of slices, with
    a vector, and those in a batch are of the same kind. Only float32 and float16; the sums are made in another order.

    A map stays where no index is summed over or none stands in one operand only (dot products are reductions, and
    elementwise products maps), where the range of one depends on another, and where an operand is what it writes.
    """

    name: str = "match_products"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with products in place of maps."""
        return replace(graph, steps=_matched(graph.steps, graph))


def _matched(steps: tuple[Step, ...], graph: TileGraph) -> tuple[Step, ...]:
    result: list[Step] = []
    for step in steps:
        step = with_inner_steps(step, lambda inner: _matched(inner, graph))
        product = product_of(step, graph) if isinstance(step, MapStep) else None
        start = None if product is None else _zeroed_by(product, result, graph)
        if start is not None and product is not None:
            del result[start]
            product = replace(product, adds=False)
        result.append(product or step)
    return tuple(result)


# ---- the product -----------------------------------------------------------------------------------------------------


def product_of(step: MapStep, graph: TileGraph) -> Product | None:
    """The product that a map adds to its target, if that is all it does and if the matrix unit is the place for it."""
    nest = nest_of(step, graph)
    store = None if nest is None else nest[1]
    if nest is None or store is None or store.reduction is None or store.reduction.op is not Op.SUM:
        return None
    factors = factors_of(store.value)
    if factors is None or len(factors) != 2 or any(factor.data == store.target.data for factor in factors):
        return None
    types = {graph.variable(access.data).dtype for access in (*factors, store.target)}
    if len(types) > 1 or not types <= set(PRODUCT_TYPES):
        return None
    extents = nest[0]
    boxes = [_box(access, extents) for access in (*factors, store.target)]
    if any(box is None for box in boxes):
        return None
    left, right, target = (box for box in boxes if box is not None)
    running = [name for name in dict.fromkeys((*target[1], *left[1], *right[1])) if name]
    letters = dict(zip(running, string.ascii_lowercase[8:], strict=False))
    notation = Notation(*("".join(letters[n] if n else "." for n in runs) for _, runs in (left, right, target)))
    if not _is_worth_it(notation, extents):
        return None
    text = f"{notation.left},{notation.right}->{notation.target}"
    return Product(step.name, target[0], left[0], right[0], text, adds=True, source=step.source)


def nest_of(step: MapStep, graph: TileGraph) -> tuple[dict[str, Expr], Store] | None:
    """The extents of all loops around the one store of a map, if their ranges are known when the graph is built."""
    step = normalised(step)
    extents = {dimension.name: dimension.extent for dimension in step.domain}
    body = _without_idle_prelude(step.body)
    while len(body) == 1 and isinstance(body[0], For):
        loop = body[0]
        if loop.begin != 0 or loop.step != 1:
            return None
        extents[loop.variable] = loop.end
        body = loop.body
    known = {symbol(name) for name, _ in graph.symbols}
    if len(body) != 1 or not isinstance(body[0], Store):
        return None
    return (extents, body[0]) if all(extent.free_symbols <= known for extent in extents.values()) else None


def _without_idle_prelude(body: Body) -> Body:
    """A body without the reads of device scalars at its begin, if nothing uses them."""
    prelude, rest = prelude_of(body)
    return body if runtime_names(prelude) & used_names(rest) else rest


def factors_of(value: Code) -> tuple[Access, ...] | None:
    """The elements that a computation multiplies, but for factors of one; None if it does anything else."""
    names = list(_names(ast.parse(value.text.strip(), mode="eval").body))
    reads = dict(value.reads)
    return None if any(name not in reads for name in names) else tuple(reads[name or ""] for name in names)


def _names(node: ast.expr) -> Iterator[str | None]:
    """The names in a product; None for what is no name."""
    match node:
        case ast.BinOp(op=ast.Mult()):
            yield from _names(node.left)
            yield from _names(node.right)
        case ast.Name(id=name):
            yield name
        case ast.Constant(value=1 | 1.0):
            return
        case _:
            yield None


def _box(access: Access, extents: dict[str, Expr]) -> tuple[Slice, tuple[str, ...]] | None:
    """What an access touches over all iterations, and which loop runs along each dimension ('' for none)."""
    ranges, runs = [], []
    for index in access.indices:
        names = [name for name in extents if symbol(name) in index.free_symbols]
        first = sympy.expand(index - symbol(names[0])) if len(names) == 1 else index
        if len(names) > 1 or any(symbol(name) in first.free_symbols for name in extents):
            return None
        ranges.append(Range(first, sympy.expand(first + (extents[names[0]] if names else 1))))
        runs.append(names[0] if names else "")
    loops = [name for name in runs if name]
    return (Slice(access.data, tuple(ranges)), tuple(runs)) if len(loops) == len(set(loops)) else None


def _is_worth_it(notation: Notation, extents: dict[str, Expr]) -> bool:
    """Whether it is a product of a matrix at least, not surely a tiny one, and every loop runs along something."""
    left, right, target = ({*part} - {"."} for part in notation)
    size = sympy.prod(list(extents.values()))
    tiny = bool(size.is_Integer and size < FEW)
    return notation.is_sound and len(left | right) == len(extents) and bool(left - target and left ^ right) and not tiny


# ---- where it starts from --------------------------------------------------------------------------------------------


def _zeroed_by(product: Product, before: list[Step], graph: TileGraph) -> int | None:
    """The step that sets the target to zero, if nothing else touches it until then. It has to stay if the product may
    be one of empty slices, which is none.
    """
    boxes = (product.left, product.right, product.target)
    whole = all(is_whole(box.ranges, graph.variable(box.variable)) for box in boxes)
    index = last_user(before, product.target.variable)
    step = None if index is None else before[index]
    if not whole or not isinstance(step, MapStep) or written(step) != {product.target.variable}:
        return None
    nest = nest_of(step, graph)
    if nest is None or nest[1].reduction is not None or nest[1].value.reads or literal(nest[1].value.text) != 0:
        return None
    box = _box(nest[1].target, nest[0])
    return index if box is not None and box[0] == product.target else None
