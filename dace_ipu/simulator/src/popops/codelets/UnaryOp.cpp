#include "element_wise.hpp"

#include <popops/ExprOp.hpp>

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

#define CASE(OP)                                                                                                       \
  case Op::OP:                                                                                                         \
    return loop(job, [](T x) { return computed<Op::OP>(x); });

template <typename T> static void realOp(Op op, const UnaryJob<T, T> &job) {
  switch (op) {
    CASE(ABSOLUTE)
    CASE(ASIN)
    CASE(CBRT)
    CASE(CEIL)
    CASE(COS)
    CASE(ERF)
    CASE(EXPONENT)
    CASE(EXPONENT_MINUS_ONE)
    CASE(EXPONENT2)
    CASE(FLOOR)
    CASE(GELU_ERF)
    CASE(INVERSE)
    CASE(LOGARITHM)
    CASE(LOGARITHM_ONE_PLUS)
    CASE(NEGATE)
    CASE(NEARBY_INT)
    CASE(RELU)
    CASE(ROUND)
    CASE(RSQRT)
    CASE(SIGMOID)
    CASE(SIGNUM)
    CASE(SIN)
    CASE(SQRT)
    CASE(SQUARE)
    CASE(TAN)
    CASE(TANH)
    CASE(TRUNC)
  default:
    break;
  }
}

template <typename T> static void integerOp(Op op, const UnaryJob<T, T> &job) {
  switch (op) {
    CASE(ABSOLUTE)
    CASE(BITWISE_NOT)
    CASE(COUNT_LEADING_ZEROS)
    CASE(NEGATE)
    CASE(POPCOUNT)
    CASE(RELU)
    CASE(SIGNUM)
    CASE(SQRT)
    CASE(SQUARE)
  default:
    break;
  }
}

template <typename T> static void question(Op op, const UnaryJob<T, bool> &job) {
  switch (op) {
    CASE(IS_FINITE)
    CASE(IS_INF)
    CASE(IS_NAN)
    CASE(LOGICAL_NOT)
  default:
    break;
  }
}
#undef CASE

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
