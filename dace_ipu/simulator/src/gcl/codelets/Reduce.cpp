#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "poputil/shares.hpp"

using namespace poplar;

namespace gcl {

namespace {

template <typename T> struct Accumulator {
  using Type = T;
};
template <> struct Accumulator<half> {
  using Type = float;
};

struct Add {
  template <typename A> static A apply(A a, A b) { return a + b; }
};
struct Mul {
  template <typename A> static A apply(A a, A b) { return a * b; }
};
struct Min {
  template <typename A> static A apply(A a, A b) { return b < a ? b : a; }
};
struct Max {
  template <typename A> static A apply(A a, A b) { return a < b ? b : a; }
};

} // namespace

// Operation: 0 sum times scale, 1 product, 2 minimum, 3 maximum, 4 sum of squares. Halves are reduced in float.
template <typename T> class ReduceParts : public MultiVertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> parts;
  Output<Vector<T>> out;
  const unsigned operation;
  const float scale;

  bool compute(unsigned worker) {
    if (operation == 1)
      reduce<Mul, false>(worker);
    else if (operation == 2)
      reduce<Min, false>(worker);
    else if (operation == 3)
      reduce<Max, false>(worker);
    else if (operation == 4)
      reduce<Add, true>(worker);
    else
      reduce<Add, false>(worker);
    return true;
  }

private:
  using A = typename Accumulator<T>::Type;

  template <typename Operation, bool Square> void reduce(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<T>(out.size(), worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i) {
      A sum = value<Square>(0, i);
      for (unsigned p = 1; p < parts.size(); ++p)
        sum = Operation::apply(sum, value<Square>(p, i));
      out[i] = scale == 1.0f ? static_cast<T>(sum) : static_cast<T>(static_cast<float>(sum) * scale);
    }
  }
  template <bool Square> A value(unsigned part, unsigned i) const {
    const A x = static_cast<A>(parts[part][i]);
    return Square ? x * x : x;
  }
};

// Minimum and maximum of truth values are "and" and "or".
class ReduceBools : public MultiVertex {
public:
  Vector<Input<Vector<bool, VectorLayout::ONE_PTR>>> parts;
  Output<Vector<bool>> out;
  const bool any;

  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<bool>(out.size(), worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i) {
      bool result = parts[0][i];
      for (unsigned p = 1; p < parts.size(); ++p)
        result = any ? result || parts[p][i] : result && parts[p][i];
      out[i] = result;
    }
    return true;
  }
};

// The place of a replica in its group.
class PlaceInGroup : public Vertex {
public:
  Input<unsigned> replica;
  Output<unsigned> place;
  const unsigned stride;
  const unsigned size;
  bool compute() {
    *place = *replica / stride % size;
    return true;
  }
};

template class ReduceParts<float>;
template class ReduceParts<half>;
template class ReduceParts<int>;
template class ReduceParts<unsigned int>;

} // namespace gcl
