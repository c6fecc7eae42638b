#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <typename T> class ForLoopCounter : public SupervisorVertex {
public:
  InOut<T> count;
  Input<T> limit;
  Output<unsigned> comparisonResult;
  const T increment;
  bool compute() {
    *count = static_cast<T>(static_cast<unsigned>(*count) + static_cast<unsigned>(increment));
    *comparisonResult = *count != *limit;
    return true;
  }
};

template class ForLoopCounter<int>;
template class ForLoopCounter<unsigned int>;

} // namespace popops
