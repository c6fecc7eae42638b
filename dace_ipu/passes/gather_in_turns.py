"""Elements that data chooses of an array too large for a tile: fetched from one part of the array after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import sympy

from dace_ipu.passes.clean_up import without_idle
from dace_ipu.passes.domain import ONE, ZERO, Domain, normalised
from dace_ipu.passes.new_steps import names_within
from dace_ipu.passes.rewrite import Body, Rewrite, claimed, defined_names, used_names
from dace_ipu.passes.runtime_scalars import prelude_of
from dace_ipu.passes.steps import map_steps
from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Code,
    Declare,
    DType,
    Expr,
    If,
    LocalArray,
    Statement,
    Store,
    codes,
    symbol,
    walk,
)
from dace_ipu.tile_graph.indices import index_text
from dace_ipu.tile_graph.nodes import (
    Choice,
    Copy,
    Dimension,
    MapStep,
    Range,
    Repeat,
    Slice,
    Step,
    TileGraph,
    Variable,
)

__all__ = ["GatherInTurns"]

MOST = 100_000  # words of an array, of the 160,000 of a tile, that each tile may fetch at a time
PART = 48_000  # words of a part
_INT = np.dtype(np.int32)


@dataclass(frozen=True)
class GatherInTurns:
    """Before: ``for i in 0:N: a = at[i]; B[i] = f(A[a])``, for which every tile fetches all of ``A``.

    After, if ``A`` is large when the graph is built: ``A`` in parts of P elements, one a row, ``A_parts``; then, for
    each part t, ``for p in 0:P: A_part[p] = A_parts[t, p]`` and ``for i in 0:N: a = at[i]; if P * t <= a < P * t + P:
    A_chosen[i] = A_part[a - P * t]``; at last ``for i in 0:N: B[i] = f(A_chosen[i])``.

    Only for elements that an iteration reads outside of inner loops, and whose indices need nothing that the map itself
    stores or gathers. The same elements go to the same iterations.
    """

    name: str = "gather_in_turns"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with a choice for each map that gathers."""
        work = _Work(graph)
        steps = map_steps(graph.steps, work.changed)
        return replace(graph, steps=steps, variables=(*graph.variables, *work.added))


@dataclass
class _Work:
    graph: TileGraph
    added: list[Variable] = field(default_factory=list)
    taken: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.taken = names_within(self.graph)

    def changed(self, step: Step) -> tuple[Step, ...]:
        """A map, or the choice between it and one that gathers in turns."""
        if not isinstance(step, MapStep) or not step.domain:
            return (step,)
        work = replace(self.graph, variables=(*self.graph.variables, *self.added))
        domain = Domain(work, normalised(step))
        for name in sorted(_gathered(domain)):
            words = sympy.prod(domain.shape(name)) * _words(work.variable(name))
            if words.is_Integer and words <= MOST:
                continue
            turns = self._turns(name, domain)
            if turns is not None:
                turns = (*turns[:-1], *self.changed(turns[-1]))
                return turns if words.is_Integer else (Choice(words > MOST, turns, (step,)),)
        return (step,)

    def _turns(self, name: str, domain: Domain) -> tuple[Step, ...] | None:
        array, step = self.graph.variable(name), domain.step
        size, part = sympy.prod(array.shape), sympy.Integer(PART // _words(array))
        count = sympy.floor((size + part - 1) / part)
        accesses = tuple(dict.fromkeys(site.access for site in domain.of(name)))
        if not all(extent.free_symbols <= set(map(symbol, domain.parameters)) for extent in domain.extents.values()):
            return None
        turn = self._variable(f"{name}_turn", _INT, (ONE,), bounds=(ZERO, count - 1))
        parts = self._variable(f"{name}_parts", array.dtype, (count, part))
        one = self._variable(f"{name}_part", array.dtype, (part,))
        points = tuple(map(symbol, domain.extents))
        chosen = {
            access: Access(self._variable(f"{name}_chosen", array.dtype, tuple(domain.extents.values())), points)
            for access in accesses
        }
        value, at = claimed(f"{turn}_value", self.taken), claimed("at", self.taken)
        read_turn = Declare(value, _INT, Code("_0", (("_0", Access(turn, (ZERO,))),)))
        place = Access(one, (-part * symbol(value),))
        picks = {
            access: _pick(access, array, place, part, claimed("place", self.taken), to) for access, to in chosen.items()
        }
        prelude, body = prelude_of(step.body)
        picking = _picking(body, picks, name)
        if picking is None:
            return None
        fetch_body = (read_turn, Store(Access(one, (symbol(at),)), _read(Access(parts, (symbol(value), symbol(at))))))
        following = Store(Access(turn, (ZERO,)), Code("_0 + 1", (("_0", Access(turn, (ZERO,))),)))
        inside = (
            self._map(f"fetch_{name}_part", (Dimension(at, part),), fetch_body, step),
            self._map(f"pick_{name}", step.domain, (read_turn, *prelude, *picking), step),
            self._map(f"next_{name}_part", (), (following,), step),
        )
        new = Rewrite({}, read=lambda access: chosen.get(access, access)).body(step.body)
        return (
            *self._in_parts(array, parts, count, part, step),
            self._map(f"first_{name}_part", (), (Store(Access(turn, (ZERO,)), Code("0")),), step),
            Repeat(count, inside, step.source),
            self._map(step.name, step.domain, new, step),
        )

    def _in_parts(self, array: Variable, parts: str, count: Expr, part: Expr, step: MapStep) -> tuple[Copy, ...]:
        """Copies of an array to rows of ``part`` elements, of which the last is not quite filled."""
        size, name, copies = sympy.expand(sympy.prod(array.shape)), array.name, []
        if len(array.shape) > 1:
            name = self._variable(f"{name}_flat", array.dtype, (size,))
            copies.append(Copy(_whole(array.name, array.shape), _whole(name, (size,)), step.source))
        last = sympy.expand(count - 1)
        full, rest = sympy.expand(last * part), Range(ZERO, sympy.expand(size - last * part))
        rows = Slice(parts, (Range(ZERO, last), Range(ZERO, part)))
        copies.append(Copy(Slice(name, (Range(ZERO, full),)), rows, step.source))
        row = Slice(parts, (Range(last, count), rest))
        return (*copies, Copy(Slice(name, (Range(full, size),)), row, step.source))

    def _variable(
        self, hint: str, dtype: DType, shape: tuple[Expr, ...], bounds: tuple[Expr, Expr] | None = None
    ) -> str:
        name = claimed(hint, self.taken)
        self.added.append(Variable(name, dtype, shape, bounds=bounds))
        return name

    def _map(self, hint: str, domain: tuple[Dimension, ...], body: Body, step: MapStep) -> MapStep:
        return MapStep(claimed(hint, self.taken), domain, body, step.source)


def _gathered(domain: Domain) -> Iterator[str]:
    """The arrays of which all reads are outside of loops, and some are of elements that are not known before."""
    known = domain.extents.keys() | domain.parameters
    for name in domain.read:
        sites = domain.of(name)
        free = {s.name for site in sites for index in site.access.indices for s in index.free_symbols}
        points = {symbol(d) for d in domain.extents}
        by_iteration = any(_depends(index, points, domain) for site in sites for index in site.access.indices)
        if name not in domain.written and free - known and by_iteration and not any(site.loops for site in sites):
            yield name


def _depends(index: Expr, points: set[Expr], domain: Domain) -> bool:
    """Whether an index is another one in each iteration: of a dimension, or of what an element decides."""
    late = {s.name for s in prelude_of(domain.step.body)[0] if isinstance(s, Declare)}
    own = {symbol(s.name) for s in walk(domain.step.body) if isinstance(s, Declare) and s.name not in late}
    return bool(index.free_symbols & own) or bool(
        index.free_symbols & points and index.atoms(sympy.Function, sympy.Mod)
    )


def _words(variable: Variable) -> int:
    return max(1, variable.dtype.itemsize // 4)


def _whole(name: str, shape: tuple[Expr, ...]) -> Slice:
    return Slice(name, tuple(Range(ZERO, sympy.expand(size)) for size in shape))


def _read(access: Access) -> Code:
    return Code("_0", (("_0", access),))


def _pick(access: Access, array: Variable, part: Access, size: Expr, name: str, target: Access) -> Body:
    """``name = place; if begin <= name < begin + size: target = part[name - begin]``; ``part`` has the index -begin."""
    place: Expr = ZERO
    for index, extent in zip(access.indices, array.shape, strict=True):
        place = place * extent + index
    low = index_text(-part.indices[0])
    taken = Store(target, _read(Access(part.data, (symbol(name) + part.indices[0],))))
    test = f"{low} <= {name} and {name} < {low} + {size}"
    return Declare(name, _INT, Code(index_text(sympy.expand(place)))), If(Code(test), (taken,))


def _picking(body: Body, picks: dict[Access, Body], gathered: str) -> Body | None:
    """What of a body computes the indices, with the picks where the elements were read; None if more is needed."""
    names = Counter(s.name for s in walk(body) if isinstance(s, Declare))
    if any(isinstance(s, (LocalArray, Assign)) for s in walk(body)) or any(count > 1 for count in names.values()):
        return None
    kept = _kept(body, picks)
    stored = {s.target.data for s in walk(body) if isinstance(s, Store)}
    reads = {read.data for s in walk(kept) for code in codes(s) for _, read in code.reads}
    gone = defined_names(body) - defined_names(kept)
    return None if reads & {*stored, gathered} or gone & used_names(kept) else kept


def _kept(body: Body, picks: dict[Access, Body]) -> Body:
    result: list[Statement] = []
    for statement in body:
        found = [picks[read] for code in codes(statement) for _, read in code.reads if read in picks]
        result += [part for pick in dict.fromkeys(found) for part in pick]
        match statement:
            case Declare() if not found:
                result.append(statement)
            case If():
                result.append(If(statement.condition, _kept(statement.then, picks), _kept(statement.orelse, picks)))
    return without_idle(tuple(result))
