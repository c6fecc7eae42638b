#include <poplar/Vertex.hpp>

class SquareSum : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> part;
  poplar::Output<float> sum;

  bool compute() {
    *sum = 0;
    for (const auto &x : part)
      *sum += x * x;
    return true;
  }
};

template <typename T> class AddUp : public poplar::Vertex {
  AddUp(); // never defined

  poplar::Vector<poplar::Input<T>> parts;
  poplar::InOut<T> total;
  const T scale;
  unsigned runs;

public:
  bool compute() {
    for (unsigned i = 0; i < parts.size(); ++i)
      *total += scale * *parts[i];
    return ++runs < 3;
  }
};

template class AddUp<float>;
