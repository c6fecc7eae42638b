// The kinds of non-linearities.
#ifndef popnn_NonLinearityDef_hpp
#define popnn_NonLinearityDef_hpp

namespace popnn {

enum class NonLinearityType {
  SIGMOID,        ///< 1 / (1 + exp(-x))
  HARD_SIGMOID,   ///< x / 5 + 1 / 2 between 0 and 1
  RELU,           ///< max(x, 0)
  TANH,
  GELU,           ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
  GELU_ERF,       ///< x / 2 * (1 + erf(x / sqrt(2)))
  SWISH,          ///< x * sigmoid(x)
  SOFTMAX,        ///< exp(x) over its sum, over the innermost dimension
  SOFTMAX_STABLE, ///< the same with the largest element subtracted first
  SOFTMAX_SCALED  ///< SOFTMAX_STABLE times SOFTMAX_SCALING
};

} // namespace popnn

#endif
