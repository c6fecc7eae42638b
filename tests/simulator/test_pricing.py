"""What codelets cost by their own code, against slots counted by hand and against the shape of published figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dace_ipu.simulator.pricing import clang
from tests.simulator.conftest import Compile, load_module

pytestmark = pytest.mark.skipif(clang.find_clang() is None, reason="pricing needs clang, for example ziglang")

CODELETS = """
#include <poplar/Vertex.hpp>
#include <algorithm>
#include <cmath>
using namespace poplar;

class Add : public Vertex {
public:
  Input<Vector<float>> a, b;
  Output<Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = a[i] + b[i];
    return true;
  }
};

class SumUnsigned : public Vertex {
public:
  Input<Vector<unsigned>> in;
  Output<unsigned> sum;
  bool compute() {
    unsigned total = 0;
    for (unsigned i = 0; i < in.size(); ++i)
      total += in[i];
    *sum = total;
    return true;
  }
};

template <typename T> class Clamp : public Vertex {
public:
  Input<Vector<T>> in;
  Output<Vector<T>> out;
  T low, high;
  bool compute() {
    const T least = low, most = high;
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = std::min(std::max(in[i], least), most);
    return true;
  }
};
template class Clamp<int>;
template class Clamp<long long>;

class CopyPairs : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned n;
  bool compute() {
    const float2 *from = reinterpret_cast<const float2 *>(&in[0]);
    float2 *to = reinterpret_cast<float2 *>(&out[0]);
    const unsigned count = n BOUND;
    for (unsigned i = 0; i < count; ++i)
      to[i] = from[i];
    return true;
  }
};

class Pi : public Vertex {
public:
  unsigned first, last;
  float slice;
  Output<float> out;
  bool compute() {
    float sum = 0;
    for (unsigned j = first; j < last; ++j) {
      const float x = (j - 0.5f) * slice;
      sum += 4.0f / (1.0f + x * x);
    }
    *out = sum;
    return true;
  }
};

class Find : public Vertex {
public:
  Input<Vector<int>> in;
  Output<int> at;
  bool compute() {
    int i = 0;
    while (in[i] != 0)
      ++i;
    *at = i;
    return true;
  }
};

class Rows : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  Output<float> largest;
  bool compute() {
    float m = 0;
    for (unsigned r = 0; r < in.size(); ++r)
      for (unsigned i = 0; i < in[r].size(); ++i)
        m = std::max(m, in[r][i]);
    *largest = m;
    return true;
  }
};

class Counter : public Vertex {
public:
  unsigned n;
  Output<unsigned> out;
  bool compute() {
    for (unsigned i = 0; i < n; ++i)
      *out += i ^ *out;
    ++n;
    return true;
  }
};

class Fill : public SupervisorVertex {
public:
  InOut<Vector<int>> a;
  int value;
  bool compute() {
    for (unsigned i = 0; i < a.size(); ++i)
      a[i] = value;
    return true;
  }
};

template <typename T> class Divide : public MultiVertex {
public:
  InOut<Vector<T>> a;
  T by;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < a.size(); i += 6)
      a[i] = a[i] / by;
    return true;
  }
};
template class Divide<int>;
template class Divide<float>;
template class Divide<double>;
template class Divide<unsigned char>;
"""


@pytest.fixture(scope="module")
def priced(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from dace_ipu.simulator.popc import driver

    folder = tmp_path_factory.mktemp("priced")
    source = folder / "codelets.cpp"
    source.write_text(CODELETS.replace("BOUND", ""))
    assert driver.main([str(source), "-o", str(folder / "codelets.gp")]) == 0
    return load_module(folder / "codelets.gp")


def floats(n: int) -> np.ndarray[Any, Any]:
    return np.ones(n, dtype="f4")


def per_element(cost: Any, few: int = 100, many: int = 300) -> float:
    """What one more element costs; start and end cancel out."""
    return (cost(many) - cost(few)) / (many - few)


def test_float_addition_is_two_loads_an_add_a_store_and_a_branch(priced: Any) -> None:
    cost = per_element(lambda n: priced["Add"](a=floats(n), b=floats(n), out=floats(n)).cost())
    assert cost == 5  # hardware with everything around: 5.57


def test_unsigned_sum_is_a_load_an_add_and_a_branch(priced: Any) -> None:
    def cost(n: int) -> int:
        return priced["SumUnsigned"](**{"in": np.ones(n, "u4"), "sum": np.zeros(1, "u4")}).cost()

    assert per_element(cost) == 3


def test_the_counting_entry_computes_what_the_other_computes(priced: Any) -> None:
    out = floats(7)
    priced["Add"](a=np.arange(7, dtype="f4"), b=floats(7), out=out).cost()
    assert out.tolist() == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(("bound", "slots"), [("", 3), ("& 0xFFF", 2)])
def test_a_bounded_trip_count_saves_the_branch(compile_codelets: Compile, bound: str, slots: int) -> None:
    module = compile_codelets(CODELETS.replace("BOUND", bound))

    def cost(n: int) -> int:
        return module["CopyPairs"](**{"in": floats(2 * n), "out": floats(2 * n), "n": n}).cost()

    assert per_element(cost) == slots


def test_pi_is_near_what_hardware_takes(priced: Any) -> None:
    def cost(n: int) -> int:
        return priced["Pi"](first=1, last=n + 1, slice=0.001, out=floats(1)).cost()

    assert per_element(cost) == pytest.approx(15, rel=0.2)


def test_division_costs_what_its_type_needs(priced: Any) -> None:
    def slots(name: str, dtype: str) -> float:
        return per_element(lambda n: priced[name](a=np.ones(6 * n, dtype), by=1).cost())

    assert slots("Divide<float>", "f4") < 10
    assert 277 <= slots("Divide<int>", "i4") < 290
    assert slots("Divide<double>", "f8") >= 20
    assert slots("Divide<unsigned char>", "u1") > 265 + 12  # bytes are stored by a routine


def test_extremes_of_64_bits_compare_and_move_two_words(priced: Any) -> None:
    def slots(name: str, dtype: str) -> float:
        def cost(n: int) -> int:
            ones = np.ones(n, dtype)
            return priced[name](**{"in": ones, "out": ones.copy(), "low": 0, "high": 2}).cost()

        return per_element(cost)

    assert slots("Clamp<int>", "i4") == 2 + 2 + 1  # load and store, min and max, a branch
    assert slots("Clamp<long long>", "i8") == 2 * 2 + 2 * (4 + 2) + 1


def test_supervisor_code_pays_for_stalls(priced: Any) -> None:
    assert per_element(lambda n: priced["Fill"](a=np.zeros(n, "i4"), value=1).cost()) == 1 + 6


def test_what_decides_the_cost_is_found(priced: Any) -> None:
    assert [name for name, cls in priced.classes.items() if cls.depends_on_data] == ["Find", "Counter"]


def test_cost_follows_data_where_it_decides(priced: Any) -> None:
    def cost(position: int) -> int:
        data = np.ones(100, "i4")
        data[position] = 0
        return priced["Find"](**{"in": data, "at": np.zeros(1, "i4")}).cost()

    assert cost(90) > cost(10)
    assert (cost(90) - cost(10)) % 80 == 0


def test_rows_of_lists_are_sizes_not_data(priced: Any) -> None:
    def cost(*sizes: int) -> int:
        return priced["Rows"](**{"in": [floats(n) for n in sizes], "largest": floats(1)}).cost()

    assert cost(10, 20) == cost(20, 10)
    assert cost(10, 30) - cost(10, 20) == cost(10, 20) - cost(10, 10)


def test_prices_do_not_depend_on_the_host_compiler(compile_codelets: Compile, priced: Any) -> None:
    other = compile_codelets(CODELETS.replace("BOUND", ""), "-O0")

    def slots(module: Any) -> int:
        return module["Add"](a=floats(64), b=floats(64), out=floats(64)).cost()

    assert slots(other) == slots(priced)


def test_without_clang_a_module_has_no_prices(
    compile_codelets: Compile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(clang.VARIABLE, "none")
    module = compile_codelets(CODELETS.replace("BOUND", ""))
    assert all(cls.counted is None for cls in module.classes.values())


def test_a_vertex_that_needs_the_compiled_library_is_not_priced_but_its_neighbour_is(compile_codelets: Compile) -> None:
    module = compile_codelets("""
#include <algorithm>
class Sort : public Vertex {
public:
  InOut<Vector<int>> a;
  bool compute() { std::sort(a.begin(), a.end()); return true; }
};
class One : public Vertex {
public:
  Output<int> a;
  bool compute() { *a = 1; return true; }
};
""")
    assert module["Sort"].counted is None
    assert module["One"](a=np.zeros(1, "i4")).cost() > 0


def test_random_numbers_are_instructions(compile_codelets: Compile) -> None:
    module = compile_codelets("""
class Noise : public Vertex {
public:
  Output<Vector<unsigned>> a;
  bool compute() {
    for (unsigned i = 0; i < a.size(); ++i)
      a[i] = __builtin_ipu_urand32();
    return true;
  }
};
""")
    cost = per_element(lambda n: module["Noise"](a=np.zeros(n, "u4")).cost())
    assert cost == 7  # draw, store, step, branch; and pointer and size are loaded anew, and compared, after the call


def test_a_function_that_is_called_costs_its_own_code_and_the_call(compile_codelets: Compile) -> None:
    module = compile_codelets("""
__attribute__((noinline)) float twice(float x) { return x + x; }
class Inlined : public Vertex {
public:
  InOut<Vector<float>> a;
  bool compute() {
    for (unsigned i = 0; i < a.size(); ++i)
      a[i] = a[i] + a[i];
    return true;
  }
};
class Called : public Vertex {
public:
  InOut<Vector<float>> a;
  bool compute() {
    for (unsigned i = 0; i < a.size(); ++i)
      a[i] = twice(a[i]);
    return true;
  }
};
""")
    inlined, called = (
        per_element(lambda n, name=name: module[name](a=np.ones(n, "f4")).cost()) for name in ("Inlined", "Called")
    )
    assert inlined < called < inlined + 10


def test_loops_of_a_constant_length_have_no_branches(compile_codelets: Compile) -> None:
    module = compile_codelets("""
class Groups : public Vertex {
public:
  InOut<Vector<float>> a;
  unsigned n;
  bool compute() {
    for (unsigned i = 0; i < n; ++i)
      for (unsigned k = 0; k < 4; ++k)
        a[4 * i + k] *= 2.0f;
    return true;
  }
};
""")
    cost = per_element(lambda n: module["Groups"](a=np.ones(4 * n, "f4"), n=n).cost())
    assert cost == 4 * 3 + 1  # load, multiply, store; and one branch for all four


def test_headers_that_the_host_library_brings_along_are_found(compile_codelets: Compile) -> None:
    module = compile_codelets("""
#include <cmath>
class Clip : public Vertex {
public:
  InOut<Vector<float>> a;
  bool compute() { for (auto &x : a) x = std::max(x, 0.0f); return true; }
};
""")
    assert per_element(lambda n: module["Clip"](a=np.ones(n, "f4")).cost()) < 7
