"""The text of tile graphs."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

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
    BlockMapping,
    Combine,
    Copy,
    Follow,
    HostArray,
    LaneMapping,
    LinearMapping,
    Partition,
    Range,
    Repeat,
    Slice,
    TileGraph,
    TileMapping,
    Variable,
)
from dace_ipu.tile_graph.printer import statements_text, step_text, to_text

FLOAT, INT = np.dtype(np.float32), np.dtype(np.int32)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
N, M, i, j = (symbol(name) for name in "N M i j".split())


def text(string):
    return dedent(string).lstrip("\n")


def test_a_graph_of_maps(jacobi_maps):
    assert to_text(jacobi_maps) == text("""
        program stencil(N: int32)

        hosts
          A: float32[N]
          B: float32[N]

        variables
          A: float32[N]
          B: float32[N]

        steps
          A = host A
          B = host B
          # prog.py:12   B[1:-1] = 0.33 * (A[:-2] + A[1:-1] + A[2:])
          jacobi: for i in 0:N - 2 { B[i + 1] = 0.33 * (A[i] + A[i + 1] + A[i + 2]) }
          host B = B
    """)


def test_a_graph_of_vertices(jacobi_vertices, jacobi_set):
    graph = replace(
        jacobi_vertices,
        hosts=(),
        notes=("everything runs on 7 tiles",),
        steps=(replace(jacobi_set, note="only so many", slots=symbol("i_size")),),
    )
    assert to_text(graph) == text("""
        program stencil(N: int32)

        variables
          A: float32[N] on the blocks of jacobi_blocks [1 + t0]
          B: float32[N] on the blocks of jacobi_blocks [1 + t0]

        partitions
          jacobi_blocks: N - 2

        notes
          everything runs on 7 tiles

        steps
          # prog.py:12   B[1:-1] = 0.33 * (A[:-2] + A[1:-1] + A[2:])
          jacobi: for each block of jacobi_blocks (i_begin + i_size of dimension 0), by six workers, in i_size slots {
            # only so many
            input A = A[i_begin:i_begin + i_size + 2] as vector
            output B = B[i_begin + 1:i_begin + i_size + 1] as vector
            value i_size: uint32 = i_size
            share i in 0:i_size { B[i] = 0.33 * (A[i] + A[i + 1] + A[i + 2]) }
          }
    """)


def test_a_single_vertex(jacobi_set):
    step = replace(jacobi_set, partition=None, block=(), workers=False, fields=(), values=(), body=(Break(),))
    assert step_text(step).splitlines()[1:] == [
        "jacobi: once, on tile 0, by one worker, in 6 * i_size slots {",
        "  break",
        "}",
    ]


@pytest.mark.parametrize(
    ("variable", "line"),
    [
        (Variable("s", FLOAT, (ONE,), mapping=TileMapping(3)), "s: float32[1] on tile 3"),
        (Variable("A", INT, (N,), mapping=LinearMapping(), persistent=True), "A: int32[N] persistent on all tiles"),
        (Variable("c", INT, (ONE * 2,), constant=(1, 2)), "c: int32[2] = 1, 2"),
        (Variable("c", INT, (ONE * 9,), constant=tuple(range(9))), "c: int32[9] = 0, 1, 2, 3, 4, 5, 6, 7, ..."),
        (
            Variable("p", FLOAT, (ONE, N), mapping=LaneMapping("q", 6), lanes_of=("q", 6)),
            "p: float32[1, N] times 6 lanes a block of q on the blocks of q, 6 rows each",
        ),
        (
            Variable("A", FLOAT, (N, M, N), mapping=BlockMapping("q", (Follow(1, ZERO, 2), None, Follow(0, N, -1)))),
            "A: float32[N, M, N] on the blocks of q [2 * t1, :, N - t0]",
        ),
    ],
)
def test_variables(variable, line):
    graph = TileGraph("g", (), (), (variable,), ())
    assert to_text(graph) == f"program g()\n\nvariables\n  {line}\n"


@pytest.mark.parametrize(
    ("host", "line"),
    [
        (HostArray("A", INT, (N, M), (M, ONE), ZERO), "A: int32[N, M]"),
        (HostArray("A", INT, (N, M), (ONE, N), ZERO), "A: int32[N, M] strides [1, N] offset 0"),
        (HostArray("A", INT, (N,), (ONE,), ONE * 4), "A: int32[N] strides [1] offset 4"),
        (HostArray("s", FLOAT, (ONE,), (ONE,), ZERO, scalar=True), "s: float32[1] by value"),
    ],
)
def test_host_arrays(host, line):
    assert to_text(TileGraph("g", (), (host,), (), ())) == f"program g()\n\nhosts\n  {line}\n"


def test_partitions():
    partitions = (Partition("p", (N, M - 1)), Partition("q", ()))
    assert to_text(TileGraph("g", (), (), (), (), partitions)).splitlines()[3:] == ["  p: N x M - 1", "  q: 1"]


def a_slice(name, begin, end, step=1):
    return Slice(name, (Range(sympy.sympify(begin), sympy.sympify(end), step),))


def test_other_steps():
    copy = Copy(a_slice("A", 0, N), a_slice("B", 2 * N, N, -1))
    combine = Combine("p", a_slice("s", 0, 1), Reduction(Op.SUM))
    assert step_text(Repeat(N // 2, (copy, Repeat(M, (combine,))))) == text("""
        repeat N // 2 times {
          B[2 * N:N:-1] = A[0:N]
          repeat M times {
            s[0:1] += lanes of p
          }
        }
    """).rstrip("\n")


def test_combinations_that_overwrite():
    combine = Combine("p", a_slice("s", 0, 1), Reduction(Op.MAX), overwrites=True)
    assert step_text(combine) == "s[0:1] = max of lanes of p"


def test_statements():
    at = Access("A", (i, j))
    body = (
        Declare("x", FLOAT, Code("a * a", (("a", at),))),
        Declare("y", INT, None, constant=False),
        LocalArray("t", INT, (2, 3)),
        Assign("y", Code("1"), Reduction(Op.PRODUCT)),
        Store(at, Code("x"), Reduction(Op.MAX)),
        Store(at, Code("x"), Reduction(Op.CUSTOM, "old*2 + new")),
        Store(at, Code("x"), Reduction(Op.CUSTOM, "old - new", associative=False)),
        For("k", N, ZERO, -ONE, (If(Code("k > 3"), (Break(),), (Continue(),)),)),
        While(Code("y < 3"), (Assign("y", Code("y + 1")), Assign("y", Code("y")))),
    )
    assert statements_text(body) + "\n" == text("""
        const float32 x = A[i, j] * A[i, j]
        int32 y
        int32 t[2, 3]
        y *= 1
        A[i, j] = max(A[i, j], x)
        A[i, j] = old * 2 + new where new = x
        A[i, j] = old - new where new = x, in order
        for k in N:0:-1 {
          if k > 3 { break }
          else { continue }
        }
        while y < 3 {
          y = y + 1
          y = y
        }
    """)


def test_lines_stay_short():
    store = Store(Access("A", (i,)), Code(" + ".join(["x"] * 24)))
    lines = statements_text((For("i", ZERO, N, ONE, (store,)),)).splitlines()
    assert lines[0] == "for i in 0:N {"
    assert len(lines) == 3


def test_the_text_does_not_depend_on_hashes(run_python):
    program = """
        import numpy as np, sympy
        from dace_ipu.tile_graph.body import *
        from dace_ipu.tile_graph.nodes import *
        from dace_ipu.tile_graph.printer import to_text
        names = [symbol(n) for n in "gamma beta alpha N M".split()]
        size = sympy.Min(*names) + sympy.Max(*[n**2 for n in names]) + sum(names) * sympy.Mod(names[0], names[1])
        print(to_text(TileGraph("g", (), (), (Variable("A", np.dtype("f4"), (size,)),), ())))
    """
    texts = {run_python(dedent(program), PYTHONHASHSEED=seed).stdout for seed in ("1", "2")}
    assert len(texts) == 1
    assert "A: float32[" in texts.pop()
