#include "copies.hpp"
#include "thread_pool.hpp"

#include <algorithm>
#include <cstring>

namespace dace_ipu_sim {

namespace {

constexpr std::size_t pieceBytes = std::size_t(1) << 20;
constexpr std::size_t parallelBytes = std::size_t(4) << 20;

void addPiece(Copies &out, const StridedCopy &c) {
  const bool contiguous = c.dstStep == static_cast<std::ptrdiff_t>(c.size) && c.srcStep == c.dstStep;
  if (!contiguous) {
    out.push_back(c);
    return;
  }
  const std::size_t bytes = c.count * c.size;
  for (std::size_t at = 0; at < bytes; at += pieceBytes) {
    const std::size_t n = std::min(pieceBytes, bytes - at);
    out.push_back({c.dst + at, c.src + at, static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(n), 1, n});
  }
}

template <typename T> void moveElements(char *dst, const char *src, const StridedCopy &c) {
  for (std::size_t i = 0; i < c.count; ++i, dst += c.dstStep, src += c.srcStep) {
    T v;
    std::memcpy(&v, src, sizeof(T));
    std::memcpy(dst, &v, sizeof(T));
  }
}

void runCopy(const StridedCopy &c, char *dst, const char *src) {
  dst += c.dst;
  src += c.src;
  if (c.count == 1) {
    std::memcpy(dst, src, c.size);
    return;
  }
  switch (c.size) {
  case 1:
    return moveElements<std::uint8_t>(dst, src, c);
  case 2:
    return moveElements<std::uint16_t>(dst, src, c);
  case 4:
    return moveElements<std::uint32_t>(dst, src, c);
  default:
    return moveElements<std::uint64_t>(dst, src, c);
  }
}

} // namespace

RunList RunList::ofView(const View &view, std::size_t elementBytes, const std::vector<std::size_t> &variableOffsets) {
  RunList list;
  forEachRun(view, [&](const Run &r) {
    const std::ptrdiff_t step = (r.contiguous() ? 1 : r.stride) * static_cast<std::ptrdiff_t>(elementBytes);
    list.entries.push_back({variableOffsets[r.var->id] + r.offset * elementBytes, step, r.count});
  });
  return list;
}

RunList RunList::linear(std::size_t offset, std::size_t count, std::size_t elementBytes) {
  RunList list;
  if (count > 0)
    list.entries.push_back({offset, static_cast<std::ptrdiff_t>(elementBytes), count});
  return list;
}

Copies zipCopies(const RunList &dst, const RunList &src, std::size_t elementBytes) {
  Copies out;
  std::size_t s = 0, d = 0, sDone = 0, dDone = 0;
  while (d < dst.entries.size() && s < src.entries.size()) {
    const RunList::Entry &de = dst.entries[d];
    const RunList::Entry &se = src.entries[s];
    const std::size_t n = std::min(de.count - dDone, se.count - sDone);
    const std::size_t dAt = de.offset + static_cast<std::size_t>(de.step * static_cast<std::ptrdiff_t>(dDone));
    const std::size_t sAt = se.offset + static_cast<std::size_t>(se.step * static_cast<std::ptrdiff_t>(sDone));
    addPiece(out, {dAt, sAt, de.step, se.step, n, elementBytes});
    dDone += n;
    sDone += n;
    if (dDone == de.count) {
      ++d;
      dDone = 0;
    }
    if (sDone == se.count) {
      ++s;
      sDone = 0;
    }
  }
  return out;
}

std::size_t bytesOf(const Copies &copies) {
  std::size_t bytes = 0;
  for (const StridedCopy &c : copies)
    bytes += c.count * c.size;
  return bytes;
}

void runCopies(const Copies &copies, char *dst, const char *src) {
  // Short lists need no summing up: their pieces hold one megabyte at most, unless they are strided.
  if (copies.size() < 4 || bytesOf(copies) < parallelBytes) {
    for (const StridedCopy &c : copies)
      runCopy(c, dst, src);
    return;
  }
  ThreadPool::instance().forRange(copies.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      runCopy(copies[i], dst, src);
  });
}

} // namespace dace_ipu_sim
