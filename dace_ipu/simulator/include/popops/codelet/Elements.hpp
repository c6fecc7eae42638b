// Rows of elements, as codelets that compute every element read and write them.
#ifndef popops_codelet_Elements_hpp
#define popops_codelet_Elements_hpp

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

namespace popops {

/// Elements, or one value for all of them if `step` is 0.
template <typename T> struct Operand {
  const T *data;
  unsigned step;
  T operator[](unsigned i) const { return data[i * step]; }
};

/// Rows of elements, of one value each, or one row of one value for all of them.
template <typename T> using Rows = poplar::Vector<poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>>>;
template <typename T> using OutputRows = poplar::Vector<poplar::Output<poplar::Vector<T>>>;

/// Calls f(row, first element, number of elements) for the share of a worker in all elements: equal shares that
/// begin at multiples of 8 elements of a row, so that no two workers write to one word.
template <typename Out, typename F> void forEachShare(Out &rows, unsigned worker, F f) {
  unsigned total = 0;
  for (unsigned row = 0; row < rows.size(); ++row)
    total += rows[row].size();
  const unsigned share = (total + 47) / 48 * 8;
  unsigned begin = worker * share, end = begin + share;
  for (unsigned row = 0; row < rows.size() && end > 0; ++row) {
    const unsigned size = rows[row].size();
    const unsigned first = begin - begin % 8, last = end < size ? end - end % 8 : size;
    if (begin < size && first < last)
      f(row, first, last - first);
    begin = begin > size ? begin - size : 0;
    end = end > size ? end - size : 0;
  }
}

/// The operand of a row, from an element on.
template <typename T> Operand<T> operandOf(Rows<T> &rows, bool step, unsigned row, unsigned begin) {
  return {&rows[rows.size() == 1 ? 0 : row][step ? begin : 0], step};
}

} // namespace popops

#endif
