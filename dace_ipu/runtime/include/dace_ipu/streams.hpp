// The streams between the caller's arrays and a device program, collected while its graph is built.
#ifndef DACE_IPU_STREAMS_HPP
#define DACE_IPU_STREAMS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace dace_ipu {

/// One stream: which array it belongs to, and what it carries.
struct Stream {
  std::string handle;
  std::string array;
  bool toDevice;
  poplar::Type type;
  std::size_t typeSize; // bytes
  std::size_t count;    // of numbers of that type
  poplar::DataStream stream;
};

/// Adds copies between arrays and tensors to programs. An array has at most one stream each way.
class Streams {
public:
  explicit Streams(poplar::Graph &graph) : graph(graph) {}

  /// All of the array `array` into all of `tensor`. Poplar has no streams without elements: none, no copy.
  void copyIn(poplar::program::Sequence &sequence, const char *array, const poplar::Tensor &tensor);

  /// All of `tensor` into all of the array `array`.
  void copyOut(poplar::program::Sequence &sequence, const char *array, const poplar::Tensor &tensor);

  /// Says that these variables keep their content from one call to the next.
  void keep(std::vector<std::string> variables);

  const std::vector<Stream> &all() const { return streams; }
  const std::vector<std::string> &kept() const { return kept_; }

private:
  const Stream &get(const char *array, const poplar::Tensor &tensor, bool toDevice);

  poplar::Graph &graph;
  std::vector<Stream> streams;
  std::vector<std::string> kept_;
};

} // namespace dace_ipu

#endif // DACE_IPU_STREAMS_HPP
