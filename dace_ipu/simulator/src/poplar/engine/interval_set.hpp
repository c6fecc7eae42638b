// A set of elements of a variable as disjoint intervals.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>

namespace dace_ipu_sim {

class IntervalSet {
public:
  void add(std::size_t begin, std::size_t end) {
    auto it = intervals_.upper_bound(begin);
    if (it != intervals_.begin() && std::prev(it)->second >= begin)
      it = std::prev(it);
    while (it != intervals_.end() && it->first <= end) {
      begin = it->first < begin ? it->first : begin;
      end = it->second > end ? it->second : end;
      it = intervals_.erase(it);
    }
    intervals_[begin] = end;
  }
  void remove(std::size_t begin, std::size_t end) {
    add(begin, end); // now one interval covers the range
    const auto it = std::prev(intervals_.upper_bound(begin));
    const std::size_t b = it->first, e = it->second;
    intervals_.erase(it);
    if (b < begin)
      intervals_[b] = begin;
    if (end < e)
      intervals_[end] = e;
  }
  /// Some element of the range is in the set.
  bool intersects(std::size_t begin, std::size_t end) const {
    const auto it = intervals_.lower_bound(end);
    return it != intervals_.begin() && std::prev(it)->second > begin;
  }
  /// All elements of the range are in the set.
  bool covers(std::size_t begin, std::size_t end) const {
    const auto it = intervals_.upper_bound(begin);
    return it != intervals_.begin() && std::prev(it)->second >= end;
  }

private:
  std::map<std::size_t, std::size_t> intervals_; // begin to end
};

} // namespace dace_ipu_sim
