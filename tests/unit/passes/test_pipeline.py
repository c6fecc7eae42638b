"""All passes together: checked after each, dumped on request, and repeatable."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, statements, steps_of, to_text, variables

from dace_ipu import passes
from dace_ipu.tile_graph.dump import VARIABLE
from dace_ipu.tile_graph.nodes import ComputeSet, MapStep, Repeat, TileGraph
from dace_ipu.tile_graph.spec import SpecError, check


def program() -> TileGraph:
    sweep = map_step("a: float32 = A[i]\nb: float32 = A[i + 2]\nA[i + 1] = 0.5 * (a + b)", name="sweep", i="N - 2")
    total = map_step("s[0] += A[i] * A[i]", name="total", i="N")
    return graph(variables(A="N", s="1"), Repeat(expr("M"), (sweep,)), map_step("s[0] = 0", name="zero"), total)


def test_maps_become_vertices_with_a_place_for_everything():
    result = passes.run(program())
    check(result, 2)
    lines = [line.strip() for line in steps_of(result)]
    assert "share i in 0:i_size { A[i] = 0.5 * (A_before[i] + A_before[i + 2]) }" in lines
    assert all(variable.mapping for variable in result.variables)


def test_the_argument_is_left_alone_and_the_result_repeatable():
    before = program()
    text = to_text(before)
    assert to_text(passes.run(before)) == to_text(passes.run(program()))
    assert to_text(before) == text


def test_running_again_changes_nothing():
    once = passes.run(program())
    assert to_text(passes.run(once)) == to_text(once)


def test_every_stage_is_dumped_under_the_name_of_its_pass(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    passes.run(program())
    text = "".join(path.name for path in sorted(tmp_path.rglob("*")))
    assert all(name in text for name in ("lowered", *(step.name for step in passes.PIPELINE)))


def test_passes_have_names_and_say_what_they_do():
    for step in passes.PIPELINE:
        assert step.name
        assert "Before: " in (type(step).__doc__ or ""), step.name
        assert dataclasses.fields(step)[0].name == "name"
        with pytest.raises(dataclasses.FrozenInstanceError):
            step.name = "other"


@dataclasses.dataclass(frozen=True)
class Broken:
    """Reads an array that does not exist."""

    name: str = "broken"

    def apply(self, given: TileGraph) -> TileGraph:
        steps = (MapStep("bad", (), statements("s[0] = nothing[0]")),)
        return dataclasses.replace(given, steps=steps)


def test_a_pass_that_breaks_the_rules_is_found_out(monkeypatch):
    monkeypatch.setattr(passes, "PIPELINE", (Broken(),))
    with pytest.raises(SpecError, match="nothing"):
        passes.run(program())


def test_steps_of_vertices_pass_unchanged():
    once = passes.run(program())
    sets = [step for step in once.steps if isinstance(step, ComputeSet)]
    assert sets == [step for step in passes.run(once).steps if isinstance(step, ComputeSet)]
