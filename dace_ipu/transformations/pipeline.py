"""What ``auto_optimize`` does for the IPU, as one list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from dace.sdfg.sdfg import SDFG
from dace.transformation.interstate import LoopToMap

from dace_ipu.transformations.offload import OffloadToIPU

__all__ = ["auto_optimize"]


def auto_optimize(
    sdfg: SDFG, validate: bool = True, validate_all: bool = False, symbols: Mapping[str, Any] | None = None, **_: Any
) -> SDFG:
    """Simplify, turn parallel loops into maps, and offload the whole program, in place.

    ``symbols`` are values that the caller is ready to specialise for. Raises :class:`dace_ipu.DiagnosticError` for what cannot run
    on the IPU; nothing falls back to the host. An SDFG that has been offloaded already is returned as it is.
    """
    if OffloadToIPU.is_offloaded(sdfg):
        return sdfg
    if symbols:
        sdfg.specialize(_numbers(sdfg, symbols))
    sdfg.simplify(validate=validate, validate_all=validate_all)
    sdfg.apply_transformations_repeated(LoopToMap, validate=validate, validate_all=validate_all)
    sdfg.simplify(validate=validate, validate_all=validate_all)
    sdfg.apply_transformations(OffloadToIPU, validate=validate)
    return sdfg


def _numbers(sdfg: SDFG, symbols: Mapping[str, Any]) -> dict[str, Any]:
    free = {str(s) for s in sdfg.free_symbols}
    known = {str(s): v for s, v in symbols.items() if str(s) in free and isinstance(v, (int, float, sympy.Number))}
    return {s: int(v) if isinstance(v, sympy.Integer) else v for s, v in known.items()}
