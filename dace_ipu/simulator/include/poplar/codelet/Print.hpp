// printf in a codelet. popc links with --wrap, so that calls of printf, puts, putchar and putc arrive here; what they
// print goes to the host's stderr, or where libpoplar sends it.
#ifndef poplar_codelet_Print_hpp
#define poplar_codelet_Print_hpp

#include "Host.hpp"

#include <stdarg.h>
#include <stdio.h>

namespace poplar {
namespace detail {

inline void print(const char *text, size_t length) {
  if (codeletHost && codeletHost->print)
    codeletHost->print(text, length);
  else
    fwrite(text, 1, length, stderr);
}

} // namespace detail
} // namespace poplar

extern "C" {

inline __attribute__((used)) int __wrap_printf(const char *format, ...) {
  char *text = nullptr;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length >= 0) {
    poplar::detail::print(text, static_cast<size_t>(length));
    __builtin_free(text);
  }
  return length;
}

inline __attribute__((used)) int __wrap_puts(const char *text) {
  return __wrap_printf("%s\n", text);
}

inline __attribute__((used)) int __wrap_putchar(int character) {
  const char text = static_cast<char>(character);
  poplar::detail::print(&text, 1);
  return character;
}

// What <stdio.h> makes of putchar in optimised code.
int __real_putc(int character, FILE *file);
inline __attribute__((used)) int __wrap_putc(int character, FILE *file) {
  return file == stdout ? __wrap_putchar(character) : __real_putc(character, file);
}

} // extern "C"

#endif
