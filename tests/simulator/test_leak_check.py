"""A run is repeated only where LeakSanitizer failed itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulator.leak_check import ATTEMPTS, TOOL_FAILED, run_to_a_verdict


@pytest.mark.parametrize(
    ("printed", "runs"),
    [(f"ok; case $n in 1) echo '{TOOL_FAILED}'; esac", 2), ("a leak of 8 bytes", 1), (f"'{TOOL_FAILED}'", ATTEMPTS)],
)
def test_only_failures_of_the_tool_are_repeated(tmp_path: Path, printed: str, runs: int) -> None:
    script = f"echo run >>log; n=$(wc -l <log); echo {printed}; test $n = 2"
    result = run_to_a_verdict(["sh", "-c", script], tmp_path)
    assert len((tmp_path / "log").read_text().splitlines()) == runs
    assert result.returncode == (runs != 2)
