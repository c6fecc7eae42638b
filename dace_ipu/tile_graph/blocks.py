"""How a partition's domain is cut into blocks, one a tile. ``runtime/src/blocks.cpp`` computes exactly the same.

The rule, in integers of 64 bits, for extents ``n[0..r)`` and a number of tiles (``/`` is integer division, ``ceil(a,
b)`` is ``(a + b - 1) / b``):

1. If an extent is not positive there are no blocks. ``total`` is the product of all extents (1 if there are none).
2. ``limit = min(tiles, ceil(total, w))``: a tile is worth at least ``w`` iterations, one a worker. ``w`` is 6, all
   workers of a tile, or 1 for iterations that wait for data rather than compute.
3. A grid gives each dimension a number of parts ``p[d]``, 1 <= p[d] <= n[d], with product at most ``limit``. Only the
   first three dimensions with an extent above 1 are divided; the others have ``p[d] = 1``.
4. The workers of a tile share dimension 0: with ``w[0] = w`` and ``w[d] = 1`` for the others, the cost of dimension
   d is ``cost(d, p) = ceil(n[d], w[d] * p)``, which equals ``ceil(ceil(n[d], p), w[d])``. The cost of a grid is the
   product over the divided dimensions.
5. The best grid has the least cost; among equals the fewest blocks (the product of ``p``); among equals the fewest
   parts of the last divided dimension, then of the one before it, and so on. That is the least key ``(cost, blocks,
   p[last], ..., p[first])``, compared from the left.
6. Block number b, row-major over the grid (the last dimension runs fastest), lives on tile b. Its part k of dimension d
   holds the iterations from ``n[d] * k / p[d]`` to, not including, ``n[d] * (k + 1) / p[d]``.

The search for step 5 goes through the divided dimensions in order, first to last, with ``room``: the limit divided by
the parts chosen so far (rounded down). Only the smallest p of each cost matters, so the candidates of dimension d are
``p = 1`` and then, while ``cost = cost(d, p)`` is above 1, ``p = ceil(n[d], w[d] * (cost - 1))``, as long as ``p <=
room``. For the last divided dimension only the largest candidate matters. A branch is given up if ``cost so far *
ceil(rest, w_or_1 * room)`` exceeds the best cost found: ``rest`` is the product of the extents of the dimensions still
to be divided, and the factor is w if dimension 0 is among them. (Pruning changes the time, never the result.)

Partitions of stencils are cut in another way (``of_rows``), if they have two or three dimensions: short rows cost more
there than what they hold, as each has pointers, neighbours to wait for, and a copy that joins them. The workers share
the last dimension, along the rows. The limit is the number of tiles, but the last dimension has at most ``ceil(n, 6)``
parts: two iterations of a row for one worker cost more than a tile. In step 3 all dimensions are divided, and steps 4
and 5 take another cost of a grid. With blocks of at most ``s[d] = ceil(n[d], p[d])`` iterations and ``rows``, the
product of all ``s`` but the last::

    cost   = rows * (60 * ceil(s[last], 6) + s[last] / 2 + 92) + beside
    beside = sum over all d but the last of 2 * (rows / s[d]) * (s[last] + 3)

These are cycles: about ten slots an element and a row, and for each row a joining copy at 8 bytes a cycle with its
pieces; then what the exchange brings of the rows beside the block. The candidates of p are those of each s[d]; for the
last dimension only the largest matters.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from dace_ipu.tile_graph.nodes import WORKERS_PER_TILE

__all__ = ["Block", "blocks", "grid"]

DIVIDED_DIMENSIONS = 3


@dataclass(frozen=True)
class Block:
    """The iterations ``begins[d] <= i_d < ends[d]`` of a domain, and the tile they run on."""

    tile: int
    begins: tuple[int, ...]
    ends: tuple[int, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Iterations a dimension."""
        return tuple(end - begin for begin, end in zip(self.begins, self.ends, strict=True))


@dataclass(frozen=True)
class _Axis:
    extent: int
    workers: int

    def cost(self, parts: int) -> int:
        return _ceil(self.extent, self.workers * parts)

    def candidates(self, room: int) -> Iterator[int]:
        """The smallest number of parts of each cost, up to ``room`` parts."""
        parts = 1
        while parts <= room:
            yield parts
            cost = self.cost(parts)
            if cost == 1:
                return
            parts = _ceil(self.extent, self.workers * (cost - 1))

    def largest(self, room: int) -> int:
        """The last of the candidates."""
        return _ceil(self.extent, self.workers * self.cost(room))


def blocks(
    extents: tuple[int, ...], tiles: int, workers: int = WORKERS_PER_TILE, of_rows: bool = False
) -> tuple[Block, ...]:
    """The blocks of a domain of these extents on a machine of ``tiles`` tiles, in the order of their tiles.

    Raises ValueError if there are no tiles.
    """
    parts = grid(extents, tiles, workers, of_rows)
    if parts is None:
        return ()
    spans = [_spans(extent, p) for extent, p in zip(extents, parts, strict=True)]
    return tuple(
        Block(tile, tuple(begin for begin, _ in box), tuple(end for _, end in box))
        for tile, box in enumerate(itertools.product(*spans))
    )


def grid(
    extents: tuple[int, ...], tiles: int, workers: int = WORKERS_PER_TILE, of_rows: bool = False
) -> tuple[int, ...] | None:
    """The number of parts of each dimension (step 5 of the rule); None if the domain is empty.

    Raises ValueError if there are no tiles.
    """
    if tiles < 1:
        raise ValueError(f"a partition needs tiles, not {tiles}")
    if any(extent <= 0 for extent in extents):
        return None
    if of_rows:
        return min(_grids_of_rows(extents, tiles))[:1:-1]
    room = min(tiles, _ceil(math.prod(extents), workers))
    divided = [d for d, extent in enumerate(extents) if extent > 1][:DIVIDED_DIMENSIONS]
    axes = [_Axis(extents[d], workers if d == 0 else 1) for d in divided]
    parts = dict(zip(divided, _Search(axes).best(room), strict=True))
    return tuple(parts.get(d, 1) for d in range(len(extents)))


def _grids_of_rows(extents: tuple[int, ...], room: int) -> Iterator[tuple[int, ...]]:
    """The keys of the grids worth looking at."""
    first, *others = (_Axis(extent, 1) for extent in extents)
    if not others:
        p = first.largest(min(room, _ceil(first.extent, WORKERS_PER_TILE)))
        yield _key_of_rows((p,), extents)
        return
    for p in first.candidates(room):
        for rest in _grids_of_rows(extents[1:], room // p):
            yield _key_of_rows((p, *rest[:1:-1]), extents)


def _key_of_rows(parts: tuple[int, ...], extents: tuple[int, ...]) -> tuple[int, ...]:
    *above, length = (_ceil(extent, p) for extent, p in zip(extents, parts, strict=True))
    rows = math.prod(above)
    beside = sum(2 * (rows // size) * (length + 3) for size in above)
    cost = rows * (60 * _ceil(length, WORKERS_PER_TILE) + length // 2 + 92) + beside
    return (cost, math.prod(parts), *reversed(parts))


class _Search:
    """Finds the parts of least key, by depth-first search over the candidates of each axis."""

    def __init__(self, axes: list[_Axis]) -> None:
        self._axes = axes
        self._key: tuple[int, ...] | None = None
        # For the axes from k on: the product of the extents, and of the workers that share them.
        self._rest = [math.prod(a.extent for a in axes[k:]) for k in range(len(axes))]
        self._workers = [math.prod(a.workers for a in axes[k:]) for k in range(len(axes))]

    def best(self, room: int) -> tuple[int, ...]:
        self._visit((), 1, room)
        assert self._key is not None
        return self._key[:1:-1]

    def _visit(self, parts: tuple[int, ...], cost: int, room: int) -> None:
        depth = len(parts)
        if depth == len(self._axes):
            self._offer((cost, math.prod(parts), *reversed(parts)))
            return
        if self._key is not None and cost * _ceil(self._rest[depth], self._workers[depth] * room) > self._key[0]:
            return
        axis = self._axes[depth]
        last = depth == len(self._axes) - 1
        for p in (axis.largest(room),) if last else axis.candidates(room):
            self._visit((*parts, p), cost * axis.cost(p), room // p)

    def _offer(self, key: tuple[int, ...]) -> None:
        if self._key is None or key < self._key:
            self._key = key


def _spans(extent: int, parts: int) -> list[tuple[int, int]]:
    return [(extent * k // parts, extent * (k + 1) // parts) for k in range(parts)]


def _ceil(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)
