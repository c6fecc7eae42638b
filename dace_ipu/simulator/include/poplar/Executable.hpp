// Executable: a graph and its programs, compiled but not yet loaded.
#ifndef poplar_Executable_hpp
#define poplar_Executable_hpp

#include <iostream>
#include <memory>

namespace dace_ipu_sim {
struct ExecutablePlan;
}

namespace poplar {

/// What compileGraph returns. Cheap to copy: copies share the plan.
class Executable {
public:
  Executable() = default;
  /// Not supported yet: throws poplar_error.
  void serialize(std::ostream &out) const;
  /// Not supported yet: throws poplar_error whatever the stream holds, so that programs fall back to compiling.
  static Executable deserialize(std::istream &in);

  /// For the library itself.
  explicit Executable(std::shared_ptr<const dace_ipu_sim::ExecutablePlan> plan) : plan_(std::move(plan)) {}
  const std::shared_ptr<const dace_ipu_sim::ExecutablePlan> &plan() const { return plan_; }

private:
  std::shared_ptr<const dace_ipu_sim::ExecutablePlan> plan_;
};

} // namespace poplar

#endif
