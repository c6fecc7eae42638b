"""Copies of temporaries disappear in the maps around them, where nobody can tell the difference."""

from __future__ import annotations

import dataclasses

import pytest
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.forward_copies import ForwardCopies
from dace_ipu.tile_graph.nodes import Copy, Range, Repeat, Slice

ARRAYS = variables(t="N", u="N, M", x="N", y="N", z="N")


def copy(target: str, source: str) -> Copy:
    """``copy("y[0:N]", "t[0:N]")``."""
    return Copy(box(source), box(target))


def box(text: str) -> Slice:
    name, ranges = text.rstrip("]").split("[")
    return Slice(name, tuple(_range(*part.split(":")) for part in ranges.split(",")))


def _range(begin: str, end: str, step: str = "1") -> Range:
    return Range(expr(begin), expr(end), int(step))


def folded(*steps, arrays=ARRAYS) -> list[str]:
    return [line.strip() for line in steps_of(ForwardCopies().apply(graph(arrays, *steps)))]


ALL = copy("y[0:N]", "t[0:N]")


class TestResults:
    def test_go_straight_to_where_they_are_copied(self):
        step = map_step("t[i] = x[i] + y[i]", name="add_t", i="N")
        result = ForwardCopies().apply(graph(ARRAYS, step, ALL))
        assert steps_of(result) == ["add_y: for i in 0:N { y[i] = x[i] + y[i] }"]
        assert [variable.name for variable in result.variables] == ["x", "y"]

    def test_go_into_a_part_of_the_target(self):
        step = map_step("t[i] = x[i]", i="N")
        assert folded(step, copy("u[0:N, 3:4]", "t[0:N]"))[-1].startswith("u[0:N, 3:4]"), "another shape"
        arrays = variables(t="N - 2", x="N", y="N")
        step = map_step("t[i] = x[i] + x[i + 1] + x[i + 2]", i="N - 2")
        assert folded(step, copy("y[1:N - 1]", "t[0:N - 2]"), arrays=arrays) == [
            "work: for i in 0:N - 2 { y[i + 1] = x[i] + x[i + 1] + x[i + 2] }"
        ]

    def test_also_inside_of_loops_and_past_other_steps(self):
        other = map_step("z[i] = 1", name="other", i="N")
        lines = folded(Repeat(expr("M"), (map_step("t[i] = x[i]", i="N"), other, ALL)))
        assert lines[1:3] == ["work: for i in 0:N { y[i] = x[i] }", "other: for i in 0:N { z[i] = 1 }"]

    def test_only_whole_words_of_names_change(self):
        step = map_step("t[i] = 1", name="start_t", i="N")
        assert folded(step, ALL) == ["start_y: for i in 0:N { y[i] = 1 }"]

    @pytest.mark.parametrize(
        ("body", "target", "source"),
        [
            ("t[i] = x[i]", "y[0:N - 1]", "t[1:N]"),  # a part: the rest must go nowhere
            ("t[i] = x[i]", "y[0:N:2]", "t[0:N:2]"),
            ("t[i] = y[i] + y[N - 1 - i]", "y[0:N]", "t[0:N]"),  # needs old values of other iterations
            ("t[i] = y[i] + 1\nz[i] = y[i] * 2", "y[0:N]", "t[0:N]"),  # and of its own
            ("y[i] = 1\nt[i] = 2", "y[0:N]", "t[0:N]"),
            ("for k in range(3):\n    t[i] = y[i] + k", "y[0:N]", "t[0:N]"),  # would accumulate
            ("t[i] = 1\nt[i] += x[i]", "y[0:N]", "t[0:N]"),  # set twice
            ("t[i] += x[i]", "y[0:N]", "t[0:N]"),  # needs what was there
        ],
    )
    def test_what_would_change_the_result_stays(self, body, target, source):
        lines = folded(map_step(body, i="N"), copy(target, source))
        assert lines[-1] == f"{target} = {source}"

    def test_a_step_in_between_that_uses_the_target(self):
        lines = folded(map_step("t[i] = x[i]", i="N"), map_step("z[i] = y[i]", name="reads", i="N"), ALL)
        assert lines[-1] == "y[0:N] = t[0:N]"

    def test_a_second_use_of_the_temporary(self):
        lines = folded(map_step("t[i] = x[i]", i="N"), ALL, copy("z[0:N]", "t[0:N]"))
        assert len(lines) == 3

    def test_what_outlives_the_program_is_kept(self):
        arrays = tuple(dataclasses.replace(v, persistent=v.name == "t") for v in ARRAYS)
        assert len(folded(map_step("t[i] = x[i]", i="N"), ALL, arrays=arrays)) == 2


class TestSeveralWriters:
    ARRAYS = variables(s="1", v="3", w="int32 1", A="N", u="N, M")
    START, ADD = map_step("s[0] = 0", name="start_s"), map_step("s[0] += A[i]", name="add_s", i="N")
    PUT = map_step("v[2] = s[0]", name="put")

    def test_all_of_them_use_the_target(self):
        assert folded(self.START, self.ADD, self.PUT, arrays=self.ARRAYS) == [
            "start_v: { v[2] = 0 }",
            "add_v: for i in 0:N { v[2] += A[i] }",
        ]

    def test_elements_of_arrays_of_any_rank(self):
        put = map_step("u[1, 2] = s[0]", name="put")
        assert folded(self.START, self.ADD, put, arrays=self.ARRAYS)[-1] == "add_u: for i in 0:N { u[1, 2] += A[i] }"

    @pytest.mark.parametrize(
        "steps",
        [
            (START, ADD, map_step("w[0] = s[0]", name="put")),  # a conversion
            (START, ADD, map_step("v[2] = s[0] + 1", name="put")),
            (START, ADD, PUT, map_step("A[i] = s[0]", name="later", i="N")),
            (START, map_step("s[0] += A[i] * v[0]", name="add", i="N"), PUT),  # reads what would change
            (Repeat(expr("N"), (ADD, PUT)),),  # goes on from the turn before
        ],
    )
    def test_what_would_change_the_result_stays(self, steps):
        assert any(
            "s[0]" in line and ("v[2] =" in line or "w[0] =" in line) for line in folded(*steps, arrays=self.ARRAYS)
        )

    def test_inside_of_a_loop(self):
        lines = folded(Repeat(expr("N"), (self.START, self.ADD, self.PUT)), arrays=self.ARRAYS)
        assert lines[1:3] == ["start_v: { v[2] = 0 }", "add_v: for i in 0:N { v[2] += A[i] }"]


class TestOperands:
    def test_are_read_from_where_they_are(self):
        steps = (copy("t[0:N]", "x[0:N]"), map_step("y[i] = t[i]", name="first", i="N"))
        assert folded(*steps, map_step("z[i] = t[N - 1 - i]", name="second", i="N")) == [
            "first: for i in 0:N { y[i] = x[i] }",
            "second: for i in 0:N { z[i] = x[N - i - 1] }",
        ]

    def test_that_are_one_element(self):
        lines = folded(copy("t[0:1]", "x[3:4]"), map_step("y[i] = t[0]", i="N"))
        assert lines == ["work: for i in 0:N { y[i] = x[3] }"]

    def test_that_are_strided(self):
        lines = folded(copy("t[0:M]", "x[1:2 * M:2]"), map_step("y[i] = t[i]", i="M"))
        assert lines == ["work: for i in 0:M { y[i] = x[2 * i + 1] }"]

    @pytest.mark.parametrize(
        "steps",
        [
            (map_step("x[i] = t[N - 1 - i]", i="N"),),  # its source is overwritten by the reader
            (map_step("x[i] = 1", i="N"), map_step("y[i] = t[i]", name="reads", i="N")),  # or before it
            (map_step("t[i] = t[i] + 1", i="N"),),  # it is not only read
            (copy("y[0:N]", "t[0:N]"),),  # not by a map
            (Repeat(expr("M"), (map_step("y[i] = t[i]", i="N"),)),),
        ],
    )
    def test_that_need_a_copy_keep_it(self, steps):
        assert folded(copy("t[0:N]", "x[0:N]"), *steps)[0] == "t[0:N] = x[0:N]"

    def test_what_is_spread_out_in_the_temporary(self):
        assert folded(copy("t[0:N:2]", "x[0:N:2]"), map_step("y[i] = t[i]", i="N"))[0] == "t[0:N:2] = x[0:N:2]"
