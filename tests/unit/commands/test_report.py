"""``dace-ipu report`` prints a saved profile."""

from __future__ import annotations

import argparse
import json

import pytest

from dace_ipu.commands import report

PROFILE = {
    "name": "axpy",
    "builds": [{"program": "axpy", "symbols": "", "reason": "first call", "seconds": 0.5}],
    "programs": [{"program": "axpy", "symbols": "", "runs": 1, "profile": None}],
}


@pytest.fixture
def command():
    """Run the command with these arguments."""
    parser = argparse.ArgumentParser()
    report.add_parser(parser.add_subparsers())
    return lambda *arguments: report.run(parser.parse_args(["report", *map(str, arguments)]))


def test_it_prints_the_text(command, tmp_path, capsys):
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(PROFILE), encoding="utf-8")
    assert command(path) == 0
    assert capsys.readouterr().out.startswith("IPU report of 'axpy'\n")


def test_it_names_what_is_wrong(command, tmp_path, capsys):
    assert command(tmp_path / "none.json") == 1
    assert capsys.readouterr().err.startswith("dace-ipu report: cannot read ")


def test_a_figure_that_cannot_be_drawn_is_an_error(command, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(PROFILE), encoding="utf-8")
    assert command(path, "--figure", tmp_path / "report.png") == 1
    assert "dace-ipu report: 'axpy' did not run on the simulator" in capsys.readouterr().err
    assert not (tmp_path / "report.png").exists()
