"""What DaCe's own test programs have found: one program for each kind of fault, against the same function in NumPy."""

from __future__ import annotations

import functools
from typing import Any

import dace
import numpy as np
import pytest

import dace_ipu
from tests.programs.interpreted import interpret, tile_graph
from tests.programs.registry import Maker, registry

N, M = dace.symbol("N"), dace.symbol("M")
f32, i32 = np.float32, np.int32
Values = np.ndarray[Any, Any]
CASES, case = registry()


def numbers(*shape: int) -> Values:
    return (np.arange(np.prod(shape), dtype=f32).reshape(shape) % 7) - 3


@case(lambda: {"A": numbers(6, 4, 5), "B": np.zeros(12, f32)})
@dace.program
def reshaped_part(A: dace.float32[6, 4, 5], B: dace.float32[12]):
    B[:] = np.reshape(A[1:4, 2, 1:5], (12,)) * 2


@case(lambda: {"A": np.zeros(6, f32), "B": np.zeros(6, i32), "C": np.zeros(5, f32)})
@dace.program
def ranges_of_numbers(A: dace.float32[6], B: dace.int32[6], C: dace.float32[5]):
    A[:] = np.arange(1.0, 7.0)
    B[:] = np.arange(3, 15, 2)
    C[:] = np.linspace(0, 2, 5)


@case(lambda: {"A": numbers(40), "B": numbers(20)})
@dace.program
def strided_slices_in_a_map(A: dace.float32[40], B: dace.float32[20]):
    for i in dace.map[0:2]:
        B[i * 10 : (i + 1) * 10 : 2] = A[i * 20 : (i + 1) * 20 : 4]


@dace.program
def normalised(X: dace.float32[N], Y: dace.float32[N]):
    largest = dace.reduce(lambda a, b: max(a, b), X)
    Y[:] = X - largest


@case(lambda: {"A": numbers(2, 3, 5), "B": np.zeros((2, 3, 5), f32), "N": 5, "M": 3})
@dace.program
def a_view_that_is_written_in_maps_in_maps(A: dace.float32[2, M, N], B: dace.float32[2, M, N]):
    for b in dace.map[0:2]:
        part = np.empty((M, N), f32)
        for j in dace.map[0:M]:
            normalised(A[b, j], part[j])
        B[b] = part * 2


@case(lambda: {"A": numbers(8), "B": np.zeros(8, f32)})
@dace.program
def reductions_without_an_identity(A: dace.float32[8], B: dace.float32[8]):
    least = dace.reduce(lambda a, b: min(a, b), A)
    total = dace.reduce(lambda a, b: a + b, A)
    B[:] = A * least + total


@case(lambda: {"A": numbers(4, 6)})
@dace.program
def one_element_of_a_flat_view(A: dace.float32[4, 6]):
    A.flat[9] = 5


@case(lambda: {"A": numbers(20, 3), "bounds": np.array([2, 5, 13, 14], i32)})
@dace.program
def slices_that_data_bounds_in_a_map(A: dace.float32[20, 3], bounds: dace.int32[4]):
    for i in dace.map[0:2]:
        start = bounds[2 * i]
        end = bounds[2 * i + 1]
        A[start:end] = 0


def sparse() -> dict[str, Any]:
    rows, columns = np.array([0, 2, 2, 3, 3], np.uint32), np.array([1, 4, 0], np.uint32)
    return {"rows": rows, "columns": columns, "values": numbers(3), "x": numbers(5), "y": numbers(4)}


@case(sparse)
@dace.program
def unsigned_ranges_that_are_empty(
    rows: dace.uint32[5], columns: dace.uint32[3], values: dace.float32[3], x: dace.float32[5], y: dace.float32[4]
):
    for i in range(4):
        which = columns[rows[i] : rows[i + 1]]
        y[i] = values[rows[i] : rows[i + 1]] @ x[which]


@case(lambda: {"A": np.arange(8, dtype=i32), "B": np.zeros(8, i32)})
@dace.program
def remainders_of_negative_counters(A: dace.int32[8], B: dace.int32[8]):
    for i in range(-4, 4):
        if i % 3 == 1:
            B[i + 4] = A[i % 5]


@case(lambda: {"A": numbers(7), "B": numbers(7) + 0.5, "Q": np.zeros(7, f32), "R": np.zeros(7, f32)})
@dace.program
def functions_with_two_results(A: dace.float32[7], B: dace.float32[7], Q: dace.float32[7], R: dace.float32[7]):
    quotient, remainder = np.divmod(A, B)
    Q[:] = quotient
    R[:] = remainder


@case(lambda: {"A": numbers(7) * 0.75, "P": np.zeros(7, f32), "W": np.zeros(7, f32)})
@dace.program
def parts_of_fractions(A: dace.float32[7], P: dace.float32[7], W: dace.float32[7]):
    part, whole = np.modf(A)
    P[:] = part
    W[:] = whole


@case(lambda: {"A": numbers(4), "flag": False})
@dace.program
def a_comparison_with_a_truth_value(A: dace.float32[4], flag: dace.bool_):
    if flag is False:
        A[:] = A + 1
    if flag is not False:
        A[:] = 0


@pytest.mark.parametrize(("program", "make"), CASES, ids=[program.f.__name__ for program, _ in CASES])
def test_as_numpy(program: Any, make: Maker) -> None:
    got, want = make(), make()
    interpret(program.to_sdfg(), **got)
    names: dict[str, Any] = {
        **program.f.__globals__,
        "N": want.pop("N", 0),
        "M": want.pop("M", 0),
        "normalised": _normalised,
        "dace": _Reductions,
    }
    type(program.f)(program.f.__code__, names)(**want)
    for name, array in want.items():
        np.testing.assert_allclose(got[name], array, rtol=1e-6, err_msg=name)


class _Reductions:
    """What the programs use of DaCe, in NumPy."""

    @staticmethod
    def reduce(function: Any, values: Values) -> Any:
        return functools.reduce(function, values)

    map = dace.map


def _normalised(X: Values, Y: Values) -> None:
    Y[:] = X - X.max()


def test_a_symbol_without_a_type_has_that_of_what_is_assigned() -> None:
    sdfg = dace.SDFG("undeclared")
    sdfg.add_array("A", [4], dace.float32)
    first, second = sdfg.add_state(is_start_block=True), sdfg.add_state()
    tasklet = second.add_tasklet("assign", {}, {"a": None}, "a = i")
    second.add_edge(tasklet, "a", second.add_write("A"), None, dace.Memlet("A[0]"))
    sdfg.add_edge(first, second, dace.InterstateEdge(assignments={"i": "A[1]"}))
    A = np.array([0, 0.25, 0, 0], f32)
    interpret(sdfg, A=A)
    assert A[0] == f32(0.25)


def test_a_remainder_in_a_memlet_is_that_of_c() -> None:
    sdfg = dace.SDFG("memlet_remainder")
    sdfg.add_array("A", [8], dace.int32)
    sdfg.add_array("B", [8], dace.int32)
    sdfg.add_state().add_mapped_tasklet(
        "m", {"i": "0:8"}, {"a": dace.Memlet("A[4 + (i - 5) % 3]")}, "b = a", {"b": dace.Memlet("B[i]")},
        external_edges=True,
    )  # fmt: skip
    A, B = np.arange(8, dtype=i32), np.zeros(8, i32)
    interpret(sdfg, A=A, B=B)
    np.testing.assert_array_equal(B, [A[4 + int(np.fmod(i - 5, 3))] for i in range(8)])


def test_maps_without_connectors_for_their_arrays() -> None:
    """DaCe fills in the connectors of maps when it compiles."""
    sdfg = dace.SDFG("no_connectors")
    sdfg.add_array("A", [5], dace.float32)
    sdfg.add_array("B", [5], dace.float32)
    state = sdfg.add_state()
    entry, exit_ = state.add_map("m", {"i": "0:5"})
    tasklet = state.add_tasklet("t", {"a": None}, {"b": None}, "b = a + 1")
    state.add_edge(state.add_read("A"), None, entry, None, dace.Memlet("A[0:5]"))
    state.add_edge(entry, None, tasklet, "a", dace.Memlet("A[i]"))
    state.add_edge(tasklet, "b", exit_, None, dace.Memlet("B[i]"))
    state.add_edge(exit_, None, state.add_write("B"), None, dace.Memlet("B[0:5]"))
    A, B = numbers(5), np.zeros(5, f32)
    interpret(sdfg, A=A, B=B)
    np.testing.assert_array_equal(B, A + 1)


def test_what_a_memlet_claims_is_not_what_is_written() -> None:
    """Three iterations write the same third of B, and their memlets name all of it."""
    inner = dace.SDFG("inner")
    for name in "AB":
        inner.add_array(name, [2, 3], dace.float32)
    inner.add_state().add_mapped_tasklet(
        "t", {"k": "0:2"}, {"a": dace.Memlet("A[k, 0]")}, "b = a", {"b": dace.Memlet("B[k, 0]")}, external_edges=True
    )
    sdfg = dace.SDFG("claims")
    for name in "AB":
        sdfg.add_array(name, [2, 3], dace.float32)
    state = sdfg.add_state()
    entry, exit_ = state.add_map("m", {"j": "0:3"})
    node = state.add_nested_sdfg(inner, {"A": None}, {"B": None})
    state.add_memlet_path(state.add_read("A"), entry, node, dst_conn="A", memlet=dace.Memlet("A[0:2, j]"))
    state.add_memlet_path(node, exit_, state.add_write("B"), src_conn="B", memlet=dace.Memlet("B[0:2, j]"))
    A, B = numbers(2, 3), np.full((2, 3), 7, f32)
    interpret(sdfg, A=A, B=B)
    np.testing.assert_array_equal(B, np.where([True, False, False], A, f32(7)))


def test_constants_of_all_types() -> None:
    sdfg = dace.SDFG("constants")
    sdfg.add_array("A", [4], dace.float64)
    sdfg.add_constant("table", np.array([0.5, 1.5, 2.5, 3.5]))
    sdfg.add_constant("size", np.int32(3))
    sdfg.add_state().add_mapped_tasklet(
        "m", {"i": "0:size"}, {"a": dace.Memlet("A[i]")}, "b = a + table[i]", {"b": dace.Memlet("A[i]")},
        external_edges=True,
    )  # fmt: skip
    graph = tile_graph(sdfg, float64="float32")
    assert {variable.name: variable.dtype.name for variable in graph.variables}["table"] == "float32"


def test_a_container_with_a_constant_value() -> None:
    sdfg = dace.SDFG("constant_container")
    sdfg.add_array("A", [4], dace.float32)
    sdfg.add_scalar("c", dace.float32, transient=True)
    sdfg.add_constant("c", f32(1.5), sdfg.arrays["c"])
    sdfg.add_state().add_mapped_tasklet(
        "m", {"i": "0:4"}, {"a": dace.Memlet("A[i]"), "k": dace.Memlet("c[0]")}, "b = a + k",
        {"b": dace.Memlet("A[i]")}, external_edges=True,
    )  # fmt: skip
    A = numbers(4)
    interpret(sdfg, A=A)
    np.testing.assert_array_equal(A, numbers(4) + f32(1.5))


@pytest.mark.parametrize("chosen", [True, False])
def test_a_symbol_that_is_a_truth_value(chosen: bool) -> None:
    sdfg = dace.SDFG("truth")
    sdfg.add_array("A", [4], dace.float32)
    sdfg.add_symbol("cond", dace.bool_)
    states = [sdfg.add_state(is_start_block=True), sdfg.add_state(), sdfg.add_state(), sdfg.add_state()]
    for state, code in zip(states, ("b = a + 1 if cond else a - 1", "b = a * 2"), strict=False):
        reads, writes = {"a": dace.Memlet("A[i]")}, {"b": dace.Memlet("A[i]")}
        state.add_mapped_tasklet("m", {"i": "0:4"}, reads, code, writes, external_edges=True)
    for target, condition in ((1, "cond"), (2, "not cond")):
        sdfg.add_edge(states[0], states[target], dace.InterstateEdge(condition))
        sdfg.add_edge(states[target], states[3], dace.InterstateEdge())
    A = numbers(4)
    interpret(sdfg, A=A, cond=chosen)
    np.testing.assert_array_equal(A, (numbers(4) + 1) * 2 if chosen else numbers(4) - 1)


def test_a_copy_that_names_one_side_of_an_array_of_a_size_of_its_own() -> None:
    """The sizes are equal, but not as they are written, and N is not the same symbol in DaCe's eyes."""
    size, i = dace.symbol("N", dace.int32, integer=True, positive=True), dace.symbol("i", dace.int32)
    sdfg = dace.SDFG("part_of_a_loop")
    sdfg.add_array("A", [size, size, size], dace.float32)
    sdfg.add_array("B", [size], dace.float32)
    sdfg.add_transient("part", [size - 4, size - 4, size - i], dace.float32)
    loop = dace.sdfg.state.LoopRegion("loop", "i < N", "i", "i = 0", "i = i + 1")
    sdfg.add_node(loop, is_start_block=True)
    first, second = loop.add_state(is_start_block=True), loop.add_state()
    loop.add_edge(first, second, dace.InterstateEdge())
    first.add_nedge(first.add_read("A"), first.add_write("part"), dace.Memlet("A[2:N-2, 2:N-2, i:N]"))
    reads, writes = {"p": dace.Memlet("part[j, k, 0]")}, {"b": dace.Memlet("B[i]", wcr="lambda x, y: x + y")}
    second.add_mapped_tasklet("m", {"j": "0:N-4", "k": "0:N-4"}, reads, "b = p", writes, external_edges=True)
    A, B = numbers(7, 7, 7), np.zeros(7, f32)
    interpret(sdfg, A=A, B=B, N=7)
    np.testing.assert_array_equal(B, A[2:-2, 2:-2].sum((0, 1)))


def test_tiles_of_a_size_that_the_caller_gives() -> None:
    size, tile = dace.symbol("N"), dace.symbol("T")

    @dace.program
    def tiled(A: dace.float32[size, size], B: dace.float32[size, size]):
        for ti, tj in dace.map[0:size:tile, 0:size:tile]:
            for i, j in dace.map[0:tile, 0:tile]:
                B[ti + i, tj + j] = A[tj + j, ti + i]

    A, B = numbers(6, 6), np.zeros((6, 6), f32)
    interpret(tiled.to_sdfg(), A=A, B=B, N=6, T=2)
    np.testing.assert_array_equal(B, A.T)


def message(sdfg: dace.SDFG) -> str:
    with pytest.raises(dace_ipu.DiagnosticError) as caught:
        dace_ipu.to_ipu(sdfg)
    return " ".join(f"{f.place}: {f.message} {' '.join(f.hints)}" for f in caught.value.diagnostics)


@pytest.mark.filterwarnings("ignore:validate_subsets failed:UserWarning")
def test_a_view_of_the_bytes_is_refused() -> None:
    sdfg = dace.SDFG("reinterpreted")
    sdfg.add_array("A", [8], dace.int32)
    sdfg.add_view("bytes", [16], dace.int16)
    state = sdfg.add_state()
    tasklet, view = state.add_tasklet("t", {}, {"o": None}, "o = 1"), state.add_access("bytes")
    state.add_edge(tasklet, "o", view, None, dace.Memlet("bytes[3]"))
    state.add_edge(view, "views", state.add_write("A"), None, dace.Memlet("A[0:8]"))
    assert "which reads the bytes of 'ipu_A' as int16, cannot run on the IPU" in message(sdfg)


def test_a_test_for_an_optional_argument_is_refused() -> None:
    sdfg = dace.SDFG("optional")
    sdfg.add_array("A", [4], dace.float32)
    sdfg.add_array("C", [4], dace.float32)
    sdfg.arrays["C"].optional = True
    first, second = sdfg.add_state(is_start_block=True), sdfg.add_state()
    second.add_mapped_tasklet("m", {"i": "0:4"}, {}, "a = 1", {"a": dace.Memlet("A[i]")}, external_edges=True)
    sdfg.add_edge(first, second, dace.InterstateEdge("C is None"))
    sdfg.add_edge(first, sdfg.add_state(), dace.InterstateEdge("not (C is None)"))
    assert "is None' of an optional argument cannot run on the IPU" in message(sdfg)


def test_vectors_between_tasklets_are_refused() -> None:
    sdfg = dace.SDFG("vectors")
    sdfg.add_array("A", [8], dace.float32)
    reads, writes = {"a": dace.Memlet("A[i]")}, {"b": dace.Memlet("A[i]")}
    tasklet, _, _ = sdfg.add_state().add_mapped_tasklet(
        "m", {"i": "0:8:2"}, reads, "b = a + 1", writes, external_edges=True
    )
    tasklet.in_connectors["a"] = tasklet.out_connectors["b"] = dace.vector(dace.float32, 2)
    assert "the tasklet 'm', whose connectors are vectors, cannot run on the IPU" in message(sdfg)


def test_an_array_whose_indices_begin_elsewhere_is_refused() -> None:
    sdfg = dace.SDFG("fortran_indices")
    sdfg.add_array("A", [8], dace.float32, offset=[-1])
    reads, writes = {"a": dace.Memlet("A[i]")}, {"b": dace.Memlet("A[i]")}
    sdfg.add_state().add_mapped_tasklet("m", {"i": "1:9"}, reads, "b = a + 1", writes, external_edges=True)
    assert "'A' has indices that do not begin at 0, which is not supported yet" in message(sdfg)


def test_a_reference_is_refused_whatever_its_type() -> None:
    """What is written through it is not seen to be written: a program that does nothing else has no effect."""
    sdfg = dace.SDFG("through_a_reference")
    sdfg.add_array("A", [8], dace.float64)
    sdfg.add_reference("ref", [1], dace.float64)
    loop = dace.sdfg.state.LoopRegion("loop", "i < 8", "i", "i = 0", "i = i + 1")
    sdfg.add_node(loop, is_start_block=True)
    state = loop.add_state(is_start_block=True)
    state.add_edge(state.add_read("A"), None, state.add_write("ref"), "set", dace.Memlet("A[i]"))
    last = sdfg.add_state_after(loop)
    tasklet = last.add_tasklet("t", {}, {"o": None}, "o = 1")
    last.add_edge(tasklet, "o", last.add_write("ref"), None, dace.Memlet("ref[0]"))
    with pytest.raises(dace_ipu.DiagnosticError, match="the arrayreference 'ref' cannot live on the IPU"):
        dace_ipu.to_ipu(sdfg, float64="float32")


def test_a_callback_symbol_is_refused() -> None:
    sdfg = dace.SDFG("calls")
    sdfg.add_array("A", [4], dace.float32)
    sdfg.add_symbol("told", dace.callback(None, dace.float32[4]))
    state = sdfg.add_state()
    tasklet = state.add_tasklet("tell", {"a": None}, {}, "told(a)", side_effects=True)
    state.add_edge(state.add_read("A"), None, tasklet, "a", dace.Memlet("A[0:4]"))
    assert "the callback 'told' cannot be called from the IPU" in message(sdfg)


def test_an_unknown_function_is_refused_where_it_stands() -> None:
    sdfg = dace.SDFG("unknown")
    sdfg.add_array("A", [4], dace.float32)
    sdfg.add_state().add_mapped_tasklet(
        "m", {"i": "0:4"}, {"a": dace.Memlet("A[i]")}, "b = airy(a)", {"b": dace.Memlet("A[i]")}, external_edges=True
    )
    text = message(sdfg)
    assert "unknown function 'airy'" in text
    assert text.startswith("tests/programs/test_daces_programs.py:")


def test_the_counter_of_a_loop_behind_the_loop_is_refused() -> None:
    @dace.program
    def counter(A: dace.int32[4]):
        for i in range(3):
            A[i] = 1
        A[3] = i

    assert "'i' is not known here" in message(counter.to_sdfg())
