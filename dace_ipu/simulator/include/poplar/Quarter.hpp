// quarter: the 8-bit float of the C600. It can be stored, copied and connected; it has no arithmetic, because its value
// depends on the format and scale that travel beside the tensor.
#ifndef poplar_Quarter_hpp
#define poplar_Quarter_hpp

namespace poplar {

struct quarter {
  unsigned char bits;
};

} // namespace poplar

using poplar::quarter;

#endif
