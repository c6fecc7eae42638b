"""The interpreter: each kind of step and statement against NumPy, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    For,
    If,
    LocalArray,
    Op,
    Reduction,
    Store,
    While,
    symbol,
)
from dace_ipu.tile_graph.interpreter import InterpreterError, run
from dace_ipu.tile_graph.nodes import (
    BlockDimension,
    Combine,
    ComputeSet,
    Copy,
    CopyIn,
    CopyOut,
    Dimension,
    Direction,
    Field,
    HostArray,
    LaneMapping,
    Layout,
    LinearMapping,
    MapStep,
    Partition,
    Range,
    Repeat,
    Slice,
    TileGraph,
    Value,
    Variable,
)

FLOAT, INT, UNSIGNED = np.dtype(np.float32), np.dtype(np.int32), np.dtype(np.uint32)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
N, M, i, j, k, worker, block = (symbol(name) for name in "N M i j k worker block".split())
begin, size = symbol("i_begin"), symbol("i_size")
TILES = [1, 4, 1472]


def numbers(*exprs):
    return tuple(map(sympy.sympify, exprs))


def a_range(low, high, step=1):
    return Range(*numbers(low, high), step)


def at(data, *indices):
    return Access(data, numbers(*indices))


def code(text, **reads):
    return Code(text, tuple(reads.items()))


def loop(variable, low, high, *body, step=1, shared=False):
    return For(variable, *numbers(low, high, step), body, shared)


def program(shapes, steps, dtype=FLOAT, types=None, **more):
    """Copies all arrays in, runs the steps, copies all arrays out."""
    types = {name: np.dtype((types or {}).get(name, dtype)) for name in shapes}
    packed = {name: tuple(sympy.prod(shape[d + 1 :]) for d in range(len(shape))) for name, shape in shapes.items()}
    hosts = tuple(HostArray(name, types[name], numbers(*shape), packed[name], ZERO) for name, shape in shapes.items())
    variables = tuple(Variable(name, types[name], numbers(*shape)) for name, shape in shapes.items())
    extra = more.pop("variables", ())
    copies_in = tuple(CopyIn(name, name) for name in shapes)
    copies_out = tuple(CopyOut(name, name) for name in shapes)
    symbols = (("N", INT), ("M", INT))
    return TileGraph("test", symbols, hosts, (*variables, *extra), (*copies_in, *steps, *copies_out), **more)


def a_map(*body, domain=(("i", N),)):
    return MapStep("work", tuple(Dimension(name, sympy.sympify(extent)) for name, extent in domain), body)


def execute(graph, n=5, m=3, tiles=4, **arrays):
    run(graph, {"N": n, "M": m}, arrays, tiles)


def integers(*values):
    return np.array(values, np.int32)


# ---- maps and statements ---------------------------------------------------------------------------------------------


def stencil(a):
    return np.float32(0.33) * (a[:-2] + a[1:-1] + a[2:])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 100])
@pytest.mark.parametrize("tiles", TILES)
def test_both_levels_compute_the_stencil(jacobi_maps, jacobi_vertices, n, tiles):
    a = np.linspace(0, 1, n, dtype=np.float32)
    expected = np.full(n, 7, np.float32)
    if n > 2:
        expected[1:-1] = stencil(a)
    for graph in (jacobi_maps, jacobi_vertices):
        b = np.full(n, 7, np.float32)
        run(graph, {"N": n}, {"A": a, "B": b}, tiles)
        assert np.array_equal(b, expected)


def test_a_map_reads_what_was_there_before_it():
    store = Store(at("A", i), code("a + b", a=at("A", i - 1), b=at("A", i)))
    shifted = a_map(If(code("i > 0"), (store,)))
    a = integers(1, 2, 3, 4, 5)
    execute(program({"A": (N,)}, [shifted], INT), A=a)
    assert a.tolist() == [1, 3, 5, 7, 9]


def test_an_iteration_sees_its_own_writes():
    first, second = Store(at("A", i), code("7")), Store(at("B", i), code("a", a=at("A", i)))
    a, b = integers(*range(5)), integers(*range(5))
    execute(program({"A": (N,), "B": (N,)}, [a_map(first, second)], INT), A=a, B=b)
    assert b.tolist() == [7] * 5


def test_reductions_of_a_map_go_on_from_what_is_there():
    total = Store(at("s", 0), code("a", a=at("A", i)), Reduction(Op.SUM))
    s = integers(100)
    execute(program({"A": (N,), "s": (1,)}, [a_map(total)], INT), A=integers(1, 2, 3, 4, 5), s=s)
    assert s[0] == 115


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        (Reduction(Op.SUM), 6 + 3 + 12),
        (Reduction(Op.PRODUCT), 6 * 3 * 12),
        (Reduction(Op.MIN), 3),
        (Reduction(Op.MAX), 12),
        (Reduction(Op.LOGICAL_AND), 1),
        (Reduction(Op.LOGICAL_OR), 1),
        (Reduction(Op.LOGICAL_XOR), 1),
        (Reduction(Op.BITWISE_AND), 6 & 3 & 12),
        (Reduction(Op.BITWISE_OR), 6 | 3 | 12),
        (Reduction(Op.BITWISE_XOR), 6 ^ 3 ^ 12),
        (Reduction(Op.CUSTOM, "2 * old - new", associative=False), 2 * (2 * 6 - 3) - 12),
    ],
)
def test_every_reduction(reduction, expected):
    graph = program({"A": (N,), "s": (1,)}, [a_map(Store(at("s", 0), code("a", a=at("A", i)), reduction))], INT)
    s = integers(6)
    execute(graph, n=2, A=integers(3, 12), s=s)
    assert s[0] == expected


def test_an_extent_may_depend_on_earlier_dimensions():
    graph = program({"A": (N, N)}, [a_map(Store(at("A", i, j), code("1")), domain=(("i", N), ("j", i + 1)))], INT)
    a = np.zeros((4, 4), np.int32)
    execute(graph, n=4, A=a)
    assert np.array_equal(a, np.tri(4))


def test_a_map_without_dimensions_runs_once():
    a = integers(0, 0)
    execute(program({"A": (N,)}, [a_map(Store(at("A", 1), code("3")), domain=())], INT), n=2, A=a)
    assert a.tolist() == [0, 3]


def collatz():
    """The number of steps from a[i] to 1."""
    condition = code("x % 2 == 0")
    halve, triple = Assign("x", code("x // 2")), Assign("x", code("3 * x + 1"))
    return (
        Declare("x", INT, code("a", a=at("A", i)), constant=False),
        Declare("count", INT, code("0"), constant=False),
        While(code("x != 1"), (If(condition, (halve,), (triple,)), Assign("count", code("1"), Reduction(Op.SUM)))),
        Store(at("A", i), code("count")),
    )


def test_scalars_loops_and_conditions():
    a = integers(1, 2, 3, 6, 7)
    execute(program({"A": (N,)}, [a_map(*collatz())], INT), A=a)
    assert a.tolist() == [0, 1, 7, 8, 16]


def test_break_and_continue():
    body = (
        If(code("k == 1"), (Continue(),)),
        If(code("k == 4"), (Break(),)),
        Store(at("A", i), code("k"), Reduction(Op.SUM)),
    )
    a = integers(0, 0, 0, 0, 0)
    execute(program({"A": (N,)}, [a_map(loop("k", 0, 10, *body))], INT), A=a)
    assert a.tolist() == [0 + 2 + 3] * 5


def test_a_break_in_an_inner_loop_stays_there():
    inner = loop("j", 0, 3, If(code("j == 1"), (Break(),)), Store(at("A", i), code("1"), Reduction(Op.SUM)))
    a = integers(0, 0, 0, 0, 0)
    execute(program({"A": (N,)}, [a_map(loop("k", 0, 4, inner))], INT), A=a)
    assert a.tolist() == [4] * 5


def test_a_break_leaves_a_while():
    body = (
        Declare("n", INT, code("0"), constant=False),
        While(code("True"), (Assign("n", code("n + 1")), If(code("n > i"), (Break(),)))),
        Store(at("A", i), code("n")),
    )
    a = integers(0, 0, 0)
    execute(program({"A": (N,)}, [a_map(*body)], INT), n=3, A=a)
    assert a.tolist() == [1, 2, 3]


def test_loops_run_backwards_and_in_steps():
    digits = Store(at("A", i), code("10 * a + k", a=at("A", i)))
    a = integers(0, 0)
    execute(program({"A": (N,)}, [a_map(loop("k", 7, 0, digits, step=-3))], INT), n=2, A=a)
    assert a.tolist() == [741, 741]


def test_local_arrays_belong_to_an_iteration():
    body = (
        LocalArray("t", INT, (2, 3)),
        loop("k", 0, 3, Store(at("t", 1, k), code("k + i"))),
        Store(at("A", i), code("x * y", x=at("t", 1, 1), y=at("t", 1, 2))),
    )
    a = integers(*[0] * 5)
    execute(program({"A": (N,)}, [a_map(*body)], INT), A=a)
    assert a.tolist() == [(1 + n) * (2 + n) for n in range(5)]


def test_an_index_may_be_read_from_memory():
    body = (
        Declare("where", INT, code("x", x=at("index", i))),
        Store(at("A", symbol("where")), code("1"), Reduction(Op.SUM)),
    )
    a = integers(*[0] * 5)
    execute(program({"A": (N,), "index": (N,)}, [a_map(*body)], INT), A=a, index=integers(0, 4, 4, 1, 4))
    assert a.tolist() == [1, 1, 0, 0, 3]


def test_declared_types_round():
    body = (
        Declare("h", np.dtype(np.float16), code("a", a=at("A", i))),
        Declare("n", np.dtype(np.int8), code("100 * a", a=at("A", i))),
        Store(at("A", i), code("h + n")),
    )
    a = np.array([0.1, 2.0], np.float32)
    execute(program({"A": (N,)}, [a_map(*body)]), n=2, A=a)
    assert a.tolist() == [np.float32(np.float16(0.1) + 10), np.float32(2 - 56)]  # 200 wraps to -56 in an int8


def test_what_was_never_written_is_poison():
    graph = program(
        {"A": (N,)}, [a_map(Store(at("A", i), code("x", x=at("T", i))))], variables=(Variable("T", FLOAT, (N,)),)
    )
    a = np.zeros(3, np.float32)
    execute(graph, n=3, A=a)
    assert np.isnan(a).all()


# ---- data and the other steps ----------------------------------------------------------------------------------------


def copies(source, target, shapes=None):
    return program(shapes or {"A": (N,), "B": (M,)}, [Copy(Slice("A", source), Slice("B", target))], INT)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ((a_range(0, 3),), (a_range(0, 3),), [0, 1, 2]),
        ((a_range(0, 5, 2),), (a_range(0, 3),), [0, 2, 4]),
        ((a_range(4, 1, -1),), (a_range(0, 3),), [4, 3, 2]),
        ((a_range(1, 3),), (a_range(0, 3, 2),), [1, 9, 2]),
        ((a_range(7, 7),), (a_range(9, 4),), [9, 9, 9]),
    ],
)
def test_copies_of_slices(source, target, expected):
    b = integers(9, 9, 9)
    execute(copies(source, target), A=integers(0, 1, 2, 3, 4), B=b)
    assert b.tolist() == expected


def test_a_copy_may_change_the_shape():
    b = np.zeros((2, 3), np.int32)
    shapes = {"A": (6,), "B": (2, 3)}
    execute(copies((a_range(0, 6),), (a_range(0, 2), a_range(0, 3)), shapes), A=integers(*range(6)), B=b)
    assert b.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_copy_reads_everything_before_it_writes():
    graph = program({"A": (N,)}, [Copy(Slice("A", (a_range(0, N - 1),)), Slice("A", (a_range(1, N),)))], INT)
    a = integers(1, 2, 3, 4, 5)
    execute(graph, A=a)
    assert a.tolist() == [1, 1, 2, 3, 4]


def test_a_repeat_runs_its_body_so_many_times():
    double = a_map(Store(at("A", i), code("2 * a", a=at("A", i))))
    for count, expected in ((3, 8), (0, 1), (-2, 1)):
        a = integers(1, 1)
        execute(program({"A": (N,)}, [Repeat(M, (double,))], INT), n=2, m=count, A=a)
        assert a.tolist() == [expected] * 2


def test_host_arrays_are_converted_and_may_be_strided():
    host = HostArray("A", np.dtype(np.float64), (N, M), numbers(1, 10), sympy.Integer(2))
    variable = Variable("A", FLOAT, (N, M))
    store = Store(at("A", i, j), code("a + 1", a=at("A", i, j)))
    steps = (CopyIn("A", "A"), a_map(store, domain=(("i", N), ("j", M))), CopyOut("A", "A"))
    graph = TileGraph("test", (("N", INT), ("M", INT)), (host,), (variable,), steps)
    buffer, view = np.arange(40, dtype=np.float64), np.arange(40, dtype=np.float64)
    execute(graph, n=4, m=3, A=buffer)
    execute(graph, n=4, m=3, A=view[2:32].reshape(3, 10)[:, :4].T)
    touched = [2 + row + 10 * column for row in range(4) for column in range(3)]
    expected = np.arange(40.0)
    expected[touched] += 1
    assert np.array_equal(buffer, expected)
    assert np.array_equal(view, expected)


def test_an_empty_array_needs_no_buffer():
    host = HostArray("A", FLOAT, (N, M), numbers(1, 10), ZERO)
    graph = TileGraph("test", (("N", INT), ("M", INT)), (host,), (Variable("A", FLOAT, (N, M)),), (CopyIn("A", "A"),))
    execute(graph, n=0, A=np.zeros(0, np.float32))


def test_a_scalar_of_the_caller_is_a_variable_of_one_element():
    host = HostArray("s", FLOAT, (ONE,), (ONE,), ZERO, scalar=True)
    graph = program({"A": (N,)}, [CopyIn("s", "s"), a_map(Store(at("A", i), code("x", x=at("s", 0))))])
    graph = replace(graph, hosts=(*graph.hosts, host), variables=(*graph.variables, Variable("s", FLOAT, (ONE,))))
    a = np.zeros(2, np.float32)
    execute(graph, n=2, A=a, s=np.float32(2.5))
    assert a.tolist() == [2.5, 2.5]


def test_constants_have_their_values():
    table = Variable("table", INT, numbers(2, 2), constant=(1, 2, 3, 4))
    store = Store(at("A", i), code("x", x=at("table", i, 1)))
    a = integers(0, 0)
    execute(program({"A": (N,)}, [a_map(store)], INT, variables=(table,)), n=2, A=a)
    assert a.tolist() == [2, 4]


def test_persistent_variables_stay_from_call_to_call():
    counter = Variable("counter", INT, (N,), persistent=True)
    start = a_map(If(code("M == 0"), (Store(at("counter", i), code("0")),)))
    count = a_map(
        Store(at("counter", i), code("1"), Reduction(Op.SUM)), Store(at("A", i), code("c", c=at("counter", i)))
    )
    graph = program({"A": (N,)}, [start, replace(count, name="count")], INT, variables=(counter,))
    a, state = integers(0, 0), {}
    for call in range(3):
        run(graph, {"N": 2, "M": call}, {"A": a}, state=state)
    assert a.tolist() == [3, 3]
    assert state["counter"].tolist() == [3, 3]


def test_float_symbols_are_typed():
    graph = program({"A": (N,)}, [a_map(Store(at("A", i), code("alpha / 3")))])
    a = np.zeros(1, np.float32)
    graph = replace(graph, symbols=(*graph.symbols, ("alpha", FLOAT)))
    run(graph, {"N": 1, "M": 1, "alpha": 0.1}, {"A": a})
    assert a[0] == np.float32(0.1) / np.float32(3)


# ---- vertices --------------------------------------------------------------------------------------------------------


def family(fields, body, values=(("i_size", size),), workers=True, partition="p"):
    """A compute set over blocks of N iterations."""
    return ComputeSet(
        "work",
        partition,
        (BlockDimension(0, "i_begin", "i_size"),) if partition else (),
        fields,
        tuple(Value(name, sympy.sympify(expr), UNSIGNED) for name, expr in values),
        body,
        workers,
        ONE,
    )


def edge(name, direction, *ranges, layout=Layout.VECTOR):
    return Field(name, name, direction, ranges, layout)


MINE = a_range(begin, begin + size)
OUT, IN, BOTH = Direction.OUTPUT, Direction.INPUT, Direction.INOUT


def vertices(shapes, *sets, dtype=INT, **more):
    return program(shapes, sets, dtype, partitions=(Partition("p", (N,)),), **more)


@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_block_values_and_block_numbers(n, tiles):
    values = (("i_begin", begin), ("i_size", size), ("b", block))
    body = (loop("i", 0, size, Store(at("A", i), code("1000 * b + i_begin + i")), shared=True),)
    a = np.zeros(n, np.int32)
    execute(vertices({"A": (N,)}, family((edge("A", OUT, MINE),), body, values)), n=n, tiles=tiles, A=a)
    assert (a % 1000).tolist() == list(range(n))
    assert (a // 1000).max(initial=0) == max(0, min(tiles, -(-n // 6)) - 1)


def test_strided_and_reversed_slices_and_rows():
    fields = (
        edge("A", IN, a_range(2 * begin, 2 * (begin + size), 2)),
        edge("B", IN, a_range(N - 1 - begin, N - 1 - begin - size, -1)),
        edge("C", OUT, a_range(1, 3), MINE, layout=Layout.ROWS),
    )
    stores = (Store(at("C", 0, i), code("a", a=at("A", i))), Store(at("C", 1, i), code("b", b=at("B", i))))
    a, b, c = np.arange(20, dtype=np.int32), np.arange(10, dtype=np.int32), np.zeros((3, 10), np.int32)
    graph = vertices(
        {"A": (2 * N,), "B": (N,), "C": (3, N)}, family(fields, (loop("i", 0, size, *stores, shared=True),))
    )
    execute(graph, n=9, A=a[:18], B=b[:9], C=c[:, :9])
    assert c[1:, :9].tolist() == [list(range(0, 18, 2)), list(range(8, -1, -1))]
    assert not c[0].any()


def test_a_single_vertex_and_scalars():
    fields = (edge("s", BOTH, a_range(1, 2), layout=Layout.SCALAR), edge("A", IN, a_range(0, N)))
    body = (loop("i", 0, symbol("n"), Store(at("s"), code("a", a=at("A", i)), Reduction(Op.SUM))),)
    one = family(fields, body, (("n", N),), workers=False, partition=None)
    s = integers(0, 10)
    execute(program({"A": (N,), "s": (2,)}, [one], INT), A=integers(1, 2, 3, 4, 5), s=s)
    assert s.tolist() == [0, 25]


def test_inputs_are_taken_before_the_set_runs():
    fields = (edge("A", BOTH, MINE), edge("B", OUT, MINE))
    body = (loop("i", 0, size, Store(at("B", i), code("a", a=at("A", i))), Store(at("A", i), code("0")), shared=True),)
    a, b = integers(1, 2, 3, 4, 5), integers(*[0] * 5)
    execute(vertices({"A": (N,), "B": (N,)}, family(fields, body)), A=a, B=b)
    assert (a.tolist(), b.tolist()) == ([0] * 5, [1, 2, 3, 4, 5])


def lanes_of_sum(dtype=INT):
    """Each worker adds up its share in a row of its own; then the rows are combined."""
    partial = Variable("s_partial", dtype, (ONE, ONE), mapping=LaneMapping("p", 6), lanes_of=("p", 6))
    rows = (a_range(6 * block, 6 * block + 6), a_range(0, 1))
    fields = (edge("A", IN, MINE), Field("s", "s_partial", OUT, rows, Layout.VECTOR))
    add = Store(at("s", worker, 0), code("a", a=at("A", i)), Reduction(Op.SUM))
    body = (Store(at("s", worker, 0), code("0")), loop("i", 0, size, add, shared=True))
    combine = Combine("s_partial", Slice("s", (a_range(0, 1),)), Reduction(Op.SUM))
    return vertices({"A": (N,), "s": (1,)}, family(fields, body), combine, dtype=dtype, variables=(partial,))


@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize("n", [0, 1, 5, 40, 500])
def test_partial_results_of_all_workers_are_combined(n, tiles):
    s = integers(1000)
    a = np.arange(n, dtype=np.int32)
    execute(lanes_of_sum(), n=n, tiles=tiles, A=a, s=s)
    assert s[0] == 1000 + a.sum()


@pytest.mark.parametrize("n", [0, 1, 40])
def test_partial_results_overwrite_what_was_there(n):
    graph = lanes_of_sum()
    steps = tuple(replace(step, overwrites=True) if isinstance(step, Combine) else step for step in graph.steps)
    s = integers(1000)
    a = np.arange(n, dtype=np.int32)
    execute(replace(graph, steps=steps), n=n, A=a, s=s)
    assert s[0] == a.sum()


def test_combined_rows_may_have_dimensions():
    partial = Variable("t", INT, numbers(1, 2, 2), mapping=LinearMapping(), lanes_of=("p", 1))
    field = Field("t", "t", OUT, (a_range(block, block + 1), a_range(0, 2), a_range(0, 2)), Layout.VECTOR)
    body = (loop("i", 0, 2, loop("j", 0, 2, Store(at("t", 0, i, j), code("b + 10 * i + 100 * j")))),)
    target = Slice("A", (a_range(1, 3), a_range(0, 3, 2)))
    sets = (family((field,), body, (("b", block),), workers=False), Combine("t", target, Reduction(Op.MAX)))
    a = np.zeros((3, 3), np.int32)
    execute(vertices({"A": (3, 3)}, *sets, variables=(partial,)), n=24, A=a)
    assert a.tolist() == [[0, 0, 0], [3, 0, 103], [13, 0, 113]]


def test_float_symbols_reach_vertices_as_values():
    body = (loop("i", 0, size, Store(at("A", i), code("i * alpha")), shared=True),)
    scale = family((edge("A", OUT, MINE),), body)
    scale = replace(scale, values=(*scale.values, Value("alpha", symbol("alpha"), FLOAT)))
    graph = vertices({"A": (N,)}, scale, dtype=FLOAT)
    a = np.zeros(5, np.float32)
    run(replace(graph, symbols=(*graph.symbols, ("alpha", FLOAT))), {"N": 5, "M": 1, "alpha": 0.1}, {"A": a}, tiles=1)
    assert np.array_equal(a, np.arange(5, dtype=np.float32) * np.float32(0.1))


# ---- what is refused -------------------------------------------------------------------------------------------------


def refused(message, graph, **arguments):
    with pytest.raises(InterpreterError, match=message):
        execute(graph, **arguments)


def test_symbols_and_arrays_must_be_there_and_fit():
    graph = program({"A": (N,)}, [], INT)
    with pytest.raises(InterpreterError, match="no value for the symbol 'M'"):
        run(graph, {"N": 3}, {"A": integers(1)})
    refused("no array for 'A'", graph)
    refused("'A' is int32, the array is float32", graph, A=np.zeros(5, np.float32))
    refused("'A' needs elements 0 to 4 of a buffer of 3", graph, A=integers(1, 2, 3))
    refused(r"'A' has the shape \(5,\), the array \(5, 1\)", graph, A=np.zeros((5, 1), np.int32))


def test_shapes_must_fit():
    refused(r"'T' has the shape \(-1,\)", program({}, [], variables=(Variable("T", INT, (N - 6,)),)))
    graph = program({"A": (N,)}, [CopyIn("A", "T")], INT, variables=(Variable("T", INT, (M,)),))
    refused(r"CopyIn: ValueError: a copy from shape \(5,\) to \(3,\)", graph, A=integers(*[0] * 5))


@pytest.mark.parametrize("index", [-1, 5])
def test_indices_out_of_range(index):
    refused(
        rf"A\[{index}\] is outside of the shape \(5,\)",
        program({"A": (N,)}, [a_map(Store(at("A", index), code("1")))], INT),
        A=integers(*[0] * 5),
    )


def test_slices_out_of_range():
    refused(
        r"A\[1:6\] is outside of the shape \(5,\)",
        copies((a_range(1, 6),), (a_range(0, 5),)),
        A=integers(*[0] * 5),
        B=integers(*[0] * 3),
    )


def test_copies_of_different_sizes():
    refused("Copy: ValueError", copies((a_range(0, 2),), (a_range(0, 3),)), A=integers(*[0] * 5), B=integers(*[0] * 3))


def test_two_vertices_that_write_one_element():
    body = (loop("i", 0, size + 1, Store(at("A", i), code("1")), shared=True),)
    wide = family((edge("A", OUT, a_range(begin, begin + size + 1)),), body)
    refused(
        "compute set 'work': vertex 1 writes elements of 'A' that vertex 0 writes",
        vertices({"A": (N + 1,)}, wide),
        n=12,
        A=np.zeros(13, np.int32),
    )


def test_a_vertex_that_reads_what_another_writes():
    fields = (Field("old", "A", IN, (a_range(0, N),), Layout.VECTOR), edge("A", OUT, MINE))
    body = (loop("i", 0, size, Store(at("A", i), code("x", x=at("old", 0))), shared=True),)
    refused(
        "vertex 0 reads elements of 'A' that vertex 0 writes",
        vertices({"A": (N,)}, family(fields, body)),
        n=12,
        A=np.zeros(12, np.int32),
    )


@pytest.mark.parametrize(
    "body",
    [
        (loop("i", 0, size, Store(at("A", 0), code("1")), shared=True),),
        (loop("i", 0, size, Store(at("A", i), code("x", x=at("A", 0))), shared=True),),
        (Store(at("A", 0), code("1")),),
    ],
)
def test_workers_that_touch_one_element(body):
    refused(
        r"workers 0 and 1 both touch A\[0\]",
        vertices({"A": (N,)}, family((edge("A", BOTH, MINE),), body)),
        n=12,
        A=np.zeros(12, np.int32),
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [("1 if i > 0 else a", r"A\[0\] of an output field is read before it is written"), ("1", "only 4 of 5 elements")],
)
def test_outputs_that_are_not_written_first_and_whole(value, message):
    store = Store(at("A", i), code(value, a=at("A", i)))
    body = (loop("i", 0, size, If(code("i > 0"), (store,)) if value == "1" else store, shared=True),)
    refused(message, vertices({"A": (N,)}, family((edge("A", OUT, MINE),), body)), tiles=1, A=integers(*[0] * 5))


def test_workers_that_write_parts_of_one_word():
    body = (loop("i", 0, size, Store(at("A", size - 1 - i), code("1")), shared=True),)
    graph = vertices({"A": (N,)}, family((edge("A", OUT, MINE),), body), dtype=np.int8)
    refused(r"workers 0 and 1 both touch A\[16\]", graph, n=21, tiles=1, A=np.zeros(21, np.int8))


def test_rows_begin_with_a_word():
    store = Store(at("A", i, j), code("worker"))
    field = edge("A", OUT, MINE, a_range(0, 3), layout=Layout.ROWS)
    graph = vertices(
        {"A": (N, 4)}, family((field,), (loop("i", 0, size, loop("j", 0, 3, store), shared=True),)), dtype=np.int8
    )
    a = np.full((24, 4), 9, np.int8)
    execute(graph, n=24, tiles=1, A=a)
    assert np.array_equal(a[:, :3], np.repeat(np.arange(6), 4)[:, None] * np.ones(3))
    assert (a[:, 3] == 9).all()


def test_workers_write_whole_words():
    body = (loop("i", 0, size, Store(at("A", i), code("worker")), shared=True),)
    a = np.zeros(20, np.int8)
    execute(vertices({"A": (N,)}, family((edge("A", OUT, MINE),), body), dtype=np.int8), n=20, tiles=1, A=a)
    assert a.tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4


def test_values_that_do_not_fit_their_type():
    body = (Store(at("A", 0), code("n")),)
    one = family((edge("A", OUT, a_range(0, 1)),), body, (("n", N - 10),), workers=False, partition=None)
    refused("the value 'n' is -5, which does not fit into uint32", program({"A": (1,)}, [one], INT), A=integers(0))


def test_a_name_without_a_value():
    refused(
        "MapStep 'work': KeyError: 'alpha'",
        program({"A": (N,)}, [a_map(Store(at("A", i), code("alpha")))]),
        A=np.zeros(5, np.float32),
    )


def test_a_scalar_of_more_than_one_element():
    one = family((edge("s", OUT, a_range(0, 2), layout=Layout.SCALAR),), (Store(at("s"), code("1")),), (), False, None)
    refused("ComputeSet 'work': ValueError", program({"s": (2,)}, [one], INT), s=integers(0, 0))


def test_partial_results_of_another_shape():
    combine = Combine("T", Slice("A", (a_range(0, N),)), Reduction(Op.SUM))
    graph = program({"A": (N,)}, [combine], INT, variables=(Variable("T", INT, numbers(4, 3)),))
    refused(r"rows of \(3,\) partial results for \(5,\) elements", graph, A=integers(*[0] * 5))
