"""Caches that are empty, shared, damaged or read-only; builds that are killed; machines without a compiler."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dace_ipu.simulator import build

ROOT = Path(__file__).parents[2]

RUN = """
import dace, numpy as np, dace_ipu

N = dace.symbol("N")
sdfg = dace.SDFG("shared")
sdfg.add_array("A", [N], dace.float32)
sdfg.add_array("B", [N], dace.float32)
sdfg.add_state().add_mapped_tasklet(
    "update", {"i": "0:N"}, {"a": dace.Memlet("A[i]")}, "b = a + 1", {"b": dace.Memlet("B[i]")}, external_edges=True
)
program = dace_ipu.to_ipu(sdfg).compile()
for size in (3, 5):
    A, B = np.arange(size, dtype=np.float32), np.zeros(size, np.float32)
    program(A=A, B=B, N=size)
    assert (B == A + 1).all(), B
print("right")
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache folder with the simulator's libraries and no codelets."""
    libraries = build.ensure_built()
    folder = tmp_path / "cache"
    shutil.copytree(libraries.lib_dir.parent, folder / "simulator" / libraries.key)
    return folder


def start(folder: Path, **environment: str) -> subprocess.Popen[str]:
    """Start a program that compiles and runs in ``folder``."""
    variables = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DACE_default_build_folder": str(folder / "build"),
        **environment,
    }
    return subprocess.Popen(
        [sys.executable, "-c", RUN],
        cwd=folder,
        env={name: value for name, value in variables.items() if value},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> None:
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out.split()[-1:]) == (0, ["right"]), err


def test_two_processes_build_the_same_program_at_once(tmp_path, cache):
    """Each has its own build folder of DaCe; the codelets' cache is one."""
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    for process in [start(folder, DACE_IPU_CACHE=str(cache), DACE_cache="name") for folder in folders]:
        finish(process)


def test_two_processes_share_a_build_folder(tmp_path, cache):
    """DaCe has no lock there: ours lets one build after the other."""
    for process in [start(tmp_path, DACE_IPU_CACHE=str(cache), DACE_cache="name") for _ in range(2)]:
        finish(process)


@pytest.mark.parametrize("moment", ["build/**/*.o", "cache/codelets/*"])
def test_a_killed_build_is_repeated(tmp_path, cache, moment):
    """Killed as soon as the first file of that kind appears."""
    process = start(tmp_path, DACE_IPU_CACHE=str(cache), DACE_cache="name")
    while process.poll() is None and not any(tmp_path.glob(moment)):
        time.sleep(0.002)
    assert process.poll() is None, "it ended before it could be killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    finish(start(tmp_path, DACE_IPU_CACHE=str(cache), DACE_cache="name"))


def test_production_mode_of_dace(tmp_path):
    finish(start(tmp_path, DACE_compiler_build_folder_mode="production"))


def test_no_compiler(tmp_path):
    """DaCe's own build needs none here: the simulator says it first, with what to install."""
    (tmp_path / "bin").mkdir()
    for tool in ("cmake", "make"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or "/usr/bin/false")
    process = start(tmp_path, PATH=str(tmp_path / "bin"), CXX="", DACE_IPU_CXX="")
    _, err = process.communicate(timeout=300)
    assert process.returncode != 0
    assert "MissingCompiler: the simulator needs a C++17 compiler, but none of g++, c++, clang++ is on the PATH" in err
    assert "sudo apt install g++" in err


def test_a_cache_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    process = start(tmp_path, DACE_IPU_CACHE=str(tmp_path / "file"))
    _, err = process.communicate(timeout=300)
    assert process.returncode != 0
    assert "BuildError: cannot write the cache folder" in err
    assert "DACE_IPU_CACHE can name another" in err


def test_codelets_go_elsewhere_if_their_cache_cannot_be_written(tmp_path, cache):
    (cache / "codelets").write_text("")
    process = start(tmp_path, DACE_IPU_CACHE=str(cache))
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out.split()[-1:]) == (0, ["right"]), err
    assert f"popc: note: cannot write the cache '{cache / 'codelets'}'" in err
