"""Registers an expansion under the name that offloading looks for first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dace.library

__all__ = ["ipu_expansion"]


def ipu_expansion(node: Any) -> Callable[[Any], Any]:
    """Decorates the expansion of a class of library nodes for the IPU."""
    decorator: Callable[[Any], Any] = dace.library.register_expansion(node, "IPU")
    return decorator
