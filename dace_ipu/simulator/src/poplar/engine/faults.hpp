// Faults of codelets: a division of an integer by zero, or an access to memory that does not exist, ends the vertex and
// not the process.
#pragma once

#include <string>

namespace dace_ipu_sim {

/// Catches the signals SIGFPE, SIGSEGV and SIGBUS in this process as long as one of these lives. Outside of catchFault
/// they do what they did before.
class FaultHandlers {
public:
  FaultHandlers();
  ~FaultHandlers();
  FaultHandlers(const FaultHandlers &) = delete;
  FaultHandlers &operator=(const FaultHandlers &) = delete;
};

/// Calls f(argument) and returns 0, or the signal that ended it on this thread. Objects of f and of what it called are
/// not destroyed then: f must own nothing.
int catchFault(void (*f)(void *), void *argument);

template <typename F> int catchFault(const F &f) {
  return catchFault([](void *p) { (*static_cast<const F *>(p))(); }, const_cast<F *>(&f));
}

/// "divides an integer by zero", ...
std::string faultText(int signal);

} // namespace dace_ipu_sim
