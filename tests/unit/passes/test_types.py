from dataclasses import dataclass

import numpy as np
import pytest

from dace_ipu.passes.types import WEAK_FLOAT, WEAK_INT, Types
from dace_ipu.tile_graph.body import Code
from dace_ipu.tile_graph.expressions import compile_code

NAMES = {"f": "float32", "h": "float16", "i": "int32", "b": "int8", "u": "uint8", "t": "bool"}
TYPES = Types({name: np.dtype(kind) for name, kind in NAMES.items()})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("f + 1", "float32"),
        ("f * 0.5 - f / 3", "float32"),
        ("f + i", "float32"),
        ("i // 2 + i % 3", "int32"),
        ("b + b", "int32"),  # as in C
        ("h * 2.0", "float16"),
        ("f < 1 and t", "bool"),
        ("f and t", None),  # one of the operands, in Python
        ("f < 1", "bool"),
        ("not t", "bool"),
        ("min(f, 0.0)", "float32"),
        ("exp(f)", "float32"),
        ("f if t else 0.0", "float32"),
        ("dace.int8(i)", "int8"),
        ("i / i", None),
        ("f ** 2", "float32"),
        ("unknown(f)", None),
        ("-b", "int32"),
    ],
)
def test_types_are_known_or_nothing_is_said(text, kind):
    assert TYPES.of_text(text) == (None if kind is None else np.dtype(kind))


@pytest.mark.parametrize(("text", "weak"), [("1 + 2", WEAK_INT), ("2 * 0.5", WEAK_FLOAT)])
def test_numbers_have_no_type_of_their_own(text, weak):
    assert TYPES.of_text(text) == weak


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%"])
@pytest.mark.parametrize("left", NAMES)
@pytest.mark.parametrize("right", [*NAMES, "2", "0.5"])
def test_what_is_inferred_is_what_the_definition_computes(operator, left, right):
    values = {name: np.dtype(kind).type(1) for name, kind in NAMES.items()}
    inferred = TYPES.of_text(f"{left} {operator} {right}")
    if inferred is not None:
        assert computed_type(f"{left} {operator} {right}", values) == inferred


@dataclass
class Scalars:
    """What the interpreter takes names from."""

    names: dict[str, np.generic]


def computed_type(text, values):
    """The type that the interpreter's arithmetic gives."""
    return np.asarray(compile_code(Code(text))(Scalars(values))).dtype
