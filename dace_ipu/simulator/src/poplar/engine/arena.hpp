// A block of zeroed memory, aligned to pages.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace dace_ipu_sim {

class Arena {
public:
  explicit Arena(std::size_t bytes) : bytes_(bytes == 0 ? 1 : bytes) {
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED)
      throw std::bad_alloc();
  }
  ~Arena() { munmap(data_, bytes_); }
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  char *data() const { return static_cast<char *>(data_); }
  /// Zeroes everything again.
  void clear() { madvise(data_, bytes_, MADV_DONTNEED); }

private:
  void *data_;
  std::size_t bytes_;
};

} // namespace dace_ipu_sim
