#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace poplin {

// Columns that are multiplied at a time: what the matrix unit does, and a register of the host.
constexpr unsigned lanes = 16;
typedef float Lanes __attribute__((vector_size(lanes * sizeof(float))));

/// out[g] = in[g] * weights[g], for `groups` products of [rows, depth] and [depth, columns], with the matrix unit.
///
/// Layouts: in [groups][depth / depthGroup][rows][depthGroup], weights [groups][columns / columnGroup][depth][columnGroup],
/// out [groups][columns / columnGroup][rows][columnGroup]. The last group of channels may be narrower. Sums are kept in
/// float over one group of input channels and rounded to Partial after each.
template <typename In, typename Partial> class ConvPartial1x1Out : public SupervisorVertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR, 8>> in;
  Input<Vector<In, VectorLayout::ONE_PTR, 8>> weights;
  Output<Vector<Partial, VectorLayout::ONE_PTR, 8>> out;
  const unsigned groups;
  const unsigned rows;
  const unsigned depth;
  const unsigned columns;
  const unsigned depthGroup;
  const unsigned columnGroup;

  bool compute() {
    for (unsigned g = 0; g < groups; ++g)
      product(&in[g * rows * depth], &weights[g * depth * columns], &out[g * rows * columns]);
    return true;
  }

private:
  void product(const In *a, const In *b, Partial *c) {
    for (unsigned n = 0; n < columns; n += columnGroup) {
      const unsigned width = columns - n < columnGroup ? columns - n : columnGroup;
      for (unsigned lane = 0; lane < width; lane += lanes)
        for (unsigned k = 0; k < depth; k += depthGroup)
          pass(a, b + n * depth, c + n * rows, k, lane, width);
    }
  }

  // One group of input channels into up to 16 output channels: the weights stay in the matrix unit, the field streams
  // through.
  void pass(const In *a, const In *b, Partial *c, unsigned k, unsigned lane, unsigned width) {
    const unsigned inner = depth - k < depthGroup ? depth - k : depthGroup;
    const unsigned used = width - lane < lanes ? width - lane : lanes;
    Lanes loaded[lanes];
    for (unsigned first = 0; first < inner; first += lanes) {
      const unsigned count = inner - first < lanes ? inner - first : lanes;
      for (unsigned i = 0; i < count; ++i)
        loaded[i] = load(b + (k + first + i) * width + lane, used);
      stream(a + k * rows + first, inner, count, loaded, c + lane, width, used, k + first == 0);
    }
  }

  void stream(const In *a, unsigned stride, unsigned count, const Lanes *loaded, Partial *c, unsigned width,
              unsigned used, bool zeroing) {
    unsigned row = 0;
    for (; row + 4 <= rows; row += 4)
      streamRows<4>(a + row * stride, stride, count, loaded, c + row * width, width, used, zeroing);
    for (; row < rows; ++row)
      streamRows<1>(a + row * stride, stride, count, loaded, c + row * width, width, used, zeroing);
  }

  template <unsigned R>
  static void streamRows(const In *a, unsigned stride, unsigned count, const Lanes *loaded, Partial *c, unsigned width,
                         unsigned used, bool zeroing) {
    Lanes sum[R];
    for (unsigned r = 0; r < R; ++r)
      sum[r] = zeroing ? Lanes{} : load(c + r * width, used);
    for (unsigned i = 0; i < count; ++i)
      for (unsigned r = 0; r < R; ++r)
        sum[r] += static_cast<float>(a[r * stride + i]) * loaded[i];
    for (unsigned r = 0; r < R; ++r)
      store(c + r * width, sum[r], used);
  }

  template <typename T> static Lanes load(const T *from, unsigned count) {
    Lanes result{};
    if (count == lanes) // a fixed count, which the compiler makes one load
      for (unsigned i = 0; i < lanes; ++i)
        result[i] = static_cast<float>(from[i]);
    else
      for (unsigned i = 0; i < count; ++i)
        result[i] = static_cast<float>(from[i]);
    return result;
  }

  static void store(Partial *to, const Lanes &from, unsigned count) {
    if (count == lanes)
      for (unsigned i = 0; i < lanes; ++i)
        to[i] = static_cast<Partial>(from[i]);
    else
      for (unsigned i = 0; i < count; ++i)
        to[i] = static_cast<Partial>(from[i]);
  }
};

template class ConvPartial1x1Out<float, float>;
template class ConvPartial1x1Out<half, float>;
template class ConvPartial1x1Out<half, half>;

} // namespace poplin
