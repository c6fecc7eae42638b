"""Every message that a user's program can provoke when it is offloaded: the bad program, and what the user reads."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest
from dace.libraries.lapack import Potrf

import dace_ipu

N = dace.symbol("N")


def findings(program: Any, **options: Any) -> tuple[dace_ipu.Diagnostic, ...]:
    """The diagnostics that offloading a program raises."""
    sdfg = program if isinstance(program, dace.SDFG) else program.to_sdfg()
    with pytest.raises(dace_ipu.DiagnosticError) as caught:
        dace_ipu.to_ipu(sdfg, **options)
    return caught.value.diagnostics


def only(program: Any, **options: Any) -> dace_ipu.Diagnostic:
    """The one diagnostic, which points into this file."""
    (finding,) = findings(program, **options)
    assert finding.place.file == __file__
    assert finding.place.line is not None
    return finding


def test_float64() -> None:
    @dace.program
    def doubled(A: dace.float64[4]):
        A[:] = A * 2

    finding = only(doubled)  # DaCe's temporaries are float64 as well, but of that the user knows nothing
    assert finding.message == "'A' is float64, which does not exist on the IPU"
    assert finding.notes == ("the machine computes in float32 and float16",)
    assert "float64='float32'" in finding.hints[0]


def test_float64_that_the_user_made() -> None:
    @dace.program
    def widened(A: dace.float32[4]):
        t = np.ones((4,), np.float64)
        A[:] = A + t

    assert any("'t' is float64" in f.message for f in findings(widened))


def test_all_findings_at_once() -> None:
    @dace.program
    def two_faults(A: dace.float64[4], B: dace.complex128[4]):
        A[:] = A * 2
        B[:] = B * 2

    messages = " ".join(f.message for f in findings(two_faults))
    assert "'A'" in messages
    assert "'B'" in messages


def test_an_error_leaves_the_program_as_it_was() -> None:
    @dace.program
    def unchanged(A: dace.float64[4]):
        A[:] = A * 2

    sdfg = unchanged.to_sdfg()
    before = sdfg.hash_sdfg()
    findings(sdfg)
    assert sdfg.hash_sdfg() == before


def size_from_data() -> dace.SDFG:
    """``m = n[0]; T = zeros(m)``, and T is never more than T."""
    sdfg = dace.SDFG("size_from_data")
    sdfg.add_array("n", [1], dace.int32)
    sdfg.add_array("s", [1], dace.float32)
    sdfg.add_symbol("m", dace.int32)
    sdfg.add_transient("T", [dace.symbol("m")], dace.float32)
    first = sdfg.add_state(is_start_block=True)
    second = sdfg.add_state_after(first)
    first_edge = sdfg.edges_between(first, second)[0]
    first_edge.data.assignments["m"] = "n[0]"
    second.add_mapped_tasklet("fill", {"i": "0:m"}, {}, "o = 1", {"o": dace.Memlet("T[i]")}, external_edges=True)
    third = sdfg.add_state_after(second)
    third.add_mapped_tasklet(
        "add", {"i": "0:m"}, {"a": dace.Memlet("T[m - 1 - i]")}, "o = a",
        {"o": dace.Memlet("s[0]", wcr="lambda a, b: a + b")}, external_edges=True,
    )  # fmt: skip
    return sdfg


def test_an_array_of_a_size_that_the_device_computes() -> None:
    with pytest.raises(dace_ipu.DiagnosticError, match="'T' of shape .* is computed on the device") as caught:
        dace_ipu.to_ipu(size_from_data())
    assert any("an array of fixed size" in hint for f in caught.value.diagnostics for hint in f.hints)


def test_a_function_without_a_complex_form() -> None:
    @dace.program
    def inverse_sines(Z: dace.complex64[4]):
        Z[:] = np.arcsin(Z)

    sdfg = dace_ipu.to_ipu(inverse_sines.to_sdfg())
    with pytest.raises(dace_ipu.DiagnosticError, match="no complex 'asin': this cannot run on the IPU"):
        sdfg.generate_code()


def test_a_dimension_of_unknown_size() -> None:
    @dace.program
    def first(A: dace.float32["?"], B: dace.float32[20]):  # noqa: F722  DaCe's language for sizes
        B[0:5] = A[0:5]

    message = "'A' has a dimension of unknown size ('?'), but the device holds all of it"
    assert only(first).message == message


def test_write_conflict_without_reduction() -> None:
    @dace.program
    def conflict(A: dace.float32[9], s: dace.float32[1]):
        for i in dace.map[0:9]:
            s[0] = A[i]

    sdfg = dace_ipu.to_ipu(conflict.to_sdfg())
    with pytest.raises(dace_ipu.DiagnosticError, match="write conflict") as caught:
        sdfg.generate_code()
    assert caught.value.diagnostics[0].place.file == __file__


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_callback() -> None:
    def keep(function: Any) -> Any:
        return function

    @keep
    def peek(x: Any) -> None:
        print(x)

    @dace.program
    def calls_back(A: dace.float32[4]):
        A[:] = A + 1
        peek(A)

    assert any("calls back to the host" in f.message or "callback" in f.message for f in findings(calls_back))


def test_library_node_without_expansion() -> None:
    sdfg = dace.SDFG("factor")
    for name in "AB":
        sdfg.add_array(name, [4, 4], dace.float32)
    sdfg.add_array("info", [1], dace.int32)
    state, node = sdfg.add_state(), Potrf("potrf")
    state.add_edge(state.add_read("A"), None, node, "_xin", dace.Memlet("A[0:4, 0:4]"))
    state.add_edge(node, "_xout", state.add_write("B"), None, dace.Memlet("B[0:4, 0:4]"))
    state.add_edge(node, "_res", state.add_write("info"), None, dace.Memlet("info[0]"))
    (finding,) = findings(sdfg)
    assert finding.message == "the library node 'potrf' (Potrf) cannot run on the IPU"
    assert "no pure expansion" in finding.notes[0]


def test_library_node_with_operands_that_do_not_fit() -> None:
    @dace.program
    def factor(A: dace.int32[4, 4], B: dace.int32[4, 4]):
        B[:] = np.linalg.cholesky(A)

    @dace.program
    def system(A: dace.float32[4, 5], B: dace.float32[4, 4]):
        B[:] = np.linalg.solve(A, B)

    finding = only(factor)
    assert finding.message == "the library node 'cholesky' (Cholesky) cannot be expanded"
    assert "'_a' has elements of type int, not floating-point numbers" in finding.notes[0]
    assert "'_ain' of shape (4, 5) is no square matrix" in only(system).notes[0]


def test_structure_elements() -> None:
    sdfg = dace.SDFG("points")
    sdfg.add_array("A", [4], dace.float32)
    sdfg.add_transient("P", [4], dace.dtypes.struct("point", x=dace.float32, y=dace.float32))
    state = sdfg.add_state()
    made = state.add_access("P")
    reads, writes = {"a": dace.Memlet("A[i]")}, {"p": dace.Memlet("P[i]")}
    state.add_mapped_tasklet(
        "make", {"i": "0:4"}, reads, "p = point(x=a, y=a)", writes, external_edges=True, output_nodes={"P": made}
    )
    reads, writes = {"p": dace.Memlet("P[i]")}, {"a": dace.Memlet("A[i]")}
    state.add_mapped_tasklet(
        "take", {"i": "0:4"}, reads, "a = p.x + p.y", writes, external_edges=True, input_nodes={"P": made}
    )
    assert any("has elements of type point" in f.message for f in findings(sdfg))


def test_local_array_without_a_bound() -> None:
    inner = dace.SDFG("inner")
    inner.add_array("n", [4], dace.int32)
    inner.add_array("B", [4], dace.float32)
    inner.add_symbol("i", dace.int32)
    inner.add_symbol("m", dace.int32)
    inner.add_transient("part", [dace.symbol("m")], dace.float32)
    first, second, third = (inner.add_state(f"s{k}") for k in range(3))
    inner.add_edge(first, second, dace.InterstateEdge(assignments={"m": "n[i]"}))
    inner.add_edge(second, third, dace.InterstateEdge())
    second.add_mapped_tasklet("fill", {"j": "0:m"}, {}, "p = j", {"p": dace.Memlet("part[j]")}, external_edges=True)
    tasklet = third.add_tasklet("last", {"p"}, {"o"}, "o = p")
    third.add_edge(third.add_read("part"), None, tasklet, "p", dace.Memlet("part[m - 1]"))
    third.add_edge(tasklet, "o", third.add_write("B"), None, dace.Memlet("B[i]"))

    sdfg = dace.SDFG("unbounded")
    sdfg.add_array("n", [4], dace.int32)
    sdfg.add_array("B", [4], dace.float32)
    state = sdfg.add_state()
    begin, end = state.add_map("each", {"i": "0:4"})
    node = state.add_nested_sdfg(inner, {"n"}, {"B"}, {"i": "i"})
    state.add_memlet_path(state.add_read("n"), begin, node, dst_conn="n", memlet=dace.Memlet("n[i]"))
    state.add_memlet_path(node, end, state.add_write("B"), src_conn="B", memlet=dace.Memlet("B[i]"))
    (finding,) = findings(sdfg)
    assert "the array 'part' of shape (m), a size that is computed inside of the map," in finding.message
    assert "use an array of fixed size, and a slice of it" in finding.hints[0]


def test_cpp_tasklet() -> None:
    sdfg = dace.SDFG("cpp_tasklet")
    sdfg.add_array("A", [4], dace.float32)
    state = sdfg.add_state()
    tasklet = state.add_tasklet("raw", {}, {"o": dace.float32}, "o = 1;", language=dace.Language.CPP)
    state.add_edge(tasklet, "o", state.add_write("A"), None, dace.Memlet("A[0]"))
    (finding,) = findings(sdfg)
    assert "the tasklet 'raw', which is written in CPP and not in Python, cannot run on the IPU" in finding.message


def test_host_code_that_reads_device_data() -> None:
    """DaCe's own validation lets it through, and the program crashes."""
    sdfg = dace.SDFG("hole")
    sdfg.add_array("s", [1], dace.int32, storage=dace.StorageType.IPU_L1, transient=True)
    sdfg.add_array("A", [4], dace.int32)
    sdfg.add_symbol("k", dace.int32)
    first, second = sdfg.add_state("first", is_start_block=True), sdfg.add_state("second")
    sdfg.add_edge(first, second, dace.InterstateEdge(assignments={"k": "s[0]"}))
    tasklet = second.add_tasklet("t", {}, {"o": dace.int32}, "o = k")
    second.add_edge(tasklet, "o", second.add_write("A"), None, dace.Memlet("A[0]"))
    with pytest.raises(dace_ipu.DiagnosticError, match="host code uses 's', which lives on the IPU"):
        sdfg.generate_code()


def test_map_outside_of_a_device_scope() -> None:
    sdfg = dace.SDFG("bare_map")
    sdfg.add_array("A", [4], dace.float32, storage=dace.StorageType.IPU_L1, transient=True)
    state = sdfg.add_state()
    state.add_mapped_tasklet(
        "m",
        {"i": "0:4"},
        {},
        "o = 1",
        {"o": dace.Memlet("A[i]")},
        external_edges=True,
        schedule=dace.ScheduleType.IPU_Multicore,
    )
    with pytest.raises(dace_ipu.DiagnosticError, match="outside of a device scope|lives on the IPU"):
        sdfg.generate_code()


def test_streaming_memory() -> None:
    sdfg = dace.SDFG("streaming")
    sdfg.add_array("A", [4], dace.float32)
    sdfg.add_transient("g", [4], dace.float32, storage=dace.StorageType.IPU_Global)
    state = sdfg.add_state()
    middle = state.add_access("g")
    state.add_nedge(state.add_read("A"), middle, dace.Memlet("A[0:4]"))
    state.add_nedge(middle, state.add_write("A"), dace.Memlet("A[0:4]"))
    (finding,) = findings(sdfg)
    assert finding.message == "'g' is in IPU_Global (Streaming Memory), which is not supported yet"
