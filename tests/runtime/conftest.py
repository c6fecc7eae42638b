"""Compiled programs, each shared by all tests of this folder, for a machine of eight tiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.runtime import programs


@pytest.fixture(scope="package", autouse=True)
def eight_tiles() -> Iterator[None]:
    """A small machine: what takes time in tests is the number of tiles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DACE_compiler_ipu_tiles", "8")
        yield


@pytest.fixture(scope="package")
def increment(eight_tiles: None) -> Any:
    return programs.offloaded(programs.increment).compile()


@pytest.fixture(scope="package")
def twice(eight_tiles: None) -> Any:
    """``B = 2 * A`` with a 64-bit symbol for the size."""
    return programs.offloaded(programs.long_symbol).compile()


@pytest.fixture(scope="package")
def float_copy(eight_tiles: None) -> Any:
    return programs.offloaded(programs.float_copy).compile()


@pytest.fixture(scope="package")
def inner_copy(eight_tiles: None) -> Any:
    return programs.offloaded(programs.inner_copy).compile()


@pytest.fixture(scope="package")
def strided(eight_tiles: None) -> Any:
    return programs.strided().compile()


@pytest.fixture(scope="package")
def accumulating(eight_tiles: None) -> Any:
    return programs.accumulating().compile()
