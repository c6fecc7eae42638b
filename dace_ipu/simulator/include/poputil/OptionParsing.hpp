// Options of library functions: what their texts mean.
#ifndef poputil_OptionParsing_hpp
#define poputil_OptionParsing_hpp

#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/exceptions.hpp>

#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace poplibs {
namespace parse {

template <typename T> T number(const std::string &text, const char *what) {
  std::istringstream in(text);
  T result;
  if (text.find("0x") != std::string::npos)
    in >> std::hex;
  in >> result;
  if (in.fail() || in.peek() != std::istringstream::traits_type::eof())
    throw poplar::invalid_option(std::string("not a valid ") + what);
  return result;
}

/// Numbers, decimal or with 0x hexadecimal. Throw poplar::invalid_option for other text.
template <typename T> T asInteger(const poplar::StringRef &text) { return number<T>(text.cloneAsString(), "integer"); }
template <typename T> T asFloatingPoint(const poplar::StringRef &text) {
  return number<T>(text.cloneAsString(), "floating-point number");
}

template <typename T> std::string describeEnumValues(const std::map<std::string, T> &values) {
  std::string text = "[";
  for (const auto &value : values)
    text += (text.size() > 1 ? ", '" : "'") + value.first + "'";
  return text + "]";
}

template <typename T> T asEnum(const poplar::StringRef &text, const std::map<std::string, T> &values) {
  const auto it = values.find(text.cloneAsString());
  if (it == values.end())
    throw poplar::invalid_option("not one of the values " + describeEnumValues(values));
  return it->second;
}

inline bool asBool(const poplar::StringRef &text) { return asEnum<bool>(text, {{"false", false}, {"true", true}}); }

} // namespace parse

/// What to do with the text of one option: the functions below store its value in a variable.
class OptionHandler {
public:
  template <typename F> OptionHandler(F handler) : handler_(std::move(handler)) {}
  void parseValue(poplar::StringRef value) const { handler_(value); }

  template <typename T> static OptionHandler createWithEnum(T &output, const std::map<std::string, T> &values) {
    return OptionHandler([&output, values](poplar::StringRef text) { output = parse::asEnum<T>(text, values); });
  }
  template <typename T> static OptionHandler createWithInteger(T &output) {
    return OptionHandler(
        [&output](poplar::StringRef text) { output = static_cast<T>(parse::asInteger<long long>(text)); });
  }
  template <typename T> static OptionHandler createWithBool(T &output) {
    return OptionHandler([&output](poplar::StringRef text) { output = static_cast<T>(parse::asBool(text)); });
  }
  template <typename T>
  static OptionHandler createWithDouble(T &output, double lowest = std::numeric_limits<double>::lowest(),
                                        bool lowestIsAllowed = true, double highest = std::numeric_limits<double>::max(),
                                        bool highestIsAllowed = true) {
    return OptionHandler([=, &output](poplar::StringRef text) {
      const double value = parse::asFloatingPoint<double>(text);
      ensureValueIsWithinBounds(value, lowest, lowestIsAllowed, highest, highestIsAllowed);
      output = static_cast<T>(value);
    });
  }
  static OptionHandler createWithString(std::string &output) {
    return OptionHandler([&output](poplar::StringRef text) { output = text.cloneAsString(); });
  }
  /// Integers separated by commas, appended.
  template <typename T> static OptionHandler createWithList(std::vector<T> &output) {
    return OptionHandler([&output](poplar::StringRef text) {
      std::istringstream in(text.cloneAsString());
      for (std::string element; std::getline(in, element, ',');)
        output.push_back(parse::asInteger<T>(element));
    });
  }

  template <typename T>
  static void ensureValueIsWithinBounds(T value, const T &lowest, bool lowestIsAllowed, const T &highest,
                                        bool highestIsAllowed) {
    if (value < lowest || (!lowestIsAllowed && value == lowest))
      throw poplar::invalid_option("must be greater than " + std::string(lowestIsAllowed ? "or equal to " : "") +
                                   std::to_string(lowest));
    if (value > highest || (!highestIsAllowed && value == highest))
      throw poplar::invalid_option("must be less than " + std::string(highestIsAllowed ? "or equal to " : "") +
                                   std::to_string(highest));
  }

private:
  std::function<void(poplar::StringRef)> handler_;
};

/// The options that a function knows.
class OptionSpec {
public:
  OptionSpec(std::initializer_list<std::pair<const std::string, OptionHandler>> handlers) : handlers_(handlers) {}

  /// Throws poplar::invalid_option with the option, its value and why it is wrong.
  void parse(poplar::StringRef option, poplar::StringRef value, bool ignoreUnknown = false) const {
    const auto it = handlers_.find(option.cloneAsString());
    if (it != handlers_.end())
      parseKnown(it->second, option.cloneAsString(), value);
    else if (!ignoreUnknown)
      throw poplar::invalid_option("unrecognised option '" + option.cloneAsString() + "'; known are " +
                                   parse::describeEnumValues(handlers_));
  }
  void parse(const poplar::OptionFlags &options) const {
    for (const auto &option : options)
      parse(option.first, option.second);
  }

private:
  static void parseKnown(const OptionHandler &handler, const std::string &option, poplar::StringRef value) {
    try {
      handler.parseValue(value);
    } catch (const poplar::invalid_option &error) {
      throw poplar::invalid_option("invalid value '" + value.cloneAsString() + "' for option '" + option +
                                   "': " + error.what());
    }
  }
  std::map<std::string, OptionHandler> handlers_;
};

} // namespace poplibs

#endif
