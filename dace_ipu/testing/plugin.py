"""The pytest plugin behind the fixture ``golden``. Installed with the package; nothing to configure::

    def test_axpy(golden):
        golden(axpy, {"a": np.float32(2), "x": x, "y": y}, expected=lambda a, x, y: y.__iadd__(a * x))

``pytest --update-golden`` writes ``golden/axpy/``, every other run compares with it. The folder lies in pytest's root
directory; the ini option ``golden_dir`` names another. If the whole suite is collected, a folder that belongs to no
test is a failure of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dace_ipu.testing.golden import Golden

__all__ = ["golden"]

_FIXTURE = "golden"
_OWNERS: pytest.StashKey[dict[str, str]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-golden`` and ``golden_dir``."""
    group = parser.getgroup("dace_ipu", "programs on the IPU")
    group.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing")
    parser.addini("golden_dir", "folder of the golden files, relative to the root directory", default="golden")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to write golden files where nobody looks at them."""
    config.stash[_OWNERS] = {}
    if config.getoption("update_golden") and os.environ.get("CI"):
        raise pytest.UsageError(
            "--update-golden is refused because CI is set in the environment: golden files are written by hand, "
            "looked at, and committed"
        )


@pytest.hookimpl(tryfirst=True)  # before tests are deselected: those own their folders too
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note which folder belongs to which test; add a failing item for each folder without one."""
    owners = config.stash[_OWNERS]
    for item in items:
        if _FIXTURE in getattr(item, "fixturenames", ()):
            _own(owners, _folder_name(item), item.nodeid)
    if _is_whole_suite(config) and not session.testsfailed:
        items.extend(UnownedFolder.from_parent(session, name=path, nodeid=path) for path in _unowned(config, owners))


def _own(owners: dict[str, str], folder: str, test: str) -> None:
    if owners.setdefault(folder, test) != test:
        raise pytest.UsageError(
            f"two tests want the golden folder '{folder}': {owners[folder]} and {test}; rename one of them"
        )


def _folder_name(item: pytest.Item) -> str:
    """``axpy`` for ``test_axpy``, ``axpy-8-float32`` for ``test_axpy[8-float32]``."""
    name = re.sub(r"^test_", "", item.name).replace("[", "-").rstrip("]")
    return re.sub(r"[^\w.-]+", "_", name)


def _is_whole_suite(config: pytest.Config) -> bool:
    """Whether the arguments cover all test paths and nothing narrows them. Deselection by name is no narrowing here."""
    options = config.option
    if any(getattr(options, name, None) for name in ("lf", "ignore", "ignore_glob", "deselect")):
        return False
    given = [(config.invocation_params.dir / argument).resolve() for argument in config.args]
    wanted = [config.rootpath / path for path in config.getini("testpaths")] or [config.rootpath]
    return all(any(path.resolve().is_relative_to(folder) for folder in given) for path in wanted)


def _unowned(config: pytest.Config, owners: dict[str, str]) -> Iterator[str]:
    """The folders that belong to no test, as paths from the root directory."""
    root = _golden_dir(config)
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        if path.is_dir() and path.name not in owners:
            yield os.path.relpath(path, config.rootpath)


def _golden_dir(config: pytest.Config) -> Path:
    return config.rootpath / str(config.getini("golden_dir"))


class UnownedFolder(pytest.Item):
    """Fails: a golden folder that no test compares with would look like a promise."""

    def runtest(self) -> None:
        """Fail with what to do."""
        pytest.fail(f"no test owns the golden folder {self.name}: delete it, or rename it like its test", pytrace=False)

    def reportinfo(self) -> tuple[str, None, str]:
        """Where pytest says that this is."""
        return self.name, None, f"golden folder {self.name}"


@pytest.fixture
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Golden:
    """Compile and run a program, check its results, and compare with the test's golden files: see :class:`Golden`."""
    config = request.config
    return Golden(
        folder=_golden_dir(config) / _folder_name(request.node),
        build_folder=tmp_path / "dacecache",
        root=config.rootpath,
        update=bool(config.getoption("update_golden")),
    )


def pytest_report_header(config: pytest.Config) -> Sequence[str]:
    """Say it when golden files are written."""
    return ["golden files: being written"] if config.getoption("update_golden") else []
