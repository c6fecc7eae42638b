#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <cmath>

using namespace poplar;

namespace poplin {

/// The Cholesky factor of a block of `size` rows and columns, from its lower triangle; the other one becomes zero.
template <typename T> class CholeskyBlock : public Vertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR, 4>> block;
  const unsigned size;

  bool compute() {
    for (unsigned j = 0; j < size; ++j)
      factorColumn(j);
    for (unsigned i = 0; i < size; ++i)
      for (unsigned j = i + 1; j < size; ++j)
        block[i * size + j] = static_cast<T>(0.f);
    return true;
  }

private:
  void factorColumn(unsigned j) {
    const float pivot = std::sqrt(rest(j, j));
    block[j * size + j] = static_cast<T>(pivot);
    for (unsigned i = j + 1; i < size; ++i)
      block[i * size + j] = static_cast<T>(rest(i, j) / pivot);
  }

  float rest(unsigned i, unsigned j) const {
    float sum = static_cast<float>(block[i * size + j]);
    for (unsigned k = 0; k < j; ++k)
      sum -= static_cast<float>(block[i * size + k]) * static_cast<float>(block[j * size + k]);
    return sum;
  }
};

/// The inverse of a lower triangular block, of which the other triangle is not read.
template <typename T> class InverseTriangle : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> block;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> inverse;
  const unsigned size;
  const bool unitDiagonal;

  bool compute() {
    for (unsigned j = 0; j < size; ++j)
      for (unsigned i = 0; i < size; ++i)
        inverse[i * size + j] = static_cast<T>(i < j ? 0.f : at(i, j));
    return true;
  }

private:
  // Forward substitution for column j of the unit matrix, above which all rows are done.
  float at(unsigned i, unsigned j) const {
    float sum = i == j ? 1.f : 0.f;
    for (unsigned k = j; k < i; ++k)
      sum -= static_cast<float>(block[i * size + k]) * static_cast<float>(inverse[k * size + j]);
    return unitDiagonal ? sum : sum / static_cast<float>(block[i * size + i]);
  }
};

template class CholeskyBlock<float>;
template class CholeskyBlock<half>;
template class InverseTriangle<float>;
template class InverseTriangle<half>;

} // namespace poplin
