"""The program that docs/architecture.md follows through the package: three-point smoothing, ten times to and fro."""

import dace

import dace_ipu  # noqa: F401  (registers the IPU)

N = dace.symbol("N")


@dace.program
def smooth(A: dace.float32[N], B: dace.float32[N]):
    for _ in range(10):
        B[1:-1] = (A[:-2] + A[1:-1] + A[2:]) / 3
        A[1:-1] = (B[:-2] + B[1:-1] + B[2:]) / 3
