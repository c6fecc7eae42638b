// OptionFlags: ordered string options, and reading them from JSON.
#ifndef poplar_OptionFlags_hpp
#define poplar_OptionFlags_hpp

#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>

#include <initializer_list>
#include <istream>
#include <map>
#include <string>
#include <utility>

namespace poplar {

/// A map from option names to their values, both strings.
class OptionFlags {
public:
  using OptionFlag = std::pair<const std::string, std::string>;
  using initializer_list = std::initializer_list<std::pair<StringRef, StringRef>>;
  using iterator = std::map<std::string, std::string>::const_iterator;
  using const_iterator = iterator;

  OptionFlags() = default;
  OptionFlags(initializer_list flags) { set(flags); }

  void set(StringRef option, StringRef value) { flags_[option.cloneAsString()] = value.cloneAsString(); }
  void set(initializer_list flags) {
    for (const auto &flag : flags)
      set(flag.first, flag.second);
  }
  /// The value of `option`. Throws poplar::invalid_option if it is not set.
  const std::string &at(StringRef option) const;
  iterator find(StringRef option) const { return flags_.find(option.cloneAsString()); }
  std::size_t size() const { return flags_.size(); }
  bool empty() const { return flags_.empty(); }
  void clear() { flags_.clear(); }
  iterator begin() const { return flags_.begin(); }
  iterator end() const { return flags_.end(); }
  friend bool operator==(const OptionFlags &a, const OptionFlags &b) { return a.flags_ == b.flags_; }
  friend bool operator!=(const OptionFlags &a, const OptionFlags &b) { return !(a == b); }

private:
  std::map<std::string, std::string> flags_;
};

using OptionFlag = OptionFlags::OptionFlag;

/// Adds the members of a flat JSON object to `flags`. Throws poplar::parse_error with the position of the mistake.
void readJSON(StringRef json, OptionFlags &flags);
void readJSON(std::istream &json, OptionFlags &flags);
/// The same from an environment variable; nothing happens if it is not set.
void readJSONFromEnv(StringRef variable, OptionFlags &flags);
/// The options as a map of strings.
ProfileValue getAsProfileValue(const OptionFlags &flags);
std::ostream &operator<<(std::ostream &os, const OptionFlags &flags);

} // namespace poplar

#endif
