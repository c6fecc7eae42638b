// Bytes of an executable, written and read by the same code: transfer(archive, value) does either.
#pragma once

#include <poplar/exceptions.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dace_ipu_sim {

/// Collects bytes.
class ArchiveOut {
public:
  static constexpr bool reading = false;
  void bytes(void *data, std::size_t size) { data_.append(static_cast<const char *>(data), size); }
  const std::string &data() const { return data_; }

private:
  std::string data_;
};

/// Hands bytes out. Throws parse_error behind the last one.
class ArchiveIn {
public:
  static constexpr bool reading = true;
  explicit ArchiveIn(std::string data) : data_(std::move(data)) {}
  void bytes(void *data, std::size_t size) {
    require(size);
    if (size != 0) // memcpy from or to the null pointer of an empty vector is undefined even then
      std::memcpy(data, data_.data() + at_, size);
    at_ += size;
  }
  void require(std::size_t size) const {
    if (size > data_.size() - at_)
      throw poplar::parse_error("deserialize: the file is damaged");
  }

private:
  std::string data_;
  std::size_t at_ = 0;
};

template <typename A, typename T,
          typename std::enable_if<std::is_arithmetic<T>::value || std::is_enum<T>::value, int>::type = 0>
void transfer(A &archive, T &value) {
  archive.bytes(&value, sizeof(value));
}

/// The number of elements of a container, which exist after this when reading.
template <typename A, typename C> void transferSize(A &archive, C &container) {
  std::uint64_t size = container.size();
  transfer(archive, size);
  if constexpr (A::reading) {
    archive.require(size); // every element has a byte at least
    container.resize(size);
  }
}

template <typename A> void transfer(A &archive, std::string &text) {
  transferSize(archive, text);
  archive.bytes(&text[0], text.size());
}

template <typename A> void transfer(A &archive, std::vector<std::uint8_t> &bytes) {
  transferSize(archive, bytes);
  archive.bytes(bytes.data(), bytes.size());
}

template <typename A, typename T, typename U> void transfer(A &archive, std::pair<T, U> &pair) {
  transfer(archive, pair.first);
  transfer(archive, pair.second);
}

template <typename A, typename T> void transfer(A &archive, std::vector<T> &values) {
  transferSize(archive, values);
  for (T &value : values)
    transfer(archive, value);
}

template <typename A, typename First, typename... Rest> void transferAll(A &archive, First &first, Rest &...rest) {
  transfer(archive, first);
  if constexpr (sizeof...(Rest) > 0)
    transferAll(archive, rest...);
}

} // namespace dace_ipu_sim
