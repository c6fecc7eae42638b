"""Cholesky factors, column by column.

The column k of the factor is L[i, k] / sqrt(L[k, k]); what is right of it loses the outer product of that column with
itself (right-looking form: Golub and Van Loan, Matrix Computations, section 4.2). Each of the n columns takes two maps
over a column and one over the matrix, so all tiles work in every step. The update does not ask on which side of the
diagonal an element lies: above it nobody reads what comes out, and the last map clears it. The diagonal's element is
taken from the column, so that no tile ever holds more of the matrix than its rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from dace.libraries.linalg.nodes.cholesky import Cholesky
from dace.sdfg.sdfg import SDFG
from dace.sdfg.state import SDFGState
from dace.transformation.transformation import ExpandTransformation

from dace_ipu.library_nodes.blocks import add_loop, add_map
from dace_ipu.library_nodes.operands import square
from dace_ipu.library_nodes.register import ipu_expansion

__all__ = ["ExpandCholeskyIPU"]


@ipu_expansion(Cholesky)
class ExpandCholeskyIPU(ExpandTransformation):
    """``_b`` = the lower factor of the Hermitian matrix ``_a``, whose lower triangle alone is read; zero above.

    ``lower=False``: the upper factor of the upper triangle. Of a matrix that is not positive definite the factor holds
    NaN. Raises ValueError if the operands are no square matrices of floating-point numbers.
    """

    environments: list[Any] = []

    @staticmethod
    def expansion(node: Any, parent_state: SDFGState, parent_sdfg: SDFG, *_: Any, **__: Any) -> SDFG:
        """The SDFG for one node."""
        a, b = square(node, "_a", parent_state), square(node, "_b", parent_state)
        result = SDFG(f"{node.label}_sdfg")
        a.declare(result)
        b.declare(result)
        size, lower = a.shape[0], node.lower
        result.add_transient("column", [size], b.dtype)
        result.add_transient("scaled", [size], b.dtype)
        rows, matrix = {"__i": f"0:{size}"}, {"__i": f"0:{size}", "__j": f"0:{size}"}

        def factor(row: str, column: str) -> str:
            return b.element(row, column) if lower else b.element(column, row)

        is_complex = np.dtype(b.dtype.type).kind == "c"
        given = a.element("__i", "__j") if lower else a.element("__j", "__i")
        keep = "__out = __a if __j <= __i else 0"
        add_map(result, "triangle", matrix, {"__a": given}, keep, factor("__i", "__j"))
        loop = add_loop(result, "columns", "__k", size)
        add_map(loop, "column", rows, {"__a": factor("__i", "__k")}, "__out = __a", "column[__i]")
        diagonal = "__d.real" if is_complex else "__d"
        code = f"__out = __a / sqrt({diagonal}) if __i >= __k else 0"
        add_map(loop, "scale", rows, {"__a": "column[__i]", "__d": "column[__k]"}, code, "scaled[__i]")
        reads = {"__a": factor("__i", "__j"), "__ci": "scaled[__i]", "__cj": "scaled[__j]"}
        code = f"__out = __ci if __j == __k else __a - __ci * {'conj(__cj)' if is_complex else '__cj'}"
        add_map(loop, "update", matrix, reads, code, factor("__i", "__j"))
        add_map(result, "rest", matrix, {"__a": factor("__i", "__j")}, keep, factor("__i", "__j"))
        return result
