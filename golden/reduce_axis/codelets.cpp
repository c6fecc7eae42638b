#include <poplar/Vertex.hpp>
#include <cmath>

// The greater of two values; a NaN if there is one.
template <typename A, typename B> inline auto max(A a, B b) -> decltype(a + b) {
  return a > b || a != a ? a : b;
}

// What one worker gets of the iterations [begin, end): consecutive ones, from a border that lies `phase` behind a
// multiple of `grain` (1, 2 or 4) to another. Elements of less than 32 bits need it: two workers must never write the
// same word.
class Share {
public:
  class Iterator {
  public:
    explicit Iterator(int value) : value(value) {}
    int operator*() const { return value; }
    Iterator &operator++() {
      ++value;
      return *this;
    }
    bool operator!=(Iterator other) const { return value != other.value; }

  private:
    int value;
  };

  Share(int begin, int end, int worker, unsigned grain, unsigned phase) {
    const int origin = begin - static_cast<int>((begin - phase) & (grain - 1));
    const unsigned grains = begin < end ? (end - origin + grain - 1) / grain : 0;
    const int each = divided(grains + workers - 1) * grain;
    first = clamp(origin + worker * each, begin, end);
    last = clamp(origin + worker * each + each, first, end);
  }
  Iterator begin() const { return Iterator(first); }
  Iterator end() const { return Iterator(last); }

private:
  static constexpr unsigned workers = poplar::MultiVertex::numWorkers();

  // x / workers. The machine divides in software, which takes hundreds of cycles; for six workers a product will do.
  static unsigned divided(unsigned x) {
    return workers == 6 ? static_cast<unsigned>((x * 0xAAAAAAABull) >> 34) : x / workers;
  }
  static int clamp(int x, int low, int high) { return x > high ? high : x < low ? low : x; }

  int first, last;
};

inline Share share(int begin, int end, unsigned worker, unsigned grain = 1, unsigned phase = 0) {
  return Share(begin, end, worker, grain, phase);
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
