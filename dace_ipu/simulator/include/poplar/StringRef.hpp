// StringRef: a view of characters that somebody else owns.
#ifndef poplar_StringRef_hpp
#define poplar_StringRef_hpp

#include <poplar/ArrayRef.hpp>

#include <cstring>
#include <ostream>
#include <string>

namespace poplar {

/// A non-owning view of a string, not necessarily terminated.
class StringRef : public ArrayRef<char> {
public:
  StringRef() : ArrayRef<char>("", std::size_t(0)) {}
  StringRef(const std::string &s) : ArrayRef<char>(s.data(), s.size()) {}
  StringRef(const char *s) : ArrayRef<char>(s, std::strlen(s)) {}
  StringRef(const char *s, std::size_t n) : ArrayRef<char>(s, n) {}

  operator std::string() const { return std::string(data(), size()); }
  std::string cloneAsString() const { return std::string(data(), size()); }

  friend bool operator==(StringRef a, StringRef b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
  }
  friend bool operator!=(StringRef a, StringRef b) { return !(a == b); }
  friend bool operator<(StringRef a, StringRef b) { return a.cloneAsString() < b.cloneAsString(); }
  friend std::string operator+(StringRef a, StringRef b) { return a.cloneAsString() += b.cloneAsString(); }
  friend std::string &operator+=(std::string &a, StringRef b) { return a.append(b.data(), b.size()); }
  friend std::ostream &operator<<(std::ostream &os, StringRef s) {
    return os.write(s.data(), static_cast<std::streamsize>(s.size()));
  }
};

} // namespace poplar

#endif
