#ifndef poplar_RuntimeOptions_hpp
#define poplar_RuntimeOptions_hpp

#include <poplar/OptionFlags.hpp>

namespace poplar {

/// Options of one load or run. Known keys are accepted and have no effect here.
class RuntimeOptions {
public:
  RuntimeOptions() = default;
  /// Throws invalid_option for an unknown key.
  RuntimeOptions(const OptionFlags &flags);
  const OptionFlags &flags() const { return flags_; }

private:
  OptionFlags flags_;
};

} // namespace poplar

#endif
