"""Loops on a predicate, branches and choices: what they mean, how they read, what they may not be."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import numpy as np
import pytest
import sympy

from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.body import Access, Code, Store, symbol
from dace_ipu.tile_graph.conditions import comparisons, condition_text, holds
from dace_ipu.tile_graph.draw import to_networkx
from dace_ipu.tile_graph.nodes import (
    Branch,
    Choice,
    CopyIn,
    CopyOut,
    HostArray,
    MapStep,
    RepeatWhile,
    Step,
    TileGraph,
    TileMapping,
    Variable,
    walk_steps,
)
from dace_ipu.tile_graph.printer import step_text
from dace_ipu.tile_graph.spec import SpecError, check

INT, BOOL = np.dtype(np.int32), np.dtype(np.bool_)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
N = symbol("N")


def single(name: str, target: str, text: str) -> MapStep:
    """``target[0] = text``, where x stands for ``x[0]``."""
    reads = (("x", Access("x", (ZERO,))),) if "x" in text else ()
    return MapStep(name, (), (Store(Access(target, (ZERO,)), Code(text, reads)),))


def program(*steps: Step) -> TileGraph:
    """x comes from the host and goes back; p is a predicate."""
    host = HostArray("X", INT, (ONE,), (ONE,), ZERO)
    variables = (Variable("x", INT, (ONE,)), Variable("p", BOOL, (ONE,)))
    return TileGraph("control", (("N", INT),), (host,), variables, (CopyIn("X", "x"), *steps, CopyOut("x", "X")))


def run(graph: TileGraph, x: int, n: int = 0) -> int:
    check(graph, 1)
    array = np.array([x], np.int32)
    interpreter.run(graph, {"N": n}, {"X": array}, tiles=2)
    return int(array[0])


TEST = single("test", "p", "x < 10")
DOUBLE = single("double", "x", "2 * x")
LESS = single("less", "x", "x - 1")


@pytest.mark.parametrize(("start", "end"), [(1, 16), (10, 10), (9, 18)])
def test_a_loop_tests_before_its_body(start: int, end: int) -> None:
    assert run(program(RepeatWhile((TEST,), "p", (DOUBLE,))), start) == end


@pytest.mark.parametrize(("start", "end"), [(1, 16), (10, 20)])
def test_a_loop_that_has_all_in_its_condition_runs_once_at_least(start: int, end: int) -> None:
    assert run(program(RepeatWhile((DOUBLE, TEST), "p", ())), start) == end


@pytest.mark.parametrize(("start", "end"), [(1, 2), (10, 9)])
def test_branch(start: int, end: int) -> None:
    assert run(program(TEST, Branch("p", (DOUBLE,), (LESS,))), start) == end


@pytest.mark.parametrize(("n", "end"), [(3, 8), (5, 3)])
def test_choice(n: int, end: int) -> None:
    assert run(program(Choice(sympy.And(N > 2, sympy.Ne(N, 5)), (DOUBLE,), (LESS,))), 4, n) == end


def test_walking_visits_conditions_and_both_branches() -> None:
    steps = (RepeatWhile((TEST,), "p", (Branch("p", (DOUBLE,), (LESS,)),)),)
    assert [type(step).__name__ for step in walk_steps(steps)] == [
        "RepeatWhile", "MapStep", "Branch", "MapStep", "MapStep",
    ]  # fmt: skip


def test_text() -> None:
    loop = RepeatWhile((TEST,), "p", (Branch("p", (DOUBLE,), (Choice(N > 2, (LESS,)),)),))
    assert step_text(loop) == dedent("""\
        repeat {
          test: { p[0] = x[0] < 10 }
        }
        while p {
          if p {
            double: { x[0] = 2 * x[0] }
          }
          else {
            if N > 2 when built {
              less: { x[0] = x[0] - 1 }
            }
          }
        }""")


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (RepeatWhile((), "q", ()), "control flow on 'q': unknown predicate 'q'"),
        (Branch("x", ()), "control flow on 'x': the predicate 'x' is int32 of the shape (1,), not one bool"),
        (Branch("p", (CopyIn("Q", "x"),)), "control flow on 'p': copy in of 'x': unknown host array 'Q'"),
        (Choice(symbol("M") > 1, ()), "choice: condition 'M': 'M' is not an integer that is known here"),
        (Choice(sympy.Symbol("b"), ()), "choice: condition: 'b' is no combination of comparisons"),
    ],
)
def test_faults(step: Step, fault: str) -> None:
    with pytest.raises(SpecError) as caught:
        check(program(step), 1)
    assert fault in caught.value.faults


def test_bounds_are_made_of_the_symbols_of_the_program() -> None:
    graph = program()
    wrong = replace(graph.variables[0], bounds=(ZERO, symbol("M")), mapping=TileMapping(0))
    with pytest.raises(SpecError, match="bound 'M'"):
        check(replace(graph, variables=(wrong, graph.variables[1])), 1)


def test_drawing_shows_what_control_flow_reads() -> None:
    drawn = to_networkx(program(RepeatWhile((TEST,), "p", (Branch("p", (DOUBLE,)),))))
    kinds = [drawn.nodes[node]["label"] for node in drawn.successors("p")]
    assert sorted(kinds) == ["if", "while"]


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (N > 2, "N > 2"),
        (sympy.Or(N < 1, sympy.Eq(N, 7)), "(N < 1) or (N == 7)"),
        (sympy.Not(sympy.And(N > 2, N < 9), evaluate=False), "not ((N < 9) and (N > 2))"),
    ],
)
def test_conditions_as_text(condition: sympy.Basic, text: str) -> None:
    assert condition_text(condition) == text
    for value in range(12):
        assert holds(condition, {"N": value}) == eval(text, {"N": value})
    assert N in comparisons(condition)
