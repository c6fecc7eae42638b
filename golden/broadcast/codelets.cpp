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

// test_golden.py:3   B[:] = A * row + column
class update_B : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> column;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> row;
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  unsigned i0_size;
  unsigned i1_size;

  bool compute(unsigned worker) {
    for (unsigned i0 : share(0, i0_size, worker)) {
      for (unsigned i1 = 0; i1 < i1_size; ++i1) {
        B[i0][i1] = A[i0][i1] * row[i1] + column[i0];
      }
    }
    return true;
  }
};
