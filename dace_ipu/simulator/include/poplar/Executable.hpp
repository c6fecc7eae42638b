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
  /// Writes all that a later process needs to run it: graph, programs, codelets. Throws poplar_error if the executable
  /// is empty, file_load_error if the stream fails.
  void serialize(std::ostream &out) const;
  /// Reads what serialize wrote. Throws parse_error for anything else, damaged or cut short, or made by another version.
  static Executable deserialize(std::istream &in);

  /// For the library itself.
  explicit Executable(std::shared_ptr<const dace_ipu_sim::ExecutablePlan> plan) : plan_(std::move(plan)) {}
  const std::shared_ptr<const dace_ipu_sim::ExecutablePlan> &plan() const { return plan_; }

private:
  std::shared_ptr<const dace_ipu_sim::ExecutablePlan> plan_;
};

} // namespace poplar

#endif
