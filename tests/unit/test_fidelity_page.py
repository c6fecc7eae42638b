"""docs/fidelity.md shows what bench/fidelity.py measures."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def fidelity(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    return importlib.import_module("fidelity")


def test_the_page_has_every_row_with_its_published_figure(fidelity: ModuleType) -> None:
    page = (ROOT / "docs" / "fidelity.md").read_text()
    for row in fidelity.ROWS:
        lines = [line for line in page.splitlines() if line.startswith(f"| {row.what} |")]
        assert any(f"| {fidelity._number(row.published)} |" in line for line in lines), row


def test_every_row_has_its_program(fidelity: ModuleType) -> None:
    programs = {row.program.split()[0] for row in fidelity.ROWS}
    assert programs == {path.stem for path in fidelity.SOURCES.glob("*.cpp") if not path.stem.endswith("_codelets")}


def test_the_table_is_written_between_its_marks(fidelity: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{fidelity._BEGIN}\nold\n{fidelity._END}\nbehind\n")
    row = fidelity.ROWS[0]
    fidelity.write_markdown([fidelity.Result(row, row.published), fidelity.Result(row, 3 * row.published)], page)
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("before", "behind")
    assert "old" not in lines
    assert "1 of 2 figures are within 20 % of the published ones." in lines
    assert sum("| 3.00 |" in line for line in lines) == 1
