"""Systems of linear equations: ``np.linalg.solve``."""

from __future__ import annotations

from typing import Any

from dace.libraries.linalg.nodes.solve import Solve
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState
from dace.transformation.transformation import ExpandTransformation

from dace_ipu.library_nodes.elimination import add_elimination
from dace_ipu.library_nodes.operands import operand, square
from dace_ipu.library_nodes.register import ipu_expansion

__all__ = ["ExpandSolveIPU"]


@ipu_expansion(Solve)
class ExpandSolveIPU(ExpandTransformation):
    """``_bout`` = the solution x of ``_ain`` · x = ``_bin``, for a vector or for the columns of a matrix.

    Raises ValueError if ``_ain`` is no square matrix, or the others have not as many rows.
    """

    environments: list[Any] = []

    @staticmethod
    def expansion(node: Any, parent_state: SDFGState, parent_sdfg: SDFG, *_: Any, **__: Any) -> SDFG:
        """The SDFG for one node."""
        a = square(node, "_ain", parent_state)
        b, x = operand(node, "_bin", parent_state, a.shape[0]), operand(node, "_bout", parent_state, a.shape[0])
        if b.shape[0] != a.shape[0] or x.shape[0] != a.shape[0] or b.columns != x.columns:
            raise ValueError(f"a system of shape {a.shape} with a right side {b.shape} and a result {x.shape}")
        result = SDFG(f"{node.label}_sdfg")
        for each in (a, b, x):
            each.declare(result)
        add_elimination(result, a, b.columns, lambda i, j: ({"__b": b.element(i, j)}, "__out = __b"), x)
        return result
