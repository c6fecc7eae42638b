#include <poplar/Vertex.hpp>
#include <cmath>

// The greater of two values; a NaN if there is one.
template <typename A, typename B> inline auto max(A a, B b) -> decltype(a + b) {
  return a > b || a != a ? a : b;
}

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

// test_golden.py:3   r[:] = np.max(A, axis=1)
class reduce_output : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> r;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  unsigned o0_size;

  bool compute(unsigned worker) {
    for (unsigned o0 : share(0, o0_size, worker)) {
      float r_max = -INFINITY;
      for (unsigned i0 = 0; i0 < 9; ++i0) {
        r_max = max(r_max, A[9 * o0 + i0]);
      }
      r[o0] = r_max;
    }
    return true;
  }
};
