"""Jacobi's method in two dimensions: a loop on the device (`Repeat`), neighbours through the exchange.

python examples/jacobi_2d.py
"""

import dace
import numpy as np

import dace_ipu

N = dace.symbol("N")
STEPS = 20


@dace.program
def jacobi_2d(A: dace.float32[N, N], B: dace.float32[N, N]):
    for _ in range(STEPS):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


def main() -> None:
    A = np.random.default_rng(0).random((500, 500), dtype=np.float32)
    B = A.copy()
    expected, other = A.copy(), A.copy()
    jacobi_2d.f(expected, other)
    dace_ipu.to_ipu(jacobi_2d.to_sdfg())(A=A, B=B, N=500)
    np.testing.assert_allclose(A, expected, rtol=1e-5)
    print(dace_ipu.last_report())


if __name__ == "__main__":
    main()
