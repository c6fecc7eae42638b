#include <poplar/Vertex.hpp>

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

// test_golden.py:3   B[1:-1, 1:-1] = 0.25 * (A[:-2, 1:-1] + A[2:, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:])
class update_B : public poplar::MultiVertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;
  poplar::Vector<poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> B;
  unsigned i0_size;
  unsigned i1_size;

  bool compute(unsigned worker) {
    for (unsigned i0 : share(0, i0_size, worker)) {
      for (unsigned i1 = 0; i1 < i1_size; ++i1) {
        B[i0][i1] = 0.25f * (A[i0][i1 + 1] + A[i0 + 2][i1 + 1] + A[i0 + 1][i1] + A[i0 + 1][i1 + 2]);
      }
    }
    return true;
  }
};
