// Non-linearities as text.
#ifndef popnn_NonLinearityDefUtil_hpp
#define popnn_NonLinearityDefUtil_hpp

#include <popnn/NonLinearityDef.hpp>
#include <poputil/exceptions.hpp>

#include <istream>
#include <ostream>
#include <string>

namespace popnn {

inline const char *asString(const NonLinearityType &type) {
  switch (type) {
  case NonLinearityType::RELU:
    return "relu";
  case NonLinearityType::SIGMOID:
    return "sigmoid";
  case NonLinearityType::HARD_SIGMOID:
    return "hard sigmoid";
  case NonLinearityType::TANH:
    return "tanh";
  case NonLinearityType::GELU:
    return "gelu";
  case NonLinearityType::GELU_ERF:
    return "gelu_erf";
  case NonLinearityType::SWISH:
    return "swish";
  case NonLinearityType::SOFTMAX:
    return "softmax";
  case NonLinearityType::SOFTMAX_STABLE:
    return "softmax (stable)";
  default:
    return "softmax (scaled, stable)";
  }
}

inline std::ostream &operator<<(std::ostream &os, const NonLinearityType &type) { return os << asString(type); }

/// relu, sigmoid, hard_sigmoid, tanh, gelu, gelu_erf, swish, softmax, softmax_stable or softmax_scaled. Throws
/// poputil::poplibs_error for any other word.
inline std::istream &operator>>(std::istream &in, NonLinearityType &type) {
  static const char *const names[] = {"relu",     "sigmoid", "hard_sigmoid", "tanh",           "gelu",
                                      "gelu_erf", "swish",   "softmax",      "softmax_stable", "softmax_scaled"};
  static const NonLinearityType types[] = {
      NonLinearityType::RELU,  NonLinearityType::SIGMOID,  NonLinearityType::HARD_SIGMOID, NonLinearityType::TANH,
      NonLinearityType::GELU,  NonLinearityType::GELU_ERF, NonLinearityType::SWISH,        NonLinearityType::SOFTMAX,
      NonLinearityType::SOFTMAX_STABLE, NonLinearityType::SOFTMAX_SCALED};
  std::string word;
  in >> word;
  for (unsigned i = 0; i < sizeof(types) / sizeof(*types); ++i)
    if (word == names[i]) {
      type = types[i];
      return in;
    }
  throw poputil::poplibs_error("there is no non-linearity '" + word + "'");
}

} // namespace popnn

#endif
