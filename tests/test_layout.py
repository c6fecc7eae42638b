"""The layout of the repository: links in the root, import names, and what is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

LINKS = ("targets", "library_nodes")
SOURCES = (".py", ".typed", ".yml", ".hpp", ".h", ".cpp", ".cmake")


@pytest.mark.parametrize("name", LINKS)
def test_links_in_the_root_lead_into_the_package(repository, name):
    link = repository / name
    assert link.is_symlink()
    assert os.readlink(link) == f"dace_ipu/{name}"
    assert link.resolve() == (repository / "dace_ipu" / name).resolve()


@pytest.mark.parametrize("name", LINKS)
def test_short_names_cannot_be_imported(run_python, repository, name):
    result = run_python(f"import sys; sys.path.insert(0, {str(repository)!r}); import {name}", check=False)
    assert result.returncode != 0
    assert f"ImportError: import dace_ipu.{name}: the entry in the repository's root is a link" in result.stderr


@pytest.fixture(scope="session")
def wheel_names(repository, tmp_path_factory) -> set[str]:
    """The names of the files in a wheel built from a copy of the checkout."""
    pytest.importorskip("setuptools", minversion="77", reason="building a wheel needs setuptools 77 (extra 'test')")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(repository / file, source)
    for tree in ("dace_ipu", "tests"):
        shutil.copytree(repository / tree, source / tree, ignore=shutil.ignore_patterns("__pycache__"))
    for name in LINKS:
        (source / name).symlink_to(f"dace_ipu/{name}")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", folder, source]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_the_package_and_nothing_else(wheel_names):
    roots = {name.split("/")[0] for name in wheel_names}
    assert {root for root in roots if not root.endswith(".dist-info")} == {"dace_ipu"}


def test_the_wheel_holds_every_source_file_of_the_package(wheel_names, repository):
    package = repository / "dace_ipu"
    sources = {f"dace_ipu/{file.relative_to(package)}" for file in package.rglob("*") if file.suffix in SOURCES}
    assert sources <= wheel_names, sorted(sources - wheel_names)


def test_decision_records_are_numbered_and_listed(repository):
    folder = repository / "docs" / "decisions"
    records = sorted(file.name for file in folder.glob("*.md") if file.name != "README.md")
    assert [name[:4] for name in records] == [f"{number:04}" for number in range(len(records))]
    index = (folder / "README.md").read_text(encoding="utf-8")
    assert all(f"({name})" in index for name in records)
