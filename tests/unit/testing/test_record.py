"""What is recorded of a program."""

from __future__ import annotations

import json
from pathlib import Path

import dace
import numpy as np
import pytest

from dace_ipu.profile import Report
from dace_ipu.testing.record import _portable, expected_values, profile_text, record

N = dace.symbol("N")


@dace.program
def scaled(x: dace.float32[N], y: dace.float32[N]):
    for i in dace.map[0:N]:
        y[i] = 2 * x[i]


def test_expected_values_come_from_a_function_that_works_on_copies():
    def twice(x, y):
        y[:] = 2 * x
        return y.sum(), 5

    arguments = {"x": np.ones(2), "y": np.zeros(2)}
    values = expected_values(twice, arguments)
    assert {name: value.tolist() for name, value in values.items()} == {
        "x": [1, 1], "y": [2, 2], "__return_0": 4, "__return_1": 5,
    }  # fmt: skip
    assert arguments["y"].tolist() == [0, 0]


def test_expected_values_come_from_a_mapping():
    assert expected_values({"y": [1, 2]}, {})["y"].tolist() == [1, 2]


def test_the_profile_has_no_seconds_and_one_line_for_each_flat_object():
    data = {"name": "p", "builds": [{"reason": "first → call", "seconds": 0.123}], "programs": []}
    text = profile_text(Report("p", (), (), data))
    assert text == '{\n "name": "p",\n "builds": [\n  {"reason": "first → call"}\n ],\n "programs": []\n}\n'
    assert json.loads(text)["programs"] == []
    assert data["builds"][0]["seconds"] == 0.123


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("// prog.py:40   y = x", "// prog.py:3   y = x"),
        ("map 'y' (/programs/project/src/prog.py:38) runs", "map 'y' (src/prog.py:1) runs"),
        ("// other.py:40", "// other.py:40"),
        ("// my_prog.py:40", "// my_prog.py:40"),
        ("x[38:40]", "x[38:40]"),
    ],
)
def test_text_depends_on_neither_the_folder_nor_the_place_in_the_file(tmp_path, text, want):
    assert _portable(text, Path("/programs/project"), ("prog.py", 38)) == want


def test_a_program_is_run_once_on_the_simulator(tmp_path):
    arguments = {"x": np.arange(12, dtype=np.float32), "y": np.zeros(12, np.float32)}
    made = record(scaled, dict(arguments), {"N": 12}, tmp_path / "build", tmp_path)
    assert sorted(made.texts) == ["codelets.cpp", "host.cpp", "profile.json", "tile_graph.txt"]
    assert made.texts["tile_graph.txt"].startswith("program scaled(N: ")
    assert all("test_record" not in text.replace("test_record.py:", "") for text in made.texts.values())
    assert "test_record.py:3   for i in dace.map" in made.texts["codelets.cpp"]
    assert list(made.outputs) == ["y"]
    np.testing.assert_array_equal(made.outputs["y"], 2 * arguments["x"])
    assert arguments["y"].sum() == 0
    assert json.loads(made.texts["profile.json"])["programs"][0]["runs"] == 1
