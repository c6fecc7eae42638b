#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <typename T> class Iota : public Vertex {
public:
  Vector<Output<Vector<T>>> out;
  Vector<T> starts;
  bool compute() {
    for (unsigned row = 0; row < out.size(); ++row)
      for (unsigned i = 0; i < out[row].size(); ++i)
        out[row][i] = static_cast<T>(static_cast<unsigned>(starts[row]) + i);
    return true;
  }
};

template class Iota<int>;
template class Iota<unsigned int>;

} // namespace popops
