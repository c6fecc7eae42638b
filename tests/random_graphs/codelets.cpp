#include <poplar/Vertex.hpp>

using namespace poplar;

// out[i] += in[i]
template <typename T> class Add : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  InOut<Vector<T>> out;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] += in[i];
    return true;
  }
};
template class Add<float>;
template class Add<unsigned>;
template class Add<unsigned char>;

// out[i] = in[i] + 1, by six workers, which take words of 4 bytes in turns: no two may store into the same one. Aligned
// as vectorised codelets ask for.
template <typename T> class Next : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::SPAN, 16>> in;
  Output<Vector<T, VectorLayout::ONE_PTR, 16>> out;

  bool compute(unsigned worker) {
    constexpr unsigned word = 4 / sizeof(T);
    for (unsigned first = word * worker; first < in.size(); first += word * numWorkers())
      for (unsigned i = first; i < first + word && i < in.size(); ++i)
        out[i] = in[i] + 1;
    return true;
  }
};
template class Next<float>;
template class Next<unsigned>;
template class Next<unsigned char>;

// out[r][i] += r + in[r][i]
template <typename T> class AddRows : public Vertex {
public:
  Vector<Input<Vector<T>>> in;
  Vector<InOut<Vector<T, VectorLayout::ONE_PTR>>, VectorLayout::ONE_PTR> out;

  bool compute() {
    for (unsigned r = 0; r < in.size(); ++r)
      for (unsigned i = 0; i < in[r].size(); ++i)
        out[r][i] += r + in[r][i];
    return true;
  }
};
template class AddRows<float>;
template class AddRows<unsigned>;
template class AddRows<unsigned char>;
