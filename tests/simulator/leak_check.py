"""Runs of programs whose leaks are looked for when they end."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

#: What LeakSanitizer prints when it fails itself: of the leaks, nothing is known then.
#: Once in some hundred runs, in the threads that it stops: github.com/google/sanitizers/issues/1353.
TOOL_FAILED = "LeakSanitizer has encountered a fatal error"
ATTEMPTS = 4


def run_to_a_verdict(
    command: Sequence[str | Path], cwd: Path, env: Mapping[str, str] | None = None, timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program, again where LeakSanitizer failed: both outputs as one text, any other failure as it is."""
    for _ in range(ATTEMPTS):
        result = subprocess.run(
            command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout
        )
        if TOOL_FAILED not in result.stdout:
            break
    return result
