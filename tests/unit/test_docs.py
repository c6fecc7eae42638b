"""The pages under docs/ and the README: generated blocks are up to date, links and paths lead somewhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import dace_ipu.cli
from dace_ipu import config

ROOT = Path(__file__).parents[2]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))


@pytest.fixture
def script() -> ModuleType:
    """docs/make_architecture.py as a module."""
    spec = importlib.util.spec_from_file_location("make_architecture", ROOT / "docs" / "make_architecture.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_architecture_page_shows_what_the_stages_make(script, capsys):
    status = script.main(["--check"])
    assert status == 0, capsys.readouterr().out


def test_check_finds_a_page_that_is_out_of_date(script, tmp_path, monkeypatch, capsys):
    page = tmp_path / "architecture.md"
    old = script.PAGE.read_text(encoding="utf-8").replace("A[i0 + 2]", "A[i0 + 3]")
    page.write_text(old, encoding="utf-8")
    monkeypatch.setattr(script, "PAGE", page)
    assert script.main(["--check"]) == 1
    assert "+      const float32 t = t_2 + A[i0 + 2]" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == old, "--check changes nothing"
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0


def test_a_page_without_one_of_the_blocks_is_refused(script):
    page = "<!-- generated: lowered -->\n<!-- end -->\n"
    assert script.renewed(page, {"lowered": "x"}) == "<!-- generated: lowered -->\nx\n<!-- end -->\n"
    with pytest.raises(ValueError, match="'final'"):
        script.renewed(page, {"lowered": "x", "final": "y"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\((?!https?://)([^)#]+)", re.sub(r"`[^`]*`", "", text))
    assert [target for target in targets if target != "NNNN-title.md" and not (page.parent / target).exists()] == []


def test_files_that_the_architecture_page_names_exist():
    """A file stands in the folder that its section is about, or is named from the package on."""
    package = ROOT / "dace_ipu"
    sections = re.split(r"^## ", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    missing = []
    for section in sections[1:]:
        folder = package / re.findall(r"`([\w/]+)/`", section)[0]
        names = re.findall(r"`([\w/]+\.(?:py|cpp))`", section)
        missing += [name for name in names if not (folder / name).is_file() and not (package / name).is_file()]
    assert len(sections) == 6
    assert missing == []


def test_guide_names_every_command_and_every_key():
    text = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    assert [command for command in dace_ipu.cli.COMMANDS if f"`dace-ipu {command}" not in text] == []
    assert [key for key in vars(config.settings()) if f"`{key}`" not in text] == []
