#include "structure.hpp"

#include "../poputil/library_codelets.hpp"

#include <poplar/exceptions.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <ostream>
#include <tuple>

namespace popsparse {

using namespace poplar;

namespace {

// Not PopLibs' assembly vertices: a load, a multiply-accumulate of a vector and the loop for every value, 8 slots a
// block.
VertexPerfEstimate estimate(const VertexIntrospector &v, const Target &) {
  constexpr std::uint64_t workers = 6;
  const std::uint64_t width = v.vertexType().find("<half>") != std::string::npos ? 4 : 2;
  const std::uint64_t values = v.getFieldInfo("values").size(), blocks = v.getFieldInfo("cols").size();
  const FieldData out = v.getFieldInfo("out");
  const std::uint64_t vectors = (out.getSizeAtIndex(0) + width - 1) / width;
  return 11 + workers * (30 + (3 * values * vectors + 8 * blocks + workers - 1) / workers);
}

} // namespace

void addCodelets(Graph &graph) {
  poputil::internal::addLibraryCodelets(graph, "popsparse", {{"popsparse::SparseDense", estimate}});
}

namespace static_ {

namespace {

auto key(const MatMulParams &p) { return std::tuple(p.getNumGroups(), p.getM(), p.getK(), p.getN(), p.isTransposed()); }

std::string named(const char *function, const DebugContext &debugContext) {
  return std::string("popsparse::static_::") + function + " '" + debugContext.getPathName() + "'";
}

[[noreturn]] void fail(const std::string &what, const std::string &why) {
  throw poputil::poplibs_error(what + ": " + why);
}

void checkOptions(const OptionFlags &options) {
  for (const auto &[option, value] : options)
    if (option != "availableMemoryProportion" && option != "partialsType" && option != "verbose")
      throw invalid_option("popsparse: unknown option '" + option + "' with value '" + value + "'");
}

void checkType(const std::string &what, const Type &type) {
  if (type != FLOAT && type != HALF)
    fail(what, "matrices are float or half, not " + type.toString());
}

template <typename T>
SparseTensor createSparse(const char *function, bool fromRight, Graph &graph, const Type &type,
                          const MatMulParams &params, const CSRMatrix<T> &matrix, const DebugContext &debugContext,
                          const OptionFlags &options) {
  const std::string what = named(function, debugContext);
  checkOptions(options);
  checkType(what, type);
  if (params.isTransposed() != fromRight)
    fail(what, "the parameters are for the product from the other side");
  const Ordered ordered = orderOf(what, matrix, params);
  const Tensor values = graph.addVariable(type, {matrix.nzValues.size()}, {debugContext, "nzValues"});
  const unsigned grain = static_cast<unsigned>(ordered.structure->blockSize());
  poputil::mapTensorLinearly(graph, values, grain, grain);
  return SparseTensor(values, ordered.structure);
}

Tensor createDense(Graph &graph, const Type &type, std::size_t rows, std::size_t cols, const DebugContext &debugContext,
                   const OptionFlags &options) {
  checkOptions(options);
  const Tensor t = graph.addVariable(type, {1, rows, cols}, {debugContext, "dense"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

// Block rows [begin, end) of the product, and their blocks.
struct Rows {
  std::size_t begin, end, firstBlock, endBlock;
};

// About equally many blocks in each part, and at least one row.
std::vector<Rows> shareOut(const std::vector<std::size_t> &starts, std::size_t parts) {
  const std::size_t rows = starts.size() - 1, blocks = starts.back();
  std::vector<Rows> result;
  for (std::size_t begin = 0; begin < rows;) {
    const std::size_t target = blocks * (result.size() + 1) / parts;
    std::size_t end = begin + 1;
    while (end < rows && (result.size() + 1 == parts || starts[end + 1] <= target))
      ++end;
    result.push_back({begin, end, starts[begin], starts[end]});
    begin = end;
  }
  return result;
}

// One product as sparse * dense; for a product from the right everything is seen transposed.
class Product {
public:
  Product(Graph &graph, const Structure &s, const Tensor &values, const Tensor &dense, const Tensor &out)
      : graph_(graph), s_(s), values_(values), dense_(dense), out_(out) {
    starts_.resize((s.byColumn ? s.numColumns / s.block[1] : s.numRows / s.block[0]) + 1);
    for (const Place &place : s.places)
      ++starts_[lineOf(place) + 1];
    for (std::size_t i = 1; i < starts_.size(); ++i)
      starts_[i] += starts_[i - 1];
  }

  void addTo(ComputeSet cs) {
    const std::size_t tiles = graph_.getTarget().getNumTiles(), n = dense_.dim(1);
    const std::vector<Rows> shares = shareOut(starts_, std::min(tiles, starts_.size() - 1));
    const std::size_t most = std::max<std::size_t>(1, tiles / std::max<std::size_t>(1, shares.size()));
    const std::size_t parts = std::max<std::size_t>(1, std::min(most, n / 16));
    unsigned tile = 0;
    for (const Rows &rows : shares)
      for (std::size_t part = 0; part < parts; ++part)
        addVertex(cs, rows, {n * part / parts, n * (part + 1) / parts}, tile++);
  }

private:
  Graph &graph_;
  const Structure &s_;
  const Tensor values_, dense_, out_;
  std::vector<std::size_t> starts_; // of block rows, in blocks

  std::size_t lineOf(const Place &p) const { return s_.byColumn ? p.col : p.row; }
  std::size_t acrossOf(const Place &p) const { return s_.byColumn ? p.row : p.col; }
  std::size_t blockRows() const { return s_.byColumn ? s_.block[1] : s_.block[0]; }
  std::size_t blockCols() const { return s_.byColumn ? s_.block[0] : s_.block[1]; }

  void addVertex(ComputeSet cs, const Rows &rows, const Interval &cols, unsigned tile) {
    std::vector<std::size_t> needed; // block rows of the dense matrix, each once
    for (std::size_t b = rows.firstBlock; b < rows.endBlock; ++b)
      needed.push_back(acrossOf(s_.places[b]));
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    std::vector<Tensor> dense;
    for (std::size_t block : needed)
      for (std::size_t i = 0; i < blockCols(); ++i)
        dense.push_back(dense_[block * blockCols() + i].slice(cols));
    std::vector<unsigned> places, starts;
    for (std::size_t b = rows.firstBlock; b < rows.endBlock; ++b)
      places.push_back(static_cast<unsigned>(std::lower_bound(needed.begin(), needed.end(), acrossOf(s_.places[b])) -
                                             needed.begin()));
    for (std::size_t row = rows.begin; row <= rows.end; ++row)
      starts.push_back(static_cast<unsigned>(starts_[row] - rows.firstBlock));
    const Tensor out = out_.slice(rows.begin * blockRows(), rows.end * blockRows()).slice(cols, 1);
    graph_.setTileMapping(out, tile);
    const VertexRef v = graph_.addVertex(cs, poputil::templateVertex("popsparse::SparseDense", values_.elementType()));
    graph_.connect(v["values"], values_.slice(rows.firstBlock * s_.blockSize(), rows.endBlock * s_.blockSize()));
    graph_.connect(v["dense"], dense);
    graph_.connect(v["out"], out);
    graph_.setInitialValue(v["starts"], starts);
    graph_.setInitialValue(v["cols"], places);
    graph_.setInitialValue(v["blockRows"], blockRows());
    graph_.setInitialValue(v["blockCols"], blockCols());
    graph_.setInitialValue(v["rowStride"], s_.byColumn ? 1 : s_.block[1]);
    graph_.setInitialValue(v["colStride"], s_.byColumn ? s_.block[1] : 1);
    graph_.setTileMapping(v, tile);
  }
};

const Structure &structureOf(const std::string &what, const SparseTensor &sparse, bool fromRight, bool transposed) {
  if (transposed)
    fail(what, "transposing the sparse matrix is not supported yet");
  if (!sparse.getOpMetaData() || sparse.getOpMetaData()->byColumn != fromRight)
    fail(what, "the sparse matrix was not made for this product");
  return *sparse.getOpMetaData();
}

// dense {k, n} and the result {m, n}, both perhaps seen transposed.
Tensor multiply(const std::string &what, Graph &graph, const Structure &s, const SparseTensor &sparse,
                const Tensor &dense, program::Sequence &prog, const DebugContext &debugContext) {
  const std::size_t m = s.byColumn ? s.numColumns : s.numRows, k = s.byColumn ? s.numRows : s.numColumns;
  const Tensor &values = sparse.getNzValuesTensor();
  if (values.rank() != 1 || values.numElements() != s.places.size() * s.blockSize())
    fail(what, "the values " + values.shapeToString() + " are not those of the sparse matrix");
  if (dense.dim(0) != k || dense.elementType() != values.elementType())
    fail(what, "the sparse matrix is " + values.elementType().toString() + " with " + std::to_string(k) +
                   " to multiply, the dense one " + dense.elementType().toString() + " with " +
                   std::to_string(dense.dim(0)));
  const Tensor out = graph.addVariable(values.elementType(), {m, dense.dim(1)}, {debugContext, "product"});
  if (out.numElements() == 0)
    return out;
  const ComputeSet cs = graph.addComputeSet({debugContext, "sparseDense"});
  Product(graph, s, values, dense, out).addTo(cs);
  prog.add(program::Execute(cs, debugContext));
  return out;
}

Tensor onlyGroup(const std::string &what, const Tensor &dense) {
  if (dense.rank() != 3 || dense.dim(0) != 1)
    fail(what, "the dense matrix must have shape {1, rows, columns}, not " + dense.shapeToString());
  return dense[0];
}

} // namespace

bool operator<(const MatMulParams &a, const MatMulParams &b) { return key(a) < key(b); }
bool operator==(const MatMulParams &a, const MatMulParams &b) { return key(a) == key(b); }

std::ostream &operator<<(std::ostream &os, const MatMulParams &p) {
  return os << "{groups=" << p.getNumGroups() << ", m=" << p.getM() << ", k=" << p.getK() << ", n=" << p.getN()
            << (p.isTransposed() ? ", dense*sparse}" : ", sparse*dense}");
}

template <typename T>
SparseTensor createSparseDenseMatMulLHS(Graph &graph, const Type &inputType, const MatMulParams &params,
                                        const CSRMatrix<T> &csrLHS, const DebugContext &debugContext,
                                        const OptionFlags &options, PlanningCache *) {
  return createSparse("createSparseDenseMatMulLHS", false, graph, inputType, params, csrLHS, debugContext, options);
}

template <typename T>
SparseTensor createDenseSparseMatMulRHS(Graph &graph, const Type &inputType, const MatMulParams &params,
                                        const CSRMatrix<T> &csrRHS, const DebugContext &debugContext,
                                        const OptionFlags &options, PlanningCache *) {
  return createSparse("createDenseSparseMatMulRHS", true, graph, inputType, params, csrRHS, debugContext, options);
}

template <typename T>
Tensor createSparseDenseMatMulRHS(Graph &graph, const Type &inputType, const MatMulParams &params, const CSRMatrix<T> &,
                                  const DebugContext &debugContext, const OptionFlags options, PlanningCache *) {
  return createDense(graph, inputType, params.getK(), params.getN(), debugContext, options);
}

template <typename T>
Tensor createDenseSparseMatMulLHS(Graph &graph, const Type &inputType, const MatMulParams &params, const CSRMatrix<T> &,
                                  const DebugContext &debugContext, const OptionFlags options, PlanningCache *) {
  return createDense(graph, inputType, params.getN(), params.getK(), debugContext, options);
}

#define INSTANTIATE(T)                                                                                                 \
  template SparseTensor createSparseDenseMatMulLHS(Graph &, const Type &, const MatMulParams &, const CSRMatrix<T> &,  \
                                                   const DebugContext &, const OptionFlags &, PlanningCache *);        \
  template SparseTensor createDenseSparseMatMulRHS(Graph &, const Type &, const MatMulParams &, const CSRMatrix<T> &,  \
                                                   const DebugContext &, const OptionFlags &, PlanningCache *);        \
  template Tensor createSparseDenseMatMulRHS(Graph &, const Type &, const MatMulParams &, const CSRMatrix<T> &,        \
                                             const DebugContext &, const OptionFlags, PlanningCache *);                \
  template Tensor createDenseSparseMatMulLHS(Graph &, const Type &, const MatMulParams &, const CSRMatrix<T> &,        \
                                             const DebugContext &, const OptionFlags, PlanningCache *);
INSTANTIATE(float)
INSTANTIATE(double)

Tensor sparseDenseMatMul(Graph &graph, const SparseTensor &lhs, const Tensor &rhs, program::Sequence &prog,
                         bool transposeLHS, bool transposeRHS, const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const std::string what = named("sparseDenseMatMul", debugContext);
  checkOptions(options);
  const Structure &s = structureOf(what, lhs, false, transposeLHS);
  const Tensor dense = onlyGroup(what, rhs);
  return multiply(what, graph, s, lhs, transposeRHS ? dense.transpose() : dense, prog, debugContext).expand({0});
}

Tensor denseSparseMatMul(Graph &graph, const Tensor &lhs, const SparseTensor &rhs, program::Sequence &prog,
                         bool transposeLHS, bool transposeRHS, const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const std::string what = named("denseSparseMatMul", debugContext);
  checkOptions(options);
  const Structure &s = structureOf(what, rhs, true, transposeRHS);
  const Tensor dense = onlyGroup(what, lhs);
  return multiply(what, graph, s, rhs, transposeLHS ? dense : dense.transpose(), prog, debugContext)
      .transpose()
      .expand({0});
}

} // namespace static_
} // namespace popsparse
