"""y = a*x + y on the IPU, called with two sizes: the second call builds a new graph but compiles no C++.

python examples/axpy.py
"""

import dace
import numpy as np

import dace_ipu

N = dace.symbol("N")


@dace.program
def axpy(a: dace.float32, x: dace.float32[N], y: dace.float32[N]):
    y[:] = a * x + y


def main() -> None:
    sdfg = axpy.to_sdfg()
    sdfg.apply_transformations(dace_ipu.OffloadToIPU)
    program = sdfg.compile()
    for size in (100_000, 1_000_000):
        x, y = np.random.default_rng(0).random((2, size), dtype=np.float32)
        x, y = x.copy(), y.copy()
        expected = np.float32(2) * x + y
        program(a=np.float32(2), x=x, y=y, N=size)
        np.testing.assert_allclose(y, expected, rtol=1e-6)
    print(dace_ipu.last_report())


if __name__ == "__main__":
    main()
