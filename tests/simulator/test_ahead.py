"""Codelets that were compiled ahead are those that libpoplar looks for."""

from __future__ import annotations

import time
from pathlib import Path

import dace
import numpy as np
import pytest

import dace_ipu
from dace_ipu.simulator import enable
from dace_ipu.simulator.ahead import codelet_key, fnv1a

N = dace.symbol("N")


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"", 0xCBF29CE484222325), (b"a", 0xAF63DC4C8601EC8C), (b"foobar", 0x85944171F73967E8)],
)
def test_hash(data: bytes, expected: int) -> None:
    """The authors' own test vectors."""
    assert fnv1a(data) == expected


def test_the_first_call_finds_the_codelets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DACE_compiler_ipu_tiles", "4")

    @dace.program
    def ahead(A: dace.float32[N]):
        A[:] = A * 3 + 11

    cache = Path(enable.codelet_environment()["DACE_IPU_CODELET_CACHE"])
    program = dace_ipu.to_ipu(ahead.to_sdfg()).compile()
    text = next(Path(program.sdfg.build_folder).glob("src/ipu/codelet/*.cpp")).read_text()
    module = cache / f"{codelet_key(text, enable.codelet_environment()['DACE_IPU_POPC_KEY'])}.gp"
    deadline = time.monotonic() + 30
    while not module.is_file() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert module.is_file()
    enable.activate()
    monkeypatch.setattr(enable, "activate", lambda: None)
    monkeypatch.setenv("DACE_IPU_POPC", "/bin/false")  # whoever compiles now, fails
    A = np.ones(8, np.float32)
    program(A=A, N=8)
    np.testing.assert_array_equal(A, np.full(8, 14, np.float32))
