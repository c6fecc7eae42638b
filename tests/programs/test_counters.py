"""Loops whose turns advance counters: compactions, cumulative sums, and stores in order where data says.

Rows of four elements, so that a handful of elements lie in several planes.
"""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest
import sympy

import dace_ipu
from dace_ipu.passes import compaction, loops_to_scans, ordered_stores, prefix_sums, scan_steps
from dace_ipu.tile_graph.nodes import ComputeSet, walk_steps
from tests.programs.catalogue import Case, oracle, values
from tests.programs.interpreted import interpret, tile_graph
from tests.programs.registry import registry

pytestmark = pytest.mark.filterwarnings("ignore:Using sets for connectors:UserWarning")  # by DaCe itself

N, M = dace.symbol("N"), dace.symbol("M")
i32, i64, f32 = np.int32, np.int64, np.float32
CASES, case = registry()
LEFT, left_alone = registry()
RNG = np.random.default_rng(7)


@pytest.fixture
def small_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planes of four rows of four, and no loop too short."""
    for module in (prefix_sums, compaction, ordered_stores, scan_steps):
        monkeypatch.setattr(module, "ROW", 4)
    monkeypatch.setattr(compaction, "_ROW", sympy.Integer(4))
    monkeypatch.setattr(compaction, "_BITS", 2)
    monkeypatch.setattr(ordered_stores, "_ROW", sympy.Integer(4))
    monkeypatch.setattr(ordered_stores, "PLANE", 16)
    monkeypatch.setattr(ordered_stores, "OWNED", 5)
    monkeypatch.setattr(loops_to_scans, "FEW", 0)


@case(lambda: {"A": values(RNG, 50), "out": values(RNG, 50), "count": np.zeros(1, i32)})
@dace.program
def compact(A: dace.float32[N], out: dace.float32[N], count: dace.int32[1]):
    n = 0
    for i in range(N):
        if A[i] > 0:
            out[n] = A[i]
            n += 1
    count[0] = n


@case(lambda: {"A": values(RNG, 70), "B": values(RNG, 70, dtype=i64), "at": np.zeros(70, i32)})
@dace.program
def compact_in_place(A: dace.float32[N], B: dace.int64[N], at: dace.int32[N]):
    n = 0
    for i in range(N):
        if A[i] > 0.3:
            A[n] = A[i]
            B[n] = B[i]
            at[n] = i
            n += 1


@case(lambda: {"A": values(RNG, 6, 7), "B": values(RNG, 6, 7), "count": np.zeros(1, i32)})
@dace.program
def compact_matrices(A: dace.float32[N, M], B: dace.float32[N, M], count: dace.int32[1]):
    a = np.reshape(A, (N * M,))
    b = np.reshape(B, (N * M,))
    n = 0
    for i in range(N * M):
        if a[i] > 0:
            b[n] = b[i]
            n += 1
    count[0] = n


@case(lambda: {"A": values(RNG, 40), "low": values(RNG, 40), "high": values(RNG, 40), "counts": np.zeros(2, i32)})
@dace.program
def partition(A: dace.float32[N], low: dace.float32[N], high: dace.float32[N], counts: dace.int32[2]):
    a = 0
    b = 0
    for i in range(N):
        if A[i] < 0.2:
            low[a] = A[i]
            a += 1
        else:
            high[b] = A[i] * 2
            b += 1
    counts[0] = a
    counts[1] = b


@case(lambda: {"A": values(RNG, 30), "out": values(RNG, 64), "count": np.array([17], i32)})
@dace.program
def append(A: dace.float32[N], out: dace.float32[M], count: dace.int32[1]):
    for i in range(N):
        if A[i] > 0:
            out[count[0]] = A[i]
            count[0] = count[0] + 1


@case(lambda: {"A": values(RNG, 33), "out": values(RNG, 40), "count": np.zeros(1, i64)})
@dace.program
def advanced_before(A: dace.float32[N], out: dace.float32[M], count: dace.int64[1]):
    count[0] = 2
    for i in range(1, N):
        if A[i] < A[i - 1]:
            count[0] += 1
            out[count[0] - 1] = A[i]


@case(lambda: {"A": values(RNG, 45, dtype=np.int8), "out": values(RNG, 30, dtype=np.int8)})
@dace.program
def bytes_to_fewer(A: dace.int8[N], out: dace.int8[M]):
    n = 0
    for i in range(N):
        if A[i] > 6:
            out[n] = A[i]
            n += 1


@case(lambda: {"x": values(RNG, 53, dtype=i32), "y": np.zeros(53, i32)})
@dace.program
def cumulative(x: dace.int32[N], y: dace.int32[N]):
    s = 0
    for i in range(N):
        s += x[i]
        y[i] = s


@case(lambda: {"x": values(RNG, 37, dtype=i64) << 33, "y": np.zeros(37, i64), "last": np.array([5], i64)})
@dace.program
def cumulative_of_64_bits(x: dace.int64[N], y: dace.int64[N], last: dace.int64[1]):
    for i in range(N):
        y[i] = last[0] - x[i]
        last[0] = last[0] + x[i] * 2


@case(lambda: {"flags": values(RNG, 41, dtype=np.bool_), "rank": np.zeros(41, i32)})
@dace.program
def ranks(flags: dace.bool_[N], rank: dace.int32[N]):
    n = 0
    for i in range(N):
        rank[i] = n
        n += flags[i]


@case(lambda: {"at": RNG.integers(0, 23, 60).astype(i32), "x": values(RNG, 60), "out": values(RNG, 23)})
@dace.program
def last_store_wins(at: dace.int32[N], x: dace.float32[N], out: dace.float32[M]):
    for i in range(N):
        out[at[i]] = x[i]


@case(
    lambda: {
        "row": RNG.integers(0, 5, 60).astype(i64),
        "column": RNG.integers(0, 3, 60).astype(i64),
        "x": values(RNG, 60, dtype=np.complex64),
        "out": values(RNG, 5, 3, dtype=np.complex64),
        "turn": np.zeros((5, 3), np.int16),
    }
)
@dace.program
def chosen_store_wins(
    row: dace.int64[N], column: dace.int64[N], x: dace.complex64[N], out: dace.complex64[5, 3], turn: dace.int16[5, 3]
):
    for i in range(N):
        if x[i].real > 0:
            out[row[i], column[i]] = x[i]
            turn[row[i], column[i]] = i


@case(lambda: {"A": values(RNG, 34), "to": RNG.permutation(34).astype(i32), "out": values(RNG, 34)})
@dace.program
def compact_through_a_table(A: dace.float32[N], to: dace.int32[N], out: dace.float32[N]):
    n = 0
    for i in range(N):
        if A[i] > -0.2:
            out[to[n]] = A[i] + n
            n += 1


@case(lambda: {"A": values(RNG, 44), "out": values(RNG, 44), "ends": np.array([9, 31], i32)})
@dace.program
def range_of_the_device(A: dace.float32[N], out: dace.float32[N], ends: dace.int32[2]):
    n = 0
    for i in range(ends[0], ends[1]):
        if A[i] > 0:
            out[n] = A[i]
            n += 1


@case(lambda: {"A": values(RNG, 60), "out": np.zeros(60, i32), "steps": np.zeros(1, i32)})
@dace.program
def shrinking(A: dace.float32[N], out: dace.int32[N], steps: dace.int32[1]):
    length = N
    k = 0
    while length > 0 and k < 9:
        A[:length] = A[:length] * 1.5
        n = 0
        for i in range(length):
            if abs(A[i]) < 1:
                A[n] = A[i]
                n += 1
        out[k] = n
        length = n
        k += 1
    steps[0] = k


@case(
    lambda: {
        "mask": values(RNG, 40, dtype=np.bool_),
        "at": RNG.integers(0, 11, 40).astype(i32),
        "x": values(RNG, 40),
        "A": np.zeros(11, i32),
        "B": values(RNG, 11),
        "ends": np.array([3, 37], i32),
    }
)
@dace.program
def one_after_the_other(
    mask: dace.bool_[N],
    at: dace.int32[N],
    x: dace.float32[N],
    A: dace.int32[M],
    B: dace.float32[M],
    ends: dace.int32[2],
):
    x[:] = x * 2
    for k in range(2):
        x[:] = x + 1
        for i in range(ends[0], ends[1]):
            if mask[i]:
                A[at[i]] = i + k
        for j in range(ends[0], ends[1]):
            if mask[j]:
                B[at[j]] = x[j]


@case(lambda: {"x": values(RNG, 35, dtype=i32), "y": np.zeros(35, i32)})
@dace.program
def running_sum(x: dace.int32[N], y: dace.int32[N]):
    y[:] = np.cumsum(x)


@case(lambda: {"x": values(RNG, 35, dtype=np.int8), "y": values(RNG, 36, dtype=i64)})
@dace.program
def recurrence_of_sums(x: dace.int8[N], y: dace.int64[M]):
    for i in range(2, N):
        y[i] = 2 * x[i] + y[i - 1]


# ---- what stays a loop


@left_alone(lambda: {"x": values(RNG, 40), "y": values(RNG, 40)})
@dace.program
def sum_of_floats(x: dace.float32[N], y: dace.float32[N]):
    s = np.float32(0)
    for i in range(N):
        s += x[i]
        y[i] = s


@left_alone(lambda: {"x": values(RNG, 40), "y": values(RNG, 40)})
@dace.program
def running_sum_of_floats(x: dace.float32[N], y: dace.float32[N]):
    for i in range(1, N):
        y[i] = y[i - 1] + x[i]


@left_alone(lambda: {"A": values(RNG, 40), "out": values(RNG, 40)})
@dace.program
def limited(A: dace.float32[N], out: dace.float32[N]):
    n = 0
    for i in range(N):
        if A[i] > 0 and n < 7:
            out[n] = A[i]
            n += 1


@left_alone(lambda: {"A": values(RNG, 40)})
@dace.program
def overtaking(A: dace.float32[N]):
    n = 3
    for i in range(N - 3):
        if A[i] > 0:
            A[n] = A[i]
            n += 1


@left_alone(lambda: {"A": values(RNG, 40)})
@dace.program
def reads_the_next(A: dace.float32[N]):
    n = 0
    for i in range(1, N):
        if A[i - 1] > 0:
            A[n] = A[i]
            n += 1


@left_alone(lambda: {"A": values(RNG, 40), "B": values(RNG, 40)})
@dace.program
def unique(A: dace.float32[N], B: dace.float32[N]):
    B[0] = A[0]
    n = 1
    for i in range(1, N):
        if A[i] > B[n - 1]:
            B[n] = A[i]
            n += 1


@left_alone(lambda: {"at": RNG.integers(0, 9, 40).astype(i32), "x": values(RNG, 40), "out": values(RNG, 9)})
@dace.program
def reads_what_it_stores(at: dace.int32[N], x: dace.float32[N], out: dace.float32[M]):
    for i in range(N):
        out[at[i]] = x[i] - 0.5 * out[at[i]]


def ids(cases: Any) -> list[str]:
    return [program.f.__name__ for program, _ in cases]


def symbols_of(program: Any, arguments: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    arrays = program.to_sdfg(simplify=False).arrays
    for name, array in arguments.items():
        for size, length in zip(arrays[name].shape, array.shape, strict=True):
            found |= {str(size): int(length)} if not str(size).isdigit() else {}
    return found


def compared(program: Any, arguments: dict[str, Any], run: Any) -> None:
    wanted = {name: array.copy() for name, array in arguments.items()}
    oracle(Case(program, dict, symbols_of(program, arguments), ""), wanted)
    run(arguments)
    for name, want in wanted.items():
        np.testing.assert_array_equal(arguments[name], want, err_msg=name)


def moves(sdfg: dace.SDFG) -> list[str]:
    """The compute sets that the pass makes."""
    sets = (step.name for step in walk_steps(tile_graph(sdfg).steps) if isinstance(step, ComputeSet))
    return [name for name in sets if name.startswith(("choose_", "compact_", "keep_", "sum_", "spread_"))]


@pytest.mark.usefixtures("small_rows")
@pytest.mark.parametrize(("program", "make"), CASES, ids=ids(CASES))
def test_in_planes(program: Any, make: Any) -> None:
    assert moves(program.to_sdfg())
    arguments = make()
    compared(program, arguments, lambda a: interpret(program.to_sdfg(), **a, **symbols_of(program, a)))


@pytest.mark.usefixtures("small_rows")
@pytest.mark.parametrize(("program", "make"), LEFT, ids=ids(LEFT))
def test_what_stays_a_loop(program: Any, make: Any) -> None:
    assert not moves(program.to_sdfg())
    arguments = make()
    compared(program, arguments, lambda a: interpret(program.to_sdfg(), **a, **symbols_of(program, a)))


ON_THE_SIMULATOR: dict[str, dict[str, Any]] = {
    "compact_in_place": {"A": values(RNG, 1500), "B": values(RNG, 1500, dtype=i64), "at": np.zeros(1500, i32)},
    "bytes_to_fewer": {"A": values(RNG, 2049, dtype=np.int8), "out": values(RNG, 700, dtype=np.int8)},
    "last_store_wins": {
        "at": RNG.integers(0, 130, 1100).astype(i32),
        "x": values(RNG, 1100),
        "out": values(RNG, 130),
    },
    "chosen_store_wins": {
        "row": RNG.integers(0, 5, 700).astype(i64),
        "column": RNG.integers(0, 3, 700).astype(i64),
        "x": values(RNG, 700, dtype=np.complex64),
        "out": values(RNG, 5, 3, dtype=np.complex64),
        "turn": np.zeros((5, 3), np.int16),
    },
    "cumulative": {"x": values(RNG, 1030, dtype=i32), "y": np.zeros(1030, i32)},
}


@pytest.mark.parametrize("name", sorted(ON_THE_SIMULATOR))
def test_on_the_simulator(name: str) -> None:
    """Real rows and planes, and what few turns become."""
    program = next(program for program, _ in CASES if program.f.__name__ == name)
    compiled = dace_ipu.to_ipu(program.to_sdfg()).compile()
    arguments = ON_THE_SIMULATOR[name]
    few = {key: array[:33].copy() if len(array) > 250 else array.copy() for key, array in arguments.items()}
    for each in (arguments, few):
        compared(program, each, lambda a: compiled(**a, **symbols_of(program, a)))
