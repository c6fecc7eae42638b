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
KEPT = ("x", "y", "r")  # what the caller sees: two arrays and a scalar
PARTS = {"all": (ZERO, N, 1), "front": (ZERO, N - 1, 1), "back": (ONE, N, 1), "even": (ZERO, N, 2)}


@dataclass
class Program:
    """Draws steps. ``arrays`` and ``scalars`` hold something at this point; new ones are temporaries."""

    draw: st.DrawFn
    arrays: list[str] = field(default_factory=lambda: ["x", "y"])
    scalars: list[str] = field(default_factory=lambda: ["r"])
    made: int = 0

    def steps(self, count: int, depth: int = 0) -> tuple[Step, ...]:
        return tuple(step for _ in range(count) for step in self.some(depth))

    def some(self, depth: int) -> tuple[Step, ...]:
        kind = self.draw(st.sampled_from(["map", "moved", "moved", "copy", "single", "single", "repeat"]))
        if kind == "repeat" and depth == 0:
            return (Repeat(sympy.Integer(self.draw(st.integers(1, 2))), self.steps(self.draw(st.integers(1, 3)), 1)),)
        if kind == "moved":
            return self.moved()
        if kind == "copy":
            return (self.copy(),)
        return (self.single(),) if kind == "single" else (self.map([self.target(self.arrays)]),)

    def moved(self) -> tuple[Step, ...]:
        """A map that sets a new temporary, which is then copied to where it belongs: DaCe's ``y[:] = ...``."""
        known = list(self.arrays)
        self.made += 1
        new, other = f"new_{self.made}", self.target(known)
        step = self.map(self.draw(st.permutations([new, other])))
        target = self.draw(st.sampled_from([*known, "x", "y"]))
        here, there = self.draw(st.sampled_from([("all", "all"), ("all", "all"), ("back", "front"), ("even", "even")]))
        return step, Copy(_part(new, here), _part(target, there))

    def target(self, known: list[str]) -> str:
        """A variable to write: one of the known ones, or a new one."""
        self.made += 1
        return self.draw(st.sampled_from([*known, f"new_{self.made}", f"new_{self.made}"]))

    def map(self, targets: list[str]) -> MapStep:
        body: list[Statement] = [
            Store(Access(target, (i,)), self.value(i, self.arrays, tuple(targets))) for target in targets
        ]
        if self.draw(st.integers(0, 3)) == 0:
            body = [For("k", ZERO, sympy.Integer(2), ONE, tuple(body))]
        self.arrays += [target for target in targets if target not in self.arrays]
        return self.named((Dimension("i", N),), tuple(body))

    def single(self) -> MapStep:
        target = self.target(self.scalars)
        reduction = self.draw(st.sampled_from([None, Reduction(Op.SUM)])) if target in self.scalars else None
        store = Store(Access(target, (ZERO,)), self.value(ZERO, self.arrays), reduction)
        self.scalars += [target] if target not in self.scalars else []
        return self.named((), (store,))

    def named(self, domain: tuple[Dimension, ...], body: tuple[Statement, ...]) -> MapStep:
        return MapStep(f"step_{self.made}", domain, body)

    def value(self, at: Expr, arrays: list[str], written: tuple[str, ...] = ()) -> Code:
        """Reads of scalars, of the own elements of arrays, and of others unless the map writes them."""
        names = self.draw(st.lists(st.sampled_from([*arrays, *self.scalars]), min_size=1, max_size=2))
        reads = tuple((f"read_{number}", self.read(name, at, written)) for number, name in enumerate(names))
        text = " + ".join(read for read, _ in reads)
        return Code(self.draw(st.sampled_from([text, f"2 * {text}", f"({text}) % 7 + 1"])), reads)

    def read(self, name: str, at: Expr, written: tuple[str, ...]) -> Access:
        if name in self.scalars or at == ZERO:
            return Access(name, (ZERO,))
        return Access(name, (N - 1 - at if name not in written and self.draw(st.booleans()) else at,))

    def copy(self) -> Copy:
        """Often of what was computed last: then the map may write the target itself."""
        source = self.draw(st.sampled_from([*self.arrays, *[self.arrays[-1]] * len(self.arrays)]))
        target = self.draw(st.sampled_from([name for name in (*self.arrays, "copied") if name != source]))
        parts = [("all", "all")]
        if target in self.arrays:
            parts += [("all", "all"), ("front", "back"), ("back", "front"), ("even", "even"), ("front", "front")]
        else:
            self.arrays.append(target)
        here, there = self.draw(st.sampled_from(parts))
        return Copy(_part(source, here), _part(target, there))


def _part(name: str, part: str) -> Slice:
    begin, end, step = PARTS[part]
    return Slice(name, (Range(begin, end, step),))


@st.composite
def programs(draw: st.DrawFn) -> TileGraph:
    program = Program(draw)
    steps = program.steps(draw(st.integers(1, 6)))
    shapes = dict.fromkeys(program.arrays, (N,)) | dict.fromkeys(program.scalars, (ONE,))
    hosts = tuple(HostArray(name, INT32, shapes[name], (ONE,), ZERO) for name in KEPT)
    variables = tuple(Variable(name, INT32, shape) for name, shape in shapes.items())
    inward, outward = (tuple(kind(name, name) for name in KEPT) for kind in (CopyIn, CopyOut))
    return TileGraph("sequence", (("N", INT32),), hosts, variables, (*inward, *steps, *outward))


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(programs(), st.integers(1, 9), st.sampled_from([1, 3, 1472]))
def test_sequences_of_steps_mean_the_same_as_maps_and_as_vertices(graph, size, tiles):
    results = []
    for version in (graph, run(graph)):
        arrays = {name: np.arange(1 if name == "r" else size, dtype=np.int32) + 3 for name in KEPT}
        interpreter.run(version, {"N": size}, arrays, tiles)
        results.append(arrays)
    for name in KEPT:
        np.testing.assert_array_equal(results[1][name], results[0][name], err_msg=name)
