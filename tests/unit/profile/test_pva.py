"""Profiles under the names of Graphcore's libpva, used as public scripts use them."""

from __future__ import annotations

import json

import pytest
from profile_sample import profile, report

import dace_ipu.profile as pva
from dace_ipu.profile.reader import read_report


@pytest.fixture
def opened(tmp_path):
    (tmp_path / "profile.json").write_text(json.dumps(profile()), encoding="utf-8")
    return pva.openReport(str(tmp_path / "profile.pop"))


def test_target_graph_and_version(opened):
    target, graph = opened.compilation.target, opened.compilation.graph
    assert (target.numTiles, target.numIPUs, target.tilesPerIpu, target.clockFrequency) == (4, 1, 4, 1e9)
    assert (target.bytesPerTile, target.bytesPerIPU, target.totalMemory) == (1000, 4000, 4000)
    assert (graph.numComputeSets, graph.numVertices, graph.numEdges, graph.numVars) == (1, 3, 6, 2)
    assert opened.poplarVersion.string == "3.3.0 (dace_ipu simulator)"


def test_memory_of_tiles(opened):
    tiles = opened.compilation.tiles
    assert [tile.memory.total.includingGaps for tile in tiles] == [200, 200, 500, 200]
    assert [tile.memory.total.excludingGaps for tile in tiles] == [190, 190, 480, 190]
    memory = tiles[2].memory
    assert (memory.alwaysLiveBytes, memory.notAlwaysLiveBytes) == (400, 80)
    assert (memory.category.variables, memory.category.stack, memory.category.constants) == (430, 50, 0)
    assert (memory.interleaved.excludingGaps, memory.overflowed.excludingGaps) == (80, 0)


def test_steps_runs_and_their_cycles(opened):
    execution = opened.execution
    assert sum(step.ipus[0].cycles for step in execution.steps) == execution.totalCycles == 1000
    assert [(step.name, step.count, step.cycles) for step in execution.steps][1] == ("update_y", 2, 900)
    assert [run.cycles for run in execution.runs] == [450, 550]
    assert execution.runs[0].program.name == "main"


def test_programs_are_visited_by_kind(opened):
    class Visitor(pva.ProgramVisitor):
        def __init__(self):
            self.seen = []

        def visitOnTileExecute(self, program):
            self.seen.append((program.name, len(program.computeset.vertices), program.computeset.vertices[0].type.name))

    visitor = Visitor()
    for step in opened.execution.steps:
        step.program.accept(visitor)
    assert visitor.seen == [("update_y", 3, "update_y")]
    (main,) = opened.compilation.programs
    assert [(child.type, child.count) for child in main.children] == [("StreamCopyMid", 1), ("Repeat", 2)]
    with pytest.raises(pva.ReportError, match="'main' .Sequence. executes no compute set"):
        main.computeset  # noqa: B018


def test_liveness(opened):
    assert [(v.name, v.size) for v in opened.compilation.alwaysLiveVariables] == [("x", 800)]
    assert [step.notAlwaysLiveMemory.bytes for step in opened.compilation.livenessProgramSteps] == [110]


def test_a_report_without_a_profile_says_so():
    data = report()
    data["programs"][0]["profile"] = None
    with pytest.raises(pva.ReportError, match="'axpy' has no profile: it did not run on the simulator"):
        read_report(json.dumps(data)).compilation  # noqa: B018
    data = report()
    del data["programs"][0]["profile"]["variables"]
    with pytest.raises(pva.ReportError, match="the profile of 'axpy' has no 'variables'"):
        read_report(json.dumps(data)).execution  # noqa: B018
