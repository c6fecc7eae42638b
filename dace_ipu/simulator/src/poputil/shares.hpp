// How the workers of a MultiVertex share elements, for codelets.
//
// A store of less than a word of 4 bytes reads the word and writes it whole, so no two workers may write into one:
// every share begins at a multiple of 4 bytes from the start of the edge.
#pragma once

namespace poputil {

/// Elements of type T that share a word.
template <typename T> constexpr unsigned perWord() { return sizeof(T) < 4 ? 4 / sizeof(T) : 1; }

struct Range {
  unsigned begin, end;
};

/// The part of n elements that is a worker's, in multiples of `grain` elements.
inline Range rangeOf(unsigned n, unsigned grain, unsigned worker, unsigned workers) {
  const unsigned long long grains = (n + grain - 1) / grain;
  const unsigned begin = static_cast<unsigned>(grains * worker / workers) * grain;
  const unsigned end = static_cast<unsigned>(grains * (worker + 1) / workers) * grain;
  return {begin < n ? begin : n, end < n ? end : n};
}

/// Of n elements of type T.
template <typename T> Range rangeOf(unsigned n, unsigned worker, unsigned workers) {
  return rangeOf(n, perWord<T>(), worker, workers);
}

/// How many rows of `size` elements of type T a worker must take together.
template <typename T> unsigned rowGrain(unsigned size) { return size % perWord<T>() == 0 ? 1 : perWord<T>(); }

/// Calls f(row) for the rows of a worker, of `size` elements of type T each, which lie one after another.
template <typename T, typename F>
void forEachRow(unsigned rows, unsigned size, unsigned worker, unsigned workers, F f) {
  const unsigned grain = rowGrain<T>(size);
  for (unsigned first = worker * grain; first < rows; first += workers * grain)
    for (unsigned row = first; row < rows && row < first + grain; ++row)
      f(row);
}

} // namespace poputil
