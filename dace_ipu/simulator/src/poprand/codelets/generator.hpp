// The random number generator of one worker.
#pragma once

#include <cstdint>

namespace poprand {

/// splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators".
inline std::uint64_t splitmix(std::uint64_t &state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The generator of the machine, xoroshiro128aox: Hanlon and Felix, "A fast hardware pseudorandom number generator based
/// on xoroshiro128", 2022. Its state are the four words of a worker's seed, read when it is made and written back when it
/// goes. A seed of zeros, which it would never leave, is replaced by one of `id`.
class Generator {
public:
  Generator(unsigned *seed, unsigned id) : seed_(seed), s0_(word(0)), s1_(word(2)) {
    if (s0_ == 0 && s1_ == 0) {
      std::uint64_t state = id;
      s0_ = splitmix(state);
      s1_ = splitmix(state);
    }
  }
  Generator(const Generator &) = delete;
  ~Generator() {
    for (int i = 0; i < 2; ++i) {
      seed_[i] = static_cast<unsigned>(s0_ >> (32 * i));
      seed_[2 + i] = static_cast<unsigned>(s1_ >> (32 * i));
    }
  }

  std::uint64_t bits64() {
    const std::uint64_t sx = s0_ ^ s1_, sa = s0_ & s1_;
    s0_ = rotated(s0_, 55) ^ sx ^ (sx << 14);
    s1_ = rotated(sx, 36);
    return sx ^ (rotated(sa, 1) | rotated(sa, 2));
  }
  unsigned bits32() { return static_cast<unsigned>(bits64() >> 32); }
  /// Uniform in [0, 1), a multiple of 2^-24.
  float unit() { return static_cast<float>(bits64() >> 40) * 0x1p-24f; }
  /// Standard normal: Box and Muller, "A note on the generation of random normal deviates".
  float normal() {
    const float radius = __builtin_sqrtf(-2.0f * __builtin_logf(1.0f - unit()));
    return radius * __builtin_cosf(6.2831853f * unit());
  }

private:
  unsigned *seed_;
  std::uint64_t s0_, s1_;

  std::uint64_t word(int i) const { return seed_[i] | static_cast<std::uint64_t>(seed_[i + 1]) << 32; }
  static std::uint64_t rotated(std::uint64_t x, int k) { return x << k | x >> (64 - k); }
};

} // namespace poprand
