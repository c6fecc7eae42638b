"""From JSON to typed reports, and what is said about JSON that is something else."""

from __future__ import annotations

import json

import pytest
from profile_sample import PROFILE, profile, report

from dace_ipu.profile import ReportError, open_report
from dace_ipu.profile.reader import read_report
from dace_ipu.profile.schema import Build, VariableUse


def test_a_report_is_read_into_its_fields():
    read = read_report(json.dumps(report()))
    assert read.name == "axpy"
    assert read.builds[1] == Build("axpy", "N=50", "N changed 20 → 50", 0.25)
    (program,) = read.programs
    assert (program.program, program.symbols, program.runs) == ("axpy", "N=50", 2)
    assert program.notes == ("map 'y' runs on one tile: it is tiny",)
    assert read.data == report()


def test_a_profile_is_read_into_its_fields():
    made = read_report(json.dumps(report())).programs[0].profile
    assert made is not None
    assert (made.target.num_ipus, made.target.tiles_per_ipu, made.target.bytes_per_tile) == (1, 4, 1000)
    assert (made.graph.compute_sets, made.cycles.exchange, made.runs) == (1, 100, 2)
    assert (made.steps[1].compute_cycles, made.steps[1].cycles, made.steps[1].balance) == (600, 900, 0.75)
    assert made.memory.largest_variables_of_max_tile[0] == VariableUse("x", 200)
    assert made.memory.by_category_of_max_tile == {"variables": 300, "stack": 200, "constants": 0}
    assert made.memory.per_tile == (200, 200, 500, 200)
    assert made.vertex_types[0].estimate_source == "code"
    assert made.vertex_types[0].set_perf_estimate == 1200
    assert made.microseconds(500) == 0.5


def test_a_profile_alone_becomes_a_report_called_after_its_file(tmp_path):
    path = tmp_path / "tutorial.json"
    path.write_text(json.dumps(PROFILE), encoding="utf-8")
    read = open_report(path)
    assert (read.name, read.builds, read.programs[0].runs) == ("tutorial", (), 2)
    assert read.programs[0].profile is not None


def test_notes_may_be_missing_and_unknown_keys_are_ignored():
    data = report()
    del data["programs"][0]["notes"]
    data["programs"][0]["color"] = "red"
    assert read_report(json.dumps(data)).programs[0].notes == ()


def test_hardware_has_no_profile():
    data = report()
    data["programs"][0]["profile"] = None
    assert read_report(json.dumps(data)).programs[0].profile is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("schema", 1, "programs[0].profile has schema 1; this version of dace_ipu reads schema 2"),
        ("graph.edges", "two", 'programs[0].profile.graph.edges is "two", not a number'),
        ("graph.edges", True, "programs[0].profile.graph.edges is true, not a number"),
        ("graph.edges", 1.5, "programs[0].profile.graph.edges is 1.5, not an integer"),
        ("steps.1.balance", None, "programs[0].profile.steps[1].balance is null, not a number"),
        ("steps", {}, "programs[0].profile.steps is {}, not a list"),
        ("cycles", [], "programs[0].profile.cycles is [], not an object"),
        ("target.name", 3, "programs[0].profile.target.name is 3, not a text"),
        ("memory.byCategoryOfMaxTile", 3, "programs[0].profile.memory.byCategoryOfMaxTile is 3, not an object"),
        ("memory", {"maxTile": 1}, "programs[0].profile.memory has no 'maxBytes'"),
    ],
)
def test_a_fault_is_named_with_its_place(path, value, message):
    with pytest.raises(ReportError) as error:
        read_report(json.dumps(profile(path, value)))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is no JSON: "),
        ("[]", "this is no profile of the simulator, and no report: it has neither 'steps' nor 'programs'"),
        ('{"nodes": 3}', "this is no profile of the simulator, and no report: it has neither 'steps' nor 'programs'"),
        ('{"programs": []}', "name is null, not a text"),
    ],
)
def test_other_files_are_refused(tmp_path, text, message):
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReportError) as error:
        open_report(path)
    assert str(error.value).startswith(f"{path}: {message}")


def test_folders_and_the_sdks_file_name_stand_for_the_profile(tmp_path):
    (tmp_path / "profile.json").write_text(json.dumps(PROFILE), encoding="utf-8")
    assert open_report(tmp_path).programs[0].runs == 2
    assert open_report(tmp_path / "profile.pop").data["name"] == "profile"


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(ReportError, match="cannot read .*none.json: .*No such file"):
        open_report(tmp_path / "none.json")
