#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;

// A block of an image with four channels, `Group` values of a pixel at a time. What lies around it are fields of their
// own: rows above and below, columns left and right, and the corners.
template <typename Element, typename Group> class Blur : public Vertex {
  using In = Input<Vector<Element, VectorLayout::ONE_PTR, 8>>;
  static constexpr unsigned groups = 4 * sizeof(Element) / sizeof(Group); // of a pixel

  // One column of the stencil: three pixels.
  struct Column {
    const Group *above, *here, *below;
  };

  static const Group *at(const In &field, unsigned pixel) {
    return reinterpret_cast<const Group *>(&field[0]) + groups * pixel;
  }

  [[gnu::always_inline]] static void blur(Group *to, const Column &left, const Column &middle, const Column &right) {
    const Element corner = Element(1.0f / 16), side = Element(2.0f / 16), centre = Element(4.0f / 16);
    for (unsigned c = 0; c < groups; ++c)
      to[c] = corner * (left.above[c] + right.above[c] + left.below[c] + right.below[c]) + centre * middle.here[c] +
              side * (right.here[c] + left.here[c] + middle.below[c] + middle.above[c]);
  }

public:
  In in, n, s, w, e, nw, ne, sw, se;
  Output<Vector<Element, VectorLayout::ONE_PTR, 8>> out;
  unsigned width, height;

  bool compute() {
    const unsigned columns = width, rows = height;
    for (unsigned y = 0; y < rows; ++y) {
      const bool isFirst = y == 0, isLast = y + 1 == rows;
      const Column first{isFirst ? at(n, 0) : at(in, (y - 1) * columns), at(in, y * columns),
                         isLast ? at(s, 0) : at(in, (y + 1) * columns)};
      const Column before{isFirst ? at(nw, 0) : at(w, y - 1), at(w, y), isLast ? at(sw, 0) : at(w, y + 1)};
      const Column behind{isFirst ? at(ne, 0) : at(e, y - 1), at(e, y), isLast ? at(se, 0) : at(e, y + 1)};
      row(reinterpret_cast<Group *>(&out[0]) + groups * y * columns, before, first, behind, columns);
    }
    return true;
  }

private:
  static Column moved(const Column &column, unsigned pixels) {
    return {column.above + groups * pixels, column.here + groups * pixels, column.below + groups * pixels};
  }

  [[gnu::always_inline]] static void row(Group *to, const Column &before, const Column &first, const Column &behind, unsigned columns) {
    const unsigned last = columns - 1;
    blur(to, before, first, last == 0 ? behind : moved(first, 1));
    for (unsigned x = 1; x < last; ++x)
      blur(to + groups * x, moved(first, x - 1), moved(first, x), moved(first, x + 1));
    if (last > 0)
      blur(to + groups * last, moved(first, last - 1), moved(first, last), behind);
  }
};

class Blur_float : public Blur<float, float> {};
class Blur_float2 : public Blur<float, float2> {};
class Blur_half4 : public Blur<half, half4> {};
