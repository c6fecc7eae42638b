// Floating-point exceptions of codelets: the host's flags stand for those of the tile.
#pragma once

#include <cfenv>
#include <cstdint>

namespace dace_ipu_sim {

/// Bits of the control register that CSRFunctions.hpp sets, as Target::makeFpIctlValue lays them out.
enum FpControlBit : std::uint32_t { fpInvalid = 1, fpDivideByZero = 2, fpOverflow = 4 };

/// Watches one thread. Costs nothing while no exception is enabled.
class FpTrap {
public:
  explicit FpTrap(std::uint32_t control)
      : flags_((control & fpInvalid ? FE_INVALID : 0) | (control & fpDivideByZero ? FE_DIVBYZERO : 0) |
               (control & fpOverflow ? FE_OVERFLOW : 0)) {
    if (flags_)
      std::feclearexcept(FE_ALL_EXCEPT);
  }

  /// The name of an enabled exception that happened since the construction, or null.
  const char *raised() const {
    const int raised = flags_ ? std::fetestexcept(flags_) : 0;
    if (!raised)
      return nullptr;
    return raised & FE_INVALID ? "invalid operation" : raised & FE_DIVBYZERO ? "division by zero" : "overflow";
  }

private:
  int flags_;
};

} // namespace dace_ipu_sim
