// QuarterMetadata: what the bits of a quarter mean.
#ifndef poplar_QuarterMetadata_hpp
#define poplar_QuarterMetadata_hpp

#include <cstdint>
#include <ostream>

namespace poplar {

/// The format of an 8-bit float (F143: 4 bits of exponent and 3 of mantissa, F152: 5 and 2) and a power of two that
/// scales it, from -32 to 31.
class QuarterMetadata {
public:
  enum class Format { F143, F152 };

  QuarterMetadata(Format format, int scale) : format_(format), scale_(scale) {}
  explicit QuarterMetadata(std::uint8_t binary)
      : format_(binary & 0x80 ? Format::F143 : Format::F152), scale_(((binary & 0x3f) ^ 0x20) - 0x20) {}

  Format getFormat() const { return format_; }
  int getScale() const { return scale_; }
  /// The element of a QUARTER_METADATA tensor: scale in bits 0 to 5, format in bit 7. (The layout is the simulator's.)
  std::uint8_t getBinary() const {
    return static_cast<std::uint8_t>((format_ == Format::F143 ? 0x80 : 0) | (scale_ & 0x3f));
  }
  friend bool operator==(QuarterMetadata a, QuarterMetadata b) {
    return a.format_ == b.format_ && a.scale_ == b.scale_;
  }
  friend bool operator!=(QuarterMetadata a, QuarterMetadata b) { return !(a == b); }

private:
  Format format_;
  int scale_;
};

} // namespace poplar

#endif
