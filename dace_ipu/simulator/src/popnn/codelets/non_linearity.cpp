#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include "poputil/shares.hpp"

#include <cmath>

using namespace poplar;

namespace popnn {

namespace {

// The order of popnn/NonLinearityDef.hpp.
enum Kind : unsigned { sigmoid, hardSigmoid, relu, tanh, gelu, geluErf, swish };

constexpr float sqrt2OverPi = 0.7978845608f, cubic = 0.044715f;
constexpr float sqrtHalf = 0.7071067812f, oneOverSqrt2Pi = 0.3989422804f;

float sigmoidOf(float x) { return 1 / (1 + std::exp(-x)); }
float clamped(float x) { return x < 0 ? 0.f : x > 1 ? 1.f : x; }

float valueOf(unsigned kind, float x) {
  switch (kind) {
  case sigmoid:
    return sigmoidOf(x);
  case hardSigmoid:
    return clamped(0.2f * x + 0.5f);
  case relu:
    return x < 0 ? 0.f : x; // a NaN stays
  case tanh:
    return std::tanh(x);
  case gelu:
    return 0.5f * x * (1 + std::tanh(sqrt2OverPi * (x + cubic * x * x * x)));
  case geluErf:
    return 0.5f * x * (1 + std::erf(x * sqrtHalf));
  default:
    return x * sigmoidOf(x);
  }
}

float geluSlope(float x) {
  const float t = std::tanh(sqrt2OverPi * (x + cubic * x * x * x));
  return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * sqrt2OverPi * (1 + 3 * cubic * x * x);
}

// The derivative, from the value for the first four kinds and from x for the others.
float slopeOf(unsigned kind, float a) {
  switch (kind) {
  case sigmoid:
    return a * (1 - a);
  case hardSigmoid:
    return a > 0 && a < 1 ? 0.2f : 0.f;
  case relu:
    return a > 0 ? 1.f : 0.f;
  case tanh:
    return 1 - a * a;
  case gelu:
    return geluSlope(a);
  case geluErf:
    return 0.5f * (1 + std::erf(a * sqrtHalf)) + a * oneOverSqrt2Pi * std::exp(-0.5f * a * a);
  default: {
    const float s = sigmoidOf(a);
    return s + a * s * (1 - s);
  }
  }
}

} // namespace

/// Replaces every element by its non-linearity. Every row is shared out to the workers.
template <typename T> class NonLinearityInPlace : public MultiVertex {
public:
  Vector<InOut<Vector<T, VectorLayout::SPAN, 4>>> data;
  const unsigned kind;

  bool compute(unsigned worker) {
    for (auto &row : data) {
      const poputil::Range range = poputil::rangeOf<T>(row.size(), worker, numWorkers());
      for (unsigned i = range.begin; i < range.end; ++i)
        row[i] = static_cast<T>(valueOf(kind, static_cast<float>(row[i])));
    }
    return true;
  }
};

/// out = f(in).
template <typename T> class NonLinearity : public MultiVertex {
public:
  Vector<Input<Vector<T, VectorLayout::SPAN, 4>>> data;
  Vector<Output<Vector<T, VectorLayout::ONE_PTR, 4>>> out;
  const unsigned kind;

  bool compute(unsigned worker) {
    for (unsigned r = 0; r < data.size(); ++r) {
      const poputil::Range range = poputil::rangeOf<T>(data[r].size(), worker, numWorkers());
      for (unsigned i = range.begin; i < range.end; ++i)
        out[r][i] = static_cast<T>(valueOf(kind, static_cast<float>(data[r][i])));
    }
    return true;
  }
};

/// inGrad = outGrad * f'.
template <typename T> class NonLinearityGrad : public MultiVertex {
public:
  Vector<Input<Vector<T, VectorLayout::SPAN, 4>>> data;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR, 4>>> outGrad;
  Vector<Output<Vector<T, VectorLayout::ONE_PTR, 4>>> inGrad;
  const unsigned kind;

  bool compute(unsigned worker) {
    for (unsigned r = 0; r < data.size(); ++r) {
      const poputil::Range range = poputil::rangeOf<T>(data[r].size(), worker, numWorkers());
      for (unsigned i = range.begin; i < range.end; ++i)
        inGrad[r][i] =
            static_cast<T>(static_cast<float>(outGrad[r][i]) * slopeOf(kind, static_cast<float>(data[r][i])));
    }
    return true;
  }
};

#define INSTANTIATE(T)                                                                                                 \
  template class NonLinearityInPlace<T>;                                                                               \
  template class NonLinearity<T>;                                                                                      \
  template class NonLinearityGrad<T>;
INSTANTIATE(float)
INSTANTIATE(half)

} // namespace popnn
