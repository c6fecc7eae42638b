"""The type map, against NumPy's sizes and the types that the machine lacks."""

from __future__ import annotations

import numpy as np
import pytest

from dace_ipu.targets.poplar.types import UnsupportedTypeError, element_type, host_type

DEVICE = {
    "bool": ("bool", "BOOL"),
    "int8": ("signed char", "SIGNED_CHAR"),
    "uint8": ("unsigned char", "UNSIGNED_CHAR"),
    "int16": ("short", "SHORT"),
    "uint16": ("unsigned short", "UNSIGNED_SHORT"),
    "int32": ("int", "INT"),
    "uint32": ("unsigned", "UNSIGNED_INT"),
    "int64": ("long long", "LONGLONG"),
    "uint64": ("unsigned long long", "UNSIGNED_LONGLONG"),
    "float16": ("half", "HALF"),
    "float32": ("float", "FLOAT"),
    "complex64": ("complex64", "FLOAT"),
}


@pytest.mark.parametrize("name", DEVICE)
def test_device_type(name: str) -> None:
    dtype = np.dtype(name)
    element = element_type(dtype)
    assert (element.cpp, element.poplar) == DEVICE[name]
    assert element.size == dtype.itemsize
    assert element.components == (2 if dtype.kind == "c" else 1)
    assert host_type(dtype).runtime.lower() == name


@pytest.mark.parametrize("name", ["float64", "complex128"])
def test_wide_types_are_for_hosts_only(name: str) -> None:
    assert host_type(np.dtype(name)).runtime.lower() == name
    with pytest.raises(UnsupportedTypeError, match=f"the IPU has no element type {name}"):
        element_type(np.dtype(name))


def test_strings_cannot_be_passed() -> None:
    with pytest.raises(UnsupportedTypeError, match="arrays of str32 cannot be passed"):
        host_type(np.dtype("U1"))
