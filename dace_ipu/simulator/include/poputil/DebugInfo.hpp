// What a library function tells the profiler about a call: its name, arguments and outputs.
//
// The simulator keeps the values with the DebugInfo, and its path names everything created below it; profiles do not show them.
#ifndef poputil_DebugInfo_hpp
#define poputil_DebugInfo_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace poputil {

/// The value that describes `value`. Programs specialise it for types of their own.
template <typename T> poplar::ProfileValue toProfileValue(const T &value);

template <> poplar::ProfileValue toProfileValue(const bool &value);
template <> poplar::ProfileValue toProfileValue(const unsigned char &value);
template <> poplar::ProfileValue toProfileValue(const int &value);
template <> poplar::ProfileValue toProfileValue(const unsigned &value);
template <> poplar::ProfileValue toProfileValue(const long &value);
template <> poplar::ProfileValue toProfileValue(const unsigned long &value);
template <> poplar::ProfileValue toProfileValue(const long long &value);
template <> poplar::ProfileValue toProfileValue(const unsigned long long &value);
template <> poplar::ProfileValue toProfileValue(const float &value);
template <> poplar::ProfileValue toProfileValue(const double &value);
template <> poplar::ProfileValue toProfileValue(const std::string &value);
template <> poplar::ProfileValue toProfileValue(const poplar::ComputeSet &value);
template <> poplar::ProfileValue toProfileValue(const poplar::OptionFlags &value);
template <> poplar::ProfileValue toProfileValue(const poplar::program::Copy &value);
template <> poplar::ProfileValue toProfileValue(const poplar::program::Sequence &value);
/// Shape and type; "<poplar::Tensor>" if it is invalid.
template <> poplar::ProfileValue toProfileValue(const poplar::Tensor &value);
template <> poplar::ProfileValue toProfileValue(const poplar::TensorCloneMethod &value);
template <> poplar::ProfileValue toProfileValue(const poplar::Type &value);

template <typename T> poplar::ProfileValue toProfileValue(const T *value) {
  return value ? toProfileValue(*value) : poplar::ProfileValue("<nullptr>");
}
template <typename T> poplar::ProfileValue toProfileValue(T *const &value) {
  return toProfileValue(static_cast<const T *>(value));
}

namespace detail {

/// The elements below their numbers, as PopLibs writes vectors and arrays.
template <typename Element, typename Range> poplar::ProfileValue numbered(const Range &range) {
  poplar::ProfileValue::Map values;
  std::size_t number = 0;
  for (const auto &value : range)
    values[std::to_string(number++)] = toProfileValue(static_cast<const Element &>(value));
  return values;
}

} // namespace detail

template <typename T> poplar::ProfileValue toProfileValue(const std::vector<T> &values) {
  return detail::numbered<T>(values);
}
template <typename T, std::size_t N> poplar::ProfileValue toProfileValue(const std::array<T, N> &values) {
  return detail::numbered<T>(values);
}
template <typename T> poplar::ProfileValue toProfileValue(const poplar::ArrayRef<T> &values) {
  poplar::ProfileValue::Vector described;
  for (const T &value : values)
    described.push_back(toProfileValue(value));
  return described;
}
template <typename First, typename Second> poplar::ProfileValue toProfileValue(const std::pair<First, Second> &pair) {
  return poplar::ProfileValue::Map{{"first", toProfileValue(pair.first)}, {"second", toProfileValue(pair.second)}};
}

/// A named value.
class ArgType {
public:
  std::string n;
  poplar::ProfileValue pv;

  ArgType(const std::string &name, const poplar::ProfileValue &value) : n(name), pv(value) {}
  ArgType(const std::pair<std::string, const poplar::ProfileValue> &named) : n(named.first), pv(named.second) {}
};

/// What a layer of software above Poplar tells about one of its operations; `api` is the operation's name.
class OpDebugInfo : public poplar::DebugInfo {
public:
  OpDebugInfo(const poplar::DebugContext &debugContext, std::string api);
  OpDebugInfo(const OpDebugInfo &) = delete;
  OpDebugInfo &operator=(const OpDebugInfo &) = delete;

  void add(std::string name, const std::vector<ArgType> &values);
  void add(std::string name, poplar::ProfileValue value);
};

/// The same for a function of PopLibs; by default the operation is the function that calls the constructor.
class PoplibsOpDebugInfo : public OpDebugInfo {
public:
  PoplibsOpDebugInfo(const poplar::DebugContext &debugContext, const std::vector<ArgType> &arguments = {},
                     const std::string &api = __builtin_FUNCTION());

  void addOutputs(const std::vector<ArgType> &outputs);
  void addOutput(const poplar::Tensor &output);
};

} // namespace poputil

/// `DI_ARGS(a, b)` is `{{"a", toProfileValue(a)}, {"b", toProfileValue(b)}}`, for up to sixteen arguments.
#define DI_ARGS(...)                                                                                                   \
  { DI_SELECT_(__VA_ARGS__, DI_16_, DI_15_, DI_14_, DI_13_, DI_12_, DI_11_, DI_10_, DI_9_, DI_8_, DI_7_, DI_6_, DI_5_, \
               DI_4_, DI_3_, DI_2_, DI_1_, DI_NONE_)(__VA_ARGS__) }
#define DI_SELECT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, selected, ...) selected
#define DI_1_(value)                                                                                                   \
  { #value, poputil::toProfileValue(value) }
#define DI_2_(value, ...) DI_1_(value), DI_1_(__VA_ARGS__)
#define DI_3_(value, ...) DI_1_(value), DI_2_(__VA_ARGS__)
#define DI_4_(value, ...) DI_1_(value), DI_3_(__VA_ARGS__)
#define DI_5_(value, ...) DI_1_(value), DI_4_(__VA_ARGS__)
#define DI_6_(value, ...) DI_1_(value), DI_5_(__VA_ARGS__)
#define DI_7_(value, ...) DI_1_(value), DI_6_(__VA_ARGS__)
#define DI_8_(value, ...) DI_1_(value), DI_7_(__VA_ARGS__)
#define DI_9_(value, ...) DI_1_(value), DI_8_(__VA_ARGS__)
#define DI_10_(value, ...) DI_1_(value), DI_9_(__VA_ARGS__)
#define DI_11_(value, ...) DI_1_(value), DI_10_(__VA_ARGS__)
#define DI_12_(value, ...) DI_1_(value), DI_11_(__VA_ARGS__)
#define DI_13_(value, ...) DI_1_(value), DI_12_(__VA_ARGS__)
#define DI_14_(value, ...) DI_1_(value), DI_13_(__VA_ARGS__)
#define DI_15_(value, ...) DI_1_(value), DI_14_(__VA_ARGS__)
#define DI_16_(value, ...) DI_1_(value), DI_15_(__VA_ARGS__)

#endif
