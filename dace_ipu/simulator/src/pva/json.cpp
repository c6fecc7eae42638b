#include "json.hpp"

#include <pva/pva.hpp>

#include <cctype>
#include <cstdlib>

namespace dace_ipu_sim {

namespace {

using poplar::ProfileValue;

class Parser {
public:
  explicit Parser(const std::string &text) : text_(text) {}

  ProfileValue whole() {
    ProfileValue result = value();
    skipBlanks();
    if (at_ != text_.size())
      fail("the end");
    return result;
  }

private:
  ProfileValue value() {
    skipBlanks();
    switch (at_ < text_.size() ? text_[at_] : '\0') {
    case '{':
      return map();
    case '[':
      return vector();
    case '"':
      return string();
    case 't':
      return word("true", true);
    case 'f':
      return word("false", false);
    case 'n':
      return word("null", {});
    default:
      return number();
    }
  }

  ProfileValue map() {
    ProfileValue::Map result;
    for (bool more = opens('{', '}'); more; more = continues('}')) {
      skipBlanks();
      std::string key = string();
      expect(':');
      result.emplace(std::move(key), value());
    }
    return result;
  }

  ProfileValue vector() {
    ProfileValue::Vector result;
    for (bool more = opens('[', ']'); more; more = continues(']'))
      result.push_back(value());
    return result;
  }

  std::string string() {
    expect('"');
    std::string result;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_)
      result += text_[at_] == '\\' ? escaped() : text_[at_];
    expect('"');
    return result;
  }

  // Of \u0000 to \u001f the writer uses: all others are written as they are.
  char escaped() {
    const char c = ++at_ < text_.size() ? text_[at_] : '\0';
    if (c == 'u' && at_ + 4 < text_.size()) {
      at_ += 4;
      return static_cast<char>(std::strtoul(text_.substr(at_ - 3, 4).c_str(), nullptr, 16));
    }
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
  }

  ProfileValue number() {
    char *end = nullptr;
    const double result = std::strtod(text_.c_str() + at_, &end);
    if (end == text_.c_str() + at_)
      fail("a value");
    at_ = static_cast<std::size_t>(end - text_.c_str());
    return result;
  }

  ProfileValue word(const std::string &expected, ProfileValue result) {
    if (text_.compare(at_, expected.size(), expected) != 0)
      fail(expected);
    at_ += expected.size();
    return result;
  }

  // After the opening bracket: whether anything stands before the closing one.
  bool opens(char open, char close) {
    expect(open);
    skipBlanks();
    return !(at_ < text_.size() && text_[at_] == close && ++at_);
  }

  bool continues(char close) {
    skipBlanks();
    if (at_ < text_.size() && text_[at_] == ',')
      return ++at_;
    expect(close);
    return false;
  }

  void expect(char c) {
    skipBlanks();
    if (at_ >= text_.size() || text_[at_] != c)
      fail(std::string("'") + c + "'");
    ++at_;
  }

  void skipBlanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }

  [[noreturn]] void fail(const std::string &wanted) const {
    throw pva::Error("expected " + wanted + " at position " + std::to_string(at_));
  }

  const std::string &text_;
  std::size_t at_ = 0;
};

} // namespace

ProfileValue parseJson(const std::string &text) { return Parser(text).whole(); }

} // namespace dace_ipu_sim
