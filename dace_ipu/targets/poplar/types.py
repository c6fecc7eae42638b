"""The one type map: element types of the tile graph in codelets, in Poplar's host API and in the caller's arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dace_ipu.tile_graph.body import DType

__all__ = ["ElementType", "HostType", "UnsupportedTypeError", "element_type", "host_type"]


class UnsupportedTypeError(TypeError):
    """An element type that the machine does not have."""


@dataclass(frozen=True)
class ElementType:
    """An element type on the device.

    ``cpp`` is its spelling in codelets, ``field`` that of the elements of a vertex's edge, ``poplar`` the constant of
    ``poplar::Type``. An element consists of ``components`` of these (2 for complex numbers, whose tensors have a
    trailing dimension of 2) and takes ``size`` bytes in all.
    """

    cpp: str
    field: str
    poplar: str
    size: int
    components: int = 1


@dataclass(frozen=True)
class HostType:
    """An element type of the caller: its C++ spelling as in DaCe's frame, and its name in ``dace_ipu::HostType``."""

    cpp: str
    runtime: str


def _simple(cpp: str, poplar: str, size: int) -> ElementType:
    return ElementType(cpp, cpp, poplar, size)


# Sizes and names: Poplar's Type constants and the spelling that templated vertex names use (Type::toString).
_DEVICE = {
    "bool": _simple("bool", "BOOL", 1),
    "int8": _simple("signed char", "SIGNED_CHAR", 1),
    "uint8": _simple("unsigned char", "UNSIGNED_CHAR", 1),
    "int16": _simple("short", "SHORT", 2),
    "uint16": _simple("unsigned short", "UNSIGNED_SHORT", 2),
    "int32": _simple("int", "INT", 4),
    "uint32": _simple("unsigned", "UNSIGNED_INT", 4),
    "int64": _simple("long long", "LONGLONG", 8),
    "uint64": _simple("unsigned long long", "UNSIGNED_LONGLONG", 8),
    "float16": _simple("half", "HALF", 2),
    "float32": _simple("float", "FLOAT", 4),
    "complex64": ElementType("complex64", "float", "FLOAT", 8, components=2),
}

_HOST = {
    "bool": HostType("bool", "Bool"),
    "int8": HostType("int8_t", "Int8"),
    "uint8": HostType("uint8_t", "UInt8"),
    "int16": HostType("int16_t", "Int16"),
    "uint16": HostType("uint16_t", "UInt16"),
    "int32": HostType("int", "Int32"),
    "uint32": HostType("unsigned int", "UInt32"),
    "int64": HostType("int64_t", "Int64"),
    "uint64": HostType("uint64_t", "UInt64"),
    "float16": HostType("dace::float16", "Float16"),
    "float32": HostType("float", "Float32"),
    "float64": HostType("double", "Float64"),
    "complex64": HostType("dace::complex64", "Complex64"),
    "complex128": HostType("dace::complex128", "Complex128"),
}


def element_type(dtype: DType) -> ElementType:
    """Return the device type of elements of ``dtype``. Raises :class:`UnsupportedTypeError` if there is none."""
    try:
        return _DEVICE[np.dtype(dtype).name]
    except KeyError:
        raise UnsupportedTypeError(f"the IPU has no element type {np.dtype(dtype).name}") from None


def host_type(dtype: DType) -> HostType:
    """Return the caller's type of elements of ``dtype``. Raises :class:`UnsupportedTypeError` if there is none."""
    try:
        return _HOST[np.dtype(dtype).name]
    except KeyError:
        raise UnsupportedTypeError(f"arrays of {np.dtype(dtype).name} cannot be passed to the IPU") from None
