"""What is visible at a place of an SDFG while its code is lowered: containers, symbols, and the names already taken
in the codelet.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import sympy
from dace import data
from dace.sdfg.sdfg import SDFG

from dace_ipu import compat
from dace_ipu.lowering.references import ArrayReference, Reference, ScalarReference
from dace_ipu.lowering.streams import Stream
from dace_ipu.lowering.symbolic import Unsupported, convert
from dace_ipu.tile_graph.body import DType, Expr

__all__ = ["Limits", "Names", "Scope", "Storage", "dtype_of", "integer_constants", "tidy", "user_name"]


def dtype_of(desc: data.Data) -> DType:
    """The NumPy type of a container's elements. Raises Unsupported for vectors, structures and objects."""
    try:
        return compat.numpy_type(desc.dtype)
    except (TypeError, AttributeError) as error:
        raise Unsupported(f"elements of type '{desc.dtype}'") from error


def tidy(name: str) -> str:
    """A DaCe name as a person would write it: letters, digits and inner underscores; ``result`` for what a program
    returns.
    """
    plain = re.sub(r"\W+", "_", name.replace("__return", "result"), flags=re.ASCII).strip("_") or "x"
    return f"{plain}_" if keyword.iskeyword(plain) else plain if not plain[0].isdigit() else f"x{plain}"


def user_name(container: str) -> str:
    """The name of a temporary: the user's, or ``t`` where DaCe has made one up of the expression or of a number."""
    plain = tidy(container).removeprefix("map_fusion_")
    return (
        "t"
        if re.search(r"_(slice|index|plus|minus|times|div)(_|$)|^expr|^tmp\d", f"_{plain}") or len(plain) > 32
        else plain
    )


class Names:
    """Hands out names that differ from all it has handed out before, and from those of its bodies.

    Bodies have names of their own (:meth:`of_body`), which may be the same in several.
    """

    def __init__(self, taken: Iterable[str] = (), record: set[str] | None = None) -> None:
        self._taken = set(taken)
        self._record = self._taken if record is None else record
        self._in_bodies: set[str] = set()

    def of_body(self, taken: Iterable[str]) -> Names:
        """Names that differ from those ``taken``; a variable that is made later will not be called like one of them."""
        return Names(taken, self._in_bodies)

    def fresh(self, hint: str) -> str:
        """``hint``, or ``hint_2``, ``hint_3``, ... if it is taken."""
        base = tidy(hint)
        name, count = base, 1
        while name in self._taken or name in self._in_bodies:
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name)
        self._record.add(name)
        return name


def integer_constants(sdfg: SDFG) -> dict[str, Expr]:
    """The compile-time constants of an SDFG that are integers: indices and ranges may use them."""
    values = {name: np.asarray(value) for name, value in sdfg.constants.items()}
    return {n: sympy.Integer(v.item()) for n, v in sorted(values.items()) if v.ndim == 0 and v.dtype.kind in "iu"}


#: Sizes of slices, each with a size that is at least as large.
Limits = list[tuple[Expr, Expr]]


class Storage(Protocol):
    """Gives arrays of a body a place in the tiles' memory."""

    def array(self, name: str, dtype: DType, shape: tuple[Expr, ...], limits: Limits) -> ArrayReference:
        """An array that each iteration has for itself. ``limits`` bounds sizes that are computed on the device.

        Raises Unsupported for a shape without a bound.
        """


@dataclass(frozen=True)
class Scope:
    """The containers and symbols of ``sdfg`` at one place.

    ``references`` says what each container stands for, ``environment`` what each symbol does, ``types`` the types of
    the names that
    computations may use. ``names`` is shared by all scopes of one body. ``storage`` holds the arrays of a body that are
    too large for a worker's stack, ``streams`` are the streams among the containers.
    """

    sdfg: SDFG
    names: Names
    references: dict[str, Reference] = field(default_factory=dict)
    environment: dict[str, Expr] = field(default_factory=dict)
    types: dict[str, DType] = field(default_factory=dict)
    storage: Storage | None = None
    streams: dict[str, Stream] = field(default_factory=dict)

    def with_symbol(self, name: str, value: Expr) -> Scope:
        """This scope with one more symbol."""
        return replace(self, environment={**self.environment, name: value})

    def environment_carried(self, runtime: Iterable[str]) -> set[str]:
        """The symbols that stand for one of the names in ``runtime``, which are scalars of the device."""
        names = set(runtime)
        return {name for name, value in self.environment.items() if str(value) in names}

    def index(self, expression: Any) -> Expr:
        """An index expression of this scope. Raises Unsupported."""
        return convert(expression, self.environment)

    def indices(self, expressions: Iterable[Any]) -> tuple[Expr, ...]:
        """Several index expressions of this scope. Raises Unsupported."""
        return tuple(self.index(expression) for expression in expressions)

    def reference(self, name: str) -> Reference:
        """What a container stands for. Raises Unsupported for one that has no place on the device."""
        if name not in self.references:
            raise Unsupported(f"the {type(self.sdfg.arrays[name]).__name__.lower()} '{name}' is not on the device")
        return self.references[name]

    def stream(self, name: str) -> Stream:
        """The stream of this name. Raises Unsupported for one that has no place on the device."""
        if name not in self.streams:
            raise Unsupported(f"the stream '{name}', which is not known here,")
        return self.streams[name]

    def array(self, name: str) -> ArrayReference:
        """What an array stands for. Raises Unsupported for a local scalar."""
        reference = self.reference(name)
        if isinstance(reference, ScalarReference):
            raise Unsupported(f"the scalar '{name}' where an array is needed")
        return reference
