#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "poputil/shares.hpp"

using namespace poplar;

namespace poplin {

/// out[g] = in[g] * weights[g], for `groups` products of [rows, depth] and [depth, columns], by dot products on the
/// vector unit. Rows are shared out to the workers.
///
/// Layouts: in [groups][rows][depth], weights [groups][columns][depth], out [groups][rows][columns]. Sums are kept in
/// float.
template <typename In, typename Partial> class ConvPartialHorizontalMac : public MultiVertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR, 8>> in;
  Input<Vector<In, VectorLayout::ONE_PTR, 8>> weights;
  Output<Vector<Partial, VectorLayout::ONE_PTR, 8>> out;
  const unsigned groups;
  const unsigned rows;
  const unsigned depth;
  const unsigned columns;

  bool compute(unsigned worker) {
    poputil::forEachRow<Partial>(groups * rows, columns, worker, numWorkers(),
                                 [this](unsigned row) { computeRow(row / rows, row % rows); });
    return true;
  }

private:
  void computeRow(unsigned g, unsigned m) {
    for (unsigned n = 0; n < columns; ++n)
      out[(g * rows + m) * columns + n] =
          static_cast<Partial>(dot(&in[(g * rows + m) * depth], &weights[(g * columns + n) * depth]));
  }

  // Four sums, as the vector unit's accumulators.
  float dot(const In *a, const In *b) const {
    float sum[4] = {0, 0, 0, 0};
    unsigned k = 0;
    for (; k + 4 <= depth; k += 4)
      for (unsigned i = 0; i < 4; ++i)
        sum[i] += static_cast<float>(a[k + i]) * static_cast<float>(b[k + i]);
    for (; k < depth; ++k)
      sum[0] += static_cast<float>(a[k]) * static_cast<float>(b[k]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
};

template class ConvPartialHorizontalMac<float, float>;
template class ConvPartialHorizontalMac<half, float>;
template class ConvPartialHorizontalMac<half, half>;

} // namespace poplin
