// Non-linearities and their gradients.
#ifndef popnn_NonLinearity_hpp
#define popnn_NonLinearity_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/NonLinearityDef.hpp>

// Tensors are FLOAT or HALF, of any shape; the softmax kinds need one dimension at least. Errors: poputil::poplibs_error for other
// types and shapes and, in place, for constants and aliased elements.
namespace popnn {

/// By which SOFTMAX_SCALED multiplies.
#define SOFTMAX_SCALING (16000.0f)

/// Replaces x by f(x).
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                         const poplar::OptionFlags &options = {});
/// `nonLinearityScaling` is set to what the result is scaled by: SOFTMAX_SCALING or 1.
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t, float &nonLinearityScaling,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                         const poplar::OptionFlags &options = {});
/// Not for the softmax kinds, which need several compute sets.
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t, poplar::ComputeSet &cs,
                         const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

/// f(x) as a new tensor with the mapping of `t`.
poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t,
                            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});
poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t, float &nonLinearityScaling,
                            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});

/// The gradient of x from that of f(x). `act` is x for GELU, GELU_ERF and SWISH, and f(x) for all others.
poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType type, poplar::Tensor act,
                                         poplar::Tensor outGradient, poplar::program::Sequence &prog,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {});
/// Not for the softmax kinds.
poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType type, poplar::Tensor act,
                                         poplar::Tensor outGradient, poplar::ComputeSet &cs,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {});

#define POPNN_NON_LINEARITY(NAME, TYPE)                                                                                \
  inline void NAME##InPlace(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {}) {                                           \
    nonLinearityInPlace(graph, NonLinearityType::TYPE, t, prog, debugContext);                                         \
  }                                                                                                                    \
  inline poplar::Tensor NAME(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {}) {                                          \
    return nonLinearity(graph, NonLinearityType::TYPE, t, prog, debugContext);                                         \
  }                                                                                                                    \
  inline poplar::Tensor NAME##InputGradient(poplar::Graph &graph, poplar::Tensor act, poplar::Tensor outGradient,      \
                                            poplar::program::Sequence &prog,                                           \
                                            const poplar::DebugContext &debugContext = {}) {                           \
    return nonLinearityInputGradient(graph, NonLinearityType::TYPE, act, outGradient, prog, debugContext);             \
  }
POPNN_NON_LINEARITY(sigmoid, SIGMOID)
POPNN_NON_LINEARITY(hardSigmoid, HARD_SIGMOID)
POPNN_NON_LINEARITY(relu, RELU)
POPNN_NON_LINEARITY(tanh, TANH)
POPNN_NON_LINEARITY(gelu, GELU)
POPNN_NON_LINEARITY(geluErf, GELU_ERF)
POPNN_NON_LINEARITY(swish, SWISH)
POPNN_NON_LINEARITY(softmax, SOFTMAX)
POPNN_NON_LINEARITY(softmaxStable, SOFTMAX_STABLE)
POPNN_NON_LINEARITY(scaledSoftmaxStable, SOFTMAX_SCALED)
#undef POPNN_NON_LINEARITY

} // namespace popnn

#endif
