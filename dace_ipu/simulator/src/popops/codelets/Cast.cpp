#include "element_wise.hpp"

using namespace poplar;

namespace popops {

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
