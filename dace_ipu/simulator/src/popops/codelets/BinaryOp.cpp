#include "element_wise.hpp"

#include <popops/ExprOp.hpp>

#include <cmath>
#include <type_traits>

using namespace poplar;

namespace popops {

using Op = expr::BinaryOpType;

template <typename T, typename Out> struct BinaryJob {
  Operand<T> in1;
  Operand<T> in2;
  Out *out;
  unsigned size;
};

template <typename T, typename Out, typename F> static void loop(const BinaryJob<T, Out> &job, F f) {
  for (unsigned i = 0; i < job.size; ++i)
    job.out[i] = f(job.in1[i], job.in2[i]);
}

static float inverseDeviation(float variance, float epsilon) { return 1.0f / std::sqrt(variance + epsilon); }
static float variance(float inverse, float epsilon) { return 1.0f / (inverse * inverse) - epsilon; }

// float, and half by way of float.
#define CASE(OP, VALUE)                                                                                                \
  case Op::OP:                                                                                                         \
    return loop(job, [](float x, float y) { return static_cast<T>(VALUE); });
template <typename T> static void realOp(Op op, const BinaryJob<T, T> &job) {
  switch (op) {
    CASE(ADD, x + y)
    CASE(ATAN2, std::atan2(x, y))
    CASE(DIVIDE, x / y)
    CASE(INV_STD_DEV_TO_VARIANCE, variance(x, y))
    CASE(MAXIMUM, std::fmax(x, y))
    CASE(MINIMUM, std::fmin(x, y))
    CASE(MULTIPLY, x * y)
    CASE(POWER, std::pow(x, y))
    CASE(REMAINDER, std::fmod(x, y))
    CASE(SUBTRACT, x - y)
    CASE(VARIANCE_TO_INV_STD_DEV, inverseDeviation(x, y))
  default:
    break;
  }
}
#undef CASE

// Arithmetic wraps around, as the machine does: in the widest unsigned type, then cut off.
using Wide = unsigned long long;

template <typename T> static T quotient(T x, T y) {
  if (y == 0)
    return 0;
  if (std::is_signed_v<T> && y == static_cast<T>(-1))
    return static_cast<T>(-static_cast<Wide>(x));
  return static_cast<T>(x / y);
}

template <typename T> static T remainder(T x, T y) {
  return y == 0 || (std::is_signed_v<T> && y == static_cast<T>(-1)) ? T(0) : static_cast<T>(x % y);
}

template <typename T> static T power(T x, T y) {
  if (std::is_signed_v<T> && y < 0)
    return x == 1 ? 1 : x == static_cast<T>(-1) ? ((y & 1) ? T(-1) : T(1)) : T(0);
  Wide result = 1, base = static_cast<Wide>(x);
  for (Wide n = static_cast<Wide>(y); n > 0; n >>= 1, base *= base)
    if (n & 1)
      result *= base;
  return static_cast<T>(result);
}

// Shifts by the width or more leave nothing but the fill.
template <typename T> static bool isWide(T y) { return static_cast<Wide>(y) >= 8 * sizeof(T); }
template <typename T> static T left(T x, T y) { return isWide(y) ? T(0) : static_cast<T>(static_cast<Wide>(x) << y); }
template <typename T> static T right(T x, T y) {
  return isWide(y) ? T(0) : static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) >> y);
}
template <typename T> static T rightSigned(T x, T y) {
  using Signed = std::make_signed_t<T>;
  return static_cast<T>(static_cast<Signed>(x) >> (isWide(y) ? 8 * sizeof(T) - 1 : static_cast<unsigned>(y)));
}

#define CASE(OP, VALUE)                                                                                                \
  case Op::OP:                                                                                                         \
    return loop(job, [](T x, T y) { return static_cast<T>(VALUE); });
template <typename T> static void integerOp(Op op, const BinaryJob<T, T> &job) {
  switch (op) {
    CASE(ADD, static_cast<Wide>(x) + static_cast<Wide>(y))
    CASE(BITWISE_AND, x & y)
    CASE(BITWISE_OR, x | y)
    CASE(BITWISE_XOR, x ^ y)
    CASE(BITWISE_XNOR, ~(x ^ y))
    CASE(DIVIDE, quotient(x, y))
    CASE(MAXIMUM, x > y ? x : y)
    CASE(MINIMUM, x < y ? x : y)
    CASE(MULTIPLY, static_cast<Wide>(x) * static_cast<Wide>(y))
    CASE(POWER, power(x, y))
    CASE(REMAINDER, remainder(x, y))
    CASE(SHIFT_LEFT, left(x, y))
    CASE(SHIFT_RIGHT, right(x, y))
    CASE(SHIFT_RIGHT_SIGN_EXTEND, rightSigned(x, y))
    CASE(SUBTRACT, static_cast<Wide>(x) - static_cast<Wide>(y))
  default:
    break;
  }
}
#undef CASE

#define CASE(OP, VALUE)                                                                                                \
  case Op::OP:                                                                                                         \
    return loop(job, [](T x, T y) -> bool { return VALUE; });
template <typename T> static void relation(Op op, const BinaryJob<T, bool> &job) {
  switch (op) {
    CASE(EQUAL, x == y)
    CASE(GREATER_THAN_EQUAL, x >= y)
    CASE(GREATER_THAN, x > y)
    CASE(LESS_THAN_EQUAL, x <= y)
    CASE(LESS_THAN, x < y)
    CASE(NOT_EQUAL, x != y)
  default:
    break;
  }
}

static void logicalOp(Op op, const BinaryJob<bool, bool> &job) {
  using T = bool;
  switch (op) {
    CASE(LOGICAL_AND, x && y)
    CASE(LOGICAL_OR, x || y)
    CASE(BITWISE_AND, x && y)
    CASE(BITWISE_OR, x || y)
    CASE(BITWISE_XOR, x != y)
    CASE(BITWISE_XNOR, x == y)
  default:
    return relation(op, job);
  }
}
#undef CASE

template <typename T, typename Out> static void compute(unsigned op, const BinaryJob<T, Out> &job) {
  if constexpr (std::is_same_v<T, bool>)
    logicalOp(static_cast<Op>(op), job);
  else if constexpr (std::is_same_v<Out, bool>)
    relation(static_cast<Op>(op), job);
  else if constexpr (std::is_integral_v<T>)
    integerOp(static_cast<Op>(op), job);
  else
    realOp(static_cast<Op>(op), job);
}

template <typename T, typename Out> class BinaryOp : public MultiVertex {
public:
  Rows<T> in1;
  Rows<T> in2;
  OutputRows<Out> out;
  const unsigned char op;
  const bool step1;
  const bool step2;
  const bool inPlace;
  bool compute(unsigned worker) {
    forEachShare(out, worker, [this](unsigned row, unsigned begin, unsigned size) {
      popops::compute<T, Out>(
          op, {operandOf(in1, step1, row, begin), operandOf(in2, step2, row, begin), &out[row][begin], size});
    });
    return true;
  }
};

/// `columns` elements of data with each element of the vector.
template <typename T> class BroadcastRows : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> data;
  Input<Vector<T>> vector;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  const unsigned columns;
  const unsigned char op;
  bool compute(unsigned worker) {
    for (unsigned row = worker; row < vector.size(); row += numWorkers()) {
      const unsigned begin = row * columns;
      popops::compute<T, T>(op, {{&data[begin], true}, {&vector[row], false}, &out[begin], columns});
    }
    return true;
  }
};

/// The vector with every block of data of its size.
template <typename T> class BroadcastBlocks : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> data;
  Input<Vector<T>> vector;
  Output<Vector<T>> out;
  const unsigned char op;
  bool compute(unsigned worker) {
    const unsigned size = vector.size();
    for (unsigned begin = worker * size; begin < out.size(); begin += numWorkers() * size)
      popops::compute<T, T>(op, {{&data[begin], true}, {&vector[0], true}, &out[begin], size});
    return true;
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class BinaryOp<T, T>;                                                                                       \
  template class BinaryOp<T, bool>;
POPOPS_NUMBER_TYPES(INSTANTIATE)
template class BinaryOp<bool, bool>;
template class BroadcastRows<float>;
template class BroadcastRows<half>;
template class BroadcastBlocks<float>;
template class BroadcastBlocks<half>;

} // namespace popops
