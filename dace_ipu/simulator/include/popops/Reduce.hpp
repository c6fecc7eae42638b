// Reductions over dimensions of a tensor.
#ifndef popops_Reduce_hpp
#define popops_Reduce_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace popops {

/// The operation, whether the result is added to what the output holds (ADD, SQUARE_ADD and LOG_ADD only), and a FLOAT
/// scalar that the result is multiplied by (not for LOG_ADD).
struct ReduceParams {
  ReduceParams() = default;
  ReduceParams(popops::Operation op, bool update = false) : op(op), update(update) {}
  ReduceParams(popops::Operation op, bool update, poplar::Tensor scale)
      : op(op), update(update), useScale(true), scale(std::move(scale)) {}
  ReduceParams(popops::Operation op, float constantScale, bool update = false) = delete;

  popops::Operation op = popops::Operation::ADD;
  bool update = false;
  bool useScale = false;
  poplar::Tensor scale;
};

// All functions below remove the dimensions `dims` of `in`: the other ones, in order, are the shape of the result. A
// reduction of nothing gives the neutral value of the operation. Sums and products of HALF are computed in FLOAT and
// rounded at the end.
//
// Every tile reduces what it holds; if the parts of one result come from many tiles, groups of about the square root of
// their number are reduced on tiles that hold such parts; then the tiles that hold the result finish. The forms with
// compute sets use the elements of `css` for these stages in order, and append what is missing: several reductions with
// one list run at the same time. The caller executes them in order.
//
// Types: equal, or HALF and FLOAT in any combination; FLOAT, HALF, INT, UNSIGNED_INT, LONGLONG and UNSIGNED_LONGLONG,
// and BOOL for the logical operations. Options accumType.interTile and accumType.inVertex are accepted and change
// nothing. poputil::poplibs_error with the debug name, types and shapes says what is wrong.

poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                      const std::vector<std::size_t> &dims, ReduceParams params, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const std::vector<std::size_t> &dims,
                      ReduceParams params, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                      const std::vector<std::size_t> &dims, ReduceParams params, std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const std::vector<std::size_t> &dims,
                      ReduceParams params, std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

/// Into `out`, which is mapped linearly if it has no mapping.
void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params, std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

/// One of several reductions. The type of the result is `outType`, else that of `in`.
struct SingleReduceOp {
  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims, ReduceParams params, poplar::Type outType,
                 std::string debugName = "")
      : in(std::move(in)), dims(std::move(dims)), params(std::move(params)), useOutType(true), outType(outType),
        debugName(std::move(debugName)) {}
  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims, ReduceParams params, std::string debugName = "")
      : in(std::move(in)), dims(std::move(dims)), params(std::move(params)), useOutType(false), outType(poplar::BOOL),
        debugName(std::move(debugName)) {}

  poplar::Tensor in;
  std::vector<std::size_t> dims;
  ReduceParams params;
  bool useOutType;
  poplar::Type outType;
  std::string debugName;
};

/// Reductions at the same time. `outputs` is empty, and then filled, or has a tensor for each.
void reduceMany(poplar::Graph &graph, const std::vector<SingleReduceOp> &reductions,
                std::vector<poplar::Tensor> &outputs, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});

} // namespace popops

#endif
