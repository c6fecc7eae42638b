"""The notation of matrix products, and what makes one a good one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dace_ipu.tile_graph.body import DType, Expr
from dace_ipu.tile_graph.indices import difference
from dace_ipu.tile_graph.nodes import BlockMapping, Product, Range, Slice, TileGraph, Variable

__all__ = ["PRODUCT_TYPES", "Notation", "lies_in_blocks", "operand_faults", "product_faults"]

#: What the matrix unit multiplies.
PRODUCT_TYPES = (np.dtype(np.float16), np.dtype(np.float32))


class Notation(NamedTuple):
    """The indices along the dimensions of each operand, a letter or '.' each: ``ik,kj->ij`` taken apart."""

    left: str
    right: str
    target: str

    @classmethod
    def of(cls, product: Product) -> Notation:
        """The notation of a product. Raises ValueError for a text that is none."""
        found = re.fullmatch(r"([a-zA-Z.]*),([a-zA-Z.]*)->([a-zA-Z.]*)", product.notation)
        if found is None:
            raise ValueError(f"'{product.notation}' is no notation like 'ik,kj->ij'")
        return cls(*found.groups())

    @property
    def is_sound(self) -> bool:
        """Whether each index stands once in an operand, and where the rules of ``Product`` want it."""
        left, right, target = ({*part} - {"."} for part in self)
        once = all(len(part.replace(".", "")) == len({*part} - {"."}) for part in self)
        return once and target <= left | right and left ^ right <= target


def product_faults(product: Product, types: list[DType]) -> Iterator[str]:
    """What is wrong with a product whose left, right and target have these element types."""
    try:
        notation = Notation.of(product)
    except ValueError as error:
        yield str(error)
        return
    if not notation.is_sound:
        yield f"'{product.notation}' is no matrix product"
    if len(set(types)) > 1 or types[0] not in PRODUCT_TYPES:
        yield f"a matrix product of the types {', '.join(map(str, types))}"
    if product.target.variable in (product.left.variable, product.right.variable):
        yield f"it writes its operand '{product.target.variable}'"
    sizes: dict[str, Expr] = {}
    for box, runs in zip((product.left, product.right, product.target), notation, strict=True):
        yield from _size_faults(box, runs, sizes)


def lies_in_blocks(product: Product, graph: TileGraph) -> bool:
    """Whether a product is one of a vector and a float32 matrix that lies in blocks, in both dimensions: it can be
    multiplied where it is, along its rows or across them.
    """
    matrix, vector = sorted((product.left, product.right), key=lambda box: -len(box.ranges))
    variable = graph.variable(matrix.variable)
    mapping = variable.mapping
    cut = isinstance(mapping, BlockMapping) and len(mapping.follow) == 2 and all(mapping.follow)
    return cut and len(vector.ranges) == 1 and variable.dtype == np.float32 and not product.adds


def operand_faults(variable: Variable, product: Product | None, is_left: bool) -> Iterator[str]:
    """What is wrong with a variable that is mapped as an operand of a product: it is not all of that."""
    box = None if product is None else product.left if is_left else product.right
    if box is None or box.variable != variable.name:
        yield "it is mapped as an operand of a product that does not have it"
    elif any(difference(_length(at), size) != 0 for at, size in zip(box.ranges, variable.shape, strict=True)):
        yield "it is mapped as an operand that is only a part of it"


def _size_faults(box: Slice, runs: str, sizes: dict[str, Expr]) -> Iterator[str]:
    if len(runs) != len(box.ranges):
        yield f"{len(runs)} indices for {len(box.ranges)} dimensions of '{box.variable}'"
        return
    for interval, index in zip(box.ranges, runs, strict=True):
        expected = 1 if index == "." else sizes.setdefault(index, _length(interval))
        if difference(_length(interval), expected) not in (None, 0):
            yield f"index '{index}' runs over {expected} and over {_length(interval)} elements of '{box.variable}'"


def _length(interval: Range) -> Expr:
    return interval.end - interval.begin
