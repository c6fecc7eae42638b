// All device programs of one compiled SDFG: graphs are built when symbol values first occur, and the last few are kept.
// The functions below are what generated code calls; they are compiled once, in a library.
#ifndef DACE_IPU_PROGRAMS_HPP
#define DACE_IPU_PROGRAMS_HPP

#include <dace_ipu/forward.hpp>
#include <dace_ipu/graph_code.hpp>
#include <dace_ipu/host_array.hpp>
#include <dace_ipu/settings.hpp>
#include <dace_ipu/streams.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>

namespace dace_ipu {

/// The value of a symbol in one call.
struct SymbolValue {
  template <typename Number>
  SymbolValue(const char *name, Number value)
      : name(name), isInteger(!std::is_floating_point<Number>::value), integer(static_cast<std::int64_t>(value)),
        number(static_cast<double>(value)) {}

  std::string text() const;
  /// Bits that differ if the values do.
  std::int64_t key() const;

  const char *name;
  bool isInteger;
  std::int64_t integer;
  double number;
};

/// Adds a program to a graph and says which arrays it copies.
using Build = std::function<poplar::program::Sequence(poplar::Graph &, Streams &)>;

/// What the compiler has to say of a program: where a part of it runs, and why.
struct Note {
  const char *program;
  const char *text;
};

/// A context for the device programs of an SDFG. Null if there is no memory for it; everything below bears that.
Programs *create(const char *name, const char *codelets, Settings settings,
                 std::initializer_list<Note> notes = {}) noexcept;

void destroy(Programs *programs) noexcept;

/// Runs a program on these arrays, after building it if there is no graph for these values. Keeps the first error
/// and does nothing from then on, until the error was taken.
void run(Programs *programs, const char *program, std::initializer_list<SymbolValue> symbols,
         std::initializer_list<HostArray> arrays, const Build &build) noexcept;

/// Takes the name and the cycles of a step of a program.
using TakeCycles = std::function<void(const char *step, std::uint64_t cycles)>;

/// Calls `take` for each step of the run of `program` that just ended. An error where there is no simulator: hardware
/// does not tell.
void forEachStep(Programs *programs, const char *program, const TakeCycles &take) noexcept;

/// The text of the error, which counts as taken with that; null if there is none. Valid until the next error.
const char *takeError(Programs *programs) noexcept;

void clearError(Programs *programs) noexcept;

/// Why each graph was built, and the profile of each that is alive, as JSON. Valid until the next call.
const char *report(Programs *programs) noexcept;

} // namespace dace_ipu

#endif // DACE_IPU_PROGRAMS_HPP
