// The name of a vertex class as graph.addVertex spells it, from the compiler's own spelling of the type.
#ifndef poplar_codelet_VertexName_hpp
#define poplar_codelet_VertexName_hpp

#include <cstring>

namespace dace_ipu_popc {

struct Spelling {
  const char *compiler;
  const char *poplar;
};

// Longer spellings come before those they begin with. g++ writes "long unsigned int", clang "unsigned long".
// As in FieldTraits.hpp, the host's 64-bit `long` stands for int64_t.
inline constexpr Spelling spellings[] = {
    {"long long unsigned int", "unsigned long long"},
    {"long long int", "long long"},
    {"long unsigned int", "unsigned long long"},
    {"long int", "long long"},
    {"short unsigned int", "unsigned short"},
    {"short int", "short"},
    {"unsigned long long", "unsigned long long"},
    {"unsigned long", "unsigned long long"},
    {"long long", "long long"},
    {"long double", "long double"},
    {"long", "long long"},
    {"_Float16", "half"},
    {"poplar::detail::SoftHalf", "half"},
    {"poplar::quarter", "quarter"},
    {"{anonymous}::", ""},
    {"(anonymous namespace)::", ""},
    {", ", ","},
    {" >", ">"},
};

inline bool isNameCharacter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Copies `length` characters of `from` to `to`, respelt; returns the end of what was written, which is never longer
/// than twice the original.
inline char *respell(char *to, const char *from, std::size_t length) {
  const char *const begin = from;
  const char *const end = from + length;
  while (from != end) {
    const Spelling *match = nullptr;
    for (const Spelling &spelling : spellings) {
      const std::size_t size = std::strlen(spelling.compiler);
      const bool startsWord = from == begin || !isNameCharacter(*from) || !isNameCharacter(from[-1]);
      if (startsWord && static_cast<std::size_t>(end - from) >= size && !std::strncmp(from, spelling.compiler, size) &&
          !(isNameCharacter(from[size - 1]) && isNameCharacter(from[size]))) {
        match = &spelling;
        break;
      }
    }
    if (match) {
      to = static_cast<char *>(std::memcpy(to, match->poplar, std::strlen(match->poplar))) + std::strlen(match->poplar);
      from += std::strlen(match->compiler);
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
  return to;
}

template <typename V> const char *vertexName() {
  static char name[2 * sizeof(__PRETTY_FUNCTION__)];
  const char *type = std::strstr(__PRETTY_FUNCTION__, "V = ") + 4; // "... [with V = ns::Foo<float>]"
  respell(name, type, std::strlen(type) - 1);
  return name;
}

} // namespace dace_ipu_popc

#endif
