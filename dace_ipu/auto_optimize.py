"""Makes ``@dace.program(device=dace.DeviceType.IPU, auto_optimize=True)`` mean what it says.

DaCe's ``auto_optimize`` takes any device it does not know for a CPU. The wrapper installed here sends the IPU to this
package's own pipeline and leaves every other device alone.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from dace.sdfg.sdfg import SDFG

from dace_ipu import compat
from dace_ipu.registration import IPU

__all__ = ["install"]

AutoOptimize = Callable[..., SDFG]


def install() -> None:
    """Install the wrappers. Repeatable."""
    compat.wrap_auto_optimize(_with_ipu)
    compat.wrap_specialized_key(_one_for_all_sizes)


def _one_for_all_sizes(original: Callable[..., Any]) -> Callable[..., Any]:
    """Keep one compiled program for all symbol values: graphs are built for them at run time."""

    @functools.wraps(original)
    def specialized_key(program: Any, key: Any, sdfg: SDFG, arguments: dict[str, Any], *rest: Any) -> Any:
        if program.device == IPU:
            symbols = {str(symbol) for symbol in sdfg.free_symbols}
            arguments = {name: "any value" if name in symbols else value for name, value in arguments.items()}
        return original(program, key, sdfg, arguments, *rest)

    return specialized_key


def _with_ipu(original: AutoOptimize) -> AutoOptimize:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def auto_optimize(*args: Any, **kwargs: Any) -> SDFG:
        arguments = signature.bind(*args, **kwargs).arguments
        if arguments["device"] != IPU:
            return original(*args, **kwargs)
        return _for_ipu(**arguments)

    return auto_optimize


def _for_ipu(sdfg: SDFG, device: object, use_gpu_storage: bool = False, **options: Any) -> SDFG:
    """Optimise ``sdfg`` in place for the IPU: ``SDFG.auto_optimize`` ignores what is returned."""
    if use_gpu_storage:
        raise ValueError("auto_optimize(device=DeviceType.IPU) cannot use GPU storage")
    # Imported when needed: the pipeline imports all transformations, and a plain `import dace_ipu` should stay quick.
    from dace_ipu.transformations import pipeline

    optimised: SDFG = pipeline.auto_optimize(sdfg, **options)
    return optimised
