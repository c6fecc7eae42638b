#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "poprand/codelets/generator.hpp"
#include "poputil/shares.hpp"

using namespace poplar;

namespace poprand {

// The seeds of a tile's workers, four words each, from the master seed: equal for equal seed, modifier and tile.
class SetSeed : public Vertex {
public:
  Input<Vector<unsigned>> master;
  Output<Vector<unsigned>> seeds;
  const unsigned modifier;
  const unsigned id;

  bool compute() {
    std::uint64_t state = master[0] | static_cast<std::uint64_t>(master[1]) << 32;
    state = splitmix(state) ^ modifier;
    state = splitmix(state) ^ id;
    for (unsigned i = 0; i < seeds.size(); i += 2) {
      const std::uint64_t bits = splitmix(state);
      seeds[i] = static_cast<unsigned>(bits);
      seeds[i + 1] = static_cast<unsigned>(bits >> 32);
    }
    return true;
  }
};

// Seeds that are still zero get values of the replica and of `id`: replicas would else draw the same numbers.
class StartSeeds : public Vertex {
public:
  InOut<Vector<unsigned>> seeds;
  Input<unsigned> replica;
  const unsigned id;

  bool compute() {
    for (unsigned i = 0; i < seeds.size(); ++i)
      if (seeds[i] != 0)
        return true;
    std::uint64_t state = *replica + 1;
    state = splitmix(state) ^ id;
    for (unsigned i = 0; i < seeds.size(); ++i)
      seeds[i] = static_cast<unsigned>(splitmix(state));
    return true;
  }
};

// Each worker that has a seed fills a contiguous share of `out`.
template <typename T, typename Fill>
void fillShare(const Vector<T> &out, const Vector<unsigned> &seeds, unsigned id, unsigned worker, const Fill &fill) {
  const unsigned workers = seeds.size() / 4;
  if (worker >= workers)
    return;
  Generator random(seeds.data() + 4 * worker, id * workers + worker + 1);
  const poputil::Range range = poputil::rangeOf<T>(out.size(), worker, workers);
  for (unsigned i = range.begin; i < range.end; ++i)
    out[i] = fill(random, i);
}

template <typename T> class Uniform : public MultiVertex {
public:
  Output<Vector<T>> out;
  InOut<Vector<unsigned>> seeds;
  const unsigned id;
  const float lowest, highest;
  bool compute(unsigned worker) {
    const float scale = highest - lowest;
    fillShare(out, seeds, id, worker, [&](Generator &random, std::uint64_t) {
      const float value = lowest + random.unit() * scale;
      return static_cast<T>(value < highest ? value : highest);
    });
    return true;
  }
};

// `range` values from `lowest`; 0 stands for 2^32.
class UniformInt : public MultiVertex {
public:
  Output<Vector<int>> out;
  InOut<Vector<unsigned>> seeds;
  const unsigned id;
  const int lowest;
  const unsigned range;
  bool compute(unsigned worker) {
    const std::uint64_t count = range ? range : 1ull << 32;
    fillShare(out, seeds, id, worker, [&](Generator &random, std::uint64_t) {
      return static_cast<int>(static_cast<unsigned>(lowest) + static_cast<unsigned>(random.bits32() * count >> 32));
    });
    return true;
  }
};

template <typename T> class LogUniform : public MultiVertex {
public:
  Output<Vector<T>> out;
  InOut<Vector<unsigned>> seeds;
  const unsigned id;
  const float lowest, highest, logLowest, logHighest;
  bool compute(unsigned worker) {
    const float scale = logHighest - logLowest;
    fillShare(out, seeds, id, worker, [&](Generator &random, std::uint64_t) {
      const float value = __builtin_expf(logLowest + random.unit() * scale);
      return static_cast<T>(value < lowest ? lowest : value > highest ? highest : value);
    });
    return true;
  }
};

// `limit` is the probability in units of 2^-32, as 64 bits: 1 is all.
template <typename T> class Bernoulli : public MultiVertex {
public:
  Output<Vector<T>> out;
  InOut<Vector<unsigned>> seeds;
  const unsigned id;
  const unsigned long long limit;
  bool compute(unsigned worker) {
    fillShare(out, seeds, id, worker,
              [&](Generator &random, std::uint64_t) { return static_cast<T>(random.bits32() < limit ? 1 : 0); });
    return true;
  }
};

template <typename T> class Normal : public MultiVertex {
public:
  Output<Vector<T>> out;
  InOut<Vector<unsigned>> seeds;
  const unsigned id;
  const float mean, stdDev;
  bool compute(unsigned worker) {
    fillShare(out, seeds, id, worker,
              [&](Generator &random, std::uint64_t) { return static_cast<T>(mean + stdDev * random.normal()); });
    return true;
  }
};

// Draws until a number lies within the limits; after `iterations` tries, which practically never fail, it is the mean.
template <typename T> class TruncatedNormal : public MultiVertex {
public:
  Output<Vector<T>> out;
  InOut<Vector<unsigned>> seeds;
  const unsigned id;
  const float mean, stdDev, alpha;
  const unsigned iterations;
  bool compute(unsigned worker) {
    fillShare(out, seeds, id, worker,
              [&](Generator &random, std::uint64_t) { return static_cast<T>(mean + stdDev * draw(random)); });
    return true;
  }

private:
  float draw(Generator &random) const {
    for (unsigned i = 0; i < iterations; ++i) {
      const float value = random.normal();
      if (-alpha <= value && value <= alpha)
        return value;
    }
    return 0.0f;
  }
};

template <typename T> class Dropout : public MultiVertex {
public:
  Input<Vector<T>> in;
  Output<Vector<T>> out;
  InOut<Vector<unsigned>> seeds;
  const unsigned id;
  const unsigned long long limit;
  const float scale;
  bool compute(unsigned worker) {
    fillShare(out, seeds, id, worker, [&](Generator &random, std::uint64_t i) {
      return static_cast<T>(random.bits32() < limit ? static_cast<float>(in[i]) * scale : 0.0f);
    });
    return true;
  }
};

// Shaped dropout: the decisions were made before.
template <typename T> class Mask : public MultiVertex {
public:
  Input<Vector<T>> in;
  Input<Vector<T>> keep;
  Output<Vector<T>> out;
  const float scale;
  bool compute(unsigned worker) {
    const poputil::Range range = poputil::rangeOf<T>(out.size(), worker, numWorkers());
    for (unsigned i = range.begin; i < range.end; ++i)
      out[i] = static_cast<T>(static_cast<float>(keep[i]) != 0.0f ? static_cast<float>(in[i]) * scale : 0.0f);
    return true;
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class Uniform<T>;                                                                                           \
  template class Normal<T>;                                                                                            \
  template class TruncatedNormal<T>;                                                                                   \
  template class Dropout<T>;                                                                                           \
  template class Mask<T>;
INSTANTIATE(float)
INSTANTIATE(half)
template class LogUniform<float>;
template class LogUniform<half>;
template class LogUniform<int>;
template class Bernoulli<float>;
template class Bernoulli<half>;
template class Bernoulli<int>;

} // namespace poprand
