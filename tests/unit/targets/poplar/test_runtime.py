"""What the runtime does around a device program: arrays in and out, graphs kept or built anew, errors, the report."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import poplar_graphs as graphs
import pytest
import sympy
from poplar_program import Program, build_program

from dace_ipu.targets.poplar.program import Options
from dace_ipu.tile_graph.body import Access, Code, Op, Reduction, Store, symbol
from dace_ipu.tile_graph.nodes import (
    ComputeSet,
    Copy,
    CopyIn,
    CopyOut,
    Direction,
    Field,
    HostArray,
    Layout,
    LinearMapping,
    Range,
    Repeat,
    Slice,
    TileGraph,
    TileMapping,
    Variable,
)

N, M = symbol("N"), symbol("M")
ZERO, ONE = sympy.S.Zero, sympy.S.One
SYMBOLS = (("N", graphs.I32),)


def echo(
    name: str, host: str, device: str, strides: tuple[Any, ...], offset: Any = ZERO, shape: Any = (N,)
) -> TileGraph:
    """Array A to the device, there into another variable, and back into array B of the same layout."""
    layout = tuple(sympy.sympify(s) for s in strides)
    extents = tuple(sympy.sympify(e) for e in shape)
    whole = tuple(Range(ZERO, e) for e in extents)
    variables = tuple(Variable(v, np.dtype(device), extents, mapping=LinearMapping()) for v in "ab")
    return TileGraph(
        name,
        SYMBOLS,
        tuple(HostArray(h, np.dtype(host), extents, layout, sympy.sympify(offset)) for h in "AB"),
        variables,
        (CopyIn("A", "a"), Copy(Slice("a", whole), Slice("b", whole)), CopyOut("b", "B")),
    )


def counter() -> TileGraph:
    """Adds ``step`` (a scalar that is passed by value) to a variable that persists, T times."""
    scalar = (Range(ZERO, ONE),)
    fields = (
        Field("total", "total", Direction.INOUT, scalar, Layout.SCALAR),
        Field("step", "step", Direction.INPUT, scalar, Layout.SCALAR),
    )
    add = Store(Access("total", ()), Code("s", (("s", Access("step", ())),)), Reduction(Op.SUM))
    count = ComputeSet("count", None, (), fields, (), (add,), False, ONE)
    one = (ONE,)
    return TileGraph(
        "counter",
        (("N", graphs.I32), ("T", graphs.I32)),
        (
            HostArray("step", graphs.F32, one, one, ZERO, scalar=True),
            HostArray("out", graphs.F32, one, one, ZERO),
        ),
        (
            Variable("total", graphs.F32, one, persistent=True, mapping=TileMapping(0)),
            Variable("step", graphs.F32, one, mapping=TileMapping(0)),
            Variable("unused", graphs.F32, (N,), mapping=LinearMapping()),
        ),
        (CopyIn("step", "step"), Repeat(symbol("T"), (count,)), CopyOut("total", "out")),
    )


def tables() -> TileGraph:
    """Constants to the host."""
    three = (sympy.Integer(3),)
    contents = {
        "f": ("float32", (0.5, -2.0, 1e10)),
        "h": ("float16", (0.1, 2.0, -1.0)),
        "t": ("bool", (True, False, True)),
    }
    contents["z"] = ("complex64", (1 + 2j, 0, -1j))
    contents["s"] = ("int32", (7, 7, 7))
    hosts = tuple(HostArray(n, np.dtype(d), three, (ONE,), ZERO) for n, (d, _) in contents.items())
    variables = tuple(
        Variable(n, np.dtype(d), three, constant=values, mapping=LinearMapping()) for n, (d, values) in contents.items()
    )
    return TileGraph("tables", (), hosts, variables, tuple(CopyOut(n, n) for n in contents))


GRAPHS = (
    echo("plain", "float32", "float32", (1,)),
    echo("double", "float64", "float32", (1,)),
    echo("double_complex", "complex128", "complex64", (1,)),
    echo("strided", "float32", "float32", (3,), offset=2),
    echo("columns", "int64", "int64", (1, N + 1), shape=(3, N)),
    echo("half", "float16", "float16", (2,)),
    echo("narrowed", "int64", "int32", (1,)),
    counter(),
    tables(),
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    folder = tmp_path_factory.mktemp("runtime")
    with build_program(folder, GRAPHS, "runtime", Options(graph_cache_size=2, tiles=8)) as running:
        yield running


def test_bits_pass_unchanged(program: Program) -> None:
    bits = np.array([0x7FC12345, 0xFFA00001, 0x80000000, 0x7F800000, 1, 0x3F800000], np.uint32)
    out = np.zeros_like(bits)
    program.run("plain", bits, out, bits.size)
    np.testing.assert_array_equal(out, bits)


def test_doubles_are_converted_on_the_way(program: Program) -> None:
    values = np.array([0.1, -0.0, np.inf, np.nan, 1 + 1e-12])
    out = np.full(5, 7.0)
    program.run("double", values, out, 5)
    np.testing.assert_array_equal(out, values.astype(np.float32).astype(np.float64))
    assert np.signbit(out[1])


def test_double_complex(program: Program) -> None:
    values = np.array([0.5 + 2j, -1j, 3])
    out = np.zeros(3, np.complex128)
    program.run("double_complex", values, out, 3)
    np.testing.assert_array_equal(out, values)


def test_strides_and_offset(program: Program) -> None:
    values, out = np.arange(32, dtype=np.float32), np.full(32, -1, np.float32)
    program.run("strided", values, out, 10)
    np.testing.assert_array_equal(out[2:32:3], values[2:32:3])
    assert (np.delete(out, range(2, 32, 3)) == -1).all(), "elements between those of the array stay"


def test_column_major_with_a_gap(program: Program) -> None:
    values, out = np.arange(100, dtype=np.int64) * 2**40, np.zeros(100, np.int64)
    program.run("columns", values, out, 4)
    expected = np.array([[values[r + 5 * c] for c in range(4)] for r in range(3)])
    np.testing.assert_array_equal([[out[r + 5 * c] for c in range(4)] for r in range(3)], expected)


def test_half_bits_pass_unchanged(program: Program) -> None:
    values = np.array([0x7E01, 9, 0x8000, 9, 0x3C00, 9], np.uint16)
    out = np.zeros_like(values)
    program.run("half", values, out, 3)
    np.testing.assert_array_equal(out[::2], values[::2])


def test_integers_are_narrowed(program: Program) -> None:
    out = np.zeros(3, np.int64)
    program.run("narrowed", np.array([-5, 2**31 - 1, 0], np.int64), out, 3)
    np.testing.assert_array_equal(out, [-5, 2**31 - 1, 0])


def test_empty_arrays_need_no_streams(program: Program) -> None:
    program.run("plain", np.zeros(0, np.float32), np.zeros(0, np.float32), 0)


def test_arrays_may_move_between_calls(program: Program) -> None:
    for value in (1, 2, 3):
        values, out = np.full(6, value, np.float32), np.zeros(6, np.float32)
        program.run("plain", values, out, 6)
        np.testing.assert_array_equal(out, values)


def test_constants(program: Program) -> None:
    arrays = [np.zeros(3, v.dtype) for v in GRAPHS[-1].variables]
    program.run("tables", *arrays)
    for variable, array in zip(GRAPHS[-1].variables, arrays, strict=True):
        np.testing.assert_array_equal(array, np.array(variable.constant, variable.dtype))


def test_persistent_data_and_reasons(program: Program) -> None:
    out, before = np.zeros(1, np.float32), len(program.reasons())
    results = []
    for step, n, t in ((0.5, 1, 3), (2.0, 1, 3), (1.0, 1, 4), (1.0, 1, 3), (1.0, 1, 5), (1.0, 1, 4)):
        program.run("counter", np.float32(step), out, n, t)
        results.append(float(out[0]))
    assert results == [1.5, 7.5, 4.0, 10.5, 5.0, 4.0]
    assert program.reasons()[before:] == [
        "first call with N=1, T=3",
        "T changed 3 → 4; persistent data starts anew: total",
        "T changed 3 → 5; persistent data starts anew: total",
        "N=1, T=4 was evicted from the cache (compiler.ipu.graph_cache_size); persistent data starts anew: total",
    ]


def test_negative_count_does_not_run(program: Program) -> None:
    out = np.full(1, -1, np.float32)
    program.run("counter", np.float32(1), out, 2, -4)
    assert out[0] == 0


def test_an_error_sticks_until_it_is_taken(program: Program) -> None:
    values, out = np.ones(4, np.float32), np.zeros(4, np.float32)
    program.run_unchecked("plain", values, out, -1)
    program.run_unchecked("plain", values, out, 4)
    assert (out == 0).all(), "nothing runs while an error waits"
    assert program.error() == "plain with N=-1: std::out_of_range: a dimension of a tensor is negative: -1"
    assert program.error() is None
    program.run("plain", values, out, 4)
    assert (out == 1).all()


def test_report(program: Program) -> None:
    values, out = np.ones(9, np.float32), np.zeros(9, np.float32)
    program.run("plain", values, out, 9)
    program.run("plain", values, out, 9)
    report = program.report()
    assert report["name"] == "runtime"
    (entry,) = [p for p in report["programs"] if (p["program"], p["symbols"]) == ("plain", "N=9")]
    assert entry["runs"] == 2 and isinstance(entry["profile"], dict)
    build = [b for b in report["builds"] if b["symbols"] == "N=9"][-1]
    assert build["program"] == "plain" and build["seconds"] > 0


def test_settings_in_the_environment(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    values, out = np.ones(11, np.float32), np.zeros(11, np.float32)
    monkeypatch.setenv("DACE_compiler_ipu_tiles", "many")
    program.run_unchecked("plain", values, out, 11)
    expected = "environment variable DACE_compiler_ipu_tiles is 'many', not a number of at least 0"
    assert program.error() == f"plain with N=11: std::invalid_argument: {expected}"


def test_a_repeated_call_costs_microseconds(program: Program) -> None:
    values, out = np.ones(0, np.float32), np.zeros(0, np.float32)
    program.run("plain", values, out, 0)
    start = time.perf_counter()
    for _ in range(1000):
        program.run_unchecked("plain", values, out, 0)
    assert (time.perf_counter() - start) / 1000 < 1e-3
    assert program.error() is None
