"""What ``auto_optimize`` does for the IPU, as one list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dace.sdfg.sdfg import SDFG
from dace.transformation.interstate.loop_to_map import LoopToMap

from dace_ipu.transformations.offload import OffloadToIPU

__all__ = ["auto_optimize"]


def auto_optimize(
    sdfg: SDFG, validate: bool = True, validate_all: bool = False, symbols: Mapping[str, Any] | None = None, **_: Any
) -> SDFG:
    """Simplify, turn parallel loops into maps, and offload the whole program, in place.

    Raises :class:`dace_ipu.DiagnosticError` for what cannot run on the IPU; nothing falls back to the host. An SDFG
    that has been offloaded already is returned as it is. ``symbols`` are values that DaCe offers to specialise for.
    They are left symbols: graphs are built for the values of each call, and other values need no other C++ code.
    """
    if OffloadToIPU.is_offloaded(sdfg):
        return sdfg
    sdfg.simplify(validate=validate, validate_all=validate_all)
    sdfg.apply_transformations_repeated(LoopToMap, validate=validate, validate_all=validate_all)
    sdfg.simplify(validate=validate, validate_all=validate_all)
    sdfg.apply_transformations(OffloadToIPU, validate=validate)
    return sdfg
