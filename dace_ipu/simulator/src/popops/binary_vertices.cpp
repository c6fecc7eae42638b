// Vertices of an operation on two operands, of which one may be repeated: read where it is by every element, not spread
// out. Which vertices there are for what, and when they are taken: PopLibs, ElementWise.cpp.
#include "broadcast.hpp"
#include "element_vertices.hpp"

#include <popops/ExprOp.hpp>
#include <poputil/VertexTemplates.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;
using expr::BinaryOpType;

namespace {

bool isScaling(BinaryOpType op) {
  return op == BinaryOpType::ADD || op == BinaryOpType::SUBTRACT || op == BinaryOpType::MULTIPLY;
}

bool isCommutative(BinaryOpType op) { return op == BinaryOpType::ADD || op == BinaryOpType::MULTIPLY; }

bool hasVertex(const Reading &reading, BinaryOpType op, const Type &type, std::size_t vectorWidth) {
  if (type != FLOAT && type != HALF)
    return false;
  if (reading.kind == Reading::Rows)
    return isScaling(op);
  if (reading.kind != Reading::Blocks)
    return false;
  return op == BinaryOpType::DIVIDE || (isScaling(op) && type == HALF && reading.of.size() % vectorWidth == 0);
}

class BinaryVertices {
public:
  BinaryVertices(Graph &graph, ComputeSet cs, BinaryOpType op, const std::string &general, const Operands &operands,
                 const Operands &full, const Tensor &out, const FieldValues &values)
      : graph_(graph), cs_(cs), op_(op), general_(general), out_(out.flatten()), values_(values) {
    for (std::size_t i = 0; i < 2; ++i) {
      flat_.push_back(full[i].flatten());
      repeated_.push_back(full[i].numElements() == 1 ? RepeatedVector()
                                                     : repeatedVector(graph, operands[i], out.shape()));
    }
  }

  void add() {
    const Graph::TileToTensorMapping mapping = graph_.getTileMapping(out_);
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      if (!mapping[tile].empty())
        addOnTile(graph_.getSortedContiguousRegions(out_, mapping[tile]), tile);
  }

private:
  Graph &graph_;
  const ComputeSet cs_;
  const BinaryOpType op_;
  const std::string general_;
  const Tensor out_;
  const FieldValues &values_;
  Operands flat_;
  std::vector<RepeatedVector> repeated_;

  void addOnTile(const Regions &regions, unsigned tile) {
    std::vector<TileOperand> operands;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::vector<Reading> readings = readingsOf(i, regions);
      if ((i == 1 || isCommutative(op_)) && addVectorVertices(i, readings, regions, tile))
        return;
      operands.push_back(operandOf(i, readings, regions));
    }
    addVertexOnTile(graph_, cs_, general_, operands, out_, regions, tile, values_, {});
  }

  std::vector<Reading> readingsOf(std::size_t i, const Regions &regions) const {
    std::vector<Reading> readings;
    if (repeated_[i].base.valid())
      for (const std::vector<Interval> &region : regions)
        readings.push_back(readingOf(repeated_[i], region));
    return readings;
  }

  TileOperand operandOf(std::size_t i, const std::vector<Reading> &readings, const Regions &regions) const {
    const bool isOne =
        std::all_of(readings.begin(), readings.end(), [](const Reading &r) { return r.kind == Reading::One; });
    if (readings.empty() || !isOne)
      return {flat_[i].numElements() == 1 ? std::vector<Tensor>{flat_[i]} : rowsOf(flat_[i], regions),
              flat_[i].numElements() != 1};
    std::vector<Tensor> rows;
    for (const Reading &reading : readings)
      rows.push_back(repeated_[i].base.slice(reading.of));
    return {rows, false};
  }

  // A vertex for each region if there are such for all of them.
  bool addVectorVertices(std::size_t i, const std::vector<Reading> &readings, const Regions &regions, unsigned tile) {
    const Type type = out_.elementType();
    const unsigned width = graph_.getTarget().getVectorWidth(type);
    const bool hasAll =
        std::all_of(readings.begin(), readings.end(), [&](const Reading &r) { return hasVertex(r, op_, type, width); });
    if (readings.empty() || !hasAll || flat_[1 - i].numElements() == 1 || repeated_[1 - i].base.valid())
      return false;
    for (std::size_t r = 0; r < regions.size(); ++r)
      addVectorVertex(i, readings[r], regions[r], tile);
    return true;
  }

  void addVectorVertex(std::size_t i, const Reading &reading, const std::vector<Interval> &region, unsigned tile) {
    const bool isRows = reading.kind == Reading::Rows;
    const VertexRef v = graph_.addVertex(
        cs_, poputil::templateVertex(isRows ? "popops::BroadcastRows" : "popops::BroadcastBlocks", out_.elementType()));
    graph_.connect(v["data"], concat(flat_[1 - i].slices(region)));
    graph_.connect(v["vector"], repeated_[i].base.slice(reading.of));
    graph_.connect(v["out"], concat(out_.slices(region)));
    graph_.setInitialValue(v["op"], static_cast<unsigned>(op_));
    if (isRows)
      graph_.setInitialValue(v["columns"], reading.repeat);
    graph_.setTileMapping(v, tile);
  }
};

} // namespace

void addBinaryVertices(Graph &graph, ComputeSet cs, BinaryOpType op, const std::string &general,
                       const Operands &operands, const Operands &full, const Tensor &out, const FieldValues &values) {
  BinaryVertices(graph, cs, op, general, operands, full, out, values).add();
}

} // namespace popops
