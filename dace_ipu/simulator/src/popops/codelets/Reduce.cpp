#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#include <popops/OperationDef.hpp>

#include "poputil/shares.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace poplar;

namespace popops {

// Sums and products of real numbers are computed in float.
template <typename T> using Accumulator = std::conditional_t<std::is_same_v<T, half>, float, T>;

static float logAdd(float a, float b) {
  const float most = std::fmax(a, b), least = std::fmin(a, b);
  return std::isinf(most) ? most : most + std::log1p(std::exp(least - most));
}

template <typename A> static A lowest() {
  return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity() : std::numeric_limits<A>::lowest();
}
template <typename A> static A highest() {
  return std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity() : std::numeric_limits<A>::max();
}

// Integers wrap around.
template <typename A> static A sum(A a, A b) {
  if constexpr (std::is_integral_v<A>)
    return static_cast<A>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
  else
    return a + b;
}
template <typename A> static A product(A a, A b) {
  if constexpr (std::is_integral_v<A>)
    return static_cast<A>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
  else
    return a * b;
}

template <typename A> static A neutral(Operation op) {
  switch (op) {
  case Operation::MUL:
  case Operation::LOGICAL_AND:
    return 1;
  case Operation::MIN:
    return highest<A>();
  case Operation::MAX:
  case Operation::LOG_ADD:
    return lowest<A>();
  default:
    return 0;
  }
}

template <typename A, typename T>
static A reduceRun(Operation op, A acc, const T *in, unsigned count, unsigned stride) {
  const auto each = [&](auto f) {
    for (unsigned i = 0; i < count; ++i)
      acc = f(acc, static_cast<A>(in[i * stride]));
    return acc;
  };
  if constexpr (std::is_same_v<A, bool>) {
    return op == Operation::LOGICAL_AND ? each([](bool a, bool b) { return a && b; })
                                        : each([](bool a, bool b) { return a || b; });
  } else {
    switch (op) {
    case Operation::MUL:
      return each([](A a, A b) { return product(a, b); });
    case Operation::MIN:
      return each([](A a, A b) { return b < a ? b : a; });
    case Operation::MAX:
      return each([](A a, A b) { return b > a ? b : a; });
    case Operation::SQUARE_ADD:
      return each([](A a, A b) { return sum(a, product(b, b)); });
    case Operation::LOG_ADD:
      return each([](A a, A b) { return static_cast<A>(logAdd(static_cast<float>(a), static_cast<float>(b))); });
    default:
      return each([](A a, A b) { return sum(a, b); });
    }
  }
}

/// out[i * innerOut + j] = all of in[i * strideI + j * strideJ + k * strideK + l * strideL], j < innerOut, k < outerIn,
/// l < innerIn. Workers share the outputs, or, with `splitPartials`, k and l: then each has outputs of its own.
template <typename In, typename Out> class ReduceRegion : public MultiVertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR>> in;
  Output<Vector<Out>> out;
  const unsigned innerOut;
  const unsigned outerIn;
  const unsigned innerIn;
  const unsigned strideI;
  const unsigned strideJ;
  const unsigned strideK;
  const unsigned strideL;
  const unsigned char op;
  const bool splitPartials;

  using A = Accumulator<In>;

  // The partials [begin, end) of an output, counted over k and l.
  A reduceOutput(unsigned output, unsigned begin, unsigned end) {
    const In *first = &in[output / innerOut * strideI + output % innerOut * strideJ];
    const Operation operation = static_cast<Operation>(op);
    A acc = neutral<A>(operation);
    for (unsigned k = begin / innerIn; k * innerIn < end; ++k) {
      const unsigned from = k * innerIn < begin ? begin - k * innerIn : 0;
      const unsigned to = (k + 1) * innerIn > end ? end - k * innerIn : innerIn;
      acc = reduceRun(operation, acc, first + k * strideK + from * strideL, to - from, strideL);
    }
    return acc;
  }

  // The outputs of a worker from its share of the partials.
  void reducePart(unsigned worker) {
    const unsigned outputs = out.size() / numWorkers();
    const poputil::Range share = poputil::rangeOf(outerIn * innerIn, 1, worker, numWorkers());
    for (unsigned i = 0; i < outputs; ++i)
      out[worker * outputs + i] = static_cast<Out>(reduceOutput(i, share.begin, share.end));
  }

  bool compute(unsigned worker) {
    const poputil::Range share = poputil::rangeOf<Out>(out.size(), worker, numWorkers());
    if (!splitPartials)
      for (unsigned i = share.begin; i < share.end; ++i)
        out[i] = static_cast<Out>(reduceOutput(i, 0, outerIn * innerIn));
    else if (poputil::perWord<Out>() == 1)
      reducePart(worker);
    else if (worker == 0) // the outputs of several workers lie in one word
      for (unsigned all = 0; all < numWorkers(); ++all)
        reducePart(all);
    return true;
  }
};

/// Reduces rows that begin at outputs `starts`.
template <typename In, typename Out> class ReducePieces : public Vertex {
public:
  Vector<Input<Vector<In>>> in;
  Vector<unsigned> starts;
  Output<Vector<Out>> out;
  const unsigned char op;
  bool compute() {
    using A = Accumulator<In>;
    const Operation operation = static_cast<Operation>(op);
    for (unsigned i = 0; i < out.size(); ++i) {
      A acc = neutral<A>(operation);
      for (unsigned row = 0; row < in.size(); ++row)
        if (i - starts[row] < in[row].size()) // wraps around for rows that begin later
          acc = reduceRun(operation, acc, &in[row][i - starts[row]], 1, 1);
      out[i] = static_cast<Out>(acc);
    }
    return true;
  }
};

/// out = scale * in, or out = out + scale * in. No scale is 1.
template <typename In, typename Out, bool Update> class ReduceFinish : public Vertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR>> in;
  std::conditional_t<Update, InOut<Vector<Out>>, Output<Vector<Out>>> out;
  Vector<Input<Vector<float>>> scale;
  const unsigned char op;
  bool compute() {
    const Operation operation = static_cast<Operation>(op);
    for (unsigned i = 0; i < out.size(); ++i) {
      In value = in[i];
      if (scale.size() != 0)
        value = static_cast<In>(static_cast<float>(value) * scale[0][0]);
      if constexpr (Update) {
        const In old = static_cast<In>(out[i]);
        value = operation == Operation::LOG_ADD
                    ? static_cast<In>(logAdd(static_cast<float>(old), static_cast<float>(value)))
                    : sum(old, value);
      }
      out[i] = static_cast<Out>(value);
    }
    return true;
  }
};

#define INSTANTIATE(IN, OUT)                                                                                           \
  template class ReduceRegion<IN, OUT>;                                                                                \
  template class ReducePieces<IN, OUT>;
#define INSTANTIATE_FINISH(IN, OUT)                                                                                    \
  template class ReduceFinish<IN, OUT, false>;                                                                         \
  template class ReduceFinish<IN, OUT, true>;
INSTANTIATE(float, float)
INSTANTIATE(float, half)
INSTANTIATE(half, float)
INSTANTIATE(half, half)
INSTANTIATE(int, int)
INSTANTIATE(unsigned int, unsigned int)
INSTANTIATE(long long, long long)
INSTANTIATE(unsigned long long, unsigned long long)
INSTANTIATE(bool, bool)
INSTANTIATE_FINISH(float, float)
INSTANTIATE_FINISH(float, half)
INSTANTIATE_FINISH(int, int)
INSTANTIATE_FINISH(unsigned int, unsigned int)
INSTANTIATE_FINISH(long long, long long)
INSTANTIATE_FINISH(unsigned long long, unsigned long long)

} // namespace popops
