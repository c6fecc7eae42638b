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

// test_golden.py:3   s[0] = np.sum(A)
class reduce_init : public poplar::Vertex {
public:
  poplar::Output<float> s_slice;

  bool compute() {
    *s_slice = 0.0f;
    return true;
  }
};

// test_golden.py:3   s[0] = np.sum(A)
class reduce_values : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> A;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> s_slice;
  unsigned i0_size;

  bool compute(unsigned worker) {
    float s_slice_sum = 0.0f;
    for (unsigned i0 : share(0, i0_size, worker)) {
      s_slice_sum += A[i0];
    }
    s_slice[worker] = s_slice_sum;
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
      float total = partials[k];
      for (unsigned lane = 1; lane < lanes; ++lane) {
        total += partials[lane * size + k];
      }
      result[k] = total;
    }
    return true;
  }
};

// result[k] = sum of result[k] and all of partials[lane][k]; partials holds its lanes one behind the other.
class update_sum_float32 : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> partials;
  poplar::InOut<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> result;
  unsigned lanes, size;

  bool compute() {
    for (unsigned k = 0; k < size; ++k) {
      float total = result[k];
      for (unsigned lane = 0; lane < lanes; ++lane) {
        total += partials[lane * size + k];
      }
      result[k] = total;
    }
    return true;
  }
};

// test_golden.py:3   s[0] = np.sum(A)
class update_s : public poplar::Vertex {
public:
  poplar::Input<float> s_slice;
  poplar::Output<float> s;

  bool compute() {
    *s = *s_slice;
    return true;
  }
};
