// ProfileValue: a JSON-like value, as older Poplar interfaces and DebugInfo take it.
#ifndef poplar_ProfileValue_hpp
#define poplar_ProfileValue_hpp

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace poplar {

/// Null, boolean, number, string, vector or map.
class ProfileValue {
public:
  using Boolean = bool;
  using Number = double;
  using String = std::string;
  using Vector = std::vector<ProfileValue>;
  using Map = std::map<std::string, ProfileValue>;
  enum class Type { NUL, BOOLEAN, BOOL_ = BOOLEAN, NUMBER, STRING, VECTOR, MAP };

  ProfileValue() : type_(Type::NUL) {}
  ProfileValue(bool v) : type_(Type::BOOLEAN), number_(v ? 1 : 0) {}
  ProfileValue(int v) : type_(Type::NUMBER), number_(v) {}
  ProfileValue(unsigned v) : type_(Type::NUMBER), number_(v) {}
  ProfileValue(long v) : type_(Type::NUMBER), number_(static_cast<double>(v)) {}
  ProfileValue(unsigned long v) : type_(Type::NUMBER), number_(static_cast<double>(v)) {}
  ProfileValue(unsigned long long v) : type_(Type::NUMBER), number_(static_cast<double>(v)) {}
  ProfileValue(double v) : type_(Type::NUMBER), number_(v) {}
  ProfileValue(const char *v) : type_(Type::STRING), string_(v) {}
  ProfileValue(std::string v) : type_(Type::STRING), string_(static_cast<std::string &&>(v)) {}
  ProfileValue(Vector v) : type_(Type::VECTOR), vector_(static_cast<Vector &&>(v)) {}
  ProfileValue(Map v) : type_(Type::MAP), map_(static_cast<Map &&>(v)) {}

  Type type() const { return type_; }
  bool asBool() const { return number_ != 0; }
  double asDouble() const { return number_; }
  long asInt() const { return static_cast<long>(number_); }
  unsigned long asUint() const { return static_cast<unsigned long>(number_); }
  const std::string &asString() const { return string_; }
  const Vector &asVector() const { return vector_; }
  const Map &asMap() const { return map_; }
  Vector &asVector() { return vector_; }
  Map &asMap() { return map_; }
  const ProfileValue &operator[](const std::string &key) const;
  const ProfileValue &operator[](std::size_t i) const { return vector_.at(i); }
  /// The entry of a map, or a null value.
  const ProfileValue &getOrNull(const std::string &key) const;
  /// Entries of a vector or a map.
  std::size_t size() const { return vector_.size() + map_.size(); }
  std::vector<unsigned long> toUintVector() const;
  /// Sums over a vector of numbers, and over a vector of such vectors.
  double sumDouble() const;
  long sumInt() const { return static_cast<long>(sumDouble()); }
  unsigned long sumUint() const { return static_cast<unsigned long>(sumDouble()); }
  long sum2DInt() const { return static_cast<long>(sum2D()); }
  unsigned long sum2DUint() const { return static_cast<unsigned long>(sum2D()); }

private:
  double sum2D() const;
  Type type_;
  double number_ = 0;
  std::string string_;
  Vector vector_;
  Map map_;
};

/// Writes the value as JSON.
void serializeToJSON(std::ostream &os, const ProfileValue &value, bool prettyPrint = false);

} // namespace poplar

#endif
