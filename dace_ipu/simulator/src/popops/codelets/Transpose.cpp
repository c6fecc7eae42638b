#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

/// Matrices of rows x columns, transposed. T stands for all types of its size.
template <typename T> class Transpose : public Vertex {
public:
  Vector<Input<Vector<T>>> in;
  Vector<Output<Vector<T>>> out;
  const unsigned rows;
  const unsigned columns;
  bool compute() {
    for (unsigned m = 0; m < in.size(); ++m)
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned c = 0; c < columns; ++c)
          out[m][c * rows + r] = in[m][r * columns + c];
    return true;
  }
};

template class Transpose<unsigned char>;
template class Transpose<unsigned short>;
template class Transpose<unsigned int>;
template class Transpose<unsigned long long>;

} // namespace popops
