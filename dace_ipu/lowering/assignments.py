"""The symbols that edges assign outside of maps: expressions where they are known, scalars of the device elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ControlFlowBlock

from dace_ipu.lowering import local_symbols, loops
from dace_ipu.lowering.assigned import Assigned
from dace_ipu.lowering.device import HOST_VALUE_SUFFIX, Device, store
from dace_ipu.lowering.places import source_of
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.symbolic import Unsupported, convert, python_text
from dace_ipu.lowering.tasklets import lower_expression
from dace_ipu.tile_graph import body as code
from dace_ipu.tile_graph.body import Code, Expr, Statement, symbol
from dace_ipu.tile_graph.nodes import Source, Step

__all__ = ["Assignments"]


@dataclass
class Assignments:
    """Lowers the assignments of one SDFG. Raises Unsupported for unstructured control flow."""

    device: Device
    sdfg: SDFG

    @cached_property
    def assigned(self) -> Assigned:
        """Where symbols are assigned and used."""
        return Assigned(self.sdfg)

    @cached_property
    def carried(self) -> frozenset[str]:
        """The symbols that have different values at one place."""
        return frozenset(self.assigned.carried())

    def begin(self, scope: Scope) -> Iterator[Step]:
        """Carried symbols become scalars of the device, which start from the values that come from outside."""
        parameters = {str(s) for s in self.sdfg.free_symbols}
        for name in sorted(self.carried):
            outside = scope.environment.get(name, symbol(name) if name in parameters else None)
            token = self.device.scalar(name, self.dtype(name))
            if outside is not None:
                value = Code(python_text(outside))
                yield self.device.single(f"set_{name}", [store(self.device.runtime[token], value)], Source())
            scope.environment[name] = symbol(token)
            scope.types[token] = self.device.variables[self.device.runtime[token]].dtype

    def dtype(self, name: str) -> np.dtype[Any]:
        """The type of a symbol."""
        return local_symbols.symbol_type(self.sdfg, name)

    def assign(self, assignments: dict[str, str], block: ControlFlowBlock, scope: Scope) -> Iterator[Step]:
        """Symbols that follow from what is known get their expressions, others are computed on the device.

        All right sides are evaluated before anything is assigned.
        """
        new: dict[str, Expr] = {}
        equal: dict[str, Expr] = {}
        late: list[Statement] = []
        before: list[Statement] = []
        inner = self.device.body_scope(scope)
        for name, text in sorted(assignments.items()):
            value = None if name in self.carried else self._known_value(text, scope)
            if value is not None:
                new[name] = value
                continue
            token = self._token(name, scope)
            prelude, computed = lower_expression(text, inner, local_symbols.containers(text, inner))
            held = inner.names.fresh(f"new_{name}")
            dtype = self.device.variables[self.device.runtime[token]].dtype
            before += [*prelude, code.Declare(held, dtype, computed)]
            late.append(store(self.device.runtime[token], Code(held)))
            new[name] = symbol(token)
            known = self.index(text, scope)
            if known is not None:
                equal[token] = known
        tokens = {str(new[name]) for name in new} & self.device.runtime.keys()
        self.device.forget(tokens)
        self.device.equal |= {t: v for t, v in equal.items() if not self.device.runtime_names(v) & tokens}
        if late:
            yield self.device.single(
                f"set_{next(iter(assignments))}", [*before, *late], source_of(block, scope.sdfg, block)
            )
        scope.environment.update(new)

    def _token(self, name: str, scope: Scope) -> str:
        """The device scalar of a symbol; the same one wherever the symbol is carried or assigned again."""
        known = scope.environment.get(name)
        if known is not None and str(known) in self.device.runtime and not self.assigned.once(name):
            return str(known)
        token = self.device.scalar(name, self.dtype(name))
        scope.types[token] = self.device.variables[self.device.runtime[token]].dtype
        if self.assigned.once(name):
            self.device.fixed.add(token)
        return token

    def _known_value(self, text: str, scope: Scope) -> Expr | None:
        """The value of an assignment as an expression that holds wherever the symbol is used; None if there is none."""
        value = self.index(text, scope)
        if value is None or not self.device.runtime_names(value) <= self.device.fixed:
            return None
        return None if value.has(sympy.Float) else value  # a symbol of an index is an integer

    def index(self, value: Any, scope: Scope) -> Expr | None:
        """An expression of symbols and of host scalars that nothing writes; None if it reads other data."""
        environment = dict(scope.environment)
        names = {str(s) for s in sympy.sympify(value).free_symbols} if not isinstance(value, str) else set()
        if isinstance(value, str):
            names = loops.names_in(value)
        for name in names & set(scope.sdfg.arrays):
            target = local_symbols.containers(name, scope)[name]
            host = self.device.host_scalar(target)
            if host is None:
                return None
            environment[name] = symbol(host + HOST_VALUE_SUFFIX)
        try:
            found = convert(value, environment)
        except (Unsupported, TypeError, SyntaxError, AttributeError):
            return None
        self.device.note_host_scalars(found)
        return found
