#include "plan.hpp"

#include "costs.hpp"

#include <algorithm>
#include <ostream>

namespace poplin::internal {

using namespace poplar;

Blocking Plan::left() const { return {groups, rows, depth, depthGrain}; }

Blocking Plan::right() const {
  if (method == Method::DotProducts)
    return {groups, columns, depth, depthGrain};
  return {groups, depth, columns, columnGrain};
}

Blocking Plan::result() const { return {groups, rows, columns, columnGrain}; }

namespace {

// Cycles of a synchronisation and of an exchange beyond its bytes; of a copy on a tile beyond its bytes.
constexpr std::uint64_t stepOverhead = 83 + 82, copyOverhead = 72;

// Number of parts that lead to different sizes of the largest part, at most `limit`.
std::vector<std::size_t> partSizes(std::size_t total, std::size_t limit) {
  std::vector<std::size_t> sizes;
  for (std::size_t parts = 1; parts <= std::min(total, limit);) {
    const std::size_t part = ceilDiv(total, parts);
    sizes.push_back(part);
    if (part == 1)
      break;
    parts = std::max(parts + 1, ceilDiv(total, part - 1)); // the next that gives less
  }
  return sizes;
}

class Planner {
public:
  Planner(const Target &target, const Product &product, const Options &options)
      : target_(target), product_(product), options_(options),
        memory_(static_cast<std::uint64_t>(options.availableMemoryProportion * target.getBytesPerTile())) {}

  Plan best() {
    for (const bool swapped : {false, true})
      for (const Method method : {Method::MatrixUnit, Method::DotProducts})
        partition(start(swapped, method));
    return best_;
  }

private:
  Plan start(bool swapped, Method method) const {
    Plan plan;
    plan.size = product_.size;
    if (swapped)
      std::swap(plan.size.rows, plan.size.columns);
    plan.input = product_.input;
    plan.output = product_.output;
    plan.partial = product_.input == FLOAT ? FLOAT : options_.partialsType;
    plan.swapped = swapped;
    plan.method = method;
    if (method == Method::MatrixUnit) {
      plan.depthGrain = std::max(1u, target_.getWeightsPerConvUnit(plan.input));
      plan.columnGrain = std::max(1u, target_.getNumConvUnits(plan.input, plan.partial));
    } else {
      plan.depthGrain = target_.getVectorWidth(plan.input);
    }
    return plan;
  }

  // All cuts of groups, depth and columns; the tiles that are left cut the rows.
  void partition(Plan plan) {
    const std::size_t tiles = target_.getNumTiles();
    for (const std::size_t g : partSizes(plan.size.groups, tiles)) {
      plan.groups = {plan.size.groups, g};
      const std::size_t groupTiles = tiles / plan.groups.count();
      for (const std::size_t d : partSizes(ceilDiv(plan.size.depth, plan.depthGrain), groupTiles)) {
        plan.depth = {plan.size.depth, d * plan.depthGrain};
        partitionColumns(plan, groupTiles / plan.depth.count());
      }
    }
  }

  void partitionColumns(Plan plan, std::size_t tiles) {
    for (const std::size_t c : partSizes(ceilDiv(plan.size.columns, plan.columnGrain), tiles)) {
      const std::size_t part = c * plan.columnGrain;
      plan.serial = 1;
      plan.columns = {plan.size.columns, part};
      plan.rows = {plan.size.rows, ceilDiv(plan.size.rows, tiles / plan.columns.count())};
      consider(plan, part, c);
    }
  }

  // With more and more steps until the temporary memory fits.
  void consider(Plan plan, std::size_t part, std::size_t grains) {
    for (std::size_t serial = 1; serial <= std::min<std::size_t>(grains, 64); serial *= 2) {
      plan.serial = serial;
      plan.columns.part = ceilDiv(grains, serial) * plan.columnGrain;
      if (ceilDiv(plan.columns.count(), serial) > ceilDiv(plan.size.columns, part))
        continue;
      estimate(plan);
      if (isBetter(plan))
        best_ = finished(plan);
      if (plan.temporaryBytes <= memory_)
        return;
    }
  }

  // For dot products a block is row-major, whole rows.
  static Plan finished(Plan plan) {
    if (plan.method == Method::DotProducts) {
      plan.depthGrain = plan.depth.part;
      plan.columnGrain = plan.columns.part;
    }
    return plan;
  }

  bool isBetter(const Plan &plan) const {
    if (best_.cycles == 0)
      return true;
    const bool fits = plan.temporaryBytes <= memory_, bestFits = best_.temporaryBytes <= memory_;
    if (fits != bestFits)
      return fits;
    return fits ? plan.cycles < best_.cycles : plan.temporaryBytes < best_.temporaryBytes;
  }

  void estimate(Plan &plan) const {
    const TileProduct work{plan.groups.part, std::min(plan.rows.part, plan.size.rows),
                           std::min(plan.depth.part, plan.size.depth), std::min(plan.columns.part, plan.size.columns)};
    const std::uint64_t inputBytes = target_.getTypeSize(plan.input), partialBytes = target_.getTypeSize(plan.partial);
    const std::uint64_t left = work.groups * work.rows * work.depth * inputBytes;
    const std::uint64_t right = work.groups * work.depth * work.columns * inputBytes;
    const std::uint64_t result = work.groups * work.rows * work.columns;
    plan.temporaryBytes = (plan.columnTiles() > 1 ? left : 0) + (plan.rows.count() > 1 ? right : 0) +
                          (plan.needsReduction() ? result * partialBytes : 0);
    const Operand fromLeft{left, plan.columnTiles()}, fromRight{right, plan.rows.count()}, none{0, 1};
    const bool once = plan.bringsLeftOnce();
    plan.cycles = (once ? arrival(fromLeft, none) : 0) +
                  plan.serial * (arrival(once ? none : fromLeft, fromRight) + vertexCycles(plan, work) +
                                 (plan.needsReduction() ? reduction(plan, result, partialBytes) : 0));
  }

  // Bytes that a tile needs, of which it holds one share.
  struct Operand {
    std::uint64_t bytes, shares;
    std::uint64_t own() const { return bytes / shares; }
  };

  // What a tile does not hold comes from the others; then its own share is copied beside.
  std::uint64_t arrival(const Operand &left, const Operand &right) const {
    std::uint64_t copies = 0;
    for (const Operand &operand : {left, right})
      copies += operand.shares > 1 ? copyOverhead + operand.own() / target_.getMemcpyBytesPerCycle() : 0;
    const std::uint64_t received = left.bytes - left.own() + right.bytes - right.own();
    return stepOverhead + copies + exchange(received, left.shares - 1 + right.shares - 1);
  }

  std::uint64_t exchange(std::uint64_t bytes, std::uint64_t pieces) const {
    return std::max<std::uint64_t>(bytes / target_.getExchangeBytesPerCycle(), 3 * pieces);
  }

  std::uint64_t vertexCycles(const Plan &plan, const TileProduct &work) const {
    const bool isFloat = plan.input == FLOAT;
    if (plan.method == Method::DotProducts)
      return horizontalMacCycles(target_, work, isFloat);
    return convPartial1x1Cycles(target_, work, isFloat, plan.partial == FLOAT, plan.depthGrain, plan.columnGrain);
  }

  std::uint64_t reduction(const Plan &plan, std::uint64_t result, std::uint64_t partialBytes) const {
    const std::uint64_t parts = plan.depth.count(), size = ceilDiv(result, parts);
    return stepOverhead + exchange((parts - 1) * size * partialBytes, parts - 1) +
           reduceAddCycles(target_, size, parts, plan.partial == FLOAT, plan.output == FLOAT);
  }

  const Target &target_;
  const Product product_;
  const Options options_;
  const std::uint64_t memory_;
  Plan best_;
};

} // namespace

Plan planProduct(const Target &target, const Product &product, const Options &options) {
  return Planner(target, product, options).best();
}

std::ostream &operator<<(std::ostream &os, const Plan &plan) {
  os << "  product [" << plan.size.groups << "] " << plan.size.rows << " x " << plan.size.depth << " x "
     << plan.size.columns << (plan.swapped ? " (transposed)" : "") << ", " << plan.input << " in, " << plan.partial
     << " partials, " << plan.output << " out\n";
  os << "  vertex " << (plan.method == Method::MatrixUnit ? "ConvPartial1x1Out" : "ConvPartialHorizontalMac")
     << ", channel groups " << plan.depthGrain << " in, " << plan.columnGrain << " out\n";
  os << "  partition: groups " << plan.groups.count() << ", rows " << plan.rows.count() << ", columns "
     << plan.columnTiles() << " (" << plan.serial << " steps), depth " << plan.depth.count() << "; " << plan.tiles()
     << " tiles\n";
  return os << "  estimated cycles " << plan.cycles << ", temporary bytes a tile " << plan.temporaryBytes << '\n';
}

} // namespace poplin::internal
