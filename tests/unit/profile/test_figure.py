"""The figure of a report."""

from __future__ import annotations

import json
import sys

import pytest
from profile_sample import report

from dace_ipu.profile import ReportError
from dace_ipu.profile.reader import read_report


@pytest.fixture
def sample():
    return read_report(json.dumps(report()))


def test_the_figure_shows_phases_in_order_and_bytes_per_tile(sample):
    pytest.importorskip("matplotlib")
    steps, tiles = sample.figure().axes
    lengths = [bar.get_width() for bar in steps.patches if bar.get_width()]
    assert lengths == pytest.approx([0.06, 0.04, 0.2, 0.1, 0.6])  # x_in: sync, host; update_y: sync, exchange, compute
    assert [text.get_text() for text in steps.texts] == ["x_in -> x", "update_y"]
    assert tiles.get_xlabel() == "tile"
    assert tiles.collections[0].get_datalim(tiles.transData).y1 == 500


def test_the_figure_can_be_saved_and_shown_in_a_notebook(sample, tmp_path):
    pytest.importorskip("matplotlib")
    sample.save_figure(tmp_path / "report.png")
    signature = b"\x89PNG"
    assert (tmp_path / "report.png").read_bytes()[:4] == signature
    assert sample._repr_png_()[:4] == signature


def test_a_missing_matplotlib_is_named(sample, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ReportError, match=r"a figure needs matplotlib: pip install 'dace-ipu\[report\]'"):
        sample.figure()
    assert sample._repr_png_() is None


def test_a_program_that_does_not_exist_cannot_be_drawn(sample):
    pytest.importorskip("matplotlib")
    with pytest.raises(ReportError, match="the report of 'axpy' has 1 programs, no number 1"):
        sample.figure(program=1)


def test_hardware_cannot_be_drawn():
    pytest.importorskip("matplotlib")
    data = report()
    data["programs"][0]["profile"] = None
    with pytest.raises(ReportError, match="there is no profile to draw"):
        read_report(json.dumps(data)).figure()
