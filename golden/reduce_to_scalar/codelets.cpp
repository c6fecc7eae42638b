#include <poplar/Vertex.hpp>

// Some of the iterations of a loop: consecutive ones, for one worker.
struct Share {
  int at, last;

  Share begin() const { return *this; }
  Share end() const { return {last, last}; }
  int operator*() const { return at; }
  void operator++() { ++at; }
  bool operator!=(Share other) const { return at != other.at; }
};

// x / 6, rounded up. The machine divides in software, which takes hundreds of cycles; a product will do.
inline int sixth(unsigned x) { return static_cast<int>((x + 5) * 0xAAAAAAABull >> 34); }

// One of the equal shares that six workers have in the iterations [begin, end).
inline Share share(int begin, int end, int worker) {
  const int each = sixth(end > begin ? end - begin : 0), first = begin + worker * each;
  return {first < end ? first : end, first + each < end ? first + each : end};
}

// test_golden.py:3   s[0] = np.sum(A)
class reduce_values : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> s;
  unsigned i0_size;

  bool compute(unsigned worker) {
    float s_sum = 0.0f;
    for (unsigned i0 : share(0, i0_size, worker)) {
      s_sum += A[i0];
    }
    s[worker] = s_sum;
    return true;
  }
};

// result[k] = sum of all of partials[lane][k]; partials holds its lanes one behind the other.
class fold_sum_float32 : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> partials;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> result;
  unsigned lanes, size;

  bool compute() {
    for (unsigned k = 0; k < size; ++k) {
      float total = 0.0f;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        total += partials[lane * size + k];
      }
      result[k] = total;
    }
    return true;
  }
};
