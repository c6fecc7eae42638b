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

// test_golden.py:3   for i in dace.map[0:100]:
class update_bins : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<unsigned char, poplar::VectorLayout::ONE_PTR, 8>> data;
  poplar::Output<poplar::Vector<int, poplar::VectorLayout::ONE_PTR, 8>> bins;
  int i_size;

  bool compute(unsigned worker) {
    for (int bins_0 = 0; bins_0 < 5; ++bins_0) {
      bins[5 * worker + bins_0] = 0;
    }
    for (int i : share(0, i_size, worker)) {
      const unsigned char data_index = data[i];
      bins[5 * worker + data_index] += 1;
    }
    return true;
  }
};

// result[k] = sum of all of partials[lane][k]; partials holds its lanes one behind the other.
class fold_sum_int32 : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<int, poplar::VectorLayout::ONE_PTR, 8>> partials;
  poplar::Output<poplar::Vector<int, poplar::VectorLayout::ONE_PTR, 8>> result;
  unsigned lanes, size;

  bool compute() {
    for (unsigned k = 0; k < size; ++k) {
      int total = partials[k];
      for (unsigned lane = 1; lane < lanes; ++lane) {
        total += partials[lane * size + k];
      }
      result[k] = total;
    }
    return true;
  }
};

// result[k] = sum of result[k] and all of partials[lane][k]; partials holds its lanes one behind the other.
class update_sum_int32 : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<int, poplar::VectorLayout::ONE_PTR, 8>> partials;
  poplar::InOut<poplar::Vector<int, poplar::VectorLayout::ONE_PTR, 8>> result;
  unsigned lanes, size;

  bool compute() {
    for (unsigned k = 0; k < size; ++k) {
      int total = result[k];
      for (unsigned lane = 0; lane < lanes; ++lane) {
        total += partials[lane * size + k];
      }
      result[k] = total;
    }
    return true;
  }
};
