"""Scalars that several parts of a program set anew get a variable for each part."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import sympy

from dace_ipu.passes.rewrite import Rewrite, accesses, claimed
from dace_ipu.passes.steps import graph_names, touched, touched_itself, uses, walk_steps
from dace_ipu.tile_graph.body import Access, Store, walk
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph, Variable, with_inner_steps

__all__ = ["SplitScalars"]


@dataclass(frozen=True)
class SplitScalars:
    """Before: ``repeat { s[0] = A[i]; B[i] = s[0] }; repeat { s[0] = A[j]; C[j] = s[0] }``, as code that names a value
    ``s`` in two places becomes. After: the second loop has ``s_2``, so that each is a matter of one loop alone.

    Only scalars that nothing but maps touches, and that every list of steps with a map that touches them sets, whole,
    before it reads them: no value then goes from one list to another, or from one turn to the next.
    """

    name: str = "split_scalars"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with more scalars."""
        work = _Work(graph)
        steps = work.renamed(graph.steps)
        return replace(graph, steps=steps, variables=(*graph.variables, *work.added))


@dataclass
class _Work:
    graph: TileGraph
    added: list[Variable] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.taken = graph_names(self.graph)
        used, others = uses(self.graph.steps), set[str]()
        for step in walk_steps(self.graph.steps):
            others |= frozenset() if isinstance(step, MapStep) else touched_itself(step)
        plain = (v for v in self.graph.variables if _is_plain(v) and v.name not in others)
        self.scalars = {v.name: v for v in plain if used[v.name] > 1}
        self._drop_carried(self.graph.steps)

    def _drop_carried(self, steps: tuple[Step, ...]) -> None:
        """Forgets the scalars that a list of steps does not set before it reads them."""
        for name in tuple(self.scalars):
            users = [step for step in steps if name in touched_itself(step)]
            inside = any(name in touched(step) and name not in touched_itself(step) for step in steps)
            if users and (inside or not _sets(users[0], name)):
                del self.scalars[name]
        for step in steps:
            with_inner_steps(step, self._visited)

    def _visited(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        self._drop_carried(steps)
        return steps

    def renamed(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The steps of one list, with names of their own for what another list uses, too."""
        new = {}
        for name in sorted(self.scalars.keys() & {n for step in steps for n in touched_itself(step)}):
            if name in self.seen:
                new[name] = claimed(name, self.taken)
                self.added.append(replace(self.scalars[name], name=new[name]))
            self.seen.add(name)
        return tuple(with_inner_steps(_with(step, new), self.renamed) for step in steps)


def _is_plain(variable: Variable) -> bool:
    return sympy.prod(variable.shape) == 1 and not variable.persistent and variable.constant is None


def _sets(step: Step, name: str) -> bool:
    """Whether a step is a map that stores to a scalar, unconditionally, before anything in it reads the scalar."""
    if not isinstance(step, MapStep) or step.domain:
        return False
    for statement in step.body:
        mentioned = [access for inner in walk((statement,)) for access in accesses(inner) if access.data == name]
        if mentioned:
            plain = isinstance(statement, Store) and statement.reduction is None and len(mentioned) == 1
            return plain and isinstance(statement, Store) and statement.target.data == name
    return False


def _with(step: Step, new: dict[str, str]) -> Step:
    if not new or not isinstance(step, MapStep):
        return step
    named = Rewrite({}, access=lambda access: Access(new.get(access.data, access.data), access.indices))
    return replace(step, body=named.body(step.body))
