"""Programs with control flow outside of maps, registered in the catalogue."""

from __future__ import annotations

import dace
import numpy as np

from tests.programs.catalogue import case, values

N, M = (dace.symbol(name) for name in "NM")
R, K = (dace.symbol(name, dtype=dace.int64, positive=True) for name in "RK")
f32, i32 = np.float32, np.int32


# ---- counted loops ---------------------------------------------------------------------------------------------------


@case(lambda r: {"A": values(r, 12, 9)}, N=12, M=9)
@dace.program
def rows_in_order(A: dace.float32[N, M]):
    for t in range(1, N):
        A[t, :] = A[t - 1, :] * 0.5 + A[t, :]


@case(lambda r: {"A": values(r, 12, 9)}, N=12, M=9)
@dace.program
def rows_backwards(A: dace.float32[N, M]):
    for t in range(N - 2, -1, -1):
        A[t, :] = A[t + 1, :] * 0.5 + A[t, :]


@case(lambda r: {"A": values(r, 13, 9)}, N=13, M=9)
@dace.program
def rows_strided(A: dace.float32[N, M]):
    for t in range(2, N, 3):
        A[t, :] = A[t - 2, :] + t


@case(lambda r: {"A": values(r, 6, 9)}, N=6, M=9)
@dace.program
def no_turns(A: dace.float32[N, M]):
    for t in range(N, 3):
        A[t, :] = 0
    for t in range(5, N):
        A[t, :] = A[t - 1, :] + 1


@case(lambda r: {"A": values(r, 10), "steps": i32(7)})
@dace.program
def steps_from_scalar(A: dace.float32[10], steps: dace.int32):
    for t in range(steps):
        A[1:-1] = (A[:-2] + A[2:]) * 0.5 + t


@case(lambda r: {"A": values(r, 7, 7)}, N=7)
@dace.program
def nested_counters(A: dace.float32[N, N]):
    for i in range(1, N):
        for j in range(i):
            A[i, :] = A[i, :] + A[j, :] * 0.1


@case(lambda r: {"A": values(r, 6, 20)})
@dace.program
def leapfrog(A: dace.float32[6, 20]):
    for t in range(1, 5):
        A[t + 1, 1:-1] = A[t, :-2] - A[t - 1, 1:-1] + A[t, 2:]


@case(lambda r: {"A": values(r, 30), "B": values(r, 30)}, N=30)
@dace.program
def swapped_buffers(A: dace.float32[N], B: dace.float32[N]):
    for t in range(7):
        if t % 2 == 0:
            B[1:-1] = A[:-2] + A[2:]
        else:
            A[1:-1] = B[:-2] + B[2:]


@case(lambda r: {"A": values(r, 9, 9)}, N=9)
@dace.program
def columns(A: dace.float32[N, N]):
    for k in range(N):
        A[:, k] = A[:, k] / (1 + k)


@case(lambda r: {"A": np.abs(values(r, 11, 11))}, N=11)
@dace.program
def shortest_paths(A: dace.float32[N, N]):
    for k in range(N):
        for i, j in dace.map[0:N, 0:N]:
            A[i, j] = min(A[i, j], A[i, k] + A[k, j])


@case(lambda r: {"A": values(r, 10), "s": values(r, 1)}, N=10)
@dace.program
def loop_over_scalars(A: dace.float32[N], s: dace.float32[1]):
    for i in range(1, N):
        A[i] = A[i - 1] * 0.5 + A[i]
        s[0] = s[0] + A[i]


# ---- triangles -------------------------------------------------------------------------------------------------------


@case(lambda r: {"A": values(r, 10, 10)}, N=10)
@dace.program
def triangular_map(A: dace.float32[N, N]):
    for i in range(N - 1):
        for j in dace.map[i + 1 : N]:
            A[i, j] = A[i, j] * 2 + i


@case(lambda r: {"A": values(r, 10, 10) + 5 * np.eye(10, dtype=f32)}, N=10)
@dace.program
def elimination(A: dace.float32[N, N]):
    for k in range(N - 1):
        A[k + 1 :, k] = A[k + 1 :, k] / A[k, k]
        for i, j in dace.map[k + 1 : N, k + 1 : N]:
            A[i, j] = A[i, j] - A[i, k] * A[k, j]


@case(lambda r: {"L": values(r, 9, 9) + 4 * np.eye(9, dtype=f32), "x": values(r, 9), "b": values(r, 9)}, N=9)
@dace.program
def forward_substitution(L: dace.float32[N, N], x: dace.float32[N], b: dace.float32[N]):
    for i in range(N):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


@case(lambda r: {"A": values(r, 12), "s": values(r, 12)}, N=12)
@dace.program
def sums_of_beginnings(A: dace.float32[N], s: dace.float32[N]):
    for i in range(1, N):
        s[i] = np.sum(A[:i])


@case(lambda r: {"A": values(r, 20), "B": values(r, 20)}, N=20)
@dace.program
def moving_part(A: dace.float32[N], B: dace.float32[N]):
    for i in range(N - 4):
        B[i : i + 4] = B[i : i + 4] + A[i + 1 : i + 5]


@case(lambda r: {"A": values(r, 8, 8), "B": values(r, 8)}, N=8)
@dace.program
def copies_of_rows(A: dace.float32[N, N], B: dace.float32[N]):
    for i in range(N):
        B[:] = A[i, :]
        A[:, i] = B


@case(lambda r: {"A": values(r, 20)}, N=20)
@dace.program
def strided_range(A: dace.float32[N]):
    for i in range(1, 5):
        for j in dace.map[i:N:3]:
            A[j] = A[j] + i


@case(lambda r: {"x": values(r, 27), "y": values(r, 27)}, R=3, K=3)
@dace.program
def powers_of_a_counter(x: dace.float32[R**K], y: dace.float32[R**K]):
    for i in range(K):
        for j in dace.map[0 : R**i]:
            y[j] = y[j] + x[R ** (K - i - 1)] * (j + 1)


@case(lambda r: {"x": values(r, 27), "y": values(r, 27)}, R=3, K=3)
@dace.program
def shapes_that_are_powers(x: dace.float32[R**K], y: dace.float32[R**K]):
    for i in range(K):
        box = np.reshape(x, (R**i, R, R ** (K - i - 1)))
        y[:] = np.reshape(np.transpose(box, axes=(1, 0, 2)), (R**K,))
        x[:] = y


@case(lambda r: {"z": values(r, 10, dtype=np.complex64) + 1, "a": f32(r.random())})
@dace.program
def powers_of_complex_numbers(z: dace.complex64[10], a: dace.float32):
    for t in range(3):
        z[:] = np.power(z, a - t)


# ---- while -----------------------------------------------------------------------------------------------------------


@case(lambda r: {"A": values(r, 40) + 8, "n": np.zeros(1, i32)}, N=40)
@dace.program
def until_small(A: dace.float32[N], n: dace.int32[1]):
    n[0] = 0
    while np.max(A) > 1:
        A[:] = A * 0.5
        n[0] = n[0] + 1


@case(lambda r: {"A": values(r, 40) + 8, "limit": f32(0.25)}, N=40)
@dace.program
def until_converged(A: dace.float32[N], limit: dace.float32):
    change = np.ones((1,), np.float32)
    change[0] = 1.0
    while change[0] > limit:
        B = A * 0.5
        change[0] = np.max(A - B)
        A[:] = B


@case(lambda r: {"A": values(r, 16), "k": np.array([3], i32)})
@dace.program
def counting_down(A: dace.float32[16], k: dace.int32[1]):
    while k[0] > 0:
        A[:] = A + k[0]
        k[0] = k[0] - 1


@case(lambda r: {"A": values(r, 16)})
@dace.program
def while_on_a_counter(A: dace.float32[16]):
    n = 0
    while n < 5:
        A[:] = A + n
        n = n + 2


@case(lambda r: {"A": values(r, 16), "out": np.zeros(1, i32)})
@dace.program
def scalar_search(A: dace.float32[16], out: dace.int32[1]):
    i = 0
    while i < 15 and A[i] < 0.5:
        i = i + 1
    out[0] = i


# ---- branches --------------------------------------------------------------------------------------------------------


@case(lambda r: {"A": values(r, 16), "s": values(r, 1)})
@dace.program
def branch_on_data(A: dace.float32[16], s: dace.float32[1]):
    if s[0] > 0:
        A[:] = A * 2
    else:
        A[:] = A - 1


@case(lambda r: {"A": values(r, 16)}, N=16)
@dace.program
def branch_on_symbol(A: dace.float32[N]):
    if N > 20:
        A[20:] = 0
    elif N > 10:
        A[10:] = A[10:] * 2
    else:
        A[:] = 1


@case(lambda r: {"A": values(r, 16), "s": values(r, 3)})
@dace.program
def nested_branches(A: dace.float32[16], s: dace.float32[3]):
    for t in range(6):
        if s[0] > 0:
            if t > 2:
                A[:] = A * 0.5
            elif s[1] > 0:
                A[:] = A + t
            s[0] = s[0] - 0.3
        else:
            A[:] = A - 1
            s[0] = s[0] + s[2] * s[2]


@case(lambda r: {"A": values(r, 16), "kind": i32(r.integers(0, 4))})
@dace.program
def branch_on_argument(A: dace.float32[16], kind: dace.int32):
    if kind == 0:
        A[:] = A + 1
    elif kind == 1:
        A[:] = A * 2
    elif kind == 2:
        A[:] = -A


@case(lambda r: {"A": values(r, 16), "s": values(r, 16)})
@dace.program
def branch_of_scalars(A: dace.float32[16], s: dace.float32[16]):
    for i in range(16):
        if A[i] > 0:
            s[i] = A[i] + 1
        elif A[i] > -0.5:
            s[i] = 3


# ---- jumps -----------------------------------------------------------------------------------------------------------


@case(lambda r: {"A": values(r, 16) + 1, "s": values(r, 10)})
@dace.program
def break_on_data(A: dace.float32[16], s: dace.float32[10]):
    for t in range(10):
        if s[t] < 0:
            break
        A[:] = A * 1.5 + t


@case(lambda r: {"A": values(r, 16) + 1, "s": values(r, 10)})
@dace.program
def continue_on_data(A: dace.float32[16], s: dace.float32[10]):
    for t in range(10):
        if s[t] < 0:
            continue
        A[:] = A * 1.5 + t


@case(lambda r: {"A": values(r, 16) + 1, "s": values(r, 5, 6)})
@dace.program
def jumps_in_nested_loops(A: dace.float32[16], s: dace.float32[5, 6]):
    for i in range(5):
        for j in range(6):
            if s[i, j] < -0.7:
                break
            if s[i, j] < 0:
                continue
            A[:] = A + j
        A[:] = A * 0.5 + i


@case(lambda r: {"A": values(r, 16) + 1, "s": values(r, 1)})
@dace.program
def early_return(A: dace.float32[16], s: dace.float32[1]):
    A[:] = A + 1
    if s[0] > 0:
        return
    A[:] = A * 3


@case(lambda r: {"A": values(r, 16), "B": values(r, 16), "s": np.ones(1, f32)})
@dace.program
def return_before_the_only_write(A: dace.float32[16], B: dace.float32[16], s: dace.float32[1]):
    if s[0] > 0:
        return
    B[:] = A


@case(lambda r: {"A": values(r, 16), "B": values(r, 16), "s": values(r, 1)})
@dace.program
def written_in_one_branch(A: dace.float32[16], B: dace.float32[16], s: dace.float32[1]):
    if s[0] > 5:
        B[:] = A


@case(lambda r: {"A": values(r, 16), "B": values(r, 16), "n": np.zeros(1, i32)})
@dace.program
def written_in_no_turn(A: dace.float32[16], B: dace.float32[16], n: dace.int32[1]):
    for _ in range(n[0]):
        B[:] = A


@case(lambda r: {"A": values(r, 16) + 1, "s": values(r, 8)})
@dace.program
def return_from_loops(A: dace.float32[16], s: dace.float32[8]):
    for i in range(3):
        for t in range(8):
            if s[t] > 0.3 * i:
                return
            A[:] = A + t
        A[:] = A * 2
    A[:] = A - 1


@case(lambda r: {"A": values(r, 16) + 1, "s": values(r, 6)})
@dace.program
def break_of_an_inner_loop(A: dace.float32[16], s: dace.float32[6]):
    for _ in range(3):
        for t in range(6):
            A[:] = A * 1.1 + s[t]
            if s[t] > 0.2:
                break


@case(lambda r: {"A": values(r, 16) + 4})
@dace.program
def endless_with_break(A: dace.float32[16]):
    while True:
        A[:] = A * 0.5
        if np.max(A) < 0.3:
            break


# ---- values that edges assign ----------------------------------------------------------------------------------------


@case(lambda r: {"A": values(r, 10), "k": r.integers(0, 10, 4).astype(i32), "B": values(r, 10)})
@dace.program
def index_from_data(A: dace.float32[10], k: dace.int32[4], B: dace.float32[10]):
    for t in range(4):
        i = k[t]
        B[:] = B + A[i]
        A[i] = A[i] + 1


@case(lambda r: {"A": values(r, 10), "B": values(r, 10)})
@dace.program
def carried_scalars(A: dace.float32[10], B: dace.float32[10]):
    a = 0
    b = 1
    for _ in range(6):
        c = a + b
        a = b
        b = c
        B[:] = B + A * b
    B[:] = B - a


@case(lambda r: {"A": values(r, 12), "n": np.array([5], i32), "s": values(r, 1)}, N=12)
@dace.program
def reduction_over_part(A: dace.float32[N], n: dace.int32[1], s: dace.float32[1]):
    m = n[0]
    for i in dace.map[0:m]:
        s[0] += A[i]


@case(lambda r: {"A": values(r, 12), "B": values(r, 12), "n": np.array([5], i32)}, N=12)
@dace.program
def part_from_data(A: dace.float32[N], B: dace.float32[N], n: dace.int32[1]):
    m = n[0]
    B[:m] = A[:m]
    B[m:] = 2 * A[m:]


@case(
    lambda r: {
        "ptr": np.array([0, 2, 2, 5, 9], i32),
        "col": np.array([0, 3, 1, 2, 3, 0, 1, 2, 3], i32),
        "val": values(r, 9),
        "x": values(r, 4),
        "y": values(r, 4),
    }
)
@dace.program
def sparse_rows_in_order(
    ptr: dace.int32[5], col: dace.int32[9], val: dace.float32[9], x: dace.float32[4], y: dace.float32[4]
):
    for i in range(4):
        y[i] = 0
        for j in dace.map[ptr[i] : ptr[i + 1]]:
            y[i] += val[j] * x[col[j]]


@case(lambda r: {"bins": r.integers(0, 6, 30).astype(i32), "w": values(r, 30), "h": values(r, 6)})
@dace.program
def histogram_in_steps(bins: dace.int32[30], w: dace.float32[30], h: dace.float32[6]):
    for t in range(3):
        for i in dace.map[0:10]:
            h[bins[10 * t + i]] += w[10 * t + i]


@case(lambda r: {"A": values(r, 7), "D": values(r, 7, 5), "R": values(r, 5), "a": i32(2)})
@dace.program
def read_in_a_branch_then_overwritten(A: dace.float32[7], D: dace.float32[7, 5], R: dace.float32[5], a: dace.int32):
    if a > 1:
        R[:] = A @ D
    A[:] = D @ R


@case(lambda r: {"A": values(r, 4), "B": values(r, 4), "idx": np.array([0, 0, 3, 1], np.int32)})
@dace.program
def scatter_in_a_loop_without_turns(A: dace.float32[4], B: dace.float32[4], idx: dace.int32[4]):
    for _ in range(2, 2):
        for i in dace.map[0:4]:
            B[idx[i]] += np.tanh(A[i])
        B[:] = np.tanh(B)
    A[:] = A + B
