// Type: the element types of the device.
#ifndef poplar_Type_hpp
#define poplar_Type_hpp

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>

namespace poplar {

/// An element type. Compare with the constants below; `toString` spells it as template vertex names do.
class Type {
public:
  enum class Id : unsigned char {
    Bool,
    Char,
    UnsignedChar,
    SignedChar,
    UnsignedShort,
    Short,
    UnsignedInt,
    Int,
    UnsignedLong,
    Long,
    UnsignedLongLong,
    LongLong,
    Quarter,
    Half,
    Float,
    Double,
    QuarterMetadata,
    None
  };

  constexpr Type() : id_(Id::None) {}
  constexpr explicit Type(Id id) : id_(id) {}

  constexpr Id id() const { return id_; }
  std::string toString() const;
  std::size_t hash() const { return static_cast<std::size_t>(id_); }
  bool isFloatingPoint() const {
    return id_ == Id::Quarter || id_ == Id::Half || id_ == Id::Float || id_ == Id::Double;
  }
  bool requiresMetadata() const { return id_ == Id::Quarter; }

  friend constexpr bool operator==(Type a, Type b) { return a.id_ == b.id_; }
  friend constexpr bool operator!=(Type a, Type b) { return a.id_ != b.id_; }
  friend constexpr bool operator<(Type a, Type b) { return a.id_ < b.id_; }
  friend std::ostream &operator<<(std::ostream &os, Type t) { return os << t.toString(); }

private:
  Id id_;
};

constexpr Type BOOL{Type::Id::Bool};
constexpr Type CHAR{Type::Id::Char};
constexpr Type UNSIGNED_CHAR{Type::Id::UnsignedChar};
constexpr Type SIGNED_CHAR{Type::Id::SignedChar};
constexpr Type UNSIGNED_SHORT{Type::Id::UnsignedShort};
constexpr Type SHORT{Type::Id::Short};
constexpr Type UNSIGNED_INT{Type::Id::UnsignedInt};
constexpr Type INT{Type::Id::Int};
constexpr Type UNSIGNED_LONG{Type::Id::UnsignedLong};
constexpr Type LONG{Type::Id::Long};
constexpr Type UNSIGNED_LONGLONG{Type::Id::UnsignedLongLong};
constexpr Type LONGLONG{Type::Id::LongLong};
constexpr Type QUARTER{Type::Id::Quarter};
constexpr Type HALF{Type::Id::Half};
constexpr Type FLOAT{Type::Id::Float};
constexpr Type DOUBLE{Type::Id::Double};
constexpr Type QUARTER_METADATA{Type::Id::QuarterMetadata};

class IeeeHalf;

/// The device type that holds values of the C++ type T without conversion.
template <typename T> struct equivalent_device_type {};
#define POPLAR_DEVICE_TYPE(T, V)                 \
  template <> struct equivalent_device_type<T> { \
    const Type value = V;                        \
  };
POPLAR_DEVICE_TYPE(bool, BOOL)
POPLAR_DEVICE_TYPE(char, CHAR)
POPLAR_DEVICE_TYPE(unsigned char, UNSIGNED_CHAR)
POPLAR_DEVICE_TYPE(signed char, SIGNED_CHAR)
POPLAR_DEVICE_TYPE(unsigned short, UNSIGNED_SHORT)
POPLAR_DEVICE_TYPE(short, SHORT)
POPLAR_DEVICE_TYPE(unsigned int, UNSIGNED_INT)
POPLAR_DEVICE_TYPE(int, INT)
POPLAR_DEVICE_TYPE(unsigned long, UNSIGNED_LONG)
POPLAR_DEVICE_TYPE(long, LONG)
POPLAR_DEVICE_TYPE(unsigned long long, UNSIGNED_LONGLONG)
POPLAR_DEVICE_TYPE(long long, LONGLONG)
POPLAR_DEVICE_TYPE(float, FLOAT)
POPLAR_DEVICE_TYPE(double, DOUBLE)
POPLAR_DEVICE_TYPE(IeeeHalf, HALF)
#undef POPLAR_DEVICE_TYPE

} // namespace poplar

namespace std {
template <> struct hash<poplar::Type> {
  size_t operator()(const poplar::Type &t) const { return t.hash(); }
};
} // namespace std

#endif
