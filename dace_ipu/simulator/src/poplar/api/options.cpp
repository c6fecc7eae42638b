// OptionFlags, ProfileValue and the JSON they read and write.
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/exceptions.hpp>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace poplar {

namespace {

// Reads a flat JSON object whose values are strings, numbers or booleans.
class FlatJson {
public:
  FlatJson(const std::string &text, OptionFlags &flags) : text_(text), flags_(flags) {}

  void parse() {
    expect('{');
    if (peek() == '}')
      return finish();
    do {
      const std::string key = string();
      expect(':');
      flags_.set(key, value());
    } while (accept(','));
    finish();
  }

private:
  void finish() {
    expect('}');
    if (peek() != 0)
      fail("nothing more");
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(std::string("'") + c + "'");
  }
  std::string string() {
    expect('"');
    std::string s;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        ++at_;
      s += text_[at_++];
    }
    if (at_ == text_.size())
      fail("'\"'");
    ++at_;
    return s;
  }
  std::string value() {
    if (peek() == '"')
      return string();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  std::string("+-.").find(text_[at_]) != std::string::npos))
      ++at_;
    if (begin == at_)
      fail("a string, number or boolean");
    return text_.substr(begin, at_ - begin);
  }
  [[noreturn]] void fail(const std::string &wanted) const {
    throw parse_error("options: expected " + wanted + " at position " + std::to_string(at_) + " of " + text_);
  }

  const std::string &text_;
  OptionFlags &flags_;
  std::size_t at_ = 0;
};

void writeString(std::ostream &os, const std::string &s) {
  os << '"';
  for (const char c : s) {
    if (c == '"' || c == '\\')
      os << '\\' << c;
    else if (static_cast<unsigned char>(c) < 0x20)
      os << "\\u00" << "0123456789abcdef"[c >> 4 & 15] << "0123456789abcdef"[c & 15];
    else
      os << c;
  }
  os << '"';
}

void writeNumber(std::ostream &os, double d) {
  if (!std::isfinite(d)) {
    os << "null";
    return;
  }
  std::ostringstream text;
  text.precision(d == std::floor(d) ? 17 : 9);
  text << d;
  os << text.str();
}

class JsonWriter {
public:
  JsonWriter(std::ostream &os, bool pretty) : os_(os), pretty_(pretty) {}

  void write(const ProfileValue &v) {
    switch (v.type()) {
    case ProfileValue::Type::NUL:
      os_ << "null";
      return;
    case ProfileValue::Type::BOOLEAN:
      os_ << (v.asBool() ? "true" : "false");
      return;
    case ProfileValue::Type::NUMBER:
      return writeNumber(os_, v.asDouble());
    case ProfileValue::Type::STRING:
      return writeString(os_, v.asString());
    case ProfileValue::Type::VECTOR:
      return writeVector(v.asVector());
    case ProfileValue::Type::MAP:
      return writeMap(v.asMap());
    }
  }

private:
  void newLine() {
    if (pretty_)
      os_ << '\n' << std::string(2 * depth_, ' ');
  }
  void writeVector(const ProfileValue::Vector &v) {
    // Vectors of numbers stay on one line: they hold one entry a tile.
    const bool flat = v.empty() || v[0].type() == ProfileValue::Type::NUMBER;
    os_ << '[';
    ++depth_;
    for (std::size_t i = 0; i < v.size(); ++i) {
      os_ << (i ? "," : "");
      if (!flat)
        newLine();
      write(v[i]);
    }
    --depth_;
    if (!flat)
      newLine();
    os_ << ']';
  }
  void writeMap(const ProfileValue::Map &m) {
    os_ << '{';
    ++depth_;
    bool first = true;
    for (const auto &entry : m) {
      os_ << (first ? "" : ",");
      first = false;
      newLine();
      writeString(os_, entry.first);
      os_ << (pretty_ ? ": " : ":");
      write(entry.second);
    }
    --depth_;
    newLine();
    os_ << '}';
  }

  std::ostream &os_;
  bool pretty_;
  std::size_t depth_ = 0;
};

} // namespace

const std::string &OptionFlags::at(StringRef option) const {
  const auto it = find(option);
  if (it == end())
    throw invalid_option("option '" + option.cloneAsString() + "' is not set");
  return it->second;
}

void readJSON(StringRef json, OptionFlags &flags) {
  const std::string text = json;
  FlatJson(text, flags).parse();
}

void readJSON(std::istream &json, OptionFlags &flags) {
  std::ostringstream text;
  text << json.rdbuf();
  readJSON(StringRef(text.str()), flags);
}

void readJSONFromEnv(StringRef variable, OptionFlags &flags) {
  if (const char *text = std::getenv(variable.cloneAsString().c_str()))
    readJSON(StringRef(text), flags);
}

std::ostream &operator<<(std::ostream &os, const OptionFlags &flags) {
  os << '{';
  const char *comma = "";
  for (const auto &flag : flags) {
    os << comma << flag.first << ": " << flag.second;
    comma = ", ";
  }
  return os << '}';
}

const ProfileValue &ProfileValue::operator[](const std::string &key) const {
  const auto it = map_.find(key);
  if (it == map_.end())
    throw missing_profile_data("profile has no entry '" + key + "'");
  return it->second;
}

const ProfileValue &ProfileValue::getOrNull(const std::string &key) const {
  static const ProfileValue null;
  const auto it = map_.find(key);
  return it == map_.end() ? null : it->second;
}

std::vector<unsigned long> ProfileValue::toUintVector() const {
  std::vector<unsigned long> values;
  for (const ProfileValue &v : vector_)
    values.push_back(v.asUint());
  return values;
}

double ProfileValue::sumDouble() const {
  double sum = 0;
  for (const ProfileValue &v : vector_)
    sum += v.asDouble();
  return sum;
}

double ProfileValue::sum2D() const {
  double sum = 0;
  for (const ProfileValue &v : vector_)
    sum += v.sumDouble();
  return sum;
}

ProfileValue getAsProfileValue(const OptionFlags &flags) {
  ProfileValue::Map values;
  for (const auto &flag : flags)
    values[flag.first] = flag.second;
  return values;
}

void serializeToJSON(std::ostream &os, const ProfileValue &value, bool prettyPrint) {
  JsonWriter(os, prettyPrint).write(value);
}

} // namespace poplar
