"""What happens to a program before it moves to the IPU, as one list.

Each step changes an SDFG in place and says in its docstring what it may not do. A step can be left out, and with
``DACE_IPU_DUMP`` the program is written out behind each, as DaCe's JSON.

No step lets temporaries share an array: the graph compiler does that with all that do not live at the same time, and
here it would only order what is independent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dace.sdfg.sdfg import SDFG

from dace_ipu.tile_graph.dump import dump
from dace_ipu.transformations.collapse import collapse_maps
from dace_ipu.transformations.expand import expand_library_nodes
from dace_ipu.transformations.freeze import freeze_arguments
from dace_ipu.transformations.fuse import fuse_maps
from dace_ipu.transformations.narrow import narrow_leaks
from dace_ipu.transformations.offload import OffloadToIPU
from dace_ipu.transformations.parallelize import loops_to_maps
from dace_ipu.transformations.scalars import pass_scalars_as_data
from dace_ipu.transformations.trivial_loops import remove_trivial_loops

__all__ = ["STEPS", "auto_optimize", "shape"]


def simplify(sdfg: SDFG) -> None:
    """DaCe's simplification: states fused, dead stores and copies removed. Arguments keep what they get."""
    sdfg.fill_scope_connectors()  # DaCe compiles programs without them, but cannot simplify them
    sdfg.simplify(validate=False)


#: The steps between the freezing of arguments and the offloading, in order.
STEPS: tuple[Callable[[SDFG], None], ...] = (
    simplify,
    narrow_leaks,
    remove_trivial_loops,
    loops_to_maps,
    collapse_maps,
    pass_scalars_as_data,  # or fusing would lose them
    expand_library_nodes,
    fuse_maps,
    collapse_maps,
)


def shape(sdfg: SDFG, skip: Collection[str] = (), freeze: Mapping[str, Any] | None = None) -> SDFG:
    """Give ``sdfg`` the form that suits the machine, in place, and return it. Nothing is offloaded.

    ``skip`` are names of steps that are left out; ``freeze`` gives scalar arguments and symbols values for good.
    Raises ValueError for an unknown step, :class:`dace_ipu.DiagnosticError` for what the steps refuse.
    """
    names = {step.__name__ for step in STEPS}
    unknown = sorted(set(skip) - names)
    if unknown:
        raise ValueError(f"no such steps: {', '.join(unknown)}; the steps are {', '.join(sorted(names))}")
    if freeze:
        freeze_arguments(sdfg, freeze)
    for step in STEPS:
        if step.__name__ not in skip:
            step(sdfg)
            dump(sdfg.name, step.__name__, lambda: json.dumps(sdfg.to_json(), indent=1))
    sdfg.validate()
    return sdfg


def auto_optimize(
    sdfg: SDFG,
    validate: bool = True,
    validate_all: bool = False,
    symbols: Mapping[str, Any] | None = None,
    float64: str = "refuse",
    skip: Collection[str] = (),
    freeze: Mapping[str, Any] | None = None,
    **_: Any,
) -> SDFG:
    """Shape the program and offload the whole of it, in place. ``skip`` and ``freeze`` are those of :func:`shape`,
    ``float64`` is that of :class:`OffloadToIPU`.

    Raises :class:`dace_ipu.DiagnosticError` for what cannot run on the IPU; nothing falls back to the host. An SDFG
    that has been offloaded already is returned as it is. ``symbols`` are values that DaCe offers to specialise for.
    They are left symbols: graphs are built for the values of each call, and other values need no other C++ code.
    """
    if OffloadToIPU.is_offloaded(sdfg):
        return sdfg
    shape(sdfg, skip, freeze)
    sdfg.apply_transformations(OffloadToIPU, options={"float64": float64}, validate=validate)
    return sdfg
