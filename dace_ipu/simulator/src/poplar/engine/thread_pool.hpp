// Host threads that share out the simulation of tiles.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dace_ipu_sim {

/// One pool for the process: hardware_concurrency threads, or as many as DACE_IPU_THREADS says.
class ThreadPool {
public:
  static ThreadPool &instance();

  std::size_t threads() const { return workers_.size() + 1; }
  /// Calls f(i) for i in [0, n), on this thread and the workers, and waits. Calls from inside f run in place.
  /// If some f(i) throw, all others are done all the same, and what the lowest i threw is thrown: the same for any number
  /// of threads, but that one thread stops there.
  void forEach(std::size_t n, const std::function<void(std::size_t)> &f);
  /// The same with [0, n) cut into a few ranges.
  void forRange(std::size_t n, const std::function<void(std::size_t, std::size_t)> &f);

private:
  ThreadPool();
  void work();
  void drain();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::mutex user_; // one forEach at a time
  const std::function<void(std::size_t)> *task_ = nullptr;
  std::size_t size_ = 0;
  std::atomic<std::size_t> next_{0};
  std::size_t busy_ = 0;
  std::mutex errorMutex_;
  std::size_t errorAt_ = 0;
  std::exception_ptr error_;
  std::size_t generation_ = 0;
};

} // namespace dace_ipu_sim
