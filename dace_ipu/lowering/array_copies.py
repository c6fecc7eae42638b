"""Copies along edges between arrays, element by element; where a memlet names one side only, the other follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from dace import data, subsets
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState

from dace_ipu import compat
from dace_ipu.lowering.reductions import reduction_of
from dace_ipu.lowering.references import Reference, ScalarReference
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.stream_code import through_stream
from dace_ipu.lowering.symbolic import Unsupported, convert
from dace_ipu.tile_graph.body import Assign, Code, Expr, For, Reduction, Statement, Store, symbol
from dace_ipu.tile_graph.indices import are_equal, quotient

__all__ = ["both_subsets", "edge_between_arrays"]


def edge_between_arrays(state: SDFGState, edge: Any, source: str, target: str, scope: Scope) -> list[Statement]:
    """An element-wise copy along an edge, as loops; items of streams are pushed or popped. Raises Unsupported."""
    if any(isinstance(scope.sdfg.arrays[name], data.Stream) for name in (source, target)):
        return through_stream(state, edge, source, target, scope)
    source_subset, target_subset = both_subsets(state, edge, source, target, scope.sdfg)
    reduction = reduction_of(edge.data.wcr)
    from_, to = scope.reference(source), scope.reference(target)
    sizes = scope.indices(source_subset.size())
    loop_names = [scope.names.fresh("k") if size != 1 else "" for size in sizes]
    offsets = [symbol(name) if name else sympy.Integer(0) for name in loop_names]
    statement = _move(
        from_, _element(source_subset, offsets, scope), to, _matching(target_subset, offsets, sizes, scope), reduction
    )
    result: Statement = statement
    for name, size in reversed(list(zip(loop_names, sizes, strict=True))):
        if name:
            result = For(name, sympy.Integer(0), size, sympy.Integer(1), (result,))
    return [result]


def both_subsets(
    state: SDFGState, edge: Any, source: str, target: str, sdfg: SDFG
) -> tuple[subsets.Range, subsets.Range]:
    """The elements that a copy reads of ``source`` and writes of ``target``, where the memlet names only one side too.

    Raises Unsupported if the memlet names neither side, or one that does not fit the other.
    """
    source_subset, target_subset = compat.source_subset(edge, state), compat.target_subset(edge, state)
    given = source_subset if source_subset is not None else target_subset
    if given is None:
        raise Unsupported("a copy without subsets")
    return (
        _same_box(given, sdfg.arrays[source]) if source_subset is None else source_subset,
        _same_box(given, sdfg.arrays[target]) if target_subset is None else target_subset,
    )


def _same_box(subset: subsets.Range, desc: data.Data) -> subsets.Range:
    """DaCe's rule for a copy with one subset: the other side has the same one if it fits, else starts at the origin."""
    whole: subsets.Range = subsets.Range.from_array(desc)
    if _equal(subset.num_elements(), whole.num_elements()):
        return whole
    if len(subset) == len(whole):
        return subset
    raise Unsupported(f"a copy of [{subset}] to or from an array of {len(whole)} dimensions without saying where")


def _equal(a: Any, b: Any) -> bool:
    """Whether two of DaCe's expressions are equal; symbols of one name are, whatever is assumed about them."""
    return are_equal(convert(a, {}), convert(b, {}))


def _element(subset: subsets.Range, offsets: Sequence[Expr], scope: Scope) -> tuple[Expr, ...]:
    ranges = [(scope.index(b), scope.index(s)) for b, _, s in subset.ndrange()]
    return tuple(begin + step * offset for (begin, step), offset in zip(ranges, offsets, strict=True))


def _matching(subset: subsets.Range, offsets: Sequence[Expr], sizes: Sequence[Expr], scope: Scope) -> tuple[Expr, ...]:
    """The element of ``subset`` at the same position (row-major) as ``offsets`` in a box of ``sizes``."""
    own = scope.indices(subset.size())
    varying = [k for k, size in enumerate(own) if size != 1]
    given = [offset for offset, size in zip(offsets, sizes, strict=True) if size != 1]
    wanted = [size for size in sizes if size != 1]
    if len(varying) == len(given) and all(are_equal(own[k], w) for k, w in zip(varying, wanted, strict=True)):
        by_dimension = dict(zip(varying, given, strict=True))
        return _element(subset, [by_dimension.get(k, sympy.Integer(0)) for k in range(len(own))], scope)
    return _element(subset, _delinearised(offsets, sizes, own), scope)


def _delinearised(offsets: Sequence[Expr], sizes: Sequence[Expr], own: Sequence[Expr]) -> list[Expr]:
    position: Expr = sympy.Integer(0)
    for offset, size in zip(offsets, sizes, strict=True):
        position = position * size + offset
    result: list[Expr] = []
    for size in reversed(own):
        result.append(sympy.Mod(position, size) if len(result) < len(own) - 1 else position)
        position = quotient(position, size)
    return result[::-1]


def _move(
    source: Reference, at: tuple[Expr, ...], target: Reference, to: tuple[Expr, ...], reduction: Reduction | None
) -> Statement:
    code = Code(source.name) if isinstance(source, ScalarReference) else Code("_0", (("_0", source.access(at)),))
    if isinstance(target, ScalarReference):
        return Assign(target.name, code, reduction)
    return Store(target.access(to), code, reduction)
