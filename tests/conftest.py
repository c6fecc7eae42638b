"""Shared by all tests: nothing is written into the checkout, and programs can be run in a fresh interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import dace
import pytest

import dace_ipu

ROOT = Path(__file__).parents[1]
PACKAGE_PARENT = Path(dace_ipu.__file__).parents[1]

RunPython = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session", autouse=True)
def isolated_dace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let DaCe build in a folder of this session and worker, in subprocesses too.

    Folders are named by the hash of the program, so that tests may reuse names.
    """
    values = {"default_build_folder": str(tmp_path_factory.mktemp("dacecache")), "cache": "hash"}
    with pytest.MonkeyPatch.context() as patch, dace.config.temporary_config():
        for key, value in values.items():
            patch.setenv(f"DACE_{key}", value)
            dace.Config.set(key, value=value)
        yield


@pytest.fixture(scope="session", autouse=True)
def untouched_checkout(isolated_dace: None) -> Iterator[None]:
    """Fail the session if a test left a build folder of DaCe in the checkout or the working directory."""
    folders = [folder / name for folder in (ROOT, Path.cwd()) for name in (".dacecache", "_dacegraphs")]
    before = [folder for folder in folders if folder.exists()]
    yield
    assert [folder for folder in folders if folder.exists()] == before, "a test wrote into the checkout"


@pytest.fixture
def run_python(tmp_path: Path) -> RunPython:
    """Run Python code in a new interpreter, in a folder of the test: ``run_python(code, NAME=value)``.

    Keyword arguments are environment variables. The test fails with the program's messages if it fails, unless
    ``check=False``.
    """

    def run(code: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, [str(PACKAGE_PARENT), os.environ.get("PYTHONPATH")]))
        result = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, **environment},
            capture_output=True,
            text=True,
        )
        assert not check or result.returncode == 0, result.stderr
        return result

    return run
