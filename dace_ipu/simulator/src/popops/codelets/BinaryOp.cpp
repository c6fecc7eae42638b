#include "element_wise.hpp"
#include "poputil/shares.hpp"

#include <popops/ExprOp.hpp>

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

#define CASE(OP)                                                                                                       \
  case Op::OP:                                                                                                         \
    return loop(job, [](T x, T y) { return computed<Op::OP>(x, y); });

template <typename T> static void realOp(Op op, const BinaryJob<T, T> &job) {
  switch (op) {
    CASE(ADD)
    CASE(ATAN2)
    CASE(DIVIDE)
    CASE(INV_STD_DEV_TO_VARIANCE)
    CASE(MAXIMUM)
    CASE(MINIMUM)
    CASE(MULTIPLY)
    CASE(POWER)
    CASE(REMAINDER)
    CASE(SUBTRACT)
    CASE(VARIANCE_TO_INV_STD_DEV)
  default:
    break;
  }
}

template <typename T> static void integerOp(Op op, const BinaryJob<T, T> &job) {
  switch (op) {
    CASE(ADD)
    CASE(BITWISE_AND)
    CASE(BITWISE_OR)
    CASE(BITWISE_XOR)
    CASE(BITWISE_XNOR)
    CASE(DIVIDE)
    CASE(MAXIMUM)
    CASE(MINIMUM)
    CASE(MULTIPLY)
    CASE(POWER)
    CASE(REMAINDER)
    CASE(SHIFT_LEFT)
    CASE(SHIFT_RIGHT)
    CASE(SHIFT_RIGHT_SIGN_EXTEND)
    CASE(SUBTRACT)
  default:
    break;
  }
}

template <typename T> static void relation(Op op, const BinaryJob<T, bool> &job) {
  switch (op) {
    CASE(EQUAL)
    CASE(GREATER_THAN_EQUAL)
    CASE(GREATER_THAN)
    CASE(LESS_THAN_EQUAL)
    CASE(LESS_THAN)
    CASE(NOT_EQUAL)
  default:
    break;
  }
}

static void logicalOp(Op op, const BinaryJob<bool, bool> &job) {
  using T = bool;
  switch (op) {
    CASE(LOGICAL_AND)
    CASE(LOGICAL_OR)
    CASE(BITWISE_AND)
    CASE(BITWISE_OR)
    CASE(BITWISE_XOR)
    CASE(BITWISE_XNOR)
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
    poputil::forEachRow<T>(vector.size(), columns, worker, numWorkers(), [this](unsigned row) {
      const unsigned begin = row * columns;
      popops::compute<T, T>(op, {{&data[begin], true}, {&vector[row], false}, &out[begin], columns});
    });
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
    poputil::forEachRow<T>(out.size() / size, size, worker, numWorkers(), [this, size](unsigned block) {
      const unsigned begin = block * size;
      popops::compute<T, T>(op, {{&data[begin], true}, {&vector[0], true}, &out[begin], size});
    });
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
