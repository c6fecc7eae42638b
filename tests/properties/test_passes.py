"""Passes keep the meaning of programs: random small maps give the same results as maps and as vertices."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dace_ipu.errors import DiagnosticError
from dace_ipu.passes import run
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.body import Access, Code, Declare, Expr, For, If, Op, Reduction, Statement, Store, symbol
from dace_ipu.tile_graph.nodes import ComputeSet, CopyIn, CopyOut, Dimension, HostArray, MapStep, TileGraph, Variable

INT32 = np.dtype(np.int32)
N, M, i, j, k = (symbol(name) for name in "N M i j k".split())
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
INNER = 8  # elements of the small arrays that data-dependent indices point into
SHAPES = {
    "x": (4 * N + 16,),
    "a": (N + 4, M + 4),
    "index": (N + 4,),
    "y": (4 * N + 16,),
    "b": (2 * N + 4, M + 4),
    "bins": (sympy.Integer(INNER),),
}
TILES = (1, 4, 7, 1472)


Map = tuple[list[Dimension], tuple[Statement, ...]]


def program(domain: list[Dimension], body: tuple[Statement, ...], dtype: np.dtype = INT32) -> TileGraph:
    """A program that copies all arrays in, runs one map, and copies all arrays out."""
    return programs([(domain, body)], dtype)


def programs(maps: list[Map], dtype: np.dtype = INT32) -> TileGraph:
    """A program that copies all arrays in, runs maps, and copies all arrays out."""
    types = {name: INT32 if name == "index" else dtype for name in SHAPES}
    hosts = tuple(HostArray(name, types[name], shape, _packed(shape), ZERO) for name, shape in SHAPES.items())
    variables = tuple(Variable(name, types[name], shape) for name, shape in SHAPES.items())
    steps = tuple(MapStep(f"work_{n}", tuple(domain), body) for n, (domain, body) in enumerate(maps))
    copies_in = tuple(CopyIn(name, name) for name in SHAPES)
    copies_out = tuple(CopyOut(name, name) for name in SHAPES)
    return TileGraph("random", (("N", INT32), ("M", INT32)), hosts, variables, (*copies_in, *steps, *copies_out))


def _packed(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return tuple(sympy.Mul(*shape[axis + 1 :]) for axis in range(len(shape)))


def arrays(symbols: dict[str, int], dtype: np.dtype, seed: int) -> dict[str, np.ndarray]:
    """Random arguments; indices stay below INNER."""
    random = np.random.default_rng(seed)
    numbers = {symbol(name): value for name, value in symbols.items()}
    sizes = {name: tuple(int(size.subs(numbers)) for size in shape) for name, shape in SHAPES.items()}
    values = {name: random.integers(0, 9, size).astype(dtype) for name, size in sizes.items()}
    return values | {"index": random.integers(0, INNER, sizes["index"]).astype(np.int32)}


def check(graph: TileGraph, symbols: dict[str, int], tiles: int, dtype: np.dtype = INT32) -> None:
    """Runs a program before and after the passes on equal data."""
    expected = arrays(symbols, dtype, seed=1)
    found = arrays(symbols, dtype, seed=1)
    interpreter.run(graph, symbols, expected, tiles)
    interpreter.run(run(graph), symbols, found, tiles)
    for name in SHAPES:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


# ---- what random bodies are made of ----------------------------------------------------------------------------------


def offsets() -> st.SearchStrategy[int]:
    return st.integers(0, 4)


def line_index(t: Expr, extent: Expr) -> st.SearchStrategy[Expr]:
    """An index into a long array, in bounds for 0 <= t < extent <= N."""
    return st.one_of(
        offsets().map(lambda c: t + c),
        offsets().map(lambda c: 2 * t + c),
        offsets().map(lambda c: 3 * t + c),
        offsets().map(lambda c: extent - 1 - t + c),
        offsets().map(lambda c: sympy.floor(t / 2) + c),
        offsets().map(lambda c: sympy.Mod(t + c, 3)),
        st.just(sympy.Min(t + 1, extent - 1)),
        st.just(sympy.Max(t - 1, 0)),
        offsets().map(sympy.Integer),
    )


@dataclass
class Reads:
    """Collects the reads of a computation under fresh names."""

    found: list[tuple[str, Access]] = field(default_factory=list)

    def name(self, data: str, *indices: Expr) -> str:
        self.found.append((f"r{len(self.found)}", Access(data, tuple(map(sympy.sympify, indices)))))
        return self.found[-1][0]


@st.composite
def values(draw: st.DrawFn, names: tuple[Expr, ...], in_place: tuple[Access, ...] = ()) -> Code:
    """A computation over elements of the arrays that are only read, indices, and elements that are written."""
    reads, parts = Reads(), []
    for _ in range(draw(st.integers(1, 3))):
        t = draw(st.sampled_from(names))
        kind = draw(st.sampled_from(["x", "a", "dimension", "old"]))
        if kind == "x":
            parts.append(reads.name("x", draw(line_index(t, N))))
        elif kind == "a":
            parts.append(reads.name("a", i + draw(offsets()), draw(st.integers(0, 3))))
        elif kind == "old" and in_place:
            access = draw(st.sampled_from(in_place))
            parts.append(reads.name(access.data, *access.indices))
        else:
            parts.append(str(t))
    text = parts[0]
    for part in parts[1:]:
        text = draw(st.sampled_from([f"{text} + {part}", f"({text}) * 2 - {part}", f"min({text}, {part})"]))
    return Code(text, tuple(reads.found))


REDUCTIONS = st.sampled_from([Reduction(Op.SUM), Reduction(Op.MAX), Reduction(Op.MIN)])


@st.composite
def lines(draw: st.DrawFn) -> tuple[list[Dimension], tuple[Statement, ...]]:
    """A map over one dimension that writes each element once: strided, reversed, shifted, in place."""
    target = draw(
        st.one_of(
            offsets().map(lambda c: i + c),
            offsets().map(lambda c: 2 * i + c),
            offsets().map(lambda c: N - 1 - i + c),
        )
    )
    neighbours = tuple(Access("y", (target + c,)) for c in range(3))
    store = Store(Access("y", (target,)), draw(values((i,), draw(st.sampled_from([(), neighbours])))))
    return [Dimension("i", N)], (store,)


@st.composite
def planes(draw: st.DrawFn) -> tuple[list[Dimension], tuple[Statement, ...]]:
    """A map over two dimensions: plain stores in both orders of the loops, strided rows, in-place stencils."""
    row = draw(st.sampled_from([i, i + 2, 2 * i + 1, N - 1 - i]))
    column = j + draw(offsets())
    neighbours = tuple(Access("b", (row + c, j + d)) for c, d in [(0, 0), (1, 1), (2, 0)])
    store = Store(Access("b", (row, column)), draw(values((i,), draw(st.sampled_from([(), neighbours])))))
    domain = [Dimension("i", N), Dimension("j", M)]
    return draw(st.permutations(domain)), (store,)


@st.composite
def reductions(draw: st.DrawFn) -> tuple[list[Dimension], tuple[Statement, ...]]:
    """Sums, minima and maxima into scalars, rows, columns and overlapping windows."""
    target = draw(
        st.one_of(
            offsets().map(lambda c: Access("y", (sympy.Integer(c),))),
            line_index(i, N).map(lambda index: Access("y", (index,))),
            st.sampled_from(
                [Access("y", (i + j,)), Access("b", (i, ZERO)), Access("b", (ONE, j)), Access("b", (i, j))]
            ),
        )
    )
    domain = [Dimension("i", N), Dimension("j", M), Dimension("t", draw(st.sampled_from([ONE, sympy.Integer(3)])))]
    return draw(st.permutations(domain)), (Store(target, draw(values((i,))), draw(REDUCTIONS)),)


@st.composite
def gathers(draw: st.DrawFn) -> tuple[list[Dimension], tuple[Statement, ...]]:
    """Indices that come from data: reads anywhere, reductions into bins."""
    chosen = Declare("chosen", INT32, Code("c", (("c", Access("index", (i + draw(offsets()),))),)))
    at = symbol("chosen")
    if draw(st.booleans()):
        return [Dimension("i", N)], (chosen, Store(Access("bins", (at,)), draw(values((i,))), draw(REDUCTIONS)))
    gathered = Code("g + chosen", (("g", Access("x", (at + draw(offsets()),))),))
    return [Dimension("i", N)], (chosen, Store(Access("y", (2 * i,)), gathered))


@st.composite
def loops(draw: st.DrawFn) -> tuple[list[Dimension], tuple[Statement, ...]]:
    """Inner loops, rectangular and triangular, upwards and downwards, that store or accumulate."""
    begin, end, step = draw(
        st.sampled_from(
            [(ZERO, M, ONE), (ZERO, i, ONE), (i, N, ONE), (M - 1, -ONE, -ONE), (ZERO, M - 2, ONE), (ZERO, M, 2 * ONE)]
        )
    )
    bounded = end is M or step == -1
    target = Access("b", (i, k)) if bounded and draw(st.booleans()) else Access("y", (i + draw(offsets()),))
    reduction = None if target.data == "b" else draw(REDUCTIONS)
    value = Code("r * 2 + i", (("r", Access("x", (i + k,) if draw(st.booleans()) else (2 * k,))),))
    if not bounded or target.data == "y":
        value = Code("r * 2 + i", (("r", Access("x", (k + draw(offsets()),))),))
    return [Dimension("i", N)], (For("k", begin, end, step, (Store(target, value, reduction),)),)


@st.composite
def guards(draw: st.DrawFn) -> tuple[list[Dimension], tuple[Statement, ...]]:
    """Accesses that would be out of bounds without the condition around them."""
    first = Store(Access("y", (i,)), Code("p + q", (("p", Access("x", (i - 1,))), ("q", Access("x", (i,))))))
    second = Store(Access("y", (i,)), Code("0"))
    back = draw(st.integers(1, 3))
    if back > 1:
        first = Store(Access("y", (i - back,)), Code("p", (("p", Access("x", (i - back,))),)))
    condition = Code(f"i >= {back}")
    return [Dimension("i", N)], (If(condition, (first,), (second,) if back == 1 else ()),)


@st.composite
def temporaries(draw: st.DrawFn) -> tuple[list[Dimension], tuple[Statement, ...]]:
    """Chains of local scalars of several types between reads and writes of one array, in conditions and loops too."""
    scalars: list[str] = []
    numbers = itertools.count()

    def value() -> Code:
        reads, parts = Reads(), []
        for _ in range(draw(st.integers(1, 2))):
            kind = draw(st.sampled_from(["scalar", "x", "y", "number"]))
            if kind == "scalar" and scalars:
                parts.append(draw(st.sampled_from(scalars)))
            elif kind in ("x", "y"):
                parts.append(reads.name(kind, i + draw(st.integers(0, 1)) if kind == "x" else i))
            else:
                parts.append(str(draw(st.integers(0, 3))))
        return Code(draw(st.sampled_from([" + ", " * ", " - "])).join(parts), tuple(reads.found))

    def statement(depth: int) -> Statement:
        kind = draw(st.sampled_from(["declare", "declare", "declare", "store", "loop", "if"]))
        if kind == "declare":
            type_of = draw(st.sampled_from(["int32", "int32", "int8", "float32"]))
            made = Declare(f"s{next(numbers)}", np.dtype(type_of), value())
            scalars.append(made.name)
            return made
        if kind == "store" or depth == 2:
            return Store(Access("y", (i,)), value(), draw(st.sampled_from([None, Reduction(Op.SUM)])))
        known = len(scalars)
        inner = tuple(statement(depth + 1) for _ in range(draw(st.integers(0, 3))))
        del scalars[known:]
        if kind == "loop":
            return For(f"k{depth}", ZERO, sympy.Integer(draw(st.integers(0, 2))), ONE, inner)
        return If(Code("q > 2", (("q", Access("x", (i,))),)), inner)

    body = tuple(statement(0) for _ in range(draw(st.integers(2, 7))))
    return [Dimension("i", N)], body


SIZES = st.tuples(st.integers(0, 13), st.integers(0, 9))
CHECKED = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    "make", [lines, planes, reductions, gathers, loops, guards, temporaries], ids=lambda make: make.__name__
)
def test_maps_and_their_vertices_agree(make):
    @CHECKED
    @given(make(), SIZES, st.sampled_from(TILES))
    def same(drawn, sizes, tiles):
        domain, body = drawn
        check(program(list(domain), body), dict(zip("NM", sizes, strict=True)), tiles)

    same()


MAPS = st.one_of(lines(), planes(), reductions(), gathers(), loops(), guards())


@CHECKED
@given(st.lists(MAPS, min_size=2, max_size=4), SIZES, st.sampled_from(TILES))
def test_several_maps_agree(maps, sizes, tiles):
    check(programs(maps), dict(zip("NM", sizes, strict=True)), tiles)


def test_maps_that_follow_each_other_are_fused():
    first = ([Dimension("i", N)], (Store(Access("y", (i,)), Code("r * 2", (("r", Access("x", (i,))),))),))
    second = ([Dimension("j", N)], (Store(Access("y", (j,)), Code("r + 1", (("r", Access("y", (j,))),))),))
    assert sum(isinstance(step, ComputeSet) for step in run(programs([first, second])).steps) == 1
    check(programs([first, second]), {"N": 9, "M": 1}, 4)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "bool"])
@pytest.mark.parametrize("tiles", TILES)
def test_narrow_elements_are_never_written_by_two_workers(dtype, tiles):
    body = (Store(Access("y", (i,)), Code("r", (("r", Access("x", (i + 1,))),))),)
    check(program([Dimension("i", N)], body, np.dtype(dtype)), {"N": 61, "M": 2}, tiles, np.dtype(dtype))


@pytest.mark.parametrize("index", [i + 1, N - 1 - i, 2 * i], ids=str)
def test_narrow_elements_that_straddle_words_have_one_worker(index):
    body = (Store(Access("y", (index,)), Code("r", (("r", Access("x", (i,))),))),)
    check(program([Dimension("i", N)], body, np.dtype(np.int8)), {"N": 61, "M": 2}, 3, np.dtype(np.int8))


def test_a_conflict_is_an_error_and_not_a_result():
    with pytest.raises(DiagnosticError, match="write conflict without reduction"):
        run(program([Dimension("i", N)], (Store(Access("y", (ZERO,)), Code("i")),)))
