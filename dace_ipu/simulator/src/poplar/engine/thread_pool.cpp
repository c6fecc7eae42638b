#include "thread_pool.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <utility>

namespace dace_ipu_sim {

namespace {

std::size_t wantedThreads() {
  if (const char *text = std::getenv("DACE_IPU_THREADS")) {
    const long n = std::strtol(text, nullptr, 10);
    if (n > 0)
      return static_cast<std::size_t>(n);
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

thread_local bool insidePool = false;

// The threads run code of this library until the process ends, so it must stay when a host program that was loaded as
// a library is unloaded again.
void keepLibraryLoaded() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&wantedThreads), &info))
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

} // namespace

ThreadPool &ThreadPool::instance() {
  // A child process made by fork has none of the threads: it gets a pool of its own, and the copy is left alone.
  static ThreadPool *pool = nullptr;
  static pid_t owner = 0;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!pool || owner != getpid()) {
    pool = new ThreadPool;
    owner = getpid();
  }
  return *pool;
}

ThreadPool::ThreadPool() {
  keepLibraryLoaded();
  const std::size_t n = wantedThreads();
  for (std::size_t i = 1; i < n; ++i)
    workers_.emplace_back([this] { work(); });
  for (std::thread &t : workers_)
    t.detach(); // they sleep until the process ends
}

void ThreadPool::drain() {
  for (std::size_t i = next_++; i < size_; i = next_++)
    try {
      (*task_)(i);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(errorMutex_);
      if (i < errorAt_) {
        errorAt_ = i;
        error_ = std::current_exception();
      }
    }
}

void ThreadPool::work() {
  insidePool = true;
  std::size_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return generation_ != seen; });
    seen = generation_;
    lock.unlock();
    drain();
    lock.lock();
    if (--busy_ == 0)
      done_.notify_one();
  }
}

void ThreadPool::forEach(std::size_t n, const std::function<void(std::size_t)> &f) {
  std::unique_lock<std::mutex> user(user_, std::defer_lock);
  if (n < 2 || workers_.empty() || insidePool || !user.try_lock()) {
    for (std::size_t i = 0; i < n; ++i)
      f(i);
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    task_ = &f;
    size_ = n;
    next_ = 0;
    busy_ = workers_.size();
    errorAt_ = n;
    error_ = nullptr;
    ++generation_;
  }
  wake_.notify_all();
  insidePool = true;
  drain();
  insidePool = false;
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [&] { return busy_ == 0; });
  if (error_)
    std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::forRange(std::size_t n, const std::function<void(std::size_t, std::size_t)> &f) {
  const std::size_t parts = std::min(n, 4 * threads());
  forEach(parts, [&](std::size_t i) { f(i * n / parts, (i + 1) * n / parts); });
}

} // namespace dace_ipu_sim
