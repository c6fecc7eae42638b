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

// test_golden.py:3   for i, j in dace.map[0:8, 0:10]:
class update_C : public poplar::MultiVertex {
public:
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> C;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  unsigned i_size;
  unsigned j_size;

  bool compute(unsigned worker) {
    for (unsigned i : share(0, i_size, worker)) {
      for (unsigned j = 0; j < j_size; ++j) {
        float C_sum = 0.0f;
        for (unsigned k = 0; k < 6; ++k) {
          C_sum += A[6 * i + k] * B[k][j];
        }
        C[i][j] = C_sum;
      }
    }
    return true;
  }
};
