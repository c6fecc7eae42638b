"""DaCe's faults that are corrected when the package is imported, each with its smallest program."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest
from dace.frontend.common.op_repository import Replacements
from dace.frontend.python.newast import ProgramVisitor
from dace.frontend.python.replacements import operators, reduction, ufunc
from dace.libraries.standard.nodes.reduce import Reduce
from dace.sdfg.state import ConditionalBlock
from dace.transformation.dataflow.redundant_array import RedundantArray, RedundantSecondArray

import dace_ipu  # noqa: F401  corrects DaCe

N = dace.symbol("N")


@dace.program
def guard_in_a_descending_loop(A: dace.float32[9]):
    for i in range(8, 0, -1):
        if i > 2:
            A[i] = A[i - 1] + 1


@dace.program
def guard_in_a_descending_loop_of_symbolic_size(A: dace.float32[N]):
    for i in range(N - 1, 0, -2):
        if i > 2:
            A[i] = A[i - 1] + 1


@dace.program
def guard_in_the_outer_of_two_loops(A: dace.float32[9]):
    for i in range(8, 0, -1):
        for j in range(2):
            if i >= 3:
                A[i] = A[i - 1] + j


def conditionals(sdfg: dace.SDFG) -> int:
    return sum(isinstance(block, ConditionalBlock) for block in sdfg.all_control_flow_blocks())


@pytest.mark.parametrize(
    "program",
    [guard_in_a_descending_loop, guard_in_a_descending_loop_of_symbolic_size, guard_in_the_outer_of_two_loops],
)
def test_guards_in_descending_loops_are_kept(program: Any) -> None:
    assert conditionals(program.to_sdfg(simplify=True)) == 1


def test_guards_that_always_or_never_hold_are_removed() -> None:
    @dace.program
    def superfluous(A: dace.float32[9]):
        for i in range(8, 0, -1):
            if i > 0:
                A[i] = A[i - 1] + 1
            if i > 8:
                A[i] = 0
        for i in range(2, 9):
            if i > 1:
                A[i] = A[i - 1] + 1

    assert conditionals(superfluous.to_sdfg(simplify=True)) == 0


def test_dace_still_has_the_fault() -> None:
    """If this fails, ``dace_ipu.corrections`` has nothing left to do."""
    wrapped = dace.transformation.passes.lift_trivial_if.LiftTrivialIf._loop_iter_ranges
    sdfg = guard_in_a_descending_loop.to_sdfg(simplify=False)
    (guard,) = [block for block in sdfg.all_control_flow_blocks() if isinstance(block, ConditionalBlock)]
    lift = dace.transformation.passes.lift_trivial_if.LiftTrivialIf()
    ((_, first, last),) = wrapped.__wrapped__(lift, guard)
    assert (first, last) == (8, 1)


@pytest.mark.parametrize(
    ("arguments", "operator", "expected", "daces"),
    [
        (("int8", 100), "Mult", "int8", "int64"),
        (("int32", 100), "Mult", "int32", "int64"),
        (("uint32", 3), "FloorDiv", "uint32", "int64"),
        (("uint8",), "USub", "uint8", "int8"),
        (("int8", 1000), "Mult", "int64", "int64"),  # does not fit: NumPy refuses it, DaCe goes on as it did
        (("float32", 2), "Mult", "float32", "float32"),
        (("int32", 2), "Pow", "int32", "float64"),
        (("int64", "int32"), "Pow", "int64", "float64"),
        (("int32", -1), "Pow", "float64", "float64"),  # NumPy refuses it
    ],
)
def test_python_numbers_take_the_type_of_the_other_operand(
    arguments: tuple[Any, ...], operator: str, expected: str, daces: str
) -> None:
    """The last column is what DaCe does by itself: where all are as expected, the correction has nothing left to do."""
    given = [dace.data.Array(getattr(dace, a), [4]) if isinstance(a, str) else a for a in arguments]
    corrected = operators.result_type
    assert corrected(given, operator)[0] == getattr(dace, expected)
    assert corrected.__wrapped__(given, operator)[0] == getattr(dace, daces)


@dace.program
def copied_number(out: dace.float32[2]):
    x = out[0]
    y = x
    y = y + 1
    out[1] = x


@pytest.mark.parametrize("corrected", [True, False])
def test_a_copy_of_a_number_is_no_other_name_for_it(corrected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the correction nothing but ``y`` remains: if that case fails, it has nothing left to do."""
    if not corrected:
        monkeypatch.setattr(ProgramVisitor, "_visit_assign", ProgramVisitor._visit_assign.__wrapped__)
    sdfg = copied_number.to_sdfg(simplify=False)
    assert ("x" in sdfg.arrays) == corrected


@dace.program
def reduced(A: dace.float32[4, 5], C: dace.float32[5]):
    C[:] = dace.reduce(lambda a, b: a + b, A, axis=0)


@pytest.mark.parametrize(("corrected", "identity"), [(True, 0), (False, None)])
def test_a_reduction_that_returns_its_result_has_an_identity(
    corrected: bool, identity: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not corrected:
        monkeypatch.setitem(Replacements._rep, "dace.reduce", Replacements._rep["dace.reduce"].__wrapped__)
    sdfg = reduced.to_sdfg(simplify=False)
    (node,) = [node for node, _ in sdfg.all_nodes_recursive() if isinstance(node, Reduce)]
    assert node.identity == identity


@dace.program
def old_and_new(A: dace.float32[4, 4]):
    old = np.copy(A)
    A[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
    A[0, 0] = np.max(np.abs(A - old))


@pytest.mark.parametrize("corrected", [True, False])
def test_a_copy_that_is_read_late_is_kept(corrected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not corrected:
        original = RedundantSecondArray.can_be_applied.__dace_ipu_original__
        monkeypatch.setattr(RedundantSecondArray, "can_be_applied", original)
    assert ("old" in old_and_new.to_sdfg(simplify=True).arrays) == corrected


def by_way_of_integers() -> dace.SDFG:
    sdfg = dace.SDFG("by_way_of_integers")
    for name in "AB":
        sdfg.add_array(name, [8], dace.float32)
    sdfg.add_transient("whole", [8], dace.int32)
    state = sdfg.add_state()
    whole = state.add_access("whole")
    state.add_nedge(state.add_read("A"), whole, dace.Memlet("A[0:8]"))
    state.add_nedge(whole, state.add_write("B"), dace.Memlet("whole[0:8]"))
    return sdfg


@pytest.mark.parametrize("corrected", [True, False])
def test_a_copy_that_converts_is_kept(corrected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not corrected:
        for match in (RedundantArray, RedundantSecondArray):
            monkeypatch.setattr(match, "can_be_applied", match.can_be_applied.__dace_ipu_original__)
    sdfg = by_way_of_integers()
    sdfg.simplify()
    assert ("whole" in sdfg.arrays) == corrected


@dace.program
def converted_parts(A: dace.float32[N, 6], B: dace.int32[N, 3]):
    whole = np.empty((N, 6), np.int32)
    whole[:] = A
    B[:, 0] = whole[:, 1]
    B[:, 1:3] = whole[:, 0:6:3]


def test_copies_that_convert_are_maps_that_other_backends_compile() -> None:
    A, B = (np.arange(24, dtype=np.float32) * 0.7).reshape(4, 6).copy(), np.zeros((4, 3), np.int32)
    converted_parts.to_sdfg()(A=A, B=B, N=4)
    np.testing.assert_array_equal(B, A.astype(np.int32)[:, [1, 0, 3]])


@dace.program
def counts_and_questions(A: dace.bool_[8], n: dace.int64[2], same: dace.bool_[1]):
    n[0] = np.sum(A)
    n[1] = A.sum()
    same[0] = np.all(A)


@pytest.mark.parametrize("corrected", [True, False])
def test_reductions_have_the_types_of_numpy(corrected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """DaCe's own ``np.sum`` of bools is a bool, and its ``np.all`` starts from False."""
    if not corrected:
        for name in ("sum", "all"):
            monkeypatch.setitem(Replacements._rep, f"numpy.{name}", getattr(reduction, f"_{name}"))
        monkeypatch.setattr(ufunc, "implement_ufunc_reduce", ufunc.implement_ufunc_reduce.__wrapped__)
    sdfg = counts_and_questions.to_sdfg(simplify=False)
    found = [
        (node.identity, state.out_edges(node)[0].data.data)
        for node, state in sdfg.all_nodes_recursive()
        if isinstance(node, Reduce)
    ]
    types = [sdfg.arrays[name].dtype for _, name in found]
    assert types == ([dace.int64, dace.int64, dace.bool_] if corrected else [dace.bool_] * 3)
    assert bool(found[-1][0]) == corrected
