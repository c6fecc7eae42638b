"""SDFG → SDFG: what moves a program to the IPU and shapes it for the machine."""

from dace_ipu.transformations.offload import OffloadToIPU, to_ipu

__all__ = ["OffloadToIPU", "to_ipu"]
