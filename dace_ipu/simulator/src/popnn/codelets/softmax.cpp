#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <cmath>

using namespace poplar;

namespace popnn {

/// For every row: its largest element m, and the sum of exp(x - m).
template <typename T> class SoftmaxSums : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> in;
  Output<Vector<float, VectorLayout::ONE_PTR, 4>> statistics;
  const unsigned rows;
  const unsigned columns;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r) {
      const T *row = &in[r * columns];
      float largest = -INFINITY;
      for (unsigned i = 0; i < columns; ++i)
        largest = std::fmax(largest, static_cast<float>(row[i]));
      const float shift = largest == -INFINITY ? 0 : largest; // nothing but -infinity sums up to zero
      float sum = 0;
      for (unsigned i = 0; i < columns; ++i)
        sum += std::exp(static_cast<float>(row[i]) - shift);
      statistics[2 * r] = largest;
      statistics[2 * r + 1] = sum;
    }
    return true;
  }
};

/// exp(x - m) / sum * scale, or x - m - log(sum), with m and sum joined from those of all segments of the row.
template <typename T> class Softmax : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> in;
  Input<Vector<float, VectorLayout::ONE_PTR, 4>> statistics;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> out;
  const unsigned rows;
  const unsigned columns;
  const unsigned segments;
  const float scale;
  const bool logarithm;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r) {
      const float *parts = &statistics[2 * r * segments];
      float largest = -INFINITY, sum = 0;
      for (unsigned s = 0; s < segments; ++s)
        largest = std::fmax(largest, parts[2 * s]);
      for (unsigned s = 0; s < segments; ++s)
        sum += parts[2 * s + 1] * std::exp(parts[2 * s] - largest);
      write(r * columns, largest, sum);
    }
    return true;
  }

private:
  void write(unsigned begin, float largest, float sum) {
    const float factor = logarithm ? std::log(sum) : scale / sum;
    for (unsigned i = begin; i < begin + columns; ++i) {
      const float x = static_cast<float>(in[i]) - largest;
      out[i] = static_cast<T>(logarithm ? x - factor : std::exp(x) * factor);
    }
  }
};

/// For every row: the sum of value * gradient.
template <typename T> class SoftmaxGradSums : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> value;
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> gradient;
  Output<Vector<float, VectorLayout::ONE_PTR, 4>> statistics;
  const unsigned rows;
  const unsigned columns;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r) {
      float sum = 0;
      for (unsigned i = r * columns; i < (r + 1) * columns; ++i)
        sum += static_cast<float>(value[i]) * static_cast<float>(gradient[i]);
      statistics[r] = sum;
    }
    return true;
  }
};

/// value * (gradient - the sum over the row).
template <typename T> class SoftmaxGrad : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> value;
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> gradient;
  Input<Vector<float, VectorLayout::ONE_PTR, 4>> statistics;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> out;
  const unsigned rows;
  const unsigned columns;
  const unsigned segments;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r) {
      float sum = 0;
      for (unsigned s = 0; s < segments; ++s)
        sum += statistics[r * segments + s];
      for (unsigned i = r * columns; i < (r + 1) * columns; ++i)
        out[i] = static_cast<T>(static_cast<float>(value[i]) * (static_cast<float>(gradient[i]) - sum));
    }
    return true;
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class SoftmaxSums<T>;                                                                                       \
  template class Softmax<T>;                                                                                           \
  template class SoftmaxGradSums<T>;                                                                                   \
  template class SoftmaxGrad<T>;
INSTANTIATE(float)
INSTANTIATE(half)

} // namespace popnn
