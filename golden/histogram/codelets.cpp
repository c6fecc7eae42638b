#include <poplar/Vertex.hpp>

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
    for (int i = worker; i < i_size; i += numWorkers()) {
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
      int total = 0;
      for (unsigned lane = 0, at = k; lane < lanes; ++lane, at += size) {
        total += partials[at];
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
      for (unsigned lane = 0, at = k; lane < lanes; ++lane, at += size) {
        total += partials[at];
      }
      result[k] = total;
    }
    return true;
  }
};
