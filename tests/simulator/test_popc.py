"""popc: every shape of codelet, compiled, loaded and run; every message; the cache."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dace_ipu.simulator.popc import bundle, standalone
from dace_ipu.simulator.popc.compile import compile_module
from dace_ipu.simulator.popc.identity import POPLAR_VERSION

STATE, STATE_VECTOR, SCALAR_EDGE, VECTOR_EDGE, EDGE_LIST, SCALAR_EDGE_LIST = range(6)
NO_EDGE, INPUT, OUTPUT, INOUT = range(4)
SPAN, ONE_PTR, COMPACT_PTR = 1, 3, 7

Compile = Callable[..., Any]
Fails = Callable[..., str]
Popc = Callable[..., "tuple[int, str, str]"]


def floats(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, dtype=np.float32)


# ----------------------------------------------------------------------------------------------------------------------
# Fields


def test_vector_edges(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        class Scale : public Vertex {
        public:
          Input<Vector<float>> in;
          Output<Vector<float, VectorLayout::ONE_PTR, 8, true>> out;
          float factor;
          bool compute() {
            for (unsigned i = 0; i < in.size(); ++i)
              out[i] = factor * in[i];
            return true;
          }
        };""")
    scale = module["Scale"]
    assert (scale.size, scale.align, scale.kind) == (40, 8, 0)
    assert list(scale.fields) == ["in", "out", "factor"]
    source, out, factor = scale.fields.values()
    assert (source.type, source.kind, source.direction, source.outer_layout) == ("float", VECTOR_EDGE, INPUT, SPAN)
    assert (out.kind, out.direction, out.outer_layout) == (VECTOR_EDGE, OUTPUT, ONE_PTR)
    assert (out.min_align, out.interleaved, source.min_align, source.interleaved) == (8, True, 4, False)
    assert (factor.kind, factor.direction, factor.offset, factor.size) == (STATE, NO_EDGE, 32, 4)
    result = floats(0, 0, 0)
    vertex = scale(**{"in": floats(1, 2, 3), "out": result, "factor": 2})
    assert vertex.run() is True
    assert result.tolist() == [2, 4, 6]


def test_scalar_edges_behave_as_values_and_as_pointers(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        struct Scalars : Vertex {
          Input<float> a;
          Input<bool> flag;
          InOut<int> n;
          Output<float> sum, copy;
          bool compute() {
            sum = a;
            sum += *a;
            *sum *= 2;
            copy = sum;
            ++n;
            n++;
            *n -= flag ? 10 : 0;
            n <<= 1;
            return n == -8 && a > 1 && copy - sum == 0;
          }
        };""")
    n, total, copy = np.array([4], "i4"), floats(0), floats(0)
    scalars = module["Scalars"]
    assert scalars.fields["n"].kind == SCALAR_EDGE and scalars.fields["n"].direction == INOUT
    vertex = scalars(a=floats(1.5), flag=np.array([True]), n=n, sum=total, copy=copy)
    assert vertex.run() is True
    assert (n[0], total[0], copy[0]) == (-8, 6, 6)


def test_assigning_one_edge_to_another_of_its_type_writes_the_element(compile_codelets: Compile) -> None:
    module = compile_codelets("struct Pair : Vertex { Output<int> a, b; void compute() { a = 7; b = a; a = 1; } };")
    a, b = np.zeros(1, "i4"), np.zeros(1, "i4")
    module["Pair"](a=a, b=b).run()
    assert (a[0], b[0]) == (1, 7)


def test_lists_of_edges(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        class Lists : public Vertex {
          Vector<Input<Vector<float, VectorLayout::ONE_PTR, 8>>, VectorLayout::ONE_PTR> in;
          Vector<Output<Vector<float>>> out;
          Vector<Input<float>> scalars;
          Vector<InOut<Vector<int>>> counts;
          Input<VectorList<float, VectorListLayout::DELTAN, 4>> compressed;
        public:
          bool compute() {
            for (unsigned i = 0; i < out.size(); ++i)
              for (unsigned j = 0; j < out[i].size(); ++j)
                out[i][j] = in[i][j] + *scalars[i] + compressed[i][j];
            for (auto &row : counts)
              for (auto &count : row)
                count += row.size();
            return out.size() == compressed.size();
          }
        };""")
    cls = module["Lists"]
    shapes = {name: (f.kind, f.direction, f.outer_layout, f.inner_layout) for name, f in cls.fields.items()}
    assert shapes == {
        "in": (EDGE_LIST, INPUT, ONE_PTR, ONE_PTR),
        "out": (EDGE_LIST, OUTPUT, SPAN, SPAN),
        "scalars": (SCALAR_EDGE_LIST, INPUT, SPAN, 0),
        "counts": (EDGE_LIST, INOUT, SPAN, SPAN),
        "compressed": (EDGE_LIST, INPUT, SPAN, COMPACT_PTR),
    }
    assert cls.fields["in"].min_align == 8 and cls.fields["in"].size == 16
    out, counts = [floats(0, 0), floats(0)], [np.array([5, 6], "i4"), np.zeros(0, "i4")]
    vertex = cls(
        **{"in": [floats(1, 2), floats(3)]},
        out=out,
        scalars=[floats(10), floats(20)],
        counts=counts,
        compressed=[floats(100, 200), floats(300)],
    )
    assert vertex.run() is True
    assert [row.tolist() for row in out] == [[111, 212], [323]]
    assert counts[0].tolist() == [7, 8]


@pytest.mark.parametrize(
    ("cpp", "device", "size"),
    [
        ("bool", "bool", 1),
        ("char", "char", 1),
        ("signed char", "signed char", 1),
        ("uint8_t", "unsigned char", 1),
        ("short", "short", 2),
        ("unsigned short", "unsigned short", 2),
        ("int", "int", 4),
        ("unsigned", "unsigned int", 4),
        ("int64_t", "long long", 8),
        ("unsigned long long", "unsigned long long", 8),
        ("half", "half", 2),
        ("float", "float", 4),
        ("double", "double", 8),
        ("Kind", "unsigned short", 2),
    ],
)
def test_element_types(compile_codelets: Compile, cpp: str, device: str, size: int) -> None:
    module = compile_codelets(f"""
        enum class Kind : unsigned short {{ A, B }};
        struct Copy : Vertex {{
          const {cpp} state;
          Input<Vector<{cpp}>> in;
          Output<Vector<{cpp}>> out;
          Vector<{cpp}> local;
          void compute() {{
            for (unsigned i = 0; i < in.size(); ++i)
              local[i] = out[i] = in[i];
            out[in.size()] = state;
          }}
        }};""")
    cls = module["Copy"]
    assert {f.type for f in cls.fields.values()} == {device}
    assert cls.fields["state"].size == size
    assert cls.fields["local"].kind == STATE_VECTOR
    dtype = cls.fields["in"].dtype
    out, local = np.zeros(4, dtype), np.zeros(3, dtype)
    cls(**{"in": np.array([0, 1, 1], dtype)}, state=1, out=out, local=local).run()
    assert out.tolist() == [0, 1, 1, 1] and local.tolist() == [0, 1, 1]


def test_private_and_const_fields_and_an_undefined_constructor(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        class Closed : public Vertex {
          Closed();
          Closed(const Closed &) = delete;
          const unsigned a, b;
          Output<unsigned> out;
          static constexpr unsigned offset = 100;
          static unsigned helper(unsigned x) { return x + offset; }
          struct Inner { std::size_t unused; };
        protected:
          bool compute() { *out = helper(a) * b; return false; }
        };""")
    cls = module["Closed"]
    assert list(cls.fields) == ["a", "b", "out"]
    out = np.zeros(1, "u4")
    assert cls(a=1, b=2, out=out).run() is False
    assert out[0] == 202


def test_several_declarators_and_initialisers(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        struct Many : Vertex {
          Input<float> a, b; int n = 3, m{4};
          [[maybe_unused]] unsigned short flags;
          void compute() {}
        };""")
    assert list(module["Many"].fields) == ["a", "b", "n", "m", "flags"]
    assert module["Many"](n=1)["m"] == 0  # the class is never constructed


def test_fields_keep_their_values(compile_codelets: Compile) -> None:
    module = compile_codelets("struct Counter : Vertex { int index; bool compute() { return ++index == 2; } };")
    counter = module["Counter"]()
    assert [counter.run(), counter.run(), counter.run()] == [False, True, False]
    assert counter["index"] == 3


def test_state_written_by_a_vertex_that_writes_bytes(compile_codelets: Compile) -> None:
    """Such a vertex runs on a copy of its state, which must come back."""
    module = compile_codelets("""
        struct Bytes : Vertex {
          Output<Vector<unsigned char>> out;
          int calls;
          void compute() { for (auto &x : out) x = ++calls; }
        };""")
    out = np.zeros(3, "u1")
    vertex = module["Bytes"](out=out)
    vertex.run()
    vertex.run()
    assert out.tolist() == [4, 5, 6] and vertex["calls"] == 6


# ----------------------------------------------------------------------------------------------------------------------
# Classes


def test_base_classes(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        template <typename T> class Base : public Vertex { protected: Input<T> in; unsigned n; };
        class Middle : public Base<float> {};
        class Leaf final : public Middle { Output<float> out; bool compute() { *out = in * n; return true; } };
        template <typename T> struct Templated : Base<T> {
          Output<T> out;
          bool compute() { *out = *this->in + this->n; return true; }
        };
        template struct Templated<int>;""")
    assert set(module.classes) == {"Leaf", "Templated<int>"}
    assert list(module["Leaf"].fields) == ["in", "n", "out"]
    assert module["Templated<int>"].fields["in"].type == "int"
    out = floats(0)
    module["Leaf"](**{"in": floats(3)}, n=4, out=out).run()
    assert out[0] == 12


def test_templates(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        namespace ops { enum class Kind { A, B }; using Real = float; }
        template <typename T, bool B = true, unsigned N = 4> struct Plain : Vertex {
          Output<T> out;
          bool compute() { *out = N; return B; }
        };
        template class Plain<float>;
        template class Plain<unsigned, false, 2 + 3>;
        template class Plain<unsigned char, true>;
        template class Plain<ops::Real, false>;
        namespace ops {
        template <Kind K, typename T> class Enumerated : public Vertex { T x; bool compute() { return K == Kind::B; } };
        template class Enumerated<Kind::B, long long>;
        template class Enumerated<ops::Kind::A, half>;
        }
        template class ops::Enumerated<ops::Kind::A, unsigned short>;""")
    assert set(module.classes) >= {
        "Plain<float>",
        "Plain<unsigned int,false,5>",
        "Plain<unsigned char,true>",
        "Plain<float,false>",
        "ops::Enumerated<ops::Kind::B,long long>",
        "ops::Enumerated<ops::Kind::A,half>",
        "ops::Enumerated<ops::Kind::A,unsigned short>",
    }
    out = np.zeros(1, "u4")
    assert module["Plain<unsigned int,false,5>"](out=out).run() is False
    assert out[0] == 5
    assert module["ops::Enumerated<ops::Kind::B,long long>"]().run() is True


def test_specialisations_may_have_other_fields(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        template <typename T, int N> class Foo : public Vertex { Input<T> a; bool compute() { return *a > N; } };
        template <int N> class Foo<half, N> : public MultiVertex {
          Input<half> b; bool compute(unsigned w) { return w < 2; }
        };
        template <> class Foo<int, 7> : public SupervisorVertex { int c; bool compute(); };
        bool Foo<int, 7>::compute() { return c == 7; }
        template class Foo<float, 1>;
        template class Foo<half, 1>;""")
    assert {name: list(cls.fields) for name, cls in module.classes.items()} == {
        "Foo<float,1>": ["a"],
        "Foo<half,1>": ["b"],
        "Foo<int,7>": ["c"],
    }
    assert [cls.kind for cls in (module["Foo<float,1>"], module["Foo<half,1>"], module["Foo<int,7>"])] == [0, 1, 2]
    assert module["Foo<half,1>"](b=np.zeros(1, "f2")).run(worker=2) is False
    assert module["Foo<int,7>"](c=7).run() is True


def test_namespaces_and_nested_classes(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        namespace a { namespace b::c { struct Deep : poplar::Vertex { void compute() {} }; } }
        namespace { struct Hidden : Vertex { void compute() {} }; }
        class Outer { struct Inner : Vertex { int x; void compute() {} }; };
        extern "C" { struct Linked : Vertex { void compute() {} }; }""")
    assert set(module.classes) == {"a::b::c::Deep", "Hidden", "Outer::Inner", "Linked"}


def test_results_of_compute(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        struct Void : Vertex { void compute() {} };
        struct Arrow : Vertex { auto compute() -> bool { return false; } };
        struct Deduced : Vertex { auto compute() { return 0; } };
        struct Outside : MultiVertex { bool compute(unsigned workerId); };
        bool Outside::compute(unsigned workerId) { return workerId == numWorkers() - 1; }""")
    assert module["Void"]().run() is True
    assert module["Arrow"]().run() is False
    assert module["Deduced"]().run() is False
    assert [module["Outside"]().run(worker) for worker in (0, 5)] == [False, True]


def test_attributes_and_constraints(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        class [[poplar::constraint("elem(*a) != elem(*b)")]] Constrained : public SupervisorVertex {
          Input<Vector<float>> a, b;
        public:
          __attribute__((target("supervisor"))) bool compute() { return sum(); }
          __attribute__((noinline, target("worker"))) bool sum() { return a[0] + b[0] > 0; }
        };""")
    assert module["Constrained"](a=floats(1), b=floats(1)).run() is True


def test_macros_conditions_and_headers(compile_codelets: Compile, tmp_path: Path) -> None:
    (tmp_path / "shared.hpp").write_text("""
        #pragma once
        #define N 3
        template <typename T> class Shared : public poplar::Vertex { poplar::Output<T> out; bool compute(); };
        template <typename T> bool Shared<T>::compute() { *out = N; return true; }
    """)
    module = compile_codelets(
        """
        #include "shared.hpp"
        #define INSTANTIATE(T) template class Shared<T>
        #define V 1
        INSTANTIATE(float);
        INSTANTIATE(int);
        #if defined(__IPU__) || !defined(__POPC__) || !FROM_COMMAND_LINE
        struct Device : Vertex { bool compute() { asm volatile("setzi $m0, 1"); } };
        #else
        struct Host : Vertex { bool compute() { return true; } };
        #endif""",
        "-DFROM_COMMAND_LINE=1",
    )
    assert set(module.classes) == {"Shared<float>", "Shared<int>", "Host"}


def test_source_positions(compile_codelets: Compile, tmp_path: Path) -> None:
    (tmp_path / "shared.hpp").write_text("\n\nstruct There : Vertex { void compute() {} };\n")
    module = compile_codelets('#include "shared.hpp"\n\nstruct Here : Vertex { void compute() {} };')
    assert (module["Here"].source_file, module["Here"].source_line) == ("codelets.cpp", 5)
    assert (module["There"].source_file, module["There"].source_line) == ("shared.hpp", 3)


def test_several_sources_share_one_translation_unit(popc: Popc, tmp_path: Path) -> None:
    from_first = "#include <poplar/Vertex.hpp>\nstatic int shared() { return 1; }\n"
    (tmp_path / "a.cpp").write_text(from_first + "struct A : poplar::Vertex { bool compute() { return shared(); } };")
    (tmp_path / "b.cpp").write_text("struct B : poplar::Vertex { bool compute() { return shared(); } };")
    status, _, messages = popc("a.cpp", "b.cpp", "-O1", "-target=ipu2", "-o", "both.gp")
    assert (status, messages) == (0, "")
    library = ctypes.CDLL(str(tmp_path / "both.gp"))
    assert library.dace_ipu_codelet_module() != 0


def test_modules_become_part_of_another(popc: Popc, tmp_path: Path) -> None:
    head = "#include <poplar/Vertex.hpp>\nstatic int one() { return 1; }\n"
    for name in "abc":
        text = f"struct {name.upper()} : poplar::Vertex {{ bool compute() {{ return one(); }} }};"
        (tmp_path / f"{name}.cpp").write_text(head + text)
    assert popc("a.cpp", "-c", "-o", "a.o")[0] == popc("b.cpp", "-o", "b.gp")[0] == 0
    assert popc("a.o", "b.gp", "-o", "ab.gp") == (0, "", "")
    assert popc("ab.gp", "a.o", "c.cpp", "-o", "abc.gp") == (0, "", "")
    a, b, c = bundle.split(tmp_path / "abc.gp")  # the second a.o adds nothing
    assert [a, b] == [(tmp_path / name).read_bytes() for name in ("a.o", "b.gp")]
    assert popc("b.gp", "-o", "copy.gp")[0] == 0
    assert (tmp_path / "copy.gp").read_bytes() == b
    (tmp_path / "text.gp").write_text("text")
    expected = "popc: error: 'text.gp' was not made by the simulator's popc"
    assert popc("text.gp", "-o", "x.gp")[2].strip() == expected


def test_a_host_program_in_the_same_file(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        #ifdef __POPC__
        struct Device : Vertex { void compute() {} };
        #else
        #include <no/such/header.hpp>
        #endif""")
    assert set(module.classes) == {"Device"}


# ----------------------------------------------------------------------------------------------------------------------
# Arithmetic


def test_half_rounds_every_operation(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        #include <cmath>
        #include <poplar/HalfFloat.hpp>
        class Halves : public Vertex {
          Input<Vector<half>> in;
          Output<Vector<half>> out;
          Output<float> wide;
          bool compute() {
            out[0] = in[0] + in[1] + in[2];
            out[1] = in[0] * in[1] - in[2];
            out[2] = std::sqrt(in[0]) / 3;
            out[3] = (half)1e6f;
            *wide = in[0] * 0.1f;
            return std::numeric_limits<half>::max() == 65504 && half(2) * 3 == 6.0_h;
          }
        };""")
    a, b, c = np.array([2049.0, 0.5, 0.5], "f2")
    out, wide = np.zeros(4, "f2"), floats(0)
    assert module["Halves"](**{"in": np.array([a, b, c])}, out=out, wide=wide).run() is True
    assert out.tolist() == [a + b + c, a * b - c, np.sqrt(a) / np.float16(3), np.inf]
    assert wide[0] == np.float32(a) * np.float32(0.1)


def test_vector_types(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        #include <ipu_memory_intrinsics>
        #include <ipu_vector_math>
        typedef float pair __attribute__((ext_vector_type(2)));
        using quad4 = float __attribute__((ext_vector_type(4)));
        class Vectors : public Vertex {
          Input<Vector<float, VectorLayout::ONE_PTR, 8>> in;
          Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
          Output<Vector<half, VectorLayout::ONE_PTR, 8>> halves;
          bool compute() {
            const float2 *source = reinterpret_cast<const float2 *>(&in[0]);
            float2 *target = reinterpret_cast<float2 *>(&out[0]);
            float2 sum = {0, 0};
            sum += ipu::load_postinc(&source, 1);
            sum += ipu::load_postinc(&source, 1) * 2;
            ipu::store_postinc(&target, sum, 1);
            *target++ = float2{-sum.y, ipu::fmax(sum, float2(7.0f)).x};
            pair p = {1.5f};
            quad4 q = {1, 2, 3, 4};
            *target = p + float2{q.w, q[2]} / 2;
            half4 h = {1, 2, 3, 4};
            h = h * 0.5f - half4(1.0f);
            short4 mask = h > half4(0.0f);
            for (int i = 0; i < 4; ++i)
              halves[i] = h[i] * -mask[i];
            return __builtin_convertvector(half2{1, 2}, float2).y == 2 && sizeof(half4) == 8;
          }
        };""")
    out, halves = np.zeros(6, "f4"), np.zeros(4, "f2")
    assert module["Vectors"](**{"in": floats(1, 2, 3, 4)}, out=out, halves=halves).run() is True
    assert out.tolist() == [7, 10, -10, 7, 3.5, 1.5]
    assert halves.tolist() == [0, 0, 0.5, 1]


def test_a_source_may_have_vector_types_of_its_own(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        template <typename T, int N> struct Own { T values[N]; };
        #ifndef __IPU__
        using float2 = Own<float, 2>;
        typedef Own<half, 4> half4;
        using rptsize_t = uint16_t;
        #endif
        struct A : Vertex { bool compute() { return float2{{1, 2}}.values[1] == 2 && sizeof(rptsize_t) == 2; } };""")
    assert module["A"]().run() is True


def test_float_loops_are_not_reassociated_or_fused(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        struct Dot : Vertex {
          Input<Vector<float>> a, b;
          Output<float> out;
          void compute() {
            float sum = 0;
            for (unsigned i = 0; i < a.size(); ++i)
              sum += a[i] * b[i];
            *out = sum;
          }
        };""")
    values = np.random.default_rng(0)
    a, b = values.standard_normal(1000).astype("f4"), values.standard_normal(1000).astype("f4")
    expected = np.float32(0)
    for x, y in zip(a, b, strict=True):
        expected = np.float32(expected + np.float32(x * y))
    out = floats(0)
    module["Dot"](a=a, b=b, out=out).run()
    assert out[0] == expected


def test_loops_over_fields_are_vectorised(popc: Popc, tmp_path: Path) -> None:
    (tmp_path / "loops.cpp").write_text("""
#include <poplar/Vertex.hpp>
using namespace poplar;
struct Axpy : Vertex {
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> x; InOut<Vector<float, VectorLayout::ONE_PTR, 8>> y;
  float a; int n;
  void compute() {
    for (int i = 0; i < n; ++i)
      y[i] += a * x[i];
  }
};
struct Bytes : Vertex {
  Input<Vector<float>> x; Output<Vector<unsigned char>> y;
  void compute() {
    for (unsigned i = 0; i < y.size(); ++i)
      y[i] = x[i] > 0;
  }
};
""")
    status, _, messages = popc("loops.cpp", "-fopt-info-vec-optimized")
    assert status == 0
    assert "loops.cpp:8:" in messages and "loop vectorized" in messages
    assert "loops.cpp:15:" in messages


def test_print_goes_to_stderr(compile_codelets: Compile, capfd: pytest.CaptureFixture[str]) -> None:
    module = compile_codelets(r"""
        #include <print.h>
        #include <cstdio>
        struct Talk : Vertex {
          int n;
          void compute() { printf("n = %d\n", n); std::printf("literal\n"); puts("put"); putchar('c'); }
        };""")
    capfd.readouterr()
    module["Talk"](n=3).run()
    assert capfd.readouterr() == ("", "n = 3\nliteral\nput\nc")


def test_builtins_and_their_host(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        #include <ipu_builtins.h>
        struct Where : Vertex {
          Output<unsigned> tile, cycles; Output<Vector<float>> random;
          bool compute() {
            __builtin_assume(random.size() > 2);
            *tile = __builtin_ipu_get_tile_id();
            const unsigned before = __builtin_ipu_get_scount_l();
            for (auto &x : random)
              x = __builtin_ipu_urand_f32();
            *cycles = __builtin_ipu_get_scount_l() - before;
            return __builtin_ipu_urand32() != __builtin_ipu_urand32();
          }
        };""")
    tile, cycles, random = np.zeros(1, "u4"), np.zeros(1, "u4"), np.zeros(1000, "f4")
    vertex = module["Where"](tile=tile, cycles=cycles, random=random)
    module.library.dace_ipu_set_tile(7)
    assert vertex.run() is True
    assert tile[0] == 7 and cycles[0] > 0
    assert random.min() >= -0.5 and random.max() < 0.5 and abs(random.mean()) < 0.05


def test_a_batch_runs_one_vertex_after_another_and_each_with_its_workers(compile_codelets: Compile) -> None:
    """Bytes, too: such vertices work on a copy of their state."""
    module = compile_codelets("""
        #include <ipu_builtins.h>
        template <typename T> struct Log : MultiVertex {
          InOut<unsigned> next;
          Output<Vector<T>> who;
          unsigned number, last;
          unsigned calls = 0;
          bool compute(unsigned worker) {
            who[*next] = 10 * number + worker;
            *next += 1;
            ++calls;
            return worker != last;
          }
        };
        template struct Log<int>;
        template struct Log<unsigned char>;""")
    for name in ("Log<int>", "Log<unsigned char>"):
        cls, random = module[name], ctypes.c_uint64()
        next_, who = np.zeros(1, "u4"), np.zeros(9, cls.fields["who"].dtype)
        vertices = [cls(next=next_, who=who, number=number, last=9, calls=0) for number in (1, 3, 2)]
        assert cls.run_batch(vertices, range(2, 5), random, 100)
        assert who.tolist() == [12, 13, 14, 32, 33, 34, 22, 23, 24]
        assert random.value == 100 + 8 * 10
        assert [vertex["calls"] for vertex in vertices] == [3, 3, 3]
        vertices[1]["last"], next_[0] = 3, 0
        assert not cls.run_batch(vertices, range(2, 5), random, 100)
        assert next_[0] == 9  # the others have run all the same


def test_a_module_that_does_not_ask_for_its_tile_has_no_hook(compile_codelets: Compile) -> None:
    module = compile_codelets("struct A : Vertex { void compute() {} };")
    assert not hasattr(module.library, "dace_ipu_set_tile")


def test_the_host_may_take_over_random_numbers_and_printing(compile_codelets: Compile) -> None:
    module = compile_codelets("""
        #include <ipu_builtins.h>
        #include <print.h>
        struct A : Vertex { Output<unsigned> x; void compute() { *x = __builtin_ipu_urand32(); printf("x"); } };""")
    printed: list[bytes] = []
    no_cycles = ctypes.CFUNCTYPE(ctypes.c_uint64)()
    random = ctypes.CFUNCTYPE(ctypes.c_uint64)(lambda: 42)
    sink = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)(
        lambda text, length: printed.append(ctypes.string_at(text, length))
    )

    class Host(ctypes.Structure):
        _fields_ = [
            ("abi", ctypes.c_uint32),
            *((n, type(f)) for n, f in (("c", no_cycles), ("r", random), ("p", sink))),
        ]

    host = Host(1, no_cycles, random, sink)
    module.library.dace_ipu_codelet_set_host(ctypes.byref(host))
    x = np.zeros(1, "u4")
    module["A"](x=x).run()
    assert (x[0], printed) == (42, [b"x"])


# ----------------------------------------------------------------------------------------------------------------------
# Messages

HEAD = "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"  # two lines


@pytest.mark.parametrize(
    ("declaration", "spelling"),
    [
        ("float *x;", "float *"),
        ("float x[4];", "float [4]"),
        ("const float &x;", "const float &"),
        ("Vector<Vector<Vector<float>>> x;", "Vector<Vector<Vector<float>>>"),
        ("struct S { int a; } x;", "struct S { int a; }"),
        ("Input<Vector<float2>> x;", "Input<Vector<float2>>"),
        ("unsigned x : 3;", "bit-field"),
    ],
)
def test_unsupported_field(fails_with: Fails, declaration: str, spelling: str) -> None:
    messages = fails_with(f"{HEAD}class Bad : public Vertex {{\n  int ok;\n  {declaration}\n  bool compute();\n}};")
    assert messages.startswith(f"codelets.cpp:5: error: Field 'Bad.x' has unsupported field type '{spelling}'\n")


def test_every_unsupported_field_is_reported_once(fails_with: Fails) -> None:
    source = "template <typename T> struct Bad : Vertex { T *a; T b[2]; bool compute() { return true; } };\n"
    messages = fails_with(HEAD + "#include <vector>\n" + source + "template class Bad<int>;")
    assert [line for line in messages.splitlines() if "error" in line] == [
        "codelets.cpp:4: error: Field 'Bad<int>.a' has unsupported field type 'T *'",
        "codelets.cpp:4: error: Field 'Bad<int>.b' has unsupported field type 'T [2]'",
    ]


def test_missing_compute(fails_with: Fails) -> None:
    source = (
        "struct A : Vertex {};\nstruct B : MultiVertex { bool compute(); };\nstruct C : Vertex { void compute() {} };"
    )
    messages = fails_with(HEAD + source)
    assert [line for line in messages.splitlines() if "error" in line] == [
        "codelets.cpp:3: error: Vertex 'A' has no method compute()",
        "codelets.cpp:4: error: MultiVertex 'B' has no method compute(unsigned worker)",
    ]


def test_compute_without_a_body(fails_with: Fails) -> None:
    messages = fails_with(HEAD + "struct A : Vertex { bool compute(); };")
    assert messages == "popc: error: 'A::compute()' is used but not defined\n"


def test_assembly(fails_with: Fails) -> None:
    source = (
        'struct A : Vertex { bool compute() { asm volatile("" ::: "memory");\nasm("setzi $m0, 1"); return true; } };'
    )
    assert fails_with(HEAD + source) == "codelets.cpp:4: error: the simulator cannot run the IPU's assembly\n"


def test_assembly_in_templates_matters_if_they_are_used(fails_with: Fails, compile_codelets: Compile) -> None:
    source = """
        template <bool Hardware> int answer();
        template <> inline int answer<true>() { int x; asm("setzi %0, 42"
                                                           : "=r"(x)); return x; }
        template <> inline int answer<false>() { return 42; }
        template <bool B> struct A : Vertex { bool compute() { return answer<B>() == 42; } };
        template class A<WHICH>;"""
    assert compile_codelets(source.replace("WHICH", "false"))["A<false>"]().run() is True
    Path("codelets.gp").unlink()
    assert (
        fails_with(HEAD + source.replace("WHICH", "true"))
        == "codelets.cpp:5: error: the simulator cannot run the IPU's assembly\n"
    )


def test_external_codelet(fails_with: Fails) -> None:
    source = "struct A : Vertex { static const bool isExternalCodelet = true; bool compute(); };"
    first = "codelets.cpp:3: error: Vertex 'A' is written in assembly, which the simulator cannot run\n"
    assert fails_with(HEAD + source).startswith(first)


def test_external_codelet_with_a_body_runs_its_body(compile_codelets: Compile) -> None:
    source = "struct A : Vertex { static const bool isExternalCodelet = true; bool compute() { return true; } };"
    assert compile_codelets(source)["A"]().run() is True


def test_errors_of_the_compiler_name_the_users_line(fails_with: Fails) -> None:
    messages = fails_with(HEAD + "struct A : Vertex {\n  bool compute() { return undeclared; }\n};")
    assert "codelets.cpp:4:27: error: ‘undeclared’ was not declared" in messages.replace("'", "‘", 1)
    assert "bool compute() { return undeclared; }" in messages
    assert "<stdin>" not in messages


def test_size_of_a_vector_without_size(fails_with: Fails) -> None:
    field = "Input<Vector<float, VectorLayout::ONE_PTR>> x;"
    messages = fails_with(HEAD + f"struct A : Vertex {{\n{field}\nbool compute() {{ return x.size(); }}\n}};")
    assert "codelets.cpp:5:" in messages and "has no member named" in messages


def test_exceptions_do_not_exist(fails_with: Fails) -> None:
    assert "exception handling disabled" in fails_with(HEAD + "struct A : Vertex { void compute() { throw 1; } };")


@pytest.mark.parametrize("builtin", ["get(3)", "put(1, 3)", "ld128putcs(0)", "gina(0)"])
def test_what_is_not_modelled(fails_with: Fails, builtin: str) -> None:
    messages = fails_with(HEAD + f"struct A : Vertex {{ void compute() {{ __builtin_ipu_{builtin}; }} }};")
    assert "codelets.cpp:3:" in messages and "the simulator does not model" in messages


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "popc: error: no source file"),
        (["nowhere.cpp"], "popc: error: no such file: 'nowhere.cpp'"),
        (["a.S"], "popc: error: 'a.S' is no C++ source; the simulator cannot make, or run, code of the IPU"),
        (["nowhere.gp"], "popc: error: cannot read 'nowhere.gp': No such file or directory"),
        (["a.cpp", "--emit-llvm"], "popc: error: --emit-llvm: the simulator cannot make, or run, code of the IPU"),
        (["a.cpp", "-o"], "popc: error: option -o needs a value"),
        (["a.cpp", "-S"], "popc: error: -S: the simulator cannot make, or run, code of the IPU"),
        (["a.cpp", "-q"], "popc: error: the simulator's popc has no option '-q'"),
        (["a.cpp", "--key=xyz"], "popc: error: --key takes 16 hexadecimal digits, not 'xyz'"),
    ],
)
def test_bad_command_lines(popc: Popc, words: list[str], message: str) -> None:
    status, output, messages = popc(*words)
    assert (status, output, messages.splitlines()[0]) == (1, "", message)


def test_help_and_version(popc: Popc) -> None:
    assert popc("--help")[1].startswith("usage: popc")
    assert popc("--version")[1].startswith(f"POPLAR version {POPLAR_VERSION} (dace_ipu simulator ")


# ----------------------------------------------------------------------------------------------------------------------
# The cache

SOURCE = HEAD + '#include "n.hpp"\nstruct A : Vertex { Output<int> n; void compute() { *n = N; } };'


@pytest.fixture
def source(popc: Popc, tmp_path: Path) -> Path:
    _write(tmp_path / "n.hpp", "#define N 1")
    return _write(tmp_path / "a.cpp", SOURCE)


def _write(path: Path, text: str) -> Path:
    """Write a file as if it had been there for long: what is saved while popc runs is not remembered."""
    path.write_text(text)
    os.utime(path, (1, 1))
    return path


def cached(popc: Popc, *words: str) -> Path:
    status, output, messages = popc("--cached", *words)
    assert (status, messages) == (0, "")
    return Path(output.splitlines()[-1])


def test_cached_by_content(popc: Popc, source: Path, tmp_path: Path) -> None:
    first = cached(popc, "a.cpp")
    assert first.parent == tmp_path / "cache" and first.suffix == ".gp"
    written = first.stat().st_mtime_ns
    assert cached(popc, "a.cpp") == first and first.stat().st_mtime_ns == written
    assert cached(popc, "a.cpp", "-O1") != first
    assert cached(popc, "a.cpp", "-DOTHER") == first  # the preprocessed text is the same
    _write(tmp_path / "n.hpp", "#define N 2")
    second = cached(popc, "a.cpp")
    assert second != first
    _write(tmp_path / "n.hpp", "#define N 1")
    assert cached(popc, "a.cpp") == first
    first.unlink()
    assert cached(popc, "a.cpp") == first and first.is_file()


def test_a_second_call_starts_no_compiler(popc: Popc, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cached(popc, "a.cpp")
    monkeypatch.setattr("dace_ipu.simulator.popc.driver.preprocess", lambda *_: pytest.fail("compiled again"))
    assert cached(popc, "a.cpp") == first


def test_a_header_saved_during_the_compilation(
    popc: Popc, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save_then_compile(*arguments: Any) -> None:
        (tmp_path / "n.hpp").write_text("#define N 2")
        compile_module(*arguments)

    monkeypatch.setattr("dace_ipu.simulator.popc.driver.compile_module", save_then_compile)
    first = cached(popc, "a.cpp")
    assert cached(popc, "a.cpp") != first


def test_key_names_the_module(popc: Popc, source: Path, tmp_path: Path) -> None:
    path = cached(popc, "--key=0123456789abcdef", "a.cpp")
    assert path == tmp_path / "cache" / "0123456789abcdef.gp"
    source.unlink()
    assert cached(popc, "--key=0123456789abcdef", "a.cpp") == path


def test_damaged_index(popc: Popc, source: Path, tmp_path: Path) -> None:
    first = cached(popc, "a.cpp")
    for entry in (tmp_path / "cache" / "index").iterdir():
        entry.write_text('{"key": 3')
    assert cached(popc, "a.cpp") == first


def test_what_nobody_uses_leaves_the_cache(popc: Popc, source: Path, tmp_path: Path) -> None:
    unused, written, read = (cached(popc, "a.cpp", flag) for flag in ("-O1", "-O2", "-O3"))
    entries = sorted((tmp_path / "cache" / "index").iterdir())
    old, now = time.time() - 40 * 24 * 60 * 60, time.time()
    for file in (unused, *entries):
        os.utime(file, (old, old))
    os.utime(read, (now, old))
    marker = tmp_path / "cache" / ".pruned"
    assert marker.exists()
    cached(popc, "a.cpp", "-O0")
    assert unused.exists(), "the cache was cleared today already"
    os.utime(marker, (old, old))
    cached(popc, "a.cpp", "-g")
    assert not unused.exists() and written.exists() and read.exists()
    assert not any(entry.exists() for entry in entries)


def test_using_a_module_keeps_it(popc: Popc, source: Path) -> None:
    module = cached(popc, "a.cpp")
    old = time.time() - 40 * 24 * 60 * 60
    os.utime(module, (old, old))
    assert cached(popc, "a.cpp") == module
    assert module.stat().st_atime > old + 1 and module.stat().st_mtime == pytest.approx(old)


@pytest.mark.parametrize(
    "flags",
    [
        [
            "-L/usr/lib",
            "-lm",
            "-Wl,-s",
            "-x",
            "c++",
            "-MMD",
            "-MF",
            "a.d",
            "-Xclang",
            "-disable-llvm-passes",
            "-Rpass=x",
        ],
        ["-Weverything", "-fcolor-diagnostics", "-ferror-limit=1", "-fno-slp-vectorize", "-Qunused-arguments"],
    ],
)
def test_flags_that_only_the_real_popc_needs(popc: Popc, source: Path, flags: list[str]) -> None:
    status, _, messages = popc("a.cpp", *flags, "-o", "a.gp")
    assert (status, messages) == (0, "")


def test_leftovers_of_killed_builds_are_removed(popc: Popc, source: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    old, new = tmp_path / "cache" / ".old.tmp", tmp_path / "cache" / ".new.tmp"
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    cached(popc, "a.cpp")
    assert not old.exists() and new.exists()


def test_cache_that_cannot_be_written(popc: Popc, source: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("not a folder")
    status, output, messages = popc("--cached", "a.cpp")
    assert status == 0
    assert Path(output.strip()).is_file()
    assert messages.startswith(f"popc: note: cannot write the cache '{tmp_path / 'cache'}'")


def test_full_disk(popc: Popc, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", no_space)
    status, output, messages = popc("--cached", "a.cpp")
    assert (status, output) == (1, "")
    assert messages.startswith("popc: error: cannot write ") and "No space left on device" in messages
    assert not list((tmp_path / "cache").glob("*.gp")) and not list((tmp_path / "cache").glob(".*.tmp"))


def test_two_processes_at_once(source: Path, tmp_path: Path) -> None:
    command = [sys.executable, standalone.__file__, "--cached", "a.cpp"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) for _ in range(2)]
    paths = {process.communicate()[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0]
    assert len(paths) == 1
    ctypes.CDLL(paths.pop())


def test_standalone_does_not_import_dace(source: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", standalone.__file__, "a.cpp", "-o", "a.gp"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    imported = {line.rpartition("|")[2].strip() for line in result.stderr.splitlines()}
    assert "dace_ipu.simulator.popc.driver" in imported
    assert not imported & {"dace", "numpy", "sympy", "platformdirs", "rich"}
