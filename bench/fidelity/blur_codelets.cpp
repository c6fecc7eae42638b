#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;

// `Group` values of a pixel are computed at a time.
template <typename Element, typename Group> class Blur : public Vertex {
public:
  Input<Vector<Element, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<Element, VectorLayout::ONE_PTR, 8>> out;
  unsigned width;
  unsigned height;

  bool compute() {
    constexpr unsigned groups = 4 * sizeof(Element) / sizeof(Group); // of a pixel
    const Group *from = reinterpret_cast<const Group *>(&in[0]);
    Group *to = reinterpret_cast<Group *>(&out[0]);
    const unsigned pitch = groups * (width + 2);
    const Element corner = Element(1.0f / 16), side = Element(2.0f / 16), middle = Element(4.0f / 16);
    for (unsigned y = 0; y < height; ++y)
      for (unsigned x = 0; x < groups * width; ++x) {
        const Group *above = from + y * pitch + x, *here = above + pitch, *below = here + pitch;
        to[y * groups * width + x] =
            (above[0] + above[2 * groups] + below[0] + below[2 * groups]) * corner +
            (above[groups] + here[0] + here[2 * groups] + below[groups]) * side + here[groups] * middle;
      }
    return true;
  }
};

class Blur_float : public Blur<float, float> {};
class Blur_float2 : public Blur<float, float2> {};
class Blur_half4 : public Blur<half, half4> {};
