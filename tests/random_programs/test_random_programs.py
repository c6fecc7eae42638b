"""Random programs on the IPU target against NumPy: 200 for each run of the tests, the same ones each time.

``bench/random_programs.py`` tries as many others as one likes.
"""

from __future__ import annotations

from pathlib import Path

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.random_programs.grammar import Example, examples
from tests.random_programs.running import FrontendFault, check

CHUNKS, PER_CHUNK = 10, 20


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_programs(chunk: int, tmp_path: Path) -> None:
    """The first failure is reported as it is found: making it smaller is for the command."""

    @hypothesis.seed(chunk)
    @settings(
        max_examples=PER_CHUNK,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(examples())
    def run(example: Example) -> None:
        try:
            check(example, tmp_path, simulate=True)
        except FrontendFault:
            hypothesis.reject()

    run()
