"""The rules of tile graphs: a good graph passes, and every fault is found."""

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
from dace_ipu.tile_graph.nodes import (
    BlockDimension,
    BlockMapping,
    Combine,
    ComputeSet,
    Copy,
    CopyIn,
    CopyOut,
    Dimension,
    Direction,
    Field,
    Follow,
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
    TileMapping,
    Value,
    Variable,
)
from dace_ipu.tile_graph.spec import SpecError, check

FLOAT, INT, UNSIGNED = np.dtype(np.float32), np.dtype(np.int32), np.dtype(np.uint32)
DOUBLE, COMPLEX = np.dtype(np.float64), np.dtype(np.complex64)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
N, i, j, begin, size, worker = (symbol(name) for name in "N i j i_begin i_size worker".split())
IN, OUT, BOTH = Direction.INPUT, Direction.OUTPUT, Direction.INOUT
VECTOR, ROWS, SCALAR = Layout.VECTOR, Layout.ROWS, Layout.SCALAR


def a_range(low, high, step=1):
    return Range(sympy.sympify(low), sympy.sympify(high), step)


def at(data, *indices):
    return Access(data, tuple(map(sympy.sympify, indices)))


def store(target, text="1", reduction=None, **reads):
    return Store(target, Code(text, tuple(reads.items())), reduction)


def loop(variable, high, *body, step=1, shared=False):
    return For(variable, ZERO, sympy.sympify(high), sympy.sympify(step), body, shared)


LINEAR = LinearMapping()


def variable(name="T", shape=(N,), dtype=FLOAT, mapping=LINEAR, **more):
    return Variable(name, dtype, shape, mapping=mapping, **more)


def faults(graph: TileGraph, level: int) -> tuple[str, ...]:
    """What is wrong with a graph."""
    try:
        check(graph, level)
    except SpecError as error:
        return error.faults
    return ()


def with_variable(graph, new):
    return replace(graph, variables=(*graph.variables, new))


def test_good_graphs_pass(jacobi_maps, jacobi_vertices):
    check(jacobi_maps, 1)
    check(jacobi_vertices, 1)
    check(jacobi_vertices, 2)


def test_all_faults_are_reported_at_once(jacobi_maps):
    with pytest.raises(SpecError) as caught:
        check(jacobi_maps, 2)
    assert str(caught.value).splitlines() == [
        "tile graph 'stencil':",
        "  variable 'A': it has no mapping",
        "  variable 'B': it has no mapping",
        "  map 'jacobi': a map in a graph of level 2",
    ]


def test_there_are_two_levels(jacobi_maps):
    with pytest.raises(ValueError, match="levels 1 and 2, not 3"):
        check(jacobi_maps, 3)


# ---- the graph and its data ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"name": "a-b"}, "program 'a-b' is no name"),
        ({"symbols": (("N", INT), ("for", INT))}, "symbol or variable 'for' is no name"),
        ({"symbols": (("N", INT), ("N", INT))}, "symbol or variable 'N' exists twice"),
        ({"symbols": (("N", INT), ("A", INT))}, "symbol or variable 'A' exists twice"),
        ({"symbols": (("N", INT), ("worker", INT))}, "symbol 'worker' has a reserved name"),
        ({"symbols": (("N", INT), ("block", INT))}, "symbol 'block' has a reserved name"),
        ({"symbols": (("N", INT), ("x", DOUBLE))}, "symbol 'x' is float64, which does not exist there"),
        ({"partitions": (Partition("p", (N,)), Partition("p", (N,)))}, "partition 'p' exists twice"),
        (
            {"partitions": (Partition("p", (symbol("K"),)),)},
            "partition 'p': extent 'K': 'K' is not an integer that is known here",
        ),
        ({"partitions": (Partition("p", (N / sympy.pi,)),)}, "partition 'p': extent: no integer arithmetic: 'pi' (Pi)"),
        (
            {"partitions": (Partition("p", (sympy.Symbol("N"),)),)},
            "partition 'p': extent 'N': the symbol 'N' is not the one that body.symbol makes",
        ),
    ],
)
def test_names_and_expressions(jacobi_maps, changes, fault):
    assert fault in faults(replace(jacobi_maps, **changes), 1)


def test_a_float_is_no_size(jacobi_maps):
    graph = replace(jacobi_maps, symbols=(*jacobi_maps.symbols, ("alpha", FLOAT)))
    fault = "variable 'T': shape 'alpha': 'alpha' is not an integer that is known here"
    assert faults(with_variable(graph, variable(shape=(symbol("alpha"),))), 1) == (fault,)


def test_steps_have_names_of_their_own(jacobi_maps):
    graph = replace(jacobi_maps, steps=(*jacobi_maps.steps, jacobi_maps.steps[2]))
    assert faults(graph, 1) == ("step 'jacobi' exists twice",)


@pytest.mark.parametrize(
    ("host", "fault"),
    [
        (HostArray("H", np.dtype("S3"), (N,), (ONE,), ZERO), "it is |S3, which does not exist there"),
        (HostArray("H", FLOAT, (N, N), (ONE,), ZERO), "2 dimensions but 1 strides"),
        (HostArray("H", FLOAT, (N,), (symbol("K"),), ZERO), "stride 'K': 'K' is not an integer that is known here"),
        (HostArray("H", FLOAT, (N,), (ONE,), symbol("K")), "offset 'K': 'K' is not an integer that is known here"),
        (HostArray("H", FLOAT, (N,), (ONE,), ZERO, True), "a scalar has the shape (1,) and the offset 0"),
    ],
)
def test_host_arrays(jacobi_maps, host, fault):
    assert faults(replace(jacobi_maps, hosts=(*jacobi_maps.hosts, host)), 1) == (f"host array 'H': {fault}",)


def test_hosts_may_have_what_the_machine_has_not(jacobi_maps):
    host = HostArray("H", DOUBLE, (N,), (ONE,), ZERO)
    check(replace(jacobi_maps, hosts=(*jacobi_maps.hosts, host), steps=(CopyIn("H", "A"),)), 1)


@pytest.mark.parametrize(
    ("new", "fault"),
    [
        (variable(dtype=DOUBLE), "it is float64, which does not exist there"),
        (variable(shape=()), "it has no dimensions; a scalar has the shape (1,)"),
        (variable(shape=(ONE * 2,), constant=(1, 2, 3)), "3 constant values for the shape (2,)"),
        (variable(shape=(ONE,), constant=(1,), persistent=True), "it is constant and persistent"),
        (variable(lanes_of=("q", 6), shape=(ONE,)), "its lanes follow the unknown partition 'q'"),
        (variable(lanes_of=("jacobi_blocks", 0), shape=(ONE,)), "0 lanes a block"),
        (variable(lanes_of=("jacobi_blocks", 6)), "the first dimension of partial results is 1, times the lanes"),
        (variable(mapping=None), "it has no mapping"),
        (variable(mapping=TileMapping(-1)), "it is mapped to tile -1"),
        (variable(mapping=BlockMapping("q", (None,))), "it is mapped to the unknown partition 'q'"),
        (variable(mapping=BlockMapping("jacobi_blocks", ())), "its mapping has 0 entries for 1 dimensions"),
        (
            variable(mapping=BlockMapping("jacobi_blocks", (Follow(1, ZERO, 1),))),
            "its mapping follows dimension 1 of 'jacobi_blocks'",
        ),
        (variable(mapping=BlockMapping("jacobi_blocks", (Follow(0, ZERO, 0),))), "its mapping has a stride of 0"),
        (
            variable(mapping=BlockMapping("jacobi_blocks", (Follow(0, begin, 1),))),
            "offset in its mapping 'i_begin': 'i_begin' is not an integer that is known here",
        ),
        (
            variable(shape=(N, N), mapping=BlockMapping("jacobi_blocks", (Follow(0, ZERO, 1), Follow(0, ZERO, 1)))),
            "dimension of the partition in the mapping: '0' exists twice",
        ),
        (
            variable(mapping=LaneMapping("jacobi_blocks", 6)),
            "it is mapped to 6 lanes a block of 'jacobi_blocks', but has None",
        ),
    ],
)
def test_variables(jacobi_vertices, new, fault):
    assert faults(with_variable(jacobi_vertices, new), 2) == (f"variable 'T': {fault}",)


# ---- copies and repeats ----------------------------------------------------------------------------------------------


def box(name, *ranges):
    return Slice(name, ranges)


ALL = a_range(0, N)
EXTRA = (
    variable("I", dtype=INT),
    variable("C", shape=(sympy.Integer(2),), constant=(1, 2)),
    variable(
        "P", shape=(ONE, sympy.Integer(4)), lanes_of=("jacobi_blocks", 6), mapping=LaneMapping("jacobi_blocks", 6)
    ),
)
SUM = Reduction(Op.SUM)


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (Copy(box("X", ALL), box("B", ALL)), "copy of 'X' to 'B': unknown variable 'X'"),
        (Copy(box("A", ALL, ALL), box("B", ALL)), "copy of 'A' to 'B': 2 ranges for 'A', which has 1 dimensions"),
        (Copy(box("A", ALL), box("I", ALL)), "copy of 'A' to 'I': a copy from float32 to int32"),
        (Copy(box("A", a_range(1, N)), box("B", ALL)), "copy of 'A' to 'B': a copy of N - 1 elements to N"),
        (
            Copy(box("A", a_range(0, N + 1)), box("B", a_range(-1, N))),
            "copy of 'A' to 'B': the range 0:N + 1 leaves 'A', which has N there",
        ),
        (
            Copy(box("A", ALL), box("B", a_range(-1, N - 1))),
            "copy of 'A' to 'B': the range -1:N - 1 leaves 'B', which has N there",
        ),
        (
            Copy(box("A", a_range(0, i)), box("B", a_range(0, i))),
            "copy of 'A' to 'B': range 'i': 'i' is not an integer that is known here",
        ),
        (Copy(box("A", a_range(0, 2)), box("C", a_range(0, 2))), "copy of 'A' to 'C': it writes the constant 'C'"),
        (CopyIn("X", "A"), "copy in of 'A': unknown host array 'X'"),
        (CopyIn("A", "X"), "copy in of 'X': unknown variable 'X'"),
        (CopyIn("h2", "C"), "copy in of 'C': it writes the constant 'C'"),
        (CopyIn("h2", "A"), None),  # N may be 2
        (CopyOut("P", "A"), "copy out of 'P': host array 'A' has the shape (N,), 'P' (1, 4)"),
        (CopyIn("z", "A"), "copy in of 'A': a conversion between complex64 and float32"),
        (CopyOut("A", "s"), "copy out of 'A': a copy to the scalar 's', which the caller passes by value"),
        (Repeat(i, ()), "repeat: count 'i': 'i' is not an integer that is known here"),
        (Repeat(N, (CopyIn("X", "A"),)), "repeat: copy in of 'A': unknown host array 'X'"),
        (Combine("X", box("B", ALL), SUM), "combination of 'X': unknown variable 'X'"),
        (Combine("A", box("X", ALL), SUM), "combination of 'A': unknown variable 'X'"),
        (Combine("A", box("B", a_range(0, 4)), SUM), "combination of 'A': 'A' has no lanes"),
        (Combine("P", box("B", a_range(0, 4)), SUM), None),
        (
            Combine("P", box("B", a_range(0, 3)), SUM),
            "combination of 'P': rows of 'P' have the shape (4,), the target (3,)",
        ),
        (Combine("P", box("I", a_range(0, 4)), SUM), None),
        (
            Combine("P", box("B", a_range(0, 4)), Reduction(Op.CUSTOM, "old - new", associative=False)),
            "combination of 'P': partial results of a reduction that is not associative",
        ),
        (
            Combine("P", box("B", a_range(0, 4)), Reduction(Op.CUSTOM, "old + x")),
            "combination of 'P': 'old + x': 'x' is not known here",
        ),
        (
            Combine("P", box("B", a_range(0, 4)), Reduction(Op.BITWISE_OR)),
            "combination of 'P': the reduction 'bitwise_or' of float32",
        ),
        (Combine("Q", box("B", a_range(0, 4)), SUM), "combination of 'Q': partial results of type int32 for float32"),
    ],
)
def test_steps_of_the_program(jacobi_vertices, step, fault):
    integers = replace(EXTRA[2], name="Q", dtype=INT)
    hosts = (
        HostArray("h2", FLOAT, (sympy.Integer(2),), (ONE,), ZERO),
        HostArray("z", COMPLEX, (N,), (ONE,), ZERO),
        HostArray("s", FLOAT, (ONE,), (ONE,), ZERO, scalar=True),
    )
    graph = replace(
        jacobi_vertices,
        hosts=(*jacobi_vertices.hosts, *hosts),
        variables=(*jacobi_vertices.variables, *EXTRA, integers),
        steps=(step,),
    )
    found = faults(graph, 2)
    assert (fault in found) if fault else (found == ())


# ---- maps and bodies -------------------------------------------------------------------------------------------------


ROW = (Dimension("i", N),)


def map_faults(graph, *body, domain=ROW):
    variables = (
        *graph.variables,
        variable("C", shape=(sympy.Integer(2),), constant=(1, 2)),
        variable("Z", dtype=COMPLEX),
    )
    graph = replace(graph, variables=variables, symbols=(("N", INT), ("alpha", FLOAT)))
    return faults(replace(graph, steps=(MapStep("work", domain, body),)), 1)


@pytest.mark.parametrize(
    ("domain", "fault"),
    [
        ((Dimension("i", N), Dimension("i", N)), "dimension 'i' exists twice"),
        ((Dimension("N", N),), "dimension 'N' hides a symbol"),
        ((Dimension("if", N),), "dimension 'if' is no name"),
        ((Dimension("i", j),), "extent 'j': 'j' is not an integer that is known here"),
        ((Dimension("i", j), Dimension("j", N)), "extent 'j': 'j' is not an integer that is known here"),
        ((Dimension("i", N), Dimension("j", i)), None),
    ],
)
def test_domains(jacobi_maps, domain, fault):
    found = map_faults(jacobi_maps, domain=domain)
    assert found == ((f"map 'work': {fault}",) if fault else ())


X = Declare("x", INT, Code("1"), constant=False)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ((store(at("X", i)),), "unknown array 'X'"),
        ((store(at("A", i, i)),), "2 indices for 'A', which takes 1"),
        ((store(at("A", j)),), "index 'j': 'j' is not known here"),
        ((store(at("A", sympy.Symbol("i"))),), "index 'i': the symbol 'i' is not the one that body.symbol makes"),
        ((store(at("A", symbol("alpha"))),), "index 'alpha': 'alpha' is no integer"),
        ((store(at("A", sympy.sqrt(i))),), "index: no integer arithmetic: 'sqrt(i)' (Pow)"),
        ((store(at("C", i)),), "a store to 'C', which can only be read"),
        ((store(at("A", i), "1 +"),), "'1 +' is no expression: invalid syntax"),
        ((store(at("A", i), "y"),), "'y': 'y' is not known here"),
        ((store(at("A", i), "f(1)"),), "'f(1)': unknown function 'f' in 'f(1)'"),
        ((store(at("A", i), "a", a=at("A", j)),), "index 'j': 'j' is not known here"),
        ((Store(at("A", i), Code("a", (("a", at("A", i)), ("a", at("B", i))))),), "'a' reads 'a' twice"),
        ((store(at("A", i), "1", Reduction(Op.BITWISE_XOR)),), "the reduction 'bitwise_xor' of float32"),
        ((store(at("Z", i), "1", Reduction(Op.MAX)),), "the reduction 'max' of complex64"),
        ((store(at("A", i), "1", Reduction(Op.CUSTOM, "old +")),), "'old +' is no expression: invalid syntax"),
        ((X, X), "scalar 'x' hides another one"),
        ((Declare("A", INT, Code("1")),), "scalar 'A' has the name of an array"),
        ((Declare("i", INT, Code("1")),), "scalar 'i' hides another one"),
        ((Declare("x", DOUBLE, Code("1")),), "'x' is float64, which does not exist on the machine"),
        ((Declare("x", INT, None),), "the constant scalar 'x' has no value"),
        ((Declare("class", INT, Code("1")),), "scalar 'class' is no name"),
        ((Assign("x", Code("1")),), "an assignment to 'x', which is not declared"),
        ((Declare("x", INT, Code("1")), Assign("x", Code("1"))), "an assignment to 'x', which is constant"),
        ((Assign("i", Code("1")),), "an assignment to 'i', which is constant"),
        (
            (Declare("x", FLOAT, Code("1"), False), Assign("x", Code("1"), Reduction(Op.BITWISE_OR))),
            "the reduction 'bitwise_or' of float32",
        ),
        ((LocalArray("A", INT, (2,)),), "local array 'A' has the name of an array"),
        ((LocalArray("t", DOUBLE, (2,)),), "'t' is float64, which does not exist on the machine"),
        ((LocalArray("t", INT, ()),), "the local array 't' has the shape ()"),
        ((LocalArray("t", INT, (N,)),), "the local array 't' has the shape (N,)"),
        ((LocalArray("t", INT, (2,)), store(at("t"))), "0 indices for 't', which takes 1"),
        ((loop("i", 3),), "loop variable 'i' hides another one"),
        ((loop("k", j),), "index 'j': 'j' is not known here"),
        ((loop("k", N, step=0),), "the loop over 'k' has a step of 0"),
        ((loop("k", N, shared=True),), "the loop over 'k' is shared, but there are no workers"),
        ((loop("k", N, Assign("k", Code("1"))),), "an assignment to 'k', which is constant"),
        ((While(Code("y"), ()),), "'y': 'y' is not known here"),
        ((If(Code("y"), ()),), "'y': 'y' is not known here"),
        ((If(Code("1"), (X,)), Assign("x", Code("1"))), "an assignment to 'x', which is not declared"),
        ((If(Code("1"), (), (store(at("X", i)),)),), "unknown array 'X'"),
        ((Break(),), "a break outside of a loop"),
        ((Continue(),), "a continue outside of a loop"),
        ((loop("k", 3, If(Code("k"), (Break(),))), While(Code("1"), (Continue(), Break()))), None),
        ((loop("k", 3, X), loop("k", 3, X), X, store(at("A", symbol("x")))), None),
    ],
)
def test_bodies(jacobi_maps, body, fault):
    found = map_faults(jacobi_maps, *body)
    assert (f"map 'work': {fault}" in found) if fault else (found == ())


# ---- vertices --------------------------------------------------------------------------------------------------------


@pytest.fixture
def set_faults(jacobi_vertices, jacobi_set):
    """The faults of the stencil's compute set with changes."""

    def find(**changes):
        step = replace(jacobi_set, **changes)
        graph = replace(jacobi_vertices, steps=(step,))
        two = variable("M", shape=(N, N))
        three = variable("C", shape=(sympy.Integer(2),), constant=(1, 2))
        found = faults(replace(graph, variables=(*graph.variables, two, three)), 2)
        return tuple(fault.removeprefix("compute set 'jacobi': ") for fault in found)

    return find


def block(*dimensions):
    return tuple(BlockDimension(index, f"{name}_begin", f"{name}_size") for index, name in dimensions)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"partition": "q"}, "unknown partition 'q'"),
        ({"partition": None}, "block dimension 0 of a partition with 0"),
        ({"block": block((1, "i"))}, "block dimension 1 of a partition with 1"),
        ({"block": block((0, "i"), (0, "j"))}, "block dimension '0' exists twice"),
        ({"block": (BlockDimension(0, "i_size", "i_size"),)}, "block symbol 'i_size' exists twice"),
        ({"block": (BlockDimension(0, "N", "i_size"),)}, "block symbol 'N' hides a symbol"),
        ({"slots": i}, "slots 'i': 'i' is not an integer that is known here"),
        ({"workers": False}, "the loop over 'i' is shared, but there are no workers"),
    ],
)
def test_compute_sets(set_faults, changes, fault):
    assert fault in set_faults(**changes)


A = Field("A", "A", IN, (a_range(begin, begin + size + 2),), VECTOR)
B = Field("B", "B", OUT, (a_range(begin + 1, begin + size + 1),), VECTOR)
WHOLE, PART = a_range(0, N), a_range(begin, begin + size)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ((A, B, replace(A, variable="B", name="A")), "field or value 'A' exists twice"),
        ((A, replace(B, name="i_size")), "field or value 'i_size' exists twice"),
        ((A, B, replace(A, name="b c")), "field 'b c': it: 'b c' is no name"),
        ((replace(A, variable="X"), B), "field 'A': unknown variable 'X'"),
        ((replace(A, ranges=()), B), "field 'A': 0 ranges for 'A', which has 1 dimensions"),
        (
            (replace(A, ranges=(a_range(j, j + 1),)), B),
            "field 'A': range 'j': 'j' is not an integer that is known here",
        ),
        ((A, replace(B, variable="C", ranges=(a_range(0, 2),))), "field 'B': it writes the constant 'C'"),
        ((replace(A, layout=SCALAR), B), "field 'A': a scalar of more than one element"),
        ((replace(A, layout=ROWS), B), "field 'A': rows of a variable with one dimension"),
        (
            (A, B, Field("M", "M", IN, (PART, PART), VECTOR)),
            "field 'M': a vector that is not one run of the variable; it has to be rows",
        ),
        (
            (A, B, Field("M", "M", IN, (a_range(0, 2 * size, 2), WHOLE), VECTOR)),
            "field 'M': a vector that is not one run of the variable; it has to be rows",
        ),
        ((A, replace(B, direction=IN)), "a store to 'B', which can only be read"),
        ((replace(A, direction=BOTH), B), "field 'A' is InOut, but the body does not write it"),
        ((A, B, replace(A, name="A_2")), "field 'A_2' is not used"),
        ((replace(A, variable="B"), B), "fields 'A' and 'B' both stand for 'B', which is written"),
    ],
)
def test_fields(set_faults, fields, fault):
    assert fault in set_faults(fields=fields)


@pytest.mark.parametrize(
    ("layout", "ranges"),
    [
        (VECTOR, (PART, WHOLE)),
        (VECTOR, (PART, a_range(3, 4))),
        (VECTOR, (a_range(begin, begin + 1), PART)),
        (ROWS, (PART, PART)),
        (SCALAR, (a_range(begin, begin + 1), a_range(0, 1))),
    ],
)
def test_layouts_that_fit(set_faults, layout, ranges):
    fields = (A, B, Field("M", "M", IN, ranges, layout))
    assert set_faults(fields=fields) == ("field 'M' is not used",)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (Value("x y", size, UNSIGNED), "value 'x y': it: 'x y' is no name"),
        (Value("x", size, DOUBLE), "value 'x': it is float64, which does not exist there"),
        (Value("x", j, INT), "value 'x': expression 'j': 'j' is not an integer that is known here"),
        (Value("x", begin, FLOAT), "value 'x': 'i_begin' is not a symbol; a value of type float32 is one"),
        (Value("x", symbol("block"), INT), "value 'x' is not used"),
    ],
)
def test_values(set_faults, jacobi_set, value, fault):
    assert fault in set_faults(values=(*jacobi_set.values, value))


WRITE = store(at("B", i), "a", a=at("A", i))
SHARED = loop("i", size, WRITE, shared=True)
OWN = Reduction(Op.SUM)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ((loop("i", N, WRITE, shared=True),), "index 'N': 'N' is not known here"),
        ((loop("i", begin, WRITE, shared=True),), "index 'i_begin': 'i_begin' is not known here"),
        ((loop("j", size, SHARED, shared=True),), "the loop over 'i' is shared inside of a shared loop"),
        ((replace(SHARED, step=sympy.Integer(2)),), "the shared loop over 'i' has the step 2"),
        ((loop("i", size, WRITE, Break(), shared=True),), "a break out of a shared loop"),
        ((loop("i", size, loop("k", 3, Break()), WRITE, Continue(), shared=True),), None),
        ((SHARED, SHARED), "two shared loops one after the other"),
        ((If(Code("i_size > 3"), (SHARED,), (SHARED,)),), None),
        ((SHARED, store(at("B", 0))), "all workers store to 'B', outside of the shared loop"),
        ((SHARED, store(at("B", worker))), None),
        ((SHARED, If(Code("worker == 0"), (store(at("B", 0)),))), None),
        ((LocalArray("t", INT, (2,)), store(at("t", 0)), SHARED), None),
        (
            (loop("i", size, WRITE),),
            "six workers, but they do all the same: no loop is shared, and nothing depends on the worker",
        ),
    ],
)
def test_bodies_of_vertices(set_faults, body, fault):
    found = set_faults(body=body)
    assert (fault in found) if fault else (found == ())


def test_a_plain_vertex_has_no_worker(set_faults):
    found = set_faults(workers=False, body=(loop("i", size, store(at("B", worker), "a", a=at("A", i))),))
    assert found == ("index 'worker': 'worker' is not known here",)


def test_scalars_are_accessed_without_indices(jacobi_vertices):
    field = Field("A", "A", BOTH, (a_range(3, 4),), SCALAR)
    for target, expected in ((at("A"), ()), (at("A", 0), ("compute set 'one': 1 indices for 'A', which takes 0",))):
        step = ComputeSet("one", None, (), (field,), (), (store(target),), False, ONE)
        assert faults(replace(jacobi_vertices, steps=(step,)), 2) == expected
