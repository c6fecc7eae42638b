#include <poplar/Vertex.hpp>

using namespace poplar;

class Stencil : public Vertex {
public:
  Input<VectorList<float, VectorListLayout::COMPACT_DELTAN>> in;
  Input<Vector<float>> n, s, e, w;
  Input<float> nw, ne, sw, se;
  Output<VectorList<float, VectorListLayout::COMPACT_DELTAN>> out;

  // The inside only: what the program shows is the exchange.
  bool compute() {
    for (unsigned y = 1; y + 1 < in.size(); ++y)
      for (unsigned x = 1; x + 1 < in[y].size(); ++x)
        out[y][x] = (in[y - 1][x] + in[y][x - 1] + in[y][x] + in[y][x + 1] + in[y + 1][x]) / 5;
    return true;
  }
};
