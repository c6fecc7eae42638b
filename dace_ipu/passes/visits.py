"""The statements of a body in order, with what decides whether and how often each one runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from dace_ipu.passes.rewrite import Body
from dace_ipu.tile_graph.body import For, If, Statement, While, children

__all__ = ["Visit", "visits"]


@dataclass(frozen=True)
class Visit:
    """A statement in a body: its number in the order of ``walk``, the conditions around it (number of the If, and
    which branch), and the numbers of the loops around it."""

    number: int
    statement: Statement
    path: tuple[tuple[int, bool], ...]
    loops: tuple[int, ...]

    @property
    def looped(self) -> bool:
        """Whether a turn may come here more than once."""
        return bool(self.loops)

    @property
    def around(self) -> frozenset[int]:
        """The numbers of all statements that say whether, or how often, this one runs."""
        return frozenset((*self.loops, *(number for number, _ in self.path)))


def visits(body: Body) -> tuple[Visit, ...]:
    """All statements of a body, in order."""
    return tuple(_visits(body, (), (), count()))


def _visits(
    body: Body, path: tuple[tuple[int, bool], ...], loops: tuple[int, ...], numbers: Iterator[int]
) -> Iterator[Visit]:
    for statement in body:
        number = next(numbers)
        yield Visit(number, statement, path, loops)
        inner = (*loops, number) if isinstance(statement, (For, While)) else loops
        for branch, part in zip((True, False), children(statement), strict=False):
            around = (*path, (number, branch)) if isinstance(statement, If) else path
            yield from _visits(part, around, inner, numbers)
