#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <cmath>

using namespace poplar;

namespace popnn {

namespace {

float sumOf(const float *values, unsigned n) {
  float sum = 0;
  for (unsigned i = 0; i < n; ++i)
    sum += values[i];
  return sum;
}

} // namespace

/// The sum of every row.
template <typename T> class NormSums : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> in;
  Output<Vector<float, VectorLayout::ONE_PTR, 4>> statistics;
  const unsigned rows;
  const unsigned columns;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r) {
      float sum = 0;
      for (unsigned i = r * columns; i < (r + 1) * columns; ++i)
        sum += static_cast<float>(in[i]);
      statistics[r] = sum;
    }
    return true;
  }
};

/// The sum of (x - mean)^2 of every row, whose mean comes from the sums of all its segments.
template <typename T> class NormSquares : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> in;
  Input<Vector<float, VectorLayout::ONE_PTR, 4>> sums;
  Output<Vector<float, VectorLayout::ONE_PTR, 4>> statistics;
  const unsigned rows;
  const unsigned columns;
  const unsigned segments;
  const unsigned count;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r) {
      const float mean = sumOf(&sums[r * segments], segments) / count;
      float sum = 0;
      for (unsigned i = r * columns; i < (r + 1) * columns; ++i) {
        const float x = static_cast<float>(in[i]) - mean;
        sum += x * x;
      }
      statistics[r] = sum;
    }
    return true;
  }
};

/// Mean and 1 / sqrt(variance + eps) of every row, from the sums of its `columns` segments. As in PopLibs, rows without
/// elements have mean and variance 0, and the unbiased variance of one element is 0.
template <typename T> class NormMoments : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 4>> sums;
  Input<Vector<float, VectorLayout::ONE_PTR, 4>> squares;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> mean;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> invStdDev;
  const unsigned rows;
  const unsigned columns;
  const unsigned count;
  const float eps;
  const bool unbiased;

  bool compute() {
    const float elements = count > 0 ? count : 1;
    const float divisor = unbiased && count > 1 ? count - 1 : elements;
    for (unsigned r = 0; r < rows; ++r) {
      mean[r] = static_cast<T>(sumOf(&sums[r * columns], columns) / elements);
      invStdDev[r] = static_cast<T>(1 / std::sqrt(sumOf(&squares[r * columns], columns) / divisor + eps));
    }
    return true;
  }
};

/// (x - mean) * invStdDev for every row.
template <typename T> class NormWhiten : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> in;
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> mean;
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> invStdDev;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> out;
  const unsigned rows;
  const unsigned columns;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned i = r * columns; i < (r + 1) * columns; ++i)
        out[i] = static_cast<T>((static_cast<float>(in[i]) - static_cast<float>(mean[r])) *
                                static_cast<float>(invStdDev[r]));
    return true;
  }
};

/// (gradient - mean of gradients - whitened * mean of (gradient * whitened)) * invStdDev for every row of `count`
/// elements.
template <typename T> class NormGradient : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> whitened;
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> gradient;
  Input<Vector<float, VectorLayout::ONE_PTR, 4>> sums;
  Input<Vector<float, VectorLayout::ONE_PTR, 4>> products;
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> invStdDev;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> out;
  const unsigned rows;
  const unsigned columns;
  const unsigned count;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned i = r * columns; i < (r + 1) * columns; ++i)
        out[i] = static_cast<T>((static_cast<float>(gradient[i]) - sums[r] / count -
                                 static_cast<float>(whitened[i]) * (products[r] / count)) *
                                static_cast<float>(invStdDev[r]));
    return true;
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class NormSums<T>;                                                                                          \
  template class NormSquares<T>;                                                                                       \
  template class NormMoments<T>;                                                                                       \
  template class NormWhiten<T>;                                                                                        \
  template class NormGradient<T>;
INSTANTIATE(float)
INSTANTIATE(half)

} // namespace popnn
