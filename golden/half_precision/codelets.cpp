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

// A worker's share of the iterations [begin, end), with borders that lie `phase` behind a multiple of `grain` (2 or 4):
// two workers must never write parts of the same 32-bit word. The machine divides in software, which takes hundreds of
// cycles, so that a product has to do: x / 6.
template <int grain> inline Share share(int begin, int end, int worker, int phase = 0) {
  const int origin = begin - ((begin - phase) & (grain - 1));
  const unsigned grains = end > begin ? static_cast<unsigned>(end - origin + grain - 1) / grain : 0;
  const int each = static_cast<int>((grains + 5) * 0xAAAAAAABull >> 34) * grain, first = origin + worker * each;
  const int last = first + each < end ? first + each : end, at = first > begin ? first : begin;
  return {at < last ? at : last, last};
}

// test_golden.py:3   for i in dace.map[0:30]:
class update_y : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<half, poplar::VectorLayout::ONE_PTR, 8>> y;
  poplar::Input<poplar::Vector<half, poplar::VectorLayout::ONE_PTR, 8>> x;
  unsigned i_size;

  bool compute(unsigned worker) {
    for (unsigned i : share<2>(0, i_size, worker)) {
      y[i] = x[i] * x[i] + y[i];
    }
    return true;
  }
};
