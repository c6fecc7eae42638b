#include <poplin/Cholesky.hpp>

#include "triangular.hpp"

#include <popops/Fill.hpp>
#include <poplin/MatMul.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>

namespace poplin {

using namespace poplar;
using namespace poplar::program;

namespace {

Tensor transposed(const Tensor &t) { return t.dimShuffle({0, 2, 1}); }

// The lower factor of work [batch, n, n], which it overwrites, into out, whose other triangle is zero.
class Factorisation {
public:
  Factorisation(Graph &graph, const Tensor &work, const Tensor &out, const OptionFlags &options, PlanningCache *cache,
                Sequence &prog, const DebugContext &dc)
      : graph_(graph), work_(work), out_(out), options_(options), cache_(cache), prog_(prog), dc_(dc) {}

  // A block of columns, then what is right of it.
  void step(std::size_t begin, std::size_t end) {
    const std::size_t n = work_.dim(1);
    const Tensor diagonal = internal::createBlocks(graph_, work_.elementType(), work_.dim(0), end - begin, {dc_, "diagonal"});
    prog_.add(Copy(part(work_, begin, end, begin, end), diagonal, false, {dc_, "diagonal"}));
    internal::factorBlocks(graph_, diagonal, prog_, dc_);
    prog_.add(Copy(diagonal, part(out_, begin, end, begin, end), false, {dc_, "diagonal"}));
    if (end == n)
      return;
    const Tensor inverse = internal::invertBlocks(graph_, diagonal, false, prog_, dc_);
    const Tensor below = matMulGrouped(graph_, part(work_, end, n, begin, end), transposed(inverse), prog_,
                                       work_.elementType(), {dc_, "below"}, options_, cache_);
    prog_.add(Copy(below, part(out_, end, n, begin, end), false, {dc_, "below"}));
    matMulGroupedAcc(graph_, part(work_, end, n, end, n), -1.0f, below, transposed(below), prog_, {dc_, "update"},
                     options_, cache_);
  }

private:
  static Tensor part(const Tensor &t, std::size_t top, std::size_t bottom, std::size_t left, std::size_t right) {
    return t.slice(top, bottom, 1).slice(left, right, 2);
  }

  Graph &graph_;
  const Tensor work_, out_;
  const OptionFlags options_;
  PlanningCache *cache_;
  Sequence &prog_;
  const DebugContext dc_;
};

} // namespace

Tensor createCholeskyInput(Graph &graph, const Type &type, const std::vector<std::size_t> &shape, bool,
                           const DebugContext &dc, const OptionFlags &, PlanningCache *) {
  const Tensor t = graph.addVariable(type, shape, dc);
  poputil::mapTensorLinearly(graph, t);
  internal::asSquares("createCholeskyInput", dc, t);
  return t;
}

Tensor cholesky(Graph &graph, const Tensor &a, bool lower, Sequence &prog, const DebugContext &dc, OptionFlags options,
                PlanningCache *cache) {
  const std::size_t blockSize = internal::takeBlockSize(options);
  const Tensor squares = internal::asSquares("cholesky", dc, a);
  const Tensor in = lower ? squares : transposed(squares);
  const std::size_t n = in.dim(1);
  const Tensor work = graph.addVariable(a.elementType(), in.shape(), {dc, "work"});
  const Tensor out = graph.addVariable(a.elementType(), in.shape(), {dc, "factor"});
  poputil::mapTensorLinearly(graph, work);
  poputil::mapTensorLinearly(graph, out);
  prog.add(Copy(in, work, false, {dc, "work"}));
  popops::fill(graph, out, prog, 0, {dc, "zero"});
  Factorisation factorisation(graph, work, out, options, cache, prog, dc);
  for (std::size_t begin = 0; begin < n; begin += blockSize)
    factorisation.step(begin, std::min(n, begin + blockSize));
  return (lower ? out : transposed(out)).reshape(a.shape());
}

void choleskyInPlace(Graph &graph, const Tensor &a, bool lower, Sequence &prog, const DebugContext &dc,
                     OptionFlags options, PlanningCache *cache) {
  prog.add(Copy(cholesky(graph, a, lower, prog, dc, options, cache), a, false, {dc, "inPlace"}));
}

} // namespace poplin
