"""SDFG → tile graph."""

from dace_ipu.lowering.program import lower

__all__ = ["lower"]
