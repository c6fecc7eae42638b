// A block of zeroed memory, aligned to pages; if wanted, between two pieces of address space that nobody may touch.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace dace_ipu_sim {

class Arena {
public:
  /// With a margin, which is a multiple of the page size, so is the size.
  explicit Arena(std::size_t bytes, std::size_t margin = 0) : bytes_(sizeFor(bytes, margin)), margin_(margin) {
    const int access = margin == 0 ? PROT_READ | PROT_WRITE : PROT_NONE;
    begin_ = mmap(nullptr, bytes_ + 2 * margin_, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin_ == MAP_FAILED || (margin_ > 0 && mprotect(data(), bytes_, PROT_READ | PROT_WRITE) != 0))
      throw std::bad_alloc();
  }
  ~Arena() { munmap(begin_, bytes_ + 2 * margin_); }
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  char *data() const { return static_cast<char *>(begin_) + margin_; }
  std::size_t size() const { return bytes_; }
  /// Zeroes everything again.
  void clear() { madvise(data(), bytes_, MADV_DONTNEED); }

private:
  static std::size_t sizeFor(std::size_t bytes, std::size_t margin) {
    constexpr std::size_t pages = 1 << 16; // a multiple of every page size in use
    return margin == 0 ? (bytes == 0 ? 1 : bytes) : (bytes / pages + 1) * pages;
  }

  void *begin_;
  std::size_t bytes_;
  std::size_t margin_;
};

} // namespace dace_ipu_sim
