#include "element_wise.hpp"

#include <limits>
#include <type_traits>

using namespace poplar;

namespace popops {

// To integers: truncated, and limited to the range, which is what the machine's conversions do; NaN gives 0.
template <typename Dst, typename Src> static Dst convert(Src x) {
  if constexpr (std::is_same_v<Dst, bool>) {
    return x != static_cast<Src>(0);
  } else if constexpr (!std::is_integral_v<Src> && std::is_integral_v<Dst>) {
    const double value = static_cast<float>(x);
    if (value != value)
      return 0;
    if (value <= static_cast<double>(std::numeric_limits<Dst>::min()))
      return std::numeric_limits<Dst>::min();
    if (value >= static_cast<double>(std::numeric_limits<Dst>::max()))
      return std::numeric_limits<Dst>::max();
    return static_cast<Dst>(value);
  } else {
    return static_cast<Dst>(x);
  }
}

template <typename Src, typename Dst> class Cast : public MultiVertex {
public:
  Rows<Src> in1;
  OutputRows<Dst> out;
  bool compute(unsigned worker) {
    forEachShare(out, worker, [this](unsigned row, unsigned begin, unsigned size) {
      for (unsigned i = begin; i < begin + size; ++i)
        out[row][i] = convert<Dst>(static_cast<Src>(in1[row][i]));
    });
    return true;
  }
};

#define PAIR(SRC, DST) template class Cast<SRC, DST>;
#define FROM(SRC)                                                                                                      \
  PAIR(SRC, float)                                                                                                     \
  PAIR(SRC, half)                                                                                                      \
  PAIR(SRC, int)                                                                                                       \
  PAIR(SRC, unsigned int)                                                                                              \
  PAIR(SRC, short)                                                                                                     \
  PAIR(SRC, unsigned short)                                                                                            \
  PAIR(SRC, char)                                                                                                      \
  PAIR(SRC, signed char)                                                                                               \
  PAIR(SRC, unsigned char)                                                                                             \
  PAIR(SRC, long long)                                                                                                 \
  PAIR(SRC, unsigned long long)                                                                                        \
  PAIR(SRC, bool)
POPOPS_NUMBER_TYPES(FROM)
FROM(bool)

} // namespace popops
