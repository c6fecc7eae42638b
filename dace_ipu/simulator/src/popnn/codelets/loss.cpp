#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <cmath>

using namespace poplar;

namespace popnn {

// A label that says: leave this row out.
constexpr unsigned maskedLabel = 0xffffffffu;

/// For every row, of which columns `first` and so on are here: the gradient and this part's share of the loss.
///
/// Sum of squares: delta = x - [label], loss = sum of delta^2 / 2. Cross entropy of probabilities p = x /
/// `outputScale`: delta = p - [label], loss = -log of the probability of the label. Deltas are multiplied by
/// `deltaScale`.
template <typename T> class LossRows : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 4>> in;
  Input<Vector<unsigned, VectorLayout::ONE_PTR, 4>> labels;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> deltas;
  Output<Vector<float, VectorLayout::ONE_PTR, 4>> statistics;
  Input<float> deltaScale;
  Input<float> outputScale;
  const unsigned rows;
  const unsigned columns;
  const unsigned first;
  const bool crossEntropy;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r)
      statistics[r] = labels[r] == maskedLabel ? leaveOut(r) : rowLoss(r, labels[r] - first);
    return true;
  }

private:
  float leaveOut(unsigned r) {
    for (unsigned i = r * columns; i < (r + 1) * columns; ++i)
      deltas[i] = static_cast<T>(0.f);
    return 0;
  }

  float rowLoss(unsigned r, unsigned label) {
    const float scale = crossEntropy ? 1 / *outputScale : 1.f;
    float loss = 0;
    for (unsigned i = 0; i < columns; ++i) {
      const float x = static_cast<float>(in[r * columns + i]) * scale;
      const float delta = x - (i == label ? 1.f : 0.f);
      deltas[r * columns + i] = static_cast<T>(delta * *deltaScale);
      loss += crossEntropy ? (i == label ? -std::log(x) : 0.f) : 0.5f * delta * delta;
    }
    return loss;
  }
};

/// The sum of `columns` parts for every row.
template <typename T> class LossOfSegments : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 4>> statistics;
  Output<Vector<T, VectorLayout::ONE_PTR, 4>> loss;
  const unsigned rows;
  const unsigned columns;

  bool compute() {
    for (unsigned r = 0; r < rows; ++r) {
      float sum = 0;
      for (unsigned i = r * columns; i < (r + 1) * columns; ++i)
        sum += statistics[i];
      loss[r] = static_cast<T>(sum);
    }
    return true;
  }
};

/// Adds the number of elements that are equal in two lists.
class CountEqual : public Vertex {
public:
  Input<Vector<unsigned>> a;
  Input<Vector<unsigned, VectorLayout::ONE_PTR, 4>> b;
  InOut<unsigned> count;

  bool compute() {
    unsigned equal = *count;
    for (unsigned i = 0; i < a.size(); ++i)
      equal += a[i] == b[i] ? 1 : 0;
    *count = equal;
    return true;
  }
};

template class LossRows<float>;
template class LossRows<half>;
template class LossOfSegments<float>;
template class LossOfSegments<half>;

} // namespace popnn
