"""Prefix sums and compaction in rows of four: every mask of a few elements, and many of more."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import sympy
from pass_graphs import expr, variables

from dace_ipu.passes import compaction, prefix_sums
from dace_ipu.passes.compaction import compacted
from dace_ipu.passes.new_steps import NewSteps
from dace_ipu.passes.prefix_sums import PlaneSizes, PrefixSums
from dace_ipu.tile_graph import interpreter
from dace_ipu.tile_graph.nodes import CopyIn, CopyOut, HostArray, TileGraph, Variable

I32, F32 = np.dtype(np.int32), np.dtype(np.float32)
SIZE = 60


@pytest.fixture(autouse=True)
def small_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefix_sums, "ROW", 4)
    monkeypatch.setattr(compaction, "ROW", 4)
    monkeypatch.setattr(compaction, "_ROW", sympy.Integer(4))
    monkeypatch.setattr(compaction, "_BITS", 2)


def host(variable: Variable) -> HostArray:
    strides, step = [], sympy.Integer(1)
    for size in reversed(variable.shape):
        strides.insert(0, step)
        step *= size
    return HostArray(variable.name, variable.dtype, variable.shape, tuple(strides), sympy.Integer(0))


def run(mask: np.ndarray) -> dict[str, np.ndarray]:
    """What the steps leave behind, for a mask and the values 1, 2, ..."""
    size = len(mask)
    empty = TileGraph("test", (), (), variables(chosen=f"int32 {size}", x=f"{size}"), ())
    new = NewSteps(empty)
    sums = PrefixSums.of("chosen", I32, PlaneSizes(expr(size)), new)
    ranks, counting = sums.ranks(new)
    done, moving = compacted(sums, {"x": F32}, new)
    arrays = (*empty.variables, *new.added)
    wanted = ("chosen", "x", ranks, done["x"], sums.total)
    hosts = tuple(host(variable) for variable in arrays if variable.name in wanted)
    inputs = tuple(CopyIn(name, name) for name in ("chosen", "x"))
    outputs = tuple(CopyOut(name, name) for name in (ranks, done["x"], sums.total))
    steps = (*inputs, *sums.steps, *counting, *moving, *outputs)
    data = {h.name: np.zeros([int(s) for s in h.shape], h.dtype) for h in hosts}
    data |= {"chosen": mask.astype(I32), "x": np.arange(1, size + 1, dtype=F32)}
    interpreter.run(TileGraph("test", (), hosts, arrays, steps), {}, data, tiles=3)
    return {"ranks": data[ranks], "moved": data[done["x"]].ravel(), "total": data[sums.total]}


def check(mask: np.ndarray) -> None:
    found = run(mask)
    assert found["total"][0] == mask.sum()
    np.testing.assert_array_equal(found["ranks"], np.cumsum(mask) - mask)
    np.testing.assert_array_equal(found["moved"][: mask.sum()], np.flatnonzero(mask) + 1)


@pytest.mark.parametrize("ends", list(product((0, 1), repeat=4)))
def test_some_masks_around_the_ends_of_rows(ends: tuple[int, ...]) -> None:
    mask = np.ones(21, np.int32)
    mask[[2, 3, 15, 16]] = ends
    check(mask)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.9, 1.0])
def test_masks_of_several_planes(share: float) -> None:
    check((np.random.default_rng(int(100 * share)).random(SIZE) < share).astype(np.int32))


def test_only_the_last_element_moves_all_the_way() -> None:
    check(np.eye(1, SIZE, SIZE - 1, dtype=np.int32)[0])
