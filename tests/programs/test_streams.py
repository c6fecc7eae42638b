"""Streams and consume scopes: items keep their order, and each call starts with empty streams."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import dace
import numpy as np
import pytest
from dace import Memlet

import dace_ipu
from dace_ipu.tile_graph.interpreter import InterpreterError
from tests.programs.interpreted import interpret

# Of DaCe: about the sets of its own add_tasklet, and about copies that name the stream and not the array.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Using sets for connectors:UserWarning"),
    pytest.mark.filterwarnings("ignore:validate_subsets failed:UserWarning"),
]

N = dace.symbol("N")
Values = np.ndarray[Any, Any]


def i32(*values: int) -> Values:
    return np.array(values, np.int32)


def streaming(
    name: str, arrays: dict[str, Any], stream: Any = (1,), **options: Any
) -> tuple[dace.SDFG, dace.SDFGState]:
    """An SDFG with int32 arrays, a stream ``S`` (or an array of them) and one state."""
    sdfg = dace.SDFG(name)
    for array, shape in arrays.items():
        sdfg.add_array(array, shape, dace.int32)
    sdfg.add_stream("S", dace.int32, shape=stream, transient=True, **options)
    return sdfg, sdfg.add_state()


def push_all(state: dace.SDFGState, array: str, stream: str = "S") -> Any:
    node = state.add_access(stream)
    state.add_nedge(state.add_read(array), node, Memlet.from_array(array, state.sdfg.arrays[array]))
    return node


def pop_into(state: dace.SDFGState, stream: Any, array: str, subset: str) -> None:
    state.add_nedge(stream, state.add_write(array), Memlet(f"{array}[{subset}]"))


def filtering() -> dace.SDFG:
    """The elements of A above 5 to B, their number added to ``count``."""
    sdfg, state = streaming("filtering", {"A": [N], "B": [N], "count": [1]}, buffer_size=N)
    entry, exit_ = state.add_map("m", {"i": "0:N"})
    tasklet = state.add_tasklet("keep", {"a"}, {"o", "k"}, "if a > 5:\n    o = a\n    k = 1")
    stream = state.add_access("S")
    state.add_memlet_path(state.add_read("A"), entry, tasklet, dst_conn="a", memlet=Memlet("A[i]"))
    state.add_memlet_path(tasklet, exit_, stream, src_conn="o", memlet=Memlet("S[0]", dynamic=True))
    added = Memlet("count[0]", dynamic=True, wcr="lambda x, y: x + y")
    state.add_memlet_path(tasklet, exit_, state.add_write("count"), src_conn="k", memlet=added)
    pop_into(state, stream, "B", "0:N")
    return sdfg


def consuming(code: str, condition: str | None = None, chunk: int = 1, **options: Any) -> dace.SDFG:
    """Items from ``n`` on; a tasklet with the input ``v`` pushes to ``more`` and adds to ``out``."""
    sdfg, state = streaming("consuming", {"n": [1], "out": [1]}, **options)
    first, again = push_all(state, "n"), state.add_access("S")
    entry, exit_ = state.add_consume("c", ("p", "4"), condition, chunksize=chunk)
    tasklet = state.add_tasklet("each", {"v"}, {"more", "o"}, code)
    state.add_edge(first, None, entry, "IN_stream", Memlet("S[0]"))
    state.add_edge(entry, "OUT_stream", tasklet, "v", Memlet("S[0]", dynamic=True))
    pushed, added = Memlet("S[0]", dynamic=True), Memlet("out[0]", dynamic=True, wcr="lambda a, b: a + b")
    for connector, name, memlet, target in (("more", "S", pushed, again), ("o", "V", added, state.add_write("out"))):
        exit_.add_in_connector(f"IN_{name}")
        exit_.add_out_connector(f"OUT_{name}")
        state.add_edge(tasklet, connector, exit_, f"IN_{name}", memlet)
        state.add_edge(exit_, f"OUT_{name}", target, None, copy.deepcopy(memlet))
    return sdfg


FIBONACCI = "if v == 1:\n    o = 1\nelif v > 1:\n    more = v - 1\n    more = v - 2"


def simulate(sdfg: dace.SDFG, times: int = 1, **arguments: Any) -> None:
    program = dace_ipu.to_ipu(sdfg).compile()
    for _ in range(times):
        program(**arguments)


@pytest.mark.parametrize("run", [interpret, simulate])
def test_a_map_that_filters(run: Callable[..., None]) -> None:
    A, B, count = i32(3, 9, 7, 1, 8, 2, 6), np.zeros(7, np.int32), i32(0)
    run(filtering(), times=2, A=A, B=B, count=count, N=7)
    np.testing.assert_array_equal(B, i32(9, 7, 8, 6, 0, 0, 0))  # in the order of the iterations; the rest is kept
    assert count[0] == 8


@pytest.mark.parametrize("run", [interpret, simulate])
def test_a_consume_scope_that_pushes(run: Callable[..., None]) -> None:
    out = i32(0)
    run(consuming(FIBONACCI, buffer_size=256), n=i32(10), out=out)
    assert out[0] == 55


def test_the_condition_of_a_consume_scope_ends_it() -> None:
    out = i32(0)
    interpret(consuming("more = v\no = v", "out[0] >= 20", buffer_size=4), n=i32(3), out=out)
    assert out[0] == 21


def test_more_than_the_size_that_the_user_gave_is_found() -> None:
    with pytest.raises(InterpreterError, match="out of range|outside"):
        interpret(consuming(FIBONACCI, buffer_size=5), n=i32(10), out=i32(0))


def test_items_leave_in_the_order_in_which_they_came() -> None:
    sdfg, state = streaming("in_order", {"A": [5], "B": [5]})
    push_all(state, "A")
    for place in (3, 1, 4, 0, 2):
        state = sdfg.add_state_after(state)
        tasklet = state.add_tasklet("pop", {"v"}, {"o"}, "o = v")
        state.add_edge(state.add_read("S"), None, tasklet, "v", Memlet("S[0]"))
        state.add_edge(tasklet, "o", state.add_write("B"), None, Memlet(f"B[{place}]"))
    A, B = i32(10, 20, 30, 40, 50), np.zeros(5, np.int32)
    interpret(sdfg, times=2, A=A, B=B)
    np.testing.assert_array_equal(B[[3, 1, 4, 0, 2]], A)


def test_a_ring_that_wraps_around() -> None:
    @dace.program
    def wraps(A: dace.int32[9], B: dace.int32[9]):
        S = dace.define_stream(dace.int32, 4)
        for t in range(3):
            for i in range(3):
                with dace.tasklet:
                    a << A[3 * t + i]  # noqa: F821  DaCe's language for tasklets
                    s >> S(-1)  # noqa: F821
                    s = a  # noqa: F821
            for i in range(3):
                with dace.tasklet:
                    s << S(-1)
                    b >> B[3 * t + i]  # noqa: F821
                    b = s  # noqa: F841

    A, B = np.arange(9, dtype=np.int32), np.zeros(9, np.int32)
    interpret(wraps.to_sdfg(), A=A, B=B)
    np.testing.assert_array_equal(B, A)


def test_a_part_of_the_items_is_popped() -> None:
    sdfg, state = streaming("in_parts", {"A": [6], "B": [6], "C": [6]})
    stream = push_all(state, "A")
    pop_into(state, stream, "B", "1:5:2")
    second = sdfg.add_state_after(state)
    pop_into(second, second.add_read("S"), "C", "0:6")
    A, B, C = np.arange(6, dtype=np.int32) + 1, np.full(6, -1, np.int32), np.full(6, -1, np.int32)
    interpret(sdfg, A=A, B=B, C=C)
    np.testing.assert_array_equal(B, i32(-1, 1, -1, 2, -1, -1))
    np.testing.assert_array_equal(C, i32(3, 4, 5, 6, -1, -1))


def test_an_array_of_streams() -> None:
    sdfg, state = streaming("by_parity", {"A": [8], "B": [2, 4]}, stream=[2], buffer_size=8)
    entry, exit_ = state.add_map("m", {"i": "0:8"})
    tasklet = state.add_tasklet("t", {"a"}, {"o"}, "o = a")
    stream = state.add_access("S")
    state.add_memlet_path(state.add_read("A"), entry, tasklet, dst_conn="a", memlet=Memlet("A[i]"))
    state.add_memlet_path(tasklet, exit_, stream, src_conn="o", memlet=Memlet("S[i % 2]", dynamic=True))
    last = sdfg.add_state_after(state)
    for parity in (0, 1):
        popped = Memlet(f"S[{parity}] -> [{parity}, 0:4]")
        last.add_nedge(last.add_read("S"), last.add_write("B"), popped)
    A, B = np.arange(8, dtype=np.int32), np.zeros((2, 4), np.int32)
    interpret(sdfg, A=A, B=B)
    np.testing.assert_array_equal(B, [A[::2], A[1::2]])


def test_a_stream_inside_of_a_map() -> None:
    """Each iteration has its own: the map is parallel, as any other."""
    sdfg, state = streaming("own_stream", {"A": [10], "B": [10]}, buffer_size=2)
    entry, exit_ = state.add_map("m", {"i": "0:10"})
    stream = state.add_access("S")
    push = state.add_tasklet("push", {"a"}, {"s"}, "s = a\ns = 2 * a")
    pop = state.add_tasklet("pop", {"x", "y"}, {"o"}, "o = y - 3 * x")
    state.add_memlet_path(state.add_read("A"), entry, push, dst_conn="a", memlet=Memlet("A[i]"))
    state.add_edge(push, "s", stream, None, Memlet("S[0]", dynamic=True))
    for connector in "xy":
        state.add_edge(stream, None, pop, connector, Memlet("S[0]"))
    state.add_memlet_path(pop, exit_, state.add_write("B"), src_conn="o", memlet=Memlet("B[i]"))
    A, B = np.arange(10, dtype=np.int32), np.zeros(10, np.int32)
    interpret(sdfg, A=A, B=B)
    np.testing.assert_array_equal(B, -A)


def test_a_stream_of_a_nested_program() -> None:
    inner = dace.SDFG("inner")
    inner.add_stream("out", dace.int32)
    state = inner.add_state()
    state.add_edge(state.add_tasklet("two", {}, {"o"}, "o = 2"), "o", state.add_write("out"), None, Memlet("out[0]"))
    sdfg, state = streaming("outer", {"B": [3]})
    stream = state.add_access("S")
    state.add_edge(state.add_nested_sdfg(inner, {}, {"out"}), "out", stream, None, Memlet("S[0]"))
    pop_into(state, stream, "B", "0:3")
    B = np.full(3, 7, np.int32)
    interpret(sdfg, B=B)
    np.testing.assert_array_equal(B, i32(2, 7, 7))


def test_from_stream_to_stream() -> None:
    sdfg, state = streaming("moved", {"A": [4], "B": [4]}, buffer_size=4)
    sdfg.add_stream("T", dace.int32, transient=True, buffer_size=4)
    stream, other = push_all(state, "A"), state.add_access("T")
    state.add_nedge(stream, other, Memlet("S[0]"))
    pop_into(state, other, "B", "0:4")
    A, B = i32(4, 3, 2, 1), np.zeros(4, np.int32)
    interpret(sdfg, A=A, B=B)
    np.testing.assert_array_equal(B, A)


def message(sdfg: dace.SDFG) -> str:
    with pytest.raises(dace_ipu.DiagnosticError) as caught:
        dace_ipu.to_ipu(sdfg)
    (finding,) = caught.value.diagnostics
    return f"{finding.message}: {' '.join(finding.hints)}"


def test_a_stream_without_a_size_that_grows_is_refused() -> None:
    text = message(consuming(FIBONACCI))
    assert "the stream 'S', which may hold any number of items, cannot run on the IPU" in text
    assert "buffer_size=..." in text


def test_chunks_of_a_consume_scope_are_refused() -> None:
    assert "the consume scope 'c' in chunks of 2 items cannot run" in message(
        consuming("o = v", chunk=2, buffer_size=4)
    )


def test_a_stream_as_an_argument_is_refused() -> None:
    sdfg, state = streaming("argument", {"A": [4]})
    push_all(state, "A")
    sdfg.arrays["S"].transient = False
    assert "the stream 'S' cannot live on the IPU: pass an array" in message(sdfg)


def test_an_array_between_two_streams_is_refused() -> None:
    """How much of it was filled is known on DaCe's side only."""
    sdfg, state = streaming("between", {"A": [4], "B": [4]}, buffer_size=4)
    sdfg.add_stream("T", dace.int32, transient=True, buffer_size=4)
    sdfg.add_transient("between", [4], dace.int32)
    middle, other = state.add_access("between"), state.add_access("T")
    state.add_nedge(push_all(state, "A"), middle, Memlet("between[0:4]"))
    state.add_nedge(middle, other, Memlet("between[0:4]"))
    pop_into(state, other, "B", "0:4")
    assert "the array 'between' between two streams" in message(sdfg)
