#include "faults.hpp"

#include <csetjmp>
#include <csignal>
#include <mutex>

namespace dace_ipu_sim {

namespace {

constexpr int caught[] = {SIGFPE, SIGSEGV, SIGBUS};
constexpr int numCaught = sizeof(caught) / sizeof(caught[0]);

std::mutex mutex;
unsigned users = 0;
struct sigaction previous[numCaught];

thread_local sigjmp_buf *landing = nullptr;

void onFault(int signal, siginfo_t *info, void *) {
  if (landing)
    siglongjmp(*landing, signal);
  // No vertex runs on this thread. The instruction is tried again, or the signal sent again, with the handler of before.
  for (int i = 0; i < numCaught; ++i)
    if (caught[i] == signal)
      sigaction(signal, &previous[i], nullptr);
  if (info->si_code <= 0)
    raise(signal);
}

bool isOurs(int signal) {
  struct sigaction now;
  return sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == onFault;
}

} // namespace

FaultHandlers::FaultHandlers() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (users++ > 0)
    return;
  struct sigaction ours = {};
  ours.sa_sigaction = onFault;
  ours.sa_flags = SA_SIGINFO;
  sigemptyset(&ours.sa_mask);
  for (int i = 0; i < numCaught; ++i)
    sigaction(caught[i], &ours, &previous[i]);
}

FaultHandlers::~FaultHandlers() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (--users > 0)
    return;
  for (int i = 0; i < numCaught; ++i)
    if (isOurs(caught[i])) // a program may have set its own meanwhile
      sigaction(caught[i], &previous[i], nullptr);
}

int catchFault(void (*f)(void *), void *argument) {
  struct Restore {
    sigjmp_buf *outer = landing;
    ~Restore() { landing = outer; }
  };
  const Restore restore;
  sigjmp_buf here;
  if (const int signal = sigsetjmp(here, 1))
    return signal;
  landing = &here;
  f(argument);
  return 0;
}

std::string faultText(int signal) {
  if (signal == SIGFPE)
    return "divides an integer by zero, or the least one by -1";
  return "accesses memory that does not exist";
}

} // namespace dace_ipu_sim
