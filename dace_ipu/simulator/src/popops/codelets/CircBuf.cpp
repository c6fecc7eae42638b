#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

class CircBufIncrIndex : public Vertex {
public:
  InOut<unsigned> index;
  const unsigned hSize;
  bool compute() {
    *index = *index + 1 < hSize ? *index + 1 : 0;
    return true;
  }
};

class CircOffset : public Vertex {
public:
  Input<unsigned> indexIn;
  Output<unsigned> indexOut;
  const unsigned hSize;
  const unsigned offset; // at most hSize
  bool compute() {
    const unsigned sum = *indexIn + offset;
    *indexOut = sum < hSize ? sum : sum - hSize;
    return true;
  }
};

} // namespace popops
