"""Bodies as a person would write them: without the temporaries that stand between one operation and the next."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from dace_ipu.passes.casts import without_casts
from dace_ipu.passes.clean_up import (
    assigned_in,
    declared_late,
    map_codes,
    settled,
    with_inner,
    without_idle,
    without_single_turns,
)
from dace_ipu.passes.literals import as_index, fits, literal
from dace_ipu.passes.rewrite import Body, Rewrite, used_names
from dace_ipu.passes.steps import map_steps
from dace_ipu.passes.substitute import Move, everywhere, occurrences
from dace_ipu.passes.types import WEAK_INT, Types, common, is_weak
from dace_ipu.tile_graph.body import (
    Assign,
    Code,
    Declare,
    DType,
    For,
    LocalArray,
    Statement,
    Store,
    codes,
    walk,
)
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.nodes import MapStep, Step, TileGraph

LONGEST = 100  # characters of a computation: what would be longer keeps its temporaries


@dataclass(frozen=True)
class SimplifyBodies:
    """Before: ``a = A[i]; b = a + 1; B[i] = b``. After: ``B[i] = A[i] + 1``.

    Scalars that are used once go to where they are used, constants and copies of other scalars to all places;
    integers become part of the indices that use them. Unused scalars and empty loops go. No computation is done
    twice, none moves over a write of what it reads or into a loop, and a declaration that converts to another type
    stays.
    """

    name: str = "simplify_bodies"

    def apply(self, graph: TileGraph) -> TileGraph:
        """The graph with simpler bodies of map steps."""
        arrays = {variable.name: variable.dtype for variable in graph.variables}

        def change(step: Step) -> tuple[Step, ...]:
            if not isinstance(step, MapStep):
                return (step,)
            scalars = dict(graph.symbols) | {dimension.name: WEAK_INT for dimension in step.domain}
            return (replace(step, body=simplified(step.body, arrays, scalars)),)

        return replace(graph, steps=map_steps(graph.steps, change))


def simplified(body: Body, arrays: Mapping[str, DType], scalars: Mapping[str, DType]) -> Body:
    """The body, simplified until nothing changes. ``arrays`` and ``scalars`` are types of what comes from outside."""
    before: Body | None = None
    while body != before:
        before = body
        body = settled(declared_late(without_single_turns(body)))
        known = _scalars_of(body, arrays, scalars)
        body = without_idle(known.substituted(map_codes(body, known.without_casts)))
    return body


def _scalars_of(body: Body, arrays: Mapping[str, DType], scalars: Mapping[str, DType]) -> _Scalars:
    arrays, scalars = dict(arrays), dict(scalars)
    for statement in walk(body):
        match statement:
            case Declare(name=name, dtype=dtype):
                scalars[name] = dtype
            case For(variable=name):
                scalars[name] = WEAK_INT
            case LocalArray(name=name, dtype=dtype):
                arrays[name] = dtype
    return _Scalars(arrays, scalars, frozenset(assigned_in(body)))


@dataclass(frozen=True)
class _Scalars:
    """Substitutes scalars; ``arrays`` and ``scalars`` are types, ``assigned`` the scalars that are not constant."""

    arrays: Mapping[str, DType]
    scalars: Mapping[str, DType]
    assigned: frozenset[str]

    def substituted(self, body: Body) -> Body:
        """The statements with all substitutions that are allowed, first in this list, then in those inside it."""
        position = 0
        while position < len(body):
            statement = body[position]
            rest = self._without(statement, body[position + 1 :]) if isinstance(statement, Declare) else None
            body = body if rest is None else (*body[:position], *rest)
            position += rest is None
        return tuple(with_inner(statement, self.substituted) for statement in body)

    def _without(self, declaration: Declare, rest: Body) -> Body | None:
        """The statements after a declaration, changed so that they do without it; None if it has to stay as it is."""
        name, value = declaration.name, declaration.value
        if value is None or not declaration.constant:
            return None
        index = as_index(declaration, self.assigned)
        indexed = rest if index is None else Rewrite({name: index}, texts={name: name}).body(rest)
        if indexed != rest:
            return (declaration, *indexed)
        if self._is_free(declaration, rest):
            moved: Body | None = everywhere(rest, name, value)
            return None if moved is None or name in used_names(moved) else moved
        if occurrences(name, rest) != 1 or not (
            self._keeps_type(declaration) or self._converts_again(declaration, rest)
        ):
            return None
        moved = Move(name, value).into(rest)
        return None if moved is None or not _is_readable(declaration, rest, moved) else moved

    def _is_free(self, declaration: Declare, rest: Body) -> bool:
        """Whether the value is a constant or another scalar, which may stand in as many places as it likes."""
        assert declaration.value is not None
        text = declaration.value.text.strip()
        if not declaration.value.reads and text.isidentifier() and text not in self.assigned:
            return self.scalars.get(text) == declaration.dtype
        number = literal(text)
        if number is None or not fits(number, declaration.dtype):
            return False
        uses = (
            (statement, code)
            for statement in walk(rest)
            for code in codes(statement)
            if declaration.name in names(code.text)
        )
        return all(self._takes_number(declaration, statement, code) for statement, code in uses)

    def _takes_number(self, declaration: Declare, statement: Statement, code: Code) -> bool:
        """Whether a computation has the same type with a Python number instead of the scalar."""
        if code.text.strip() == declaration.name:
            return self._target_type(statement) == declaration.dtype
        assert declaration.value is not None
        types = self._types(code)
        weak = types.of_text(declaration.value.text)
        return all(
            partner is not None and not is_weak(partner) and common(declaration.dtype, partner) == common(weak, partner)
            for partner in (types.of(node) for node in _partners(declaration.name, code.text))
        )

    def without_casts(self, statement: Statement, code: Code) -> Code:
        """A computation without casts of numbers whose partners have the type anyhow."""
        return without_casts(code, self._types(code), self._target_type(statement))

    def _types(self, code: Code) -> Types:
        reads = {name: self.arrays[access.data] for name, access in code.reads if access.data in self.arrays}
        return Types({**self.scalars, **reads})

    def _keeps_type(self, declaration: Declare) -> bool:
        """Whether the declaration does not convert its value."""
        assert declaration.value is not None
        return self._types(declaration.value).of_text(declaration.value.text) == declaration.dtype

    def _converts_again(self, declaration: Declare, rest: Body) -> bool:
        """Whether the scalar's only use is to be stored in its own type: then that converts as well."""
        statements = (s for s in walk(rest) if any(code.text.strip() == declaration.name for code in codes(s)))
        return any(self._target_type(statement) == declaration.dtype for statement in statements)

    def _target_type(self, statement: Statement) -> DType | None:
        match statement:
            case Declare(dtype=dtype):
                return dtype
            case Assign(name=name, reduction=None):
                return self.scalars.get(name)
            case Store(target=target, reduction=None):
                return self.arrays.get(target.data)
            case _:
                return None


def _partners(name: str, text: str) -> Iterator[ast.expr]:
    """The operands that meet a name in an expression; the name itself where it meets none (then nothing is known)."""
    for node in ast.walk(ast.parse(text.strip(), mode="eval").body):
        operands = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        meeting = isinstance(node, (ast.BinOp, ast.Compare)) and len(operands) == 2
        for operand in operands:
            if _is_name(operand, name):
                yield from (other for other in operands if other is not operand) if meeting else operands


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_readable(declaration: Declare, before: Body, after: Body) -> bool:
    """Whether the longest computation stays short, or the value is nothing but an element."""
    assert declaration.value is not None
    plain = declaration.value.text.strip().isidentifier()
    return plain or _longest(after) <= max(LONGEST, _longest(before))


def _longest(body: Body) -> int:
    return max((_length(code) for statement in walk(body) for code in codes(statement)), default=0)


@lru_cache(maxsize=1 << 12)  # the same computations are measured again for each scalar that may go
def _length(code: Code) -> int:
    reads = (len(access.data) + len(str(access.indices)) for _, access in code.reads)
    return len(code.text) + sum(reads)
