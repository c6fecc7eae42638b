"""Inverse matrices: ``np.linalg.inv``."""

from __future__ import annotations

from typing import Any

from dace.libraries.linalg.nodes.inv import Inv
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState
from dace.transformation.transformation import ExpandTransformation

from dace_ipu.library_nodes.elimination import add_elimination
from dace_ipu.library_nodes.operands import square
from dace_ipu.library_nodes.register import ipu_expansion

__all__ = ["ExpandInvIPU"]


@ipu_expansion(Inv)
class ExpandInvIPU(ExpandTransformation):
    """``_aout`` = the inverse of ``_ain``. Raises ValueError if they are no square matrices of one size."""

    environments: list[Any] = []

    @staticmethod
    def expansion(node: Any, parent_state: SDFGState, parent_sdfg: SDFG, *_: Any, **__: Any) -> SDFG:
        """The SDFG for one node."""
        a, x = square(node, "_ain", parent_state), square(node, "_aout", parent_state)
        if a.shape != x.shape:
            raise ValueError(f"the inverse of a matrix of shape {a.shape} in one of shape {x.shape}")
        result = SDFG(f"{node.label}_sdfg")
        a.declare(result)
        x.declare(result)
        add_elimination(result, a, a.shape[0], lambda i, j: ({}, f"__out = 1 if {i} == {j} else 0"), x)
        return result
