#include "element_wise.hpp"

#include <popops/ExprOp.hpp>

#include <cmath>
#include <type_traits>

using namespace poplar;

namespace popops {

using Op = expr::UnaryOpType;

template <typename T, typename Out> struct UnaryJob {
  const T *in;
  Out *out;
  unsigned size;
};

template <typename T, typename Out, typename F> static void loop(const UnaryJob<T, Out> &job, F f) {
  for (unsigned i = 0; i < job.size; ++i)
    job.out[i] = f(job.in[i]);
}

// float, and half by way of float.
#define CASE(OP, VALUE)                                                                                                \
  case Op::OP:                                                                                                         \
    return loop(job, [](float x) { return static_cast<T>(VALUE); });
template <typename T> static void realOp(Op op, const UnaryJob<T, T> &job) {
  switch (op) {
    CASE(ABSOLUTE, std::fabs(x))
    CASE(ASIN, std::asin(x))
    CASE(CBRT, std::cbrt(x))
    CASE(CEIL, std::ceil(x))
    CASE(COS, std::cos(x))
    CASE(ERF, std::erf(x))
    CASE(EXPONENT, std::exp(x))
    CASE(EXPONENT_MINUS_ONE, std::expm1(x))
    CASE(EXPONENT2, std::exp2(x))
    CASE(FLOOR, std::floor(x))
    CASE(GELU_ERF, 0.5f * x * (1.0f + std::erf(x * 0.70710678f)))
    CASE(INVERSE, 1.0f / x)
    CASE(LOGARITHM, std::log(x))
    CASE(LOGARITHM_ONE_PLUS, std::log1p(x))
    CASE(NEGATE, -x)
    CASE(NEARBY_INT, std::nearbyint(x))
    CASE(RELU, x > 0.0f ? x : 0.0f)
    CASE(ROUND, std::round(x))
    CASE(RSQRT, 1.0f / std::sqrt(x))
    CASE(SIGMOID, 1.0f / (1.0f + std::exp(-x)))
    CASE(SIGNUM, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f)
    CASE(SIN, std::sin(x))
    CASE(SQRT, std::sqrt(x))
    CASE(SQUARE, x * x)
    CASE(TAN, std::tan(x))
    CASE(TANH, std::tanh(x))
    CASE(TRUNC, std::trunc(x))
  default:
    break;
  }
}
#undef CASE

// Unsigned arithmetic wraps around, as the machine does.
template <typename T> static T negative(T x) {
  return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(x));
}

template <typename T> static T bits(T x, bool leadingZeros) {
  const auto value = static_cast<unsigned long long>(static_cast<std::make_unsigned_t<T>>(x));
  if (!leadingZeros)
    return static_cast<T>(__builtin_popcountll(value));
  return static_cast<T>(value ? __builtin_clzll(value) - static_cast<int>(64 - 8 * sizeof(T)) : 8 * sizeof(T));
}

#define CASE(OP, VALUE)                                                                                                \
  case Op::OP:                                                                                                         \
    return loop(job, [](T x) { return static_cast<T>(VALUE); });
template <typename T> static void integerOp(Op op, const UnaryJob<T, T> &job) {
  switch (op) {
    CASE(ABSOLUTE, x < 0 ? negative(x) : x)
    CASE(BITWISE_NOT, ~x)
    CASE(COUNT_LEADING_ZEROS, bits(x, true))
    CASE(NEGATE, negative(x))
    CASE(POPCOUNT, bits(x, false))
    CASE(RELU, x > 0 ? x : 0)
    CASE(SIGNUM, x > 0 ? 1 : x < 0 ? -1 : 0)
    CASE(SQRT, std::sqrt(static_cast<double>(x)))
    CASE(SQUARE, static_cast<unsigned long long>(x) * static_cast<unsigned long long>(x))
  default:
    break;
  }
}
#undef CASE

template <typename T> static void question(Op op, const UnaryJob<T, bool> &job) {
  switch (op) {
  case Op::IS_FINITE:
    return loop(job, [](float x) { return std::isfinite(x); });
  case Op::IS_INF:
    return loop(job, [](float x) { return std::isinf(x); });
  case Op::IS_NAN:
    return loop(job, [](float x) { return std::isnan(x); });
  default:
    return loop(job, [](T x) { return !x; }); // LOGICAL_NOT
  }
}

template <typename T, typename Out> static void compute(unsigned op, const UnaryJob<T, Out> &job) {
  if constexpr (std::is_same_v<Out, bool>)
    question(static_cast<Op>(op), job);
  else if constexpr (std::is_integral_v<T>)
    integerOp(static_cast<Op>(op), job);
  else
    realOp(static_cast<Op>(op), job);
}

template <typename T, typename Out> class UnaryOp : public MultiVertex {
public:
  Rows<T> in1;
  OutputRows<Out> out;
  const unsigned char op;
  const bool inPlace;
  bool compute(unsigned worker) {
    forEachShare(out, worker, [this](unsigned row, unsigned begin, unsigned size) {
      popops::compute<T, Out>(op, {&in1[row][begin], &out[row][begin], size});
    });
    return true;
  }
};

#define INSTANTIATE(T) template class UnaryOp<T, T>;
POPOPS_NUMBER_TYPES(INSTANTIATE)
template class UnaryOp<float, bool>;
template class UnaryOp<half, bool>;
template class UnaryOp<bool, bool>;

} // namespace popops
