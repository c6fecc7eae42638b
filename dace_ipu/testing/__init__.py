"""A pytest plugin that pins what is generated for a program, and what comes out of it: see :mod:`.plugin`."""

from __future__ import annotations

from dace_ipu.testing.golden import Golden, GoldenError

__all__ = ["Golden", "GoldenError"]
