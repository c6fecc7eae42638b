"""The README's contract names tests: they exist, so that whoever doubts a promise can run it."""

from __future__ import annotations

import re
from pathlib import Path

import dace_ipu.simulator

HERE = Path(__file__).parent
README = Path(dace_ipu.simulator.__file__).parent / "README.md"


def named_tests() -> dict[str, list[str]]:
    """The tests of each row of the contract's table, as ``file: name``."""
    table = README.read_text().partition("### The contract, executable")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| `([\w.]+)`: (.+) \|$", table, re.MULTILINE)
    return {promise: [f"{file}: {name}" for name in re.findall(r"`(\w+)`", names)] for promise, file, names in rows}


def test_every_promise_has_tests_that_exist() -> None:
    rows = named_tests()
    assert len(rows) > 10 and all(rows.values())
    sources = {path.name: path.read_text() for path in (*HERE.glob("*.py"), *(HERE / "cpp").glob("*.cpp"))}
    for file, name in (test.split(": ") for tests in rows.values() for test in tests):
        assert re.search(rf"\b(TEST\({name}\)|def {name}\()", sources[file]), f"{file} has no test '{name}'"
