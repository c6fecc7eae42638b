#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

template <typename T> class Fill : public Vertex {
public:
  Output<Vector<T, VectorLayout::ONE_PTR, 8>> out;
  const unsigned size;
  const T in;
  bool compute() {
    for (unsigned i = 0; i < size; ++i)
      out[i] = in;
    return true;
  }
};

template <typename T> class Fill2d : public Vertex {
public:
  Vector<Output<Vector<T>>> out;
  const T in;
  bool compute() {
    for (auto &row : out)
      for (T &element : row)
        element = in;
    return true;
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class Fill<T>;                                                                                              \
  template class Fill2d<T>;
INSTANTIATE(float)
INSTANTIATE(half)
INSTANTIATE(int)
INSTANTIATE(unsigned int)
INSTANTIATE(short)
INSTANTIATE(unsigned short)
INSTANTIATE(bool)
INSTANTIATE(char)
INSTANTIATE(signed char)
INSTANTIATE(unsigned char)
INSTANTIATE(long long)
INSTANTIATE(unsigned long long)

} // namespace popops
