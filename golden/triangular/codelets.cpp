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

// test_golden.py:4   for i, j in dace.map[k + 1 : N, k + 1 : N]:
class first_k : public poplar::Vertex {
public:
  poplar::Output<int> k;

  bool compute() {
    *k = 0;
    return true;
  }
};

// test_golden.py:4   for i, j in dace.map[k + 1 : N, k + 1 : N]:
class fetch_A_2 : public poplar::MultiVertex {
public:
  poplar::Input<int> k;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A_2;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A_slice;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A_slice_2;
  int at_0_size;

  bool compute(unsigned worker) {
    const int k_value = *k;
    for (int at_0 : share(0, at_0_size, worker)) {
      A_slice[at_0] = A[at_0][k_value];
      A_slice_2[at_0] = A_2[k_value][at_0];
    }
    return true;
  }
};

// test_golden.py:4   for i, j in dace.map[k + 1 : N, k + 1 : N]:
class update_A : public poplar::MultiVertex {
public:
  poplar::Input<int> k;
  poplar::Vector<poplar::InOut<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> A;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A_slice;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A_slice_2;
  int i_size;
  int j_size;
  int i_begin;
  int j_begin;

  bool compute(unsigned worker) {
    const int k_value = *k;
    for (int i : share(0, i_size, worker)) {
      for (int j = 0; j < j_size; ++j) {
        if (k_value + 1 <= i_begin + i + 1 && k_value + 1 <= j_begin + j + 1) {
          A[i][j] = A[i][j] - A_slice[i] * A_slice_2[j];
        }
      }
    }
    return true;
  }
};

// test_golden.py:4   for i, j in dace.map[k + 1 : N, k + 1 : N]:
class next_k : public poplar::Vertex {
public:
  poplar::InOut<int> k;

  bool compute() {
    *k = *k + 1;
    return true;
  }
};
