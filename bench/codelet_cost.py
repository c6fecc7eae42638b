"""What codelets cost by their own code, beside figures published for hardware: ``python -m bench.codelet_cost``.

Slots an element are differences between two sizes, so that start and end cancel out; published figures that are whole
times divided by elements hold both, and the loop's neighbours on the machine: they are upper bounds. Sources: UCL
(UCL-RITS/pi_examples), BS (BabelStream on a Mk1, thorbenlouw's results v3.4), LLVM (graphcore/llvm-project-fork,
colossus-hwloop-pass), CB (UoB-HPC/ipu-hpc-cookbook, listings of popc's output), LBM (thorbenlouw/lbm-graphcore). The
codelets are written here in the style of the published ones.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.table import show
from dace_ipu.simulator.popc import driver
from tests.simulator.conftest import VertexClass, load_module

_CODELETS = r"""
#include <poplar/Vertex.hpp>
#include <algorithm>
using namespace poplar;
#define CODELET(NAME, FIELDS, ...) \
  class NAME : public Vertex { public: FIELDS bool compute() { __VA_ARGS__ return true; } };
using In = Input<Vector<float>>;
using Out = Output<Vector<float>>;
using In8 = Input<Vector<float, VectorLayout::ONE_PTR, 8>>;
using Out8 = Output<Vector<float, VectorLayout::ONE_PTR, 8>>;

CODELET(Copy, Out out; In a; unsigned n;, for (unsigned i = 0; i < n; ++i) out[i] = a[i];)
CODELET(Mul, Out out; In a; unsigned n; float s;,
        const float k = s; for (unsigned i = 0; i < n; ++i) out[i] = k * a[i];)
CODELET(Add, Out out; In a; In b; unsigned n;, for (unsigned i = 0; i < n; ++i) out[i] = a[i] + b[i];)
CODELET(Triad, Out out; In a; In b; unsigned n; float s;,
        const float k = s; for (unsigned i = 0; i < n; ++i) out[i] = a[i] + k * b[i];)
CODELET(Dot, Output<float> out; In a; In b; unsigned n;,
        float sum = 0; for (unsigned i = 0; i < n; ++i) sum += a[i] * b[i]; *out = sum;)
CODELET(SumUnsigned, Output<unsigned> out; Input<Vector<unsigned>> a; unsigned n;,
        unsigned sum = 0; for (unsigned i = 0; i < n; ++i) sum += a[i]; *out = sum;)
CODELET(CopyPairsBounded, Out8 out; In8 a; unsigned n;,
        auto to = reinterpret_cast<float2 *>(&out[0]); auto from = reinterpret_cast<const float2 *>(&a[0]);
        const unsigned turns = n & 0xFFF; for (unsigned i = 0; i < turns; ++i) to[i] = from[i];)
CODELET(CopyPairs, Out8 out; In8 a; unsigned n;,
        auto to = reinterpret_cast<float2 *>(&out[0]); auto from = reinterpret_cast<const float2 *>(&a[0]);
        const unsigned turns = n; for (unsigned i = 0; i < turns; ++i) to[i] = from[i];)
CODELET(AddPairs, Out8 out; In8 a; unsigned n; float s;,
        auto to = reinterpret_cast<float2 *>(&out[0]); auto from = reinterpret_cast<const float2 *>(&a[0]);
        const float2 k = {s, s}; const unsigned turns = n; for (unsigned i = 0; i < turns; ++i) to[i] = from[i] + k;)
CODELET(Pi, Output<float> out; unsigned n; float s;,
        float sum = 0; const unsigned last = n;
        for (unsigned j = 1; j <= last; ++j) { const float x = (j - 0.5f) * s; sum += 4.0f / (1.0f + x * x); }
        *out = sum;)
"""


@dataclass(frozen=True)
class Row:
    codelet: str
    published: float
    source: str


_ROWS = (
    Row("Copy", 3.7, "BS"),
    Row("Mul", 4.34, "BS"),
    Row("Add", 5.57, "BS"),
    Row("Triad", 6.19, "BS"),
    Row("Dot", 11.96, "BS, with the reduction of the partial sums"),
    Row("SumUnsigned", 3, "LLVM"),
    Row("CopyPairsBounded", 2, "LLVM, rpt, a pair"),
    Row("CopyPairs", 3, "LLVM, brnzdec, a pair"),
    Row("AddPairs", 4, "CB, a pair"),
    Row("Pi", 15, "UCL"),
)


def _slots(cls: VertexClass, n: int) -> int:
    """What a codelet counts for ``n`` turns of its loop."""
    values = {"n": n, "s": 0.001}
    vertex = cls()
    for name, field in cls.fields.items():
        vertex[name] = values[name] if name in values else np.ones(2 * n, dtype=field.dtype)
    return vertex.cost()


def main() -> int:
    """Print the table and return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        source, module = Path(folder) / "codelets.cpp", Path(folder) / "codelets.gp"
        source.write_text(_CODELETS)
        if driver.main([str(source), "-o", str(module)]) != 0:
            return 1
        classes = load_module(module).classes
        rows = []
        for row in _ROWS:
            cls = classes[row.codelet]
            ours = (_slots(cls, 600) - _slots(cls, 200)) / 400
            rows.append((row.codelet, ours, row.published, ours / row.published, row.source))
    show("Slots of a worker an element", ("codelet", "ours", "published", "ratio", "source"), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
