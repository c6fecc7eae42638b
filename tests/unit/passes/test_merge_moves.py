"""Conditions at borders become one copy, which does what the steps did, whatever the sizes are."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy
from pass_graphs import expr, graph, map_step, steps_of, variables

from dace_ipu.passes.merge_moves import MergeMoves
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.nodes import Copy, CopyIn, CopyOut, HostArray, Moves, Range, Repeat, Slice, walk_steps
from dace_ipu.tile_graph.spec import check

ARRAYS = variables(r="1, M", n="int32 N", p="N, M", q="N, M", t0="N, 1", t1="1, M", t2="N, 1", t3="1, M")
INTERIOR = "p[i + 1, j + 1] = q[i, j + 1] + q[i + 2, j + 1]"


def box(text: str) -> Slice:
    """``p[0:N, M - 1]``."""
    name, ranges = text.rstrip("]").split("[")
    ends = [part.split(":") if ":" in part else (part, f"{part} + 1") for part in ranges.split(",")]
    return Slice(name, tuple(Range(expr(begin), expr(end)) for begin, end in ends))


def by_way_of(temporary: str, target: str, source: str) -> tuple[Copy, Copy]:
    """A copy within an array as lowering makes it."""
    whole = box({"t0": "t0[0:N, 0]", "t1": "t1[0, 0:M]", "t2": "t2[0:N, 0]", "t3": "t3[0, 0:M]"}[temporary])
    return Copy(box(source), whole), Copy(whole, box(target))


def merged(*steps, arrays=ARRAYS) -> list[str]:
    result = MergeMoves().apply(graph(arrays, *steps))
    check(result, level=1)
    return [line.strip() for line in steps_of(result)]


def most_at_once(*steps) -> int:
    """The number of moves in the largest of the copies that steps become."""
    result = MergeMoves().apply(graph(ARRAYS, *steps))
    return max((len(step.moves) for step in walk_steps(result.steps) if isinstance(step, Moves)), default=0)


class TestOneCopy:
    def test_replaces_copies_within_an_array_and_constants(self):
        right = by_way_of("t0", "p[0:N, M - 1]", "p[0:N, M - 2]")
        top = by_way_of("t1", "p[0, 0:M]", "p[1, 0:M]")
        lines = merged(*right, *top, map_step("p[N - 1, j] = 0", j="M"))
        assert lines[:7] == [
            "if (M >= 2) and (N >= 3) when built {",
            "at once {",
            "p[1:N - 1, M - 1:M] = p[1:N - 1, M - 2:M - 1]",
            "p[0:1, M - 1:M] = p[1:2, M - 2:M - 1]",
            "p[0:1, 0:M - 1] = p[1:2, 0:M - 1]",
            "p[N - 1:N, 0:M] = 0",
            "}",
        ]
        assert (
            lines[7:]
            == [
                "} else {",
                "t0[0:N, 0:1] = p[0:N, M - 2:M - 1]",
                "p[0:N, M - 1:M] = t0[0:N, 0:1]",
                "t1[0:1, 0:M] = p[1:2, 0:M]",
                "p[0:1, 0:M] = t1[0:1, 0:M]",
                "at once {",
                "p[N - 1:N, 0:M] = 0",
                "}",
                "}",
            ]
            or lines[7] == "}"
        )

    def test_of_known_sizes_needs_no_choice(self):
        arrays = variables(p="8, 9", t0="8, 1")
        copies = Copy(box("p[0:8, 7]"), box("t0[0:8, 0]")), Copy(box("t0[0:8, 0]"), box("p[0:8, 8]"))
        result = MergeMoves().apply(graph(arrays, *copies))
        assert steps_of(result) == ["at once {", "  p[0:8, 8:9] = p[0:8, 7:8]", "}"]
        assert [variable.name for variable in result.variables] == ["p"]

    def test_stands_inside_of_loops(self):
        loop = Repeat(expr("K"), by_way_of("t0", "p[0:N, 0]", "p[0:N, 1]"))
        assert "p[0:N, 0:1] = p[0:N, 1:2]" in merged(loop)

    def test_waits_for_later_ones_that_read_what_lies_between(self):
        first = map_step("p[N - 1, j] = 0", "first", j="M")
        lines = merged(
            first,
            map_step(INTERIOR, "interior", i="N - 2", j="M - 2"),
            *by_way_of("t0", "p[0:N, 0]", "p[0:N, 1]"),
        )
        assert lines[0].startswith("interior:")
        assert {"p[N - 1:N, 1:M] = 0", "p[0:N - 1, 0:1] = p[0:N - 1, 1:2]", "p[N - 1:N, 0:1] = 0"} <= set(lines)

    def test_knows_lines_with_a_dimension_of_one(self):
        constant = map_step("p[N - 1 + i, j] = 0", i="1", j="M")
        assert "p[N - 1:N, 0:M] = 0" in merged(*by_way_of("t0", "p[0:N, 0]", "p[0:N, 1]"), constant)

    def test_goes_behind_maps_of_other_elements(self):
        first, second = map_step("p[0, j] = 0", "first", j="M"), map_step("p[N - 1, j] = 1", "second", j="M")
        lines = merged(first, map_step(INTERIOR, "interior", i="N - 2", j="M - 2"), second)
        assert lines[0].startswith("interior:")
        assert {"p[0:1, 0:M] = 0", "p[N - 1:N, 0:M] = 1"} <= set(lines)

    def test_takes_single_elements_along(self):
        arrays = (*ARRAYS, *variables(s="K"))
        first, second = map_step("p[0, j] = s[K - 1]", "first", j="M"), map_step("p[i, 0] = 1", "second", i="N")
        assert {"p[0:1, 1:M] = s[K - 1:K]", "p[0:N, 0:1] = 1"} <= set(merged(first, second, arrays=arrays))

    @pytest.mark.parametrize("value", ["2", "s[0]"])
    def test_needs_no_second_one_along_what_a_map_computes(self, value):
        arrays = (*ARRAYS, *variables(s="K"))
        border = map_step(f"p[0, j] = {value}", "border", j="M")
        assert "at once {" in merged(border, map_step(INTERIOR, "interior", i="N - 2", j="M - 2"), arrays=arrays)
        assert "at once {" not in merged(border, arrays=arrays)


class TestSteps:
    @pytest.mark.parametrize(
        "between",
        [
            map_step("q[i, j] = p[i, j]", "between", i="N", j="M"),  # reads what is written
            map_step("p[0, j] = 1 + q[0, j]", "between", j="M"),  # writes the same
            Repeat(expr("K"), (map_step("p[i, j] = 1", "between", i="N", j="M"),)),
        ],
    )
    def test_stay_where_others_touch_the_same_elements(self, between):
        first, second = map_step("p[0, j] = 0", "first", j="M"), map_step("p[N - 1, j] = 1", "second", j="M")
        assert most_at_once(first, between, second) < 2

    @pytest.mark.parametrize(
        "step",
        [
            map_step("p[0, 0] = 0"),
            map_step("p[i, j] = 0", i="N", j="M"),  # no border
            map_step("p[0, j] = q[0, j]", j="M"),
            map_step("p[0, j] += 1", j="M"),
            map_step("p[j, j] = 0", j="M"),
            map_step("r[0, j] = 0", j="M"),  # all of the array
            map_step("p[0, j] = n[0]", j="M"),  # of another type
            map_step("p[0, j] = q[0, 0] + 1", j="M"),
            map_step("p[0, j] = p[0, 0]", j="M"),
            map_step("p[0, 2 * j] = 0", j="N"),
        ],
    )
    def test_stay_if_they_are_no_constants_of_a_border(self, step):
        assert most_at_once(step, map_step("p[N - 1, j] = 0", "border", j="M")) < 2

    def test_stay_if_a_copy_reads_what_it_writes(self):
        arrays = variables(p="N, M", t="N, M - 1")
        shift = Copy(box("p[0:N, 1:M]"), box("t[0:N, 0:M - 1]")), Copy(box("t[0:N, 0:M - 1]"), box("p[0:N, 0:M - 1]"))
        assert not any("at once" in line for line in merged(*shift, arrays=arrays))

    def test_stay_if_the_temporary_is_used_elsewhere(self):
        copies = by_way_of("t0", "p[0:N, 0]", "p[0:N, 1]")
        assert not any("at once" in line for line in merged(*copies, map_step("q[i, 0] = t0[i, 0]", i="N")))


def random_borders(rng: random.Random) -> list:
    """Steps of random copies within p and q, and constants along their edges."""
    steps, free = [], ["t0", "t1", "t2", "t3"]
    rng.shuffle(free)
    for number in range(rng.randint(2, 6)):
        name, edges = rng.choice("ppq"), rng.sample(["0", "1", "2", "{} - 1", "{} - 2"], 2)
        if free and rng.random() < 0.5:
            temporary = free.pop()
            form = "{name}[0:N, {at}]" if temporary in ("t0", "t2") else "{name}[{at}, 0:M]"
            size = "M" if temporary in ("t0", "t2") else "N"
            target, source = (form.format(name=name, at=edge.format(size)) for edge in edges)
            steps += by_way_of(temporary, target, source)
        elif rng.random() < 0.3:
            step = f"{name}[i + 1, {edges[0].format('M')}] = {rng.choice('pq')}[0, {edges[1].format('M')}]"
            steps.append(map_step(step, f"spread_{number}", i="N - 2"))
        elif rng.random() < 0.5:
            steps.append(map_step(f"{name}[{edges[0].format('N')}, j] = {number}", f"fill_{number}", j="M"))
        else:
            steps.append(map_step(f"{name}[i + 1, {edges[0].format('M')}] = {number}", f"fill_{number}", i="N - 2"))
    return steps


def with_host(program, variables_=("p", "q")):
    """A program whose arrays come from and go to the caller."""
    shape = (expr("N"), expr("M"))
    hosts = tuple(
        HostArray(v.name, v.dtype, shape, (shape[1], sympy.Integer(1)), sympy.Integer(0))
        for v in program.variables
        if v.name in variables_
    )
    names = [host.name for host in hosts]
    steps = (*(CopyIn(n, n) for n in names), *program.steps, *(CopyOut(n, n) for n in names))
    return type(program)(program.name, program.symbols, hosts, program.variables, steps)


@pytest.mark.parametrize("seed", range(25))
def test_results_stay_the_same_for_all_sizes(seed):
    before = with_host(graph(ARRAYS, *random_borders(random.Random(seed)), symbols="N M"))
    after = MergeMoves().apply(before)
    check(after, level=1)
    found = 0
    for n in range(1, 7):
        for m in range(1, 7):
            data = {name: np.arange(n * m, dtype=np.float32).reshape(n, m) + add for name, add in (("p", 0), ("q", 99))}
            want, got = ({name: array.copy() for name, array in data.items()} for _ in range(2))
            try:
                interpreter.run(before, {"N": n, "M": m}, want)
            except interpreter.InterpreterError:
                continue  # an index outside
            interpreter.run(after, {"N": n, "M": m}, got)
            assert all(np.array_equal(want[name], got[name]) for name in want), (n, m)
            found += 1
    assert found >= 16


def test_random_borders_are_merged_often():
    sizes = [most_at_once(*random_borders(random.Random(seed))) for seed in range(25)]
    assert sum(size > 2 for size in sizes) >= 15
