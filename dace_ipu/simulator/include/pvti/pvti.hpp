// Marks for the PopVision System Analyser. The simulator records none: programs that set them build and run.
#ifndef pvti_pvti_hpp
#define pvti_pvti_hpp

#include <string>

namespace pvti {

/// A named row of marks.
class TraceChannel {
public:
  TraceChannel(const std::string &name) : name_(name) {} // NOLINT: programs write TraceChannel c = {"name"};
  const std::string &getName() const { return name_; }

private:
  std::string name_;
};

/// The time between construction and destruction, or between `begin` and `end`.
class Tracepoint {
public:
  Tracepoint(const TraceChannel *, const std::string &) {}
  Tracepoint(const TraceChannel &, const std::string &) {}
  ~Tracepoint() {} // not trivial, so that a variable never read is no warning
  Tracepoint(const Tracepoint &) = delete;
  Tracepoint &operator=(const Tracepoint &) = delete;

  static void begin(const TraceChannel *, const std::string &) {}
  static void begin(const TraceChannel &, const std::string &) {}
  static void end(const TraceChannel *, const std::string &) {}
  static void end(const TraceChannel &, const std::string &) {}
};

} // namespace pvti

#endif
