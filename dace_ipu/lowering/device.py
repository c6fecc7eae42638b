"""What the lowering of a device program gathers on its way: data, scalars of the device, findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from dace import data, dtypes
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import ControlFlowBlock

from dace_ipu import compat
from dace_ipu.errors import DiagnosticCollector
from dace_ipu.lowering.bounds import Bounds, bounds
from dace_ipu.lowering.jumps import Frame
from dace_ipu.lowering.places import Failure, source_of
from dace_ipu.lowering.references import ArrayReference
from dace_ipu.lowering.scope import Names, Scope, dtype_of, tidy, user_name
from dace_ipu.lowering.settle import mentions, settle
from dace_ipu.lowering.signed import signed_bounds
from dace_ipu.lowering.streams import Stream
from dace_ipu.lowering.symbolic import Unsupported
from dace_ipu.tile_graph.body import Access, Code, Declare, DType, Expr, If, Statement, Store, symbol, walk
from dace_ipu.tile_graph.nodes import Dimension, HostArray, MapStep, Source, Variable

__all__ = ["DEVICE_PREFIX", "HOST_VALUE_SUFFIX", "Device"]

#: A host scalar that ranges depend on becomes a symbol of this name, beside the variable that holds it on the device.
HOST_VALUE_SUFFIX = "_value"

#: The offloading transformation names the device's copy of the host array ``A`` so.
DEVICE_PREFIX = "ipu_"

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


@dataclass
class Device:
    """One device program. ``runtime`` maps the names that stand for device scalars in expressions to the variables
    that hold them: codelets that use such a name read it first.
    """

    sdfg: SDFG
    name: str
    hosts: list[HostArray] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    runtime: dict[str, str] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)  # runtime names that do not change while anything uses them
    equal: dict[str, Expr] = field(default_factory=dict)  # runtime names that equal an expression at this place
    scalars: dict[str, DType] = field(default_factory=dict)  # host scalars that ranges depend on
    findings: DiagnosticCollector = field(default_factory=DiagnosticCollector)

    # ---- data --------------------------------------------------------------------------------------------------------

    def array(
        self, name: str, desc: data.Data, scope: Scope, limits: Mapping[Expr, Expr] | None = None
    ) -> ArrayReference:
        """A variable for a container of the device. ``limits`` bounds sizes that are computed on the device.

        Raises Unsupported for a shape without a bound.
        """
        stem = name.removeprefix(DEVICE_PREFIX)
        hint = stem if stem in self.sdfg.arrays else user_name(name)
        shape = (ONE,) if isinstance(desc, data.Scalar) else self._shape(name, scope.indices(desc.shape), limits or {})
        dtype = dtype_of(desc)
        unique = self.names.fresh(hint)
        persistent = desc.lifetime == dtypes.AllocationLifetime.Persistent
        self.variables[unique] = Variable(unique, dtype, shape, persistent, source=source_of(desc, scope.sdfg))
        scope.types[unique] = dtype
        return ArrayReference(unique, dtype)

    def _shape(self, name: str, shape: tuple[Expr, ...], limits: Mapping[Expr, Expr]) -> tuple[Expr, ...]:
        """The shape, with the largest extent where it depends on the counter of a loop."""
        result = []
        for size in shape:
            limit = limits.get(self.resolved(size))
            span = self.bounds(size if limit is None else limit)
            if span is None:
                text = ", ".join(map(str, shape))
                raise Unsupported(
                    f"the array '{name}' of shape ({text}), a size that is computed on the device,",
                    hints=(
                        "use an array of fixed size, and a slice of it: arrays of the IPU are laid out when it starts",
                    ),
                )
            self.note_host_scalars(span[1])
            result.append(span[1])
        return tuple(result)

    def constant(self, name: str, value: np.ndarray[Any, Any]) -> ArrayReference:
        """A variable for a constant array."""
        unique = self.names.fresh(name)
        shape = tuple(sympy.Integer(s) for s in value.shape)
        self.variables[unique] = Variable(unique, value.dtype, shape, constant=tuple(value.reshape(-1).tolist()))
        return ArrayReference(unique, value.dtype)

    def stream(self, name: str, dtype: DType, shape: tuple[Expr, ...], capacity: Expr, proven: bool) -> Stream:
        """The variables of a stream, or of an array of streams."""
        items, first, count = (self.names.fresh(name + part) for part in ("", "_first", "_count"))
        self.variables[items] = Variable(items, dtype, (*shape, capacity))
        for variable in (first, count):
            self.variables[variable] = Variable(variable, np.dtype(np.int32), shape)
        return Stream(items, first, count, dtype, shape, capacity, proven)

    def temporary(self, hint: str, like: Variable, shape: tuple[Expr, ...]) -> str:
        """A variable for a part of another one."""
        name = self.names.fresh(hint)
        self.variables[name] = Variable(name, like.dtype, shape, source=like.source)
        return name

    def scalar(self, hint: str, dtype: DType, span: Bounds | None = None) -> str:
        """A scalar of the device: the name that stands for it in expressions."""
        variable = self.names.fresh(hint)
        self.variables[variable] = Variable(variable, dtype, (ONE,), bounds=span)
        token = self.names.fresh(f"{variable}_value")
        self.runtime[token] = variable
        return token

    def flag(self, hint: str) -> str:
        """A variable of one bool, for control flow."""
        name = self.names.fresh(hint)
        self.variables[name] = Variable(name, np.dtype(np.bool_), (ONE,))
        return name

    def bool_variable(self, code: Code) -> str | None:
        """The variable that a condition does nothing but read, if it is one bool."""
        name = self.runtime.get(code.text)
        if name is None and len(code.reads) == 1 and code.reads[0][0] == code.text:
            access = code.reads[0][1]
            name = access.data if all(index == 0 for index in access.indices) else None
        known = self.variables.get(name or "")
        if known is None or known.dtype != np.dtype(np.bool_) or any(size != 1 for size in known.shape):
            return None
        return known.name

    # ---- what is known when -----------------------------------------------------------------------------------------

    @cached_property
    def built_names(self) -> set[str]:
        """The names that have a value when the graph is built."""
        hosts = {host.name + HOST_VALUE_SUFFIX for host in self.hosts}
        return hosts | {str(s) for s in self.sdfg.symbols} | {str(s) for s in self.sdfg.free_symbols}

    def runtime_names(self, value: Expr) -> set[str]:
        """The names in an expression that stand for device scalars."""
        return {str(s) for s in value.free_symbols} & self.runtime.keys()

    def bounds(self, value: Expr, more: dict[str, Bounds | None] | None = None) -> Bounds | None:
        """Bounds of an expression that are known when the graph is built; ``more`` are those of other names."""
        known = {token: self.variables[variable].bounds for token, variable in self.runtime.items()}
        return bounds(value, known | (more or {}))

    def resolved(self, value: Expr) -> Expr:
        """An expression with the runtime names that equal others at this place replaced by these."""
        return sympy.expand(value.subs({symbol(name): other for name, other in self.equal.items()}))

    def forget(self, tokens: set[str]) -> None:
        """What is known to be equal to these runtime names is not any more: they get other values."""
        for name, value in list(self.equal.items()):
            if name in tokens or self.runtime_names(value) & tokens:
                del self.equal[name]

    def built(self, scope: Scope, expression: Any) -> Expr:
        """An expression that is known when the graph is built. Raises Unsupported."""
        value = scope.index(expression)
        unknown = sorted(self.runtime_names(value))
        if unknown:
            name = self.runtime[unknown[0]]
            raise Unsupported(f"a range or copy that depends on '{name}', which is computed on the device,")
        self.note_host_scalars(value)
        return value

    def host_scalar(self, target: object) -> str | None:
        """The host scalar (an integer that the program never writes) that a container holds a copy of, if so."""
        if not isinstance(target, Access):
            return None
        host = next((h for h in self.hosts if h.name == target.data), None)
        if host is None or host.dtype.kind not in "iu" or not host.scalar:
            return None
        is_written = compat.is_written(self.sdfg, DEVICE_PREFIX + target.data, host_copy=target.data)
        return None if is_written else target.data

    def note_host_scalars(self, value: Expr) -> None:
        """The host scalars in an expression become symbols of the program."""
        for name in {str(s) for s in value.free_symbols}:
            host = next((h for h in self.hosts if h.name + HOST_VALUE_SUFFIX == name and h.scalar), None)
            if host is not None:
                self.scalars[name] = host.dtype

    # ---- bodies ------------------------------------------------------------------------------------------------------

    def body_scope(self, scope: Scope) -> Scope:
        """The scope of a codelet: symbols that are computed on the device are scalars there."""
        taken = set(self.variables) | set(self.runtime) | {str(s) for s in self.sdfg.symbols} | set(self.scalars)
        taken |= {host.name + HOST_VALUE_SUFFIX for host in self.hosts}
        types = dict(scope.types) | {token: self.variables[v].dtype for token, v in self.runtime.items()}
        names = self.names.of_body(taken)
        return Scope(scope.sdfg, names, dict(scope.references), dict(scope.environment), types, None, scope.streams)

    def map_step(
        self, label: str, domain: tuple[Dimension, ...], body: list[Statement], source: Source, note: str = ""
    ) -> MapStep:
        """A map; its body reads the device scalars that it uses first."""
        settled = settle(tuple(body))
        used = frozenset().union(*(mentions(s) for s in walk(settled))) if settled else frozenset()
        prelude = tuple(self._read(token) for token in sorted(used & self.runtime.keys()))
        name = self.names.fresh(self._step_name(label, settled))
        return MapStep(name, domain, signed_bounds(prelude + settled), source, note)

    def _read(self, token: str) -> Declare:
        variable = self.runtime[token]
        return Declare(token, self.variables[variable].dtype, Code("_0", (("_0", Access(variable, (ZERO,))),)))

    def single(self, label: str, body: list[Statement], source: Source, note: str = "") -> MapStep:
        """Statements of one vertex."""
        return self.map_step(label, (), body, source, note)

    def set_flags(self, flags: dict[str, bool], source: Source) -> MapStep:
        """Sets flags of control flow."""
        return self.single("jump", [store(flag, Code(str(value))) for flag, value in flags.items()], source)

    def test(
        self, prelude: list[Statement], test: Code, frame: Frame | None, place: Source
    ) -> tuple[str, tuple[MapStep, ...]]:
        """The predicate of a loop, and the step that computes it: false once the loop was left by a jump."""
        known = None if frame is not None or prelude else self.bool_variable(test)
        if known is not None:
            return known, ()
        predicate = self.flag("condition")
        body: list[Statement] = [*prelude, store(predicate, test)]
        if frame is not None:
            looping = Code("_0", (("_0", Access(frame.looping, (ZERO,))),))
            body = [store(predicate, Code("False")), If(looping, tuple(body))]
        return predicate, (self.single(f"update_{predicate}", body, place),)

    def _step_name(self, label: str, body: tuple[Statement, ...]) -> str:
        """The user's name of a map; one that the frontend made up is called after the array that it writes."""
        program = re.escape(self.sdfg.name.removesuffix("_device"))
        made_up = re.fullmatch(rf"_.*|(assign|copy|{program})_\d*.*|\d.*", label)
        targets = [s.target.data for s in walk(body) if isinstance(s, Store)]
        if made_up and targets:
            return f"update_{targets[-1]}"
        return tidy(label).removesuffix("_map").strip("_") or "map"

    # ---- findings ----------------------------------------------------------------------------------------------------

    @contextmanager
    def reporting(self, element: object, scope: Scope, block: ControlFlowBlock | None = None) -> Iterator[None]:
        """Collects a failure inside, with its place, and goes on behind it."""
        try:
            yield
        except Unsupported as error:
            self.findings.add(Failure.at(error, element, scope.sdfg, block).diagnostic)
        except Failure as failure:
            self.findings.add(failure.diagnostic)

    @contextmanager
    def trial(self) -> Iterator[DiagnosticCollector]:
        """Findings inside are collected apart."""
        outer, self.findings = self.findings, DiagnosticCollector()
        try:
            yield self.findings
        finally:
            self.findings = outer


def store(variable: str, value: Code) -> Store:
    """``variable[0] = value``."""
    return Store(Access(variable, (ZERO,)), value)


def negated(code: Code) -> Code:
    """``not code``."""
    return replace(code, text=f"not ({code.text})")
