"""SDFG → tile graph."""

from dace_ipu.lowering.program import HOST_VALUE_SUFFIX, lower

__all__ = ["HOST_VALUE_SUFFIX", "lower"]
