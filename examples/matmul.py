"""A matrix product by maps: rows and columns are broadcast to the tiles, each tile accumulates its block.

python examples/matmul.py
"""

import dace
import numpy as np

import dace_ipu

M, N, K = (dace.symbol(name) for name in "MNK")


@dace.program
def matmul(A: dace.float32[M, K], B: dace.float32[K, N], C: dace.float32[M, N]):
    C[:] = 0
    for i, j, k in dace.map[0:M, 0:N, 0:K]:
        C[i, j] += A[i, k] * B[k, j]


def main() -> None:
    rng = np.random.default_rng(0)
    A, B = rng.random((200, 150), dtype=np.float32), rng.random((150, 250), dtype=np.float32)
    C = np.zeros((200, 250), np.float32)
    dace_ipu.to_ipu(matmul.to_sdfg())(A=A, B=B, C=C, M=200, N=250, K=150)
    np.testing.assert_allclose(C, A @ B, rtol=1e-4)
    print(dace_ipu.last_report())


if __name__ == "__main__":
    main()
