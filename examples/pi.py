"""The integral of 4/(1+x^2) from 0 to 1: every worker sums its slices, a tree adds the partial sums.

python examples/pi.py
"""

import dace
import numpy as np

import dace_ipu

N = dace.symbol("N")


@dace.program
def integrate(result: dace.float32[1]):
    total = np.zeros((1,), np.float32)
    for i in dace.map[0:N]:
        x = (i + np.float32(0.5)) / np.float32(N)
        total[0] += np.float32(4) / (np.float32(1) + x * x)
    result[:] = total / np.float32(N)


def main() -> None:
    result = np.zeros(1, np.float32)
    dace_ipu.to_ipu(integrate.to_sdfg())(result=result, N=1_000_000)
    np.testing.assert_allclose(result, np.pi, rtol=1e-5)
    print(f"pi = {result[0]}")
    print(dace_ipu.last_report())


if __name__ == "__main__":
    main()
