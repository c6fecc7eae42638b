"""Passes keep the meaning of programs of several steps: maps, copies, scalar computations and loops around them.

Temporaries are used only after they were set, as in programs of DaCe; what is unset may change.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dace_ipu.passes import run
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.body import Access, Code, Expr, For, Op, Reduction, Statement, Store, symbol
from dace_ipu.tile_graph.nodes import (
    Copy,
    CopyIn,
    CopyOut,
    Dimension,
    HostArray,
    MapStep,
    Range,
    Repeat,
    Slice,
    Step,
    TileGraph,
    Variable,
)

INT32 = np.dtype(np.int32)
N, i, k = (symbol(name) for name in "N i k".split())
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
KEPT, TEMPORARY = ("x", "y", "r"), ("t", "u", "v", "p", "q")
SCALARS = frozenset("rpq")
ARRAYS = tuple(name for name in (*KEPT, *TEMPORARY) if name not in SCALARS)
SHAPES = {name: (ONE if name in SCALARS else N,) for name in (*KEPT, *TEMPORARY)}
PARTS = {"all": (ZERO, N, 1), "front": (ZERO, N - 1, 1), "back": (ONE, N, 1), "even": (ZERO, N, 2)}


@dataclass
class Program:
    """Draws steps; ``known`` are the variables that hold something at this point."""

    draw: st.DrawFn
    known: list[str] = field(default_factory=lambda: list(KEPT))
    made: int = 0

    def steps(self, count: int, depth: int = 0) -> tuple[Step, ...]:
        return tuple(self.step(depth) for _ in range(count))

    def step(self, depth: int) -> Step:
        kind = self.draw(st.sampled_from(["map", "map", "map", "copy", "copy", "single", "single", "repeat"]))
        if kind == "repeat" and depth == 0:
            return Repeat(sympy.Integer(self.draw(st.integers(1, 2))), self.steps(self.draw(st.integers(1, 4)), 1))
        if kind == "copy":
            return self.copy()
        return self.single() if kind == "single" else self.map()

    def map(self) -> MapStep:
        targets = self.draw(st.lists(st.sampled_from(ARRAYS), min_size=1, max_size=2, unique=True))
        body = [Store(Access(target, (i,)), self.value(i, written=tuple(targets))) for target in targets]
        self.known += [target for target in targets if target not in self.known]
        return self.named((Dimension("i", N),), tuple(body))

    def single(self) -> MapStep:
        target = self.draw(st.sampled_from(sorted(SCALARS)))
        body: tuple[Statement, ...] = (Store(Access(target, (ZERO,)), self.value(ZERO)),)
        if target in self.known and self.draw(st.booleans()):
            update = Store(Access(target, (ZERO,)), self.value(ZERO), Reduction(Op.SUM))
            body = (For("k", ZERO, sympy.Integer(2), ONE, (update,)),)
        self.known += [target] if target not in self.known else []
        return self.named((), body)

    def named(self, domain: tuple[Dimension, ...], body: tuple[Statement, ...]) -> MapStep:
        self.made += 1
        return MapStep(f"step_{self.made}", domain, body)

    def value(self, at: Expr, written: tuple[str, ...] = ()) -> Code:
        """Reads of scalars, of the own elements of arrays, and of others unless the map writes them."""
        names = self.draw(st.lists(st.sampled_from(self.known), min_size=1, max_size=3))
        reads = tuple((f"{name}_{number}", self.read(name, at, written)) for number, name in enumerate(names))
        text = " + ".join(read for read, _ in reads)
        return Code(self.draw(st.sampled_from([text, f"2 * {text}", f"({text}) % 7 + 1"])), reads)

    def read(self, name: str, at: Expr, written: tuple[str, ...]) -> Access:
        if name in SCALARS or at == ZERO:
            return Access(name, (ZERO,))
        return Access(name, (N - 1 - at if name not in written and self.draw(st.booleans()) else at,))

    def copy(self) -> Copy:
        source = self.draw(st.sampled_from([name for name in self.known if name not in SCALARS]))
        target = self.draw(st.sampled_from([name for name in ARRAYS if name != source]))
        parts = [("all", "all")]
        if target in self.known:
            parts += [("front", "back"), ("back", "front"), ("even", "even"), ("front", "front")]
        else:
            self.known.append(target)
        here, there = self.draw(st.sampled_from(parts))
        return Copy(_part(source, here), _part(target, there))


def _part(name: str, part: str) -> Slice:
    begin, end, step = PARTS[part]
    return Slice(name, (Range(begin, end, step),))


@st.composite
def programs(draw: st.DrawFn) -> TileGraph:
    steps = Program(draw).steps(draw(st.integers(2, 9)))
    hosts = tuple(HostArray(name, INT32, SHAPES[name], (ONE,), ZERO) for name in KEPT)
    variables = tuple(Variable(name, INT32, shape) for name, shape in SHAPES.items())
    inward, outward = (tuple(kind(name, name) for name in KEPT) for kind in (CopyIn, CopyOut))
    return TileGraph("sequence", (("N", INT32),), hosts, variables, (*inward, *steps, *outward))


@settings(deadline=None, max_examples=1500, suppress_health_check=[HealthCheck.too_slow])
@given(programs(), st.integers(1, 9), st.sampled_from([1, 3, 1472]))
def test_sequences_of_steps_mean_the_same_as_maps_and_as_vertices(graph, size, tiles):
    results = []
    for version in (graph, run(graph)):
        arrays = {name: np.arange(1 if name in SCALARS else size, dtype=np.int32) + 3 for name in KEPT}
        interpreter.run(version, {"N": size}, arrays, tiles)
        results.append(arrays)
    for name in KEPT:
        np.testing.assert_array_equal(results[1][name], results[0][name], err_msg=name)
