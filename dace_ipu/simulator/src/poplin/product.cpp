#include "product.hpp"

#include <poputil/VertexTemplates.hpp>

#include <map>

namespace poplin::internal {

using namespace poplar;
using namespace poplar::program;

namespace {

// An operand as the plan stores it.
struct Stored {
  Blocking blocking;
  Type type;
  bool transposed; // the tensor of the caller is the stored one with rows and columns exchanged
  std::function<std::vector<unsigned>(const BlockIndex &)> holders;

  Tensor view(const Tensor &t) const { return transposed ? t.dimShuffle({0, 2, 1}) : t; }
};

Stored left(const Plan &plan) {
  return {plan.left(), plan.input, plan.swapped, [&plan](const BlockIndex &i) {
            std::vector<unsigned> tiles;
            for (std::size_t c = 0; c < plan.columnTiles(); ++c)
              tiles.push_back(plan.tile(i.group, i.row, c * plan.serial, i.column));
            return tiles;
          }};
}

Stored right(const Plan &plan) {
  const bool dots = plan.method == Method::DotProducts;
  return {plan.right(), plan.input, plan.swapped != dots, [&plan, dots](const BlockIndex &i) {
            std::vector<unsigned> tiles;
            for (std::size_t r = 0; r < plan.rows.count(); ++r)
              tiles.push_back(plan.tile(i.group, r, dots ? i.row : i.column, dots ? i.column : i.row));
            return tiles;
          }};
}

Stored result(const Plan &plan) {
  return {plan.result(), plan.output, plan.swapped, [&plan](const BlockIndex &i) {
            std::vector<unsigned> tiles;
            for (std::size_t d = 0; d < plan.depth.count(); ++d)
              tiles.push_back(plan.tile(i.group, i.row, i.column, d));
            return tiles;
          }};
}

Tensor create(Graph &graph, const Stored &stored, const DebugContext &debugContext) {
  return stored.view(stored.blocking.create(graph, stored.type, stored.holders, debugContext));
}

Tensor arrange(Graph &graph, const Stored &stored, const Tensor &t, Sequence &prog, const DebugContext &debugContext) {
  if (stored.blocking.isStoredIn(stored.view(t)))
    return t;
  const Tensor arranged = create(graph, stored, debugContext);
  prog.add(Copy(t, arranged, false, debugContext));
  return arranged;
}

std::vector<Tensor> blocksOf(const Stored &stored, const Tensor &t) {
  const Tensor view = stored.view(t);
  std::vector<Tensor> blocks;
  stored.blocking.forEach([&](const BlockIndex &i) { blocks.push_back(stored.blocking.block(view, i)); });
  return blocks;
}

// The compute sets of one product, whose operands are as the plan stores them.
class Builder {
public:
  Builder(Graph &graph, const Plan &plan, const Tensor &a, const Tensor &b, const Tensor &c, Sequence &prog,
          const DebugContext &debugContext)
      : graph_(graph), plan_(plan), prog_(prog), dc_(debugContext),
        left_(blocksOf(left(plan), plan.swapped ? b : a)), right_(blocksOf(right(plan), plan.swapped ? a : b)),
        result_(blocksOf(result(plan), c)) {}

  void multiply() {
    if (plan_.needsReduction())
      createPartials();
    broadcastLeft();
    for (std::size_t step = 0; step < plan_.serial; ++step) {
      convolve(step);
      if (plan_.needsReduction())
        reduce(step, "poplin::ReduceAdd", {});
    }
  }

  void accumulate(const Tensor &scale) {
    createPartials();
    broadcastLeft();
    for (std::size_t step = 0; step < plan_.serial; ++step) {
      convolve(step);
      reduce(step, "poplin::ReduceAddScaled", scale);
    }
  }

private:
  // A row a tile, used again in every step.
  void createPartials() {
    const std::size_t size = ceilDiv(plan_.groups.part * std::min(plan_.rows.part, plan_.rows.total) *
                                         std::min(plan_.columns.part, plan_.columns.total), 8) * 8;
    partials_ = graph_.addVariable(plan_.partial, {plan_.tiles(), size}, {dc_, "partials"});
    for (std::size_t tile = 0; tile < plan_.tiles(); ++tile)
      graph_.setTileMapping(partials_[tile], static_cast<unsigned>(tile));
  }

  // What every step needs of the left operand comes once.
  void broadcastLeft() {
    if (!plan_.bringsLeftOnce())
      return;
    std::vector<Tensor> from, to;
    plan_.left().forEach([&](const BlockIndex &i) {
      const Tensor block = left_[leftIndex(i.group, i.row, i.column)];
      for (std::size_t c = 0; c < plan_.columnTiles(); ++c) {
        const unsigned tile = plan_.tile(i.group, i.row, c * plan_.serial, i.column);
        to.push_back(graph_.addVariable(plan_.input, {block.numElements()}, {dc_, "broadcast"}));
        graph_.setTileMapping(to.back(), tile);
        from.push_back(block);
        broadcast_[tile] = to.back();
      }
    });
    prog_.add(Copy(concat(from), concat(to), false, {dc_, "Broadcast"}));
  }

  std::size_t leftIndex(std::size_t group, std::size_t row, std::size_t depth) const {
    return (group * plan_.rows.count() + row) * plan_.depth.count() + depth;
  }

  Tensor blockOfLeft(const BlockIndex &i, std::size_t d, unsigned tile) const {
    const auto own = broadcast_.find(tile);
    return own != broadcast_.end() ? own->second : left_[leftIndex(i.group, i.row, d)];
  }

  // The blocks of the result that are computed in a step.
  template <typename F> void forBlocks(std::size_t step, F f) const {
    plan_.result().forEach([&](const BlockIndex &i) {
      if (i.column % plan_.serial == step)
        f(i);
    });
  }

  void convolve(std::size_t step) {
    const ComputeSet cs = graph_.addComputeSet({dc_, "Convolve"});
    forBlocks(step, [&](const BlockIndex &i) {
      for (std::size_t d = 0; d < plan_.depth.count(); ++d)
        addProduct(cs, i, d);
    });
    prog_.add(Execute(cs, {dc_, "Convolve"}));
  }

  void addProduct(ComputeSet cs, const BlockIndex &i, std::size_t d) {
    const unsigned tile = plan_.tile(i.group, i.row, i.column, d);
    const Tensor &out = blockOfResult(i);
    const bool dots = plan_.method == Method::DotProducts;
    const VertexRef v = graph_.addVertex(
        cs, poputil::templateVertex(dots ? "poplin::ConvPartialHorizontalMac" : "poplin::ConvPartial1x1Out", plan_.input,
                                    plan_.partial));
    graph_.connect(v["in"], blockOfLeft(i, d, tile));
    graph_.connect(v["weights"], blockOfRight(i, d));
    graph_.connect(v["out"], partials_.valid() ? partials_[tile].slice(0, out.numElements()) : out);
    setSizes(v, i, d);
    if (!dots) {
      graph_.setInitialValue(v["depthGroup"], plan_.depthGrain);
      graph_.setInitialValue(v["columnGroup"], plan_.columnGrain);
    }
    graph_.setTileMapping(v, tile);
  }

  void setSizes(const VertexRef &v, const BlockIndex &i, std::size_t d) {
    graph_.setInitialValue(v["groups"], plan_.groups.range(i.group).size());
    graph_.setInitialValue(v["rows"], plan_.rows.range(i.row).size());
    graph_.setInitialValue(v["depth"], plan_.depth.range(d).size());
    graph_.setInitialValue(v["columns"], plan_.columns.range(i.column).size());
  }

  const Tensor &blockOfRight(const BlockIndex &i, std::size_t d) const {
    const std::size_t depths = plan_.depth.count(), columns = plan_.columns.count();
    return plan_.method == Method::DotProducts ? right_[(i.group * columns + i.column) * depths + d]
                                               : right_[(i.group * depths + d) * columns + i.column];
  }

  const Tensor &blockOfResult(const BlockIndex &i) const {
    return result_[(i.group * plan_.rows.count() + i.row) * plan_.columns.count() + i.column];
  }

  void reduce(std::size_t step, const char *vertex, const Tensor &scale) {
    const ComputeSet cs = graph_.addComputeSet({dc_, "Reduce"});
    const std::string name = poputil::templateVertex(vertex, plan_.output, plan_.partial);
    forBlocks(step, [&](const BlockIndex &i) {
      for (std::size_t d = 0; d < plan_.depth.count(); ++d)
        addSum(cs, name, scale, i, d);
    });
    prog_.add(Execute(cs, {dc_, "Reduce"}));
  }

  // The tile of depth d sums its share of the block.
  void addSum(ComputeSet cs, const std::string &name, const Tensor &scale, const BlockIndex &i, std::size_t d) {
    const Tensor &out = blockOfResult(i);
    const Interval range = share(out.numElements(), d, plan_.depth.count());
    if (range.size() == 0)
      return;
    const VertexRef v = graph_.addVertex(cs, name, {{"out", out.slice(range)}});
    graph_.setFieldSize(v["partials"], plan_.depth.count());
    for (std::size_t from = 0; from < plan_.depth.count(); ++from)
      graph_.connect(v["partials"][from], partials_[plan_.tile(i.group, i.row, i.column, from)].slice(range));
    if (scale.valid())
      graph_.connect(v["scale"], scale);
    graph_.setInitialValue(v["size"], range.size());
    graph_.setTileMapping(v, plan_.tile(i.group, i.row, i.column, d));
  }

  Graph &graph_;
  const Plan &plan_;
  Sequence &prog_;
  const DebugContext dc_;
  const std::vector<Tensor> left_, right_, result_;
  std::map<unsigned, Tensor> broadcast_;
  Tensor partials_;
};

} // namespace

Tensor createA(Graph &graph, const Plan &plan, const DebugContext &debugContext) {
  return create(graph, plan.swapped ? right(plan) : left(plan), debugContext);
}

Tensor createB(Graph &graph, const Plan &plan, const DebugContext &debugContext) {
  return create(graph, plan.swapped ? left(plan) : right(plan), debugContext);
}

Tensor createC(Graph &graph, const Plan &plan, const DebugContext &debugContext) {
  return create(graph, result(plan), debugContext);
}

Tensor arrangeA(Graph &graph, const Plan &plan, const Tensor &a, Sequence &prog, const DebugContext &debugContext) {
  return arrange(graph, plan.swapped ? right(plan) : left(plan), a, prog, debugContext);
}

Tensor arrangeB(Graph &graph, const Plan &plan, const Tensor &b, Sequence &prog, const DebugContext &debugContext) {
  return arrange(graph, plan.swapped ? left(plan) : right(plan), b, prog, debugContext);
}

void multiply(Graph &graph, const Plan &plan, const Tensor &a, const Tensor &b, const Tensor &c, Sequence &prog,
              const DebugContext &debugContext) {
  const Tensor left = arrangeA(graph, plan, a, prog, {debugContext, "PreArrange"});
  const Tensor right = arrangeB(graph, plan, b, prog, {debugContext, "PreArrange"});
  const Stored stored = result(plan);
  const bool inPlace = stored.blocking.isStoredIn(stored.view(c));
  const Tensor out = inPlace ? c : create(graph, stored, {debugContext, "out"});
  Builder(graph, plan, left, right, out, prog, debugContext).multiply();
  if (!inPlace)
    prog.add(Copy(out, c, false, {debugContext, "PostArrange"}));
}

void multiplyAccumulate(Graph &graph, const Plan &plan, const Tensor &a, const Tensor &b, const Tensor &c,
                        const Tensor &scale, Sequence &prog, const DebugContext &debugContext) {
  const Tensor left = arrangeA(graph, plan, a, prog, {debugContext, "PreArrange"});
  const Tensor right = arrangeB(graph, plan, b, prog, {debugContext, "PreArrange"});
  const Tensor out = arrange(graph, result(plan), c, prog, {debugContext, "PreArrange"});
  Builder(graph, plan, left, right, out, prog, debugContext).accumulate(scale);
  if (out != c)
    prog.add(Copy(out, c, false, {debugContext, "PostArrange"}));
}

} // namespace poplin::internal
