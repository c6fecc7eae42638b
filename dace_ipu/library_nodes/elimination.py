"""Systems of linear equations by elimination with partial pivoting.

Gauss-Jordan's form (Higham, Accuracy and Stability of Numerical Algorithms, section 14.4): step k clears column k above
and below the diagonal. On this machine it takes no longer than elimination to a triangle, because an element stays on its
tile and the slowest tile counts, and there is no substitution afterwards. Each step is a map over a column, two reductions
(the pivot and its row), and maps over two rows and over the matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dace
from dace.sdfg.sdfg import SDFG

from dace_ipu.library_nodes.blocks import add_loop, add_map
from dace_ipu.library_nodes.operands import Operand

__all__ = ["add_elimination"]


def add_elimination(
    sdfg: SDFG, a: Operand, columns: Any, right: Callable[[str, str], tuple[dict[str, str], str]], out: Operand
) -> None:
    """Solve ``a`` · ``out`` = right side, for ``columns`` columns at once; ``out`` is declared, and all of it is written.

    ``right(row, column)``: what an element of the right side reads, and its code. Of a singular matrix the result holds
    infinities or NaN.
    """
    size = a.shape[0]
    width = size + columns
    _add_transients(sdfg, size, width, out.dtype)
    rows, matrix = {"__i": f"0:{size}"}, {"__i": f"0:{size}", "__j": f"0:{size}"}
    block = {"__i": f"0:{size}", "__j": f"0:{columns}"}
    add_map(sdfg, "left_side", matrix, {"__a": a.element("__i", "__j")}, "__out = __a", "work[__i, __j]")
    reads, code = right("__i", "__j")
    add_map(sdfg, "right_side", block, reads, code, f"work[__i, __j + {size}]")
    loop = add_loop(sdfg, "pivots", "__k", size)
    add_map(loop, "column", rows, {"__a": "work[__i, __k]"}, "__out = __a", "column[__i]")
    add_map(loop, "no_pivot", {"__one": "0:1"}, {}, "__out = -1", "largest[0]")
    code = "__out = abs(__a) if __i >= __k else -1"
    add_map(loop, "largest", rows, {"__a": "column[__i]"}, code, "largest[0]", wcr="lambda x, y: max(x, y)")
    add_map(loop, "last", {"__one": "0:1"}, {}, f"__out = {size} - 1", "place[0]")
    code = f"__out = __i if __i >= __k and abs(__a) == __top else {size} - 1"
    reads = {"__a": "column[__i]", "__top": "largest[0]"}
    add_map(loop, "place", rows, reads, code, "place[0]", wcr="lambda x, y: min(x, y)")
    across, chosen = {"__j": f"0:{width}"}, {"__p": "place[0]"}
    reads = {"__a": "work[__p, __j]", "__d": "column[__p]"}
    add_map(loop, "pivot_row", across, reads, "__out = __a / __d", "pivot_row[__j]", assign=chosen)
    add_map(loop, "other_row", across, {"__a": "work[__k, __j]"}, "__out = __a", "other_row[__j]")
    _add_update(loop, {"__i": f"0:{size}", **across})
    add_map(sdfg, "result", block, {"__a": f"work[__i, __j + {size}]"}, "__out = __a", out.element("__i", "__j"))


def _add_transients(sdfg: SDFG, size: Any, width: Any, dtype: Any) -> None:
    real = dace.float32 if dtype == dace.complex64 else dace.float64 if dtype == dace.complex128 else dtype
    sdfg.add_transient("work", [size, width], dtype)
    sdfg.add_transient("column", [size], dtype)
    sdfg.add_transient("pivot_row", [width], dtype)
    sdfg.add_transient("other_row", [width], dtype)
    sdfg.add_transient("largest", [1], real)
    sdfg.add_transient("place", [1], dace.int32)
    sdfg.add_symbol("__p", dace.int32)


def _add_update(loop: Any, ranges: dict[str, str]) -> None:
    """Rows k and p change places, row k is divided by the pivot, and all others lose their multiple of it."""
    reads = {
        "__a": "work[__i, __j]", "__c": "column[__i]", "__ck": "column[__k]",
        "__row": "pivot_row[__j]", "__other": "other_row[__j]",
    }  # fmt: skip
    code = "__out = __row if __i == __k else ((__other - __ck * __row) if __i == __p else (__a - __c * __row))"
    add_map(loop, "update", ranges, reads, code, "work[__i, __j]")
