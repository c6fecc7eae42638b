"""The body of a loop as that of a map over its turns: with other stores, and with what counters are in a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass

from dace_ipu.passes.clean_up import with_inner
from dace_ipu.passes.rewrite import Body, replace_names
from dace_ipu.passes.substitute import with_code
from dace_ipu.passes.turn_stores import Counts
from dace_ipu.tile_graph.body import Access, Code, Expr, Statement, Store, codes

__all__ = ["Ranked", "changed"]


def changed(
    body: Body,
    changes: Mapping[int, Body],
    numbers: Iterator[int],
    local: Set[str],
    ranked: Callable[[Statement, int], Statement],
) -> Body:
    """The body with other statements for some, by number, and without all other stores to variables."""
    result: list[Statement] = []
    for statement in body:
        number = next(numbers)
        inner = with_inner(statement, lambda part: changed(part, changes, numbers, local, ranked))
        if number in changes:
            result += (ranked(new, number) for new in changes[number])
        elif not isinstance(inner, Store) or inner.target.data in local:
            result.append(ranked(inner, number))
    return tuple(result)


@dataclass(frozen=True)
class Ranked:
    """Counters as they are in a turn: what they are before the loop, and what the turns before have added."""

    counts: Counts
    amounts: Mapping[str, str]
    ranks: Mapping[str, str]
    turn: Expr

    def statement(self, statement: Statement, number: int) -> Statement:
        """The statement of that number, with all that it reads itself."""
        for code in codes(statement):
            statement = with_code(statement, code, self._code(code, number))
        return statement

    def _code(self, code: Code, number: int) -> Code:
        texts, more = {}, []
        for name, read in code.reads:
            if read.data in self.ranks:
                added = {f"{name}_before": self.ranks[read.data]}
                if number > self.counts.advances[read.data].visit.number:
                    added[f"{name}_added"] = self.amounts[read.data]
                more += [(alias, Access(data, (self.turn,))) for alias, data in added.items()]
                texts[name] = " + ".join((name, *added))
        return Code(replace_names(code.text, texts), (*code.reads, *more)) if texts else code
