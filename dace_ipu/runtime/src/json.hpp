// Writes JSON.
#ifndef DACE_IPU_JSON_HPP
#define DACE_IPU_JSON_HPP

#include <cmath>
#include <cstdio>
#include <string>

namespace dace_ipu {

/// Appends to a JSON text, with commas where they belong. Calls chain.
class Json {
public:
  Json &open(const char *bracket) {
    separate();
    out += bracket;
    first = true;
    return *this;
  }
  Json &close(const char *bracket) {
    out += bracket;
    first = false;
    return *this;
  }
  Json &key(const char *name) {
    text(name);
    out += ": ";
    first = true;
    return *this;
  }
  Json &text(const std::string &value) {
    separate();
    out += '"';
    for (char c : value)
      escape(c);
    out += '"';
    return *this;
  }
  /// JSON has no infinities and no NaN: null.
  Json &number(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.15g", value);
    return raw(std::isfinite(value) ? digits : "null");
  }
  /// A value that is JSON already.
  Json &raw(const std::string &json) {
    separate();
    out += json;
    return *this;
  }
  const std::string &result() const { return out; }

private:
  void separate() {
    if (!first)
      out += ", ";
    first = false;
  }
  void escape(char c) {
    char code[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }

  std::string out;
  bool first = true;
};

} // namespace dace_ipu

#endif // DACE_IPU_JSON_HPP
