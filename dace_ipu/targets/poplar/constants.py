"""Compile-time constants as ``Graph::addConstant``."""

from __future__ import annotations

import textwrap

import numpy as np

from dace_ipu.targets.poplar.expressions import ExpressionPrinter
from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import DType
from dace_ipu.tile_graph.nodes import Variable

__all__ = ["constant_lines"]

_FLOAT = np.dtype(np.float32)


def constant_lines(variable: Variable, name: str, shape: str) -> list[str]:
    """The lines that declare a constant tensor: one value for all elements, or a table of them."""
    assert variable.constant is not None
    element = element_type(variable.dtype)
    texts = [text for value in variable.constant for text in _texts(value, variable.dtype)]
    if len(set(texts)) == 1:
        return [f'Tensor {name} = graph.addConstant({element.poplar}, {shape}, {texts[0]}, "{name}");']
    cpp = "float" if variable.dtype.kind in "fc" else element.cpp
    table = textwrap.wrap(", ".join(texts), width=110, initial_indent="    ", subsequent_indent="    ")
    return [
        f"static const {cpp} {name}_values[] = {{",
        *table,
        "};",
        f'Tensor {name} = graph.addConstant({element.poplar}, {shape}, ArrayRef<{cpp}>({name}_values), "{name}");',
    ]


def _texts(value: complex | float | int | bool, dtype: DType) -> list[str]:
    """The literals of one element: two for a complex number. A half is given as the float that it is rounded from."""
    printer = ExpressionPrinter(lambda _: None)
    if dtype.kind == "c":
        number = complex(value)
        return [printer.literal_text(part, _FLOAT) for part in (number.real, number.imag)]
    if dtype.kind == "f":
        assert not isinstance(value, complex)
        return [printer.literal_text(float(np.asarray(value, dtype)), _FLOAT)]
    return [printer.literal_text(value, dtype)]
