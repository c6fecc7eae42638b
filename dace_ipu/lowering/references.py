"""What a container of an SDFG stands for: an array of the tile graph (perhaps a window or another shape of it) or a
local scalar.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from dace import data, subsets

from dace_ipu.lowering.symbolic import Environment, Unsupported, convert
from dace_ipu.tile_graph.body import Access, DType, Expr
from dace_ipu.tile_graph.indices import are_equal, quotient

__all__ = ["ArrayReference", "Layout", "Reference", "ScalarReference", "Window", "view_of", "window_of"]


@dataclass(frozen=True)
class ScalarReference:
    """A local scalar of a codelet."""

    name: str
    dtype: DType


@dataclass(frozen=True)
class Window:
    """A box of the array below: inner dimension k is outer dimension ``dimensions[k]``, from ``begins`` in
    ``steps``.
    """

    begins: tuple[Expr, ...]
    steps: tuple[Expr, ...]
    dimensions: tuple[int | None, ...]  # per outer dimension, which inner one; None: a single element

    def outer(self, inner: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The outer indices of an inner element."""
        return tuple(
            begin if which is None else begin + step * inner[which]
            for begin, step, which in zip(self.begins, self.steps, self.dimensions, strict=True)
        )


@dataclass(frozen=True)
class Layout:
    """The elements of the array below in another shape: inner index → position → outer index, both row-major in their
    strides.
    """

    strides: tuple[Expr, ...]  # of the inner dimensions, in elements of the box below
    sizes: tuple[Expr, ...]  # of the box below
    begins: tuple[Expr, ...]

    def outer(self, inner: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The outer indices of an inner element."""
        position = sum((i * s for i, s in zip(inner, self.strides, strict=True)), sympy.Integer(0))
        result: list[Expr] = []
        for begin, size in reversed(list(zip(self.begins, self.sizes, strict=True))):
            outermost = len(result) == len(self.sizes) - 1
            result.append(begin + (position if outermost else sympy.Mod(position, size)))
            position = quotient(position, size)
        return tuple(reversed(result))


@dataclass(frozen=True)
class ArrayReference:
    """An array of the tile graph behind a chain of windows and layouts, innermost first."""

    name: str
    dtype: DType
    chain: tuple[Window | Layout, ...] = ()

    def access(self, indices: tuple[Expr, ...]) -> Access:
        """The element of the array at the bottom."""
        for link in self.chain:
            indices = link.outer(indices)
        return Access(self.name, tuple(sympy.expand(index) if index.is_polynomial() else index for index in indices))

    def through(self, link: Window | Layout) -> ArrayReference:
        """The same array seen through one more window or layout."""
        return ArrayReference(self.name, self.dtype, (link, *self.chain))


Reference = ArrayReference | ScalarReference


def window_of(subset: subsets.Range, rank: int, environment: Environment) -> Window:
    """The window that ``subset`` opens for a container of ``rank`` dimensions. Raises Unsupported if the ranks do not
    fit.
    """
    begins = tuple(convert(begin, environment) for begin, _, _ in subset.ndrange())
    steps = tuple(convert(step, environment) for _, _, step in subset.ndrange())
    sizes = list(_sizes(subset, environment))
    kept = _kept_dimensions(sizes, rank)
    which = {outer: inner for inner, outer in enumerate(kept)}
    return Window(begins, steps, tuple(which.get(outer) for outer in range(len(sizes))))


def _kept_dimensions(sizes: list[Expr], rank: int) -> list[int]:
    if len(sizes) == rank:
        return list(range(rank))
    kept = [k for k, size in enumerate(sizes) if size != 1]
    spare = [k for k in range(len(sizes)) if k not in kept]
    while len(kept) < rank and spare:  # a window of one element of an array keeps its last dimension
        kept.append(spare.pop())
    if len(kept) != rank:
        raise Unsupported(f"a window of shape {sizes} does not fit a container of {rank} dimensions")
    return sorted(kept)


def _sizes(subset: subsets.Range, environment: Environment) -> tuple[Expr, ...]:
    """The sizes of a box. Where it is dense nothing is rounded: DaCe's own size of 0:R**i is a ceiling."""
    pairs = zip(subset.ndrange(), subset.size(), strict=True)
    return tuple(convert(end - begin + 1 if step == 1 else size, environment) for (begin, end, step), size in pairs)


def view_of(view: data.Array, subset: subsets.Range, viewed: data.Data, environment: Environment) -> Window | Layout:
    """How the elements of a view are found in the part ``subset`` of what it views. Raises Unsupported for strided
    reinterpretations.
    """
    strides = [convert(s, environment) for s in view.strides]
    shape = [convert(s, environment) for s in view.shape]
    outer_strides = [convert(s, environment) for s in getattr(viewed, "strides", (1,))]
    window = _as_window(strides, shape, outer_strides, subset, environment)
    return window if window is not None else _as_layout(view, subset, viewed, environment)


def _as_window(
    strides: list[Expr], shape: list[Expr], outer_strides: list[Expr], subset: subsets.Range, environment: Environment
) -> Window | None:
    begins = tuple(convert(b, environment) for b, _, _ in subset.ndrange())
    steps = tuple(convert(s, environment) for _, _, s in subset.ndrange())
    sizes = list(_sizes(subset, environment))
    which: dict[int, int] = {}
    for inner, (stride, size) in enumerate(zip(strides, shape, strict=True)):
        match = [
            outer
            for outer, (o_stride, step, o_size) in enumerate(zip(outer_strides, steps, sizes, strict=True))
            if outer not in which and are_equal(o_stride * step, stride) and are_equal(o_size, size)
        ]
        if match:
            which[match[0]] = inner
        elif size != 1:
            return None
    if any(size != 1 and outer not in which for outer, size in enumerate(sizes)):
        return None
    return Window(begins, steps, tuple(which.get(outer) for outer in range(len(sizes))))


def _as_layout(view: data.Array, subset: subsets.Range, viewed: data.Data, environment: Environment) -> Layout:
    """The elements of a part in another shape, in the order in which NumPy's reshape takes them, also where the part is
    no single run of memory.
    """
    sizes = _sizes(subset, environment)
    if any(step != 1 for _, _, step in subset.ndrange()):
        raise Unsupported("a view that reshapes every other element of an array")
    if not _is_run(sizes, viewed, environment) and not _has_all(view, sizes, environment):
        raise Unsupported("a view that reshapes a part of an array to another number of elements")
    if not _is_row_major(view) or not _is_row_major(viewed):
        raise Unsupported("a view that reshapes an array with strides that are not row-major")
    begins = tuple(convert(b, environment) for b, _, _ in subset.ndrange())
    return Layout(tuple(convert(s, environment) for s in view.strides), sizes, begins)


def _is_run(sizes: tuple[Expr, ...], viewed: data.Data, environment: Environment) -> bool:
    """Whether a box is one contiguous run of a row-major array."""
    shape = [convert(s, environment) for s in viewed.shape]
    first = next((k for k, size in enumerate(sizes) if size != 1), len(sizes))
    return all(are_equal(size, full) for size, full in list(zip(sizes, shape, strict=True))[first + 1 :])


def _has_all(view: data.Array, sizes: tuple[Expr, ...], environment: Environment) -> bool:
    """Whether a view has as many elements as the box that it views."""
    return are_equal(sympy.prod([convert(s, environment) for s in view.shape]), sympy.prod(sizes))


def _is_row_major(desc: data.Data) -> bool:
    if isinstance(desc, data.Scalar):
        return True
    expected = sympy.Integer(1)
    for size, stride in reversed(list(zip(desc.shape, desc.strides, strict=True))):
        if size != 1 and not are_equal(stride, expected):
            return False
        expected = expected * size
    return True
