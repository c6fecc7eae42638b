// Names of template vertices.
#ifndef poputil_VertexTemplates_hpp
#define poputil_VertexTemplates_hpp

#include <poplar/Type.hpp>

#include <string>
#include <type_traits>

namespace poputil {

inline std::string templateArgument(const poplar::Type &type) { return type.toString(); }
inline std::string templateArgument(const std::string &text) { return text; }
inline std::string templateArgument(const char *text) { return text; }
inline std::string templateArgument(bool value) { return value ? "true" : "false"; }
template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
std::string templateArgument(T value) {
  return std::to_string(value);
}

inline std::string templateArguments() { return ""; }
template <typename First> std::string templateArguments(const First &first) { return templateArgument(first); }
template <typename First, typename... Rest> std::string templateArguments(const First &first, const Rest &...rest) {
  return templateArgument(first) + "," + templateArguments(rest...);
}

/// "name<float,true,4>", as Graph::addVertex takes it: types by Type::toString, numbers in decimal.
template <typename... Args> std::string templateVertex(const std::string &name, const Args &...args) {
  return name + "<" + templateArguments(args...) + ">";
}

} // namespace poputil

#endif
