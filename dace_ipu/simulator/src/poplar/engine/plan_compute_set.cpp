// ComputeSetPlanner: binds the edges of vertices to memory.
#include "../core/types.hpp"
#include "../machine/compute_cost.hpp"
#include "code_costs.hpp"
#include "planner.hpp"
#include "thread_pool.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>

namespace dace_ipu_sim {

namespace {

constexpr std::size_t vectorAlignment = 16;  // from here on misaligned loads trap on the host

bool isInput(const DaceIpuField &f) { return f.direction == DACE_IPU_INPUT || f.direction == DACE_IPU_INOUT; }
bool isOutput(const DaceIpuField &f) { return f.direction == DACE_IPU_OUTPUT || f.direction == DACE_IPU_INOUT; }

template <typename F> void forEachEdge(const FieldBinding &b, F &&f) {
  if (b.kind == FieldBinding::Kind::Edge)
    f(b.edge);
  for (const poplar::Tensor &row : b.rows)
    f(row);
}

} // namespace

ComputeSetPlanner::ComputeSetPlanner(Planner &planner, unsigned id)
    : planner_(planner), graph_(*planner.graph_), machine_(planner.machine_), plan_(*planner.plan_),
      before_(machine_, plan_.listedPairs), after_(machine_, plan_.listedPairs), gather_(machine_),
      writeBack_(machine_) {
  result_.id = id;
}

ComputeSetPlan ComputeSetPlanner::run() {
  ordered_ = orderedVertices();
  for (const unsigned v : ordered_) {
    requireBound(v);
    collectWrites(v);
  }
  writes_.check(graph_);
  for (const unsigned v : ordered_)
    planVertex(v);
  result_.checkedEdgesOf.push_back(result_.checkedEdges.size());
  placeSnapshots();
  finishCosts();
  cutIntoChunks();
  plan_.temporaryBytes = std::max(plan_.temporaryBytes, temporary_);
  return std::move(result_);
}

std::vector<unsigned> ComputeSetPlanner::orderedVertices() const {
  std::vector<unsigned> vertices = graph_.computeSets[result_.id].vertices;
  for (const unsigned v : vertices)
    if (graph_.vertices[v].tile == noTile)
      throw poplar::invalid_tile_mapping(describeVertex(graph_, v) + " has no tile mapping");
  std::stable_sort(vertices.begin(), vertices.end(),
                   [&](unsigned a, unsigned b) { return graph_.vertices[a].tile < graph_.vertices[b].tile; });
  return vertices;
}

void ComputeSetPlanner::requireBound(unsigned vertex) const {
  const Vertex &v = graph_.vertices[vertex];
  const auto fail = [&](unsigned field, const std::string &before, const std::string &after) {
    throw poplar::graph_connection_error(before + "field '" + v.type->abi->fields[field].name + "' of " +
                                         describeVertex(graph_, vertex) + after);
  };
  for (unsigned f = 0; f < v.type->abi->num_fields; ++f) {
    const std::uint8_t kind = v.type->abi->fields[f].kind;
    const FieldBinding *b = v.find(f);
    if (!b) {
      const bool isState = kind == DACE_IPU_STATE || kind == DACE_IPU_STATE_VECTOR;
      if (!isState || plan_.checkUninitialised) // else it is zero, as other memory that nothing wrote
        fail(f, "", isState ? " has no initial value" : " is not connected");
      continue;
    }
    for (std::size_t i = 0; i < b->rows.size(); ++i)
      if (!b->rows[i].valid())
        fail(f, "element " + std::to_string(i) + " of ", " is not connected");
  }
}

void ComputeSetPlanner::collectWrites(unsigned vertex) {
  const Vertex &v = graph_.vertices[vertex];
  for (const FieldBinding &b : v.bindings) {
    const DaceIpuField &abi = v.type->abi->fields[b.field];
    if (!isOutput(abi))
      continue;
    const Writer writer{vertex, b.field, v.tile, abi.direction == DACE_IPU_INOUT};
    forEachEdge(b, [&](const poplar::Tensor &t) {
      forEachRunUnordered(*t.view(), [&](const Run &r) { writes_.add(r, writer); });
    });
  }
}

void ComputeSetPlanner::planVertex(unsigned vertex) {
  const Vertex &v = graph_.vertices[vertex];
  const DaceIpuVertexType &abi = *v.type->abi;
  const std::size_t state = allocateVertexMemory(abi.size, std::max<std::size_t>(abi.align, sizeof(void *)));
  const unsigned workers = abi.kind == DACE_IPU_MULTI_VERTEX ? workersOfMultiVertex : 1;
  result_.calls.push_back({&abi, v.module->takeCost, v.module->setTile, v.tile, workers, 0, vertex, 0, 0, 0, npos,
                           false, false, false});
  result_.states.push_back(state);
  result_.checkedEdgesOf.push_back(result_.checkedEdges.size());
  for (const FieldBinding &b : v.bindings)
    bindField(vertex, b, state);
}

void ComputeSetPlanner::bindField(unsigned vertex, const FieldBinding &binding, std::size_t state) {
  const Vertex &v = graph_.vertices[vertex];
  const DaceIpuField &abi = v.type->abi->fields[binding.field];
  switch (binding.kind) {
  case FieldBinding::Kind::Values:
    return bindValues(vertex, binding, state);
  case FieldBinding::Kind::EdgeList:
    return bindRows(vertex, binding, state);
  case FieldBinding::Kind::Edge:
    return bindEdge({vertex, binding.field, npos, &abi, v.tile, state + abi.offset, &binding.edge});
  }
}

void ComputeSetPlanner::bindValues(unsigned vertex, const FieldBinding &binding, std::size_t state) {
  const DaceIpuVertexType &type = *graph_.vertices[vertex].type->abi;
  const DaceIpuField &abi = type.fields[binding.field];
  if (abi.kind == DACE_IPU_STATE) {
    std::memcpy(plan_.vertexImage.data() + state + abi.offset, binding.bytes.data(), binding.bytes.size());
    return;
  }
  const std::size_t element = sizeOf(graph_.vertices[vertex].type->fieldTypes[binding.field]);
  const std::size_t at = allocateVertexMemory(binding.bytes.size() + vectorAlignment, 64);
  std::copy(binding.bytes.begin(), binding.bytes.end(), plan_.vertexImage.begin() + static_cast<std::ptrdiff_t>(at));
  setSpan(state + abi.offset, binding.bytes.size() / element);
  relocate(state + abi.offset, at, Memory::Vertices);
  if (plan_.checkVertices)
    result_.checkedEdges.push_back({state + abi.offset, binding.field, npos, true,
                                    graph_.vertices[vertex].type->fieldTypes[binding.field], nullptr});
}

void ComputeSetPlanner::bindRows(unsigned vertex, const FieldBinding &binding, std::size_t state) {
  const Vertex &v = graph_.vertices[vertex];
  const DaceIpuField &abi = v.type->abi->fields[binding.field];
  const std::size_t rows = allocateVertexMemory((binding.rows.size() + 1) * sizeof(DaceIpuSpan), alignof(DaceIpuSpan));
  setSpan(state + abi.offset, binding.rows.size());
  relocate(state + abi.offset, rows, Memory::Vertices);
  for (std::size_t i = 0; i < binding.rows.size(); ++i)
    bindEdge({vertex, binding.field, i, &abi, v.tile, rows + i * sizeof(DaceIpuSpan), &binding.rows[i]});
}

void ComputeSetPlanner::bindEdge(const EdgeSite &site) {
  const View &view = *site.tensor->view();
  setSpan(site.at, view.elements);
  ++plan_.numEdges;
  if (view.elements == 0) {
    relocate(site.at, site.at, Memory::Vertices); // valid, never dereferenced
    return;
  }
  result_.calls.back().work += view.elements;
  std::size_t offset = 0;
  const Variable *var = contiguousIn(view, &offset);
  if (var)
    bindContiguous(site, var, offset);
  else
    bindGathered(site);
  chargeEdge(site);
  if (plan_.checkUninitialised)
    recordAccesses(site);
  if (plan_.checkVertices)
    result_.checkedEdges.push_back(
        {site.at, site.field, site.row, isOutput(*site.abi), site.tensor->elementType(), site.tensor->view()});
}

void ComputeSetPlanner::bindContiguous(const EdgeSite &site, const Variable *var, std::size_t offset) {
  const std::size_t size = sizeOf(site.tensor->elementType());
  const std::size_t target = plan_.variableOffsets[var->id] + offset * size;
  const Run run{var, offset, 1, site.tensor->numElements()};
  if (site.abi->direction == DACE_IPU_INPUT && !writes_.empty() && writes_.writtenElsewhere(run, site.tile)) {
    snapshots_.push_back({var, offset, offset + run.count, relocate(site.at, 0, Memory::Temporaries)});
    return;
  }
  // Memory placement guarantees the alignment on the machine; here a variable that several vertices share in pieces
  // may start anywhere, so an edge that would trap is copied.
  if (site.abi->min_align >= vectorAlignment && target % vectorAlignment != 0)
    return bindGathered(site);
  relocate(site.at, target, Memory::Variables);
}

void ComputeSetPlanner::bindGathered(const EdgeSite &site) {
  const std::size_t size = sizeOf(site.tensor->elementType());
  const std::size_t count = site.tensor->numElements();
  const View *view = site.tensor->view().get();
  if (!isOutput(*site.abi)) {
    const auto known = gathered_.find(view); // vertices that read the same view share one copy
    if (known != gathered_.end()) {
      relocate(site.at, known->second, Memory::Temporaries);
      return;
    }
  }
  const std::size_t at = allocateTemporary(count * size);
  const RunList packed = RunList::linear(at, count, size);
  const RunList spread = planner_.runsOf(*site.tensor);
  const Copies in = zipCopies(packed, spread, size);
  result_.before.insert(result_.before.end(), in.begin(), in.end());
  relocate(site.at, at, Memory::Temporaries);
  if (!isOutput(*site.abi)) {
    gathered_[view] = at;
    return;
  }
  const Copies out = zipCopies(spread, packed, size);
  result_.after.insert(result_.after.end(), out.begin(), out.end());
}

void ComputeSetPlanner::chargeEdge(const EdgeSite &site) {
  const std::size_t size = sizeOf(site.tensor->elementType());
  LocalShare in, out;
  std::uint64_t runs = 0;
  forEachRun(*site.tensor->view(), [&](const Run &r) {
    ++runs;
    if (isInput(*site.abi))
      before_.need(site.tile, r, size, in);
    if (isOutput(*site.abi))
      after_.deliver(site.tile, r, size, out);
  });
  if (isInput(*site.abi))
    arrangeInput(site, in, runs);
  if (isOutput(*site.abi) && out.pieces() > 0 && out.pieces() + out.otherPieces() > 1) {
    writeBack_.add(site.tile, out);
    planner_.countArrangement(site.tile, runs);
  }
}

// An edge must be one contiguous piece of memory. Local data that is not, or not all of it, is copied on the tile: that
// needs nothing of the exchange and happens before it. What is received arrives in its place.
void ComputeSetPlanner::arrangeInput(const EdgeSite &site, const LocalShare &share, std::uint64_t runs) {
  if (share.pieces() == 0 || share.pieces() + share.otherPieces() == 1)
    return;
  planner_.countArrangement(site.tile, runs);
  gather_.add(site.tile, share);
}

// The checked mode finds which elements of a field that is read and written are read.
void ComputeSetPlanner::recordAccesses(const EdgeSite &site) {
  if (isInput(*site.abi) && !(isOutput(*site.abi) && plan_.checkVertices))
    planner_.addReads(*site.tensor, edgeName(site), result_.reads);
  if (isOutput(*site.abi))
    planner_.addWrites(*site.tensor, result_.writes);
}

std::string ComputeSetPlanner::edgeName(const EdgeSite &site) const {
  return "field '" + std::string(site.abi->name) + "' of " + describeVertex(graph_, site.vertex);
}

// Overlapping reads of what other tiles write share one copy, taken before the vertices run.
void ComputeSetPlanner::placeSnapshots() {
  std::stable_sort(snapshots_.begin(), snapshots_.end(), [](const Snapshot &a, const Snapshot &b) {
    return a.var != b.var ? a.var->id < b.var->id : a.begin < b.begin;
  });
  for (std::size_t i = 0; i < snapshots_.size();) {
    const Variable *var = snapshots_[i].var;
    std::size_t end = snapshots_[i].end;
    std::size_t j = i + 1;
    while (j < snapshots_.size() && snapshots_[j].var == var && snapshots_[j].begin <= end)
      end = std::max(end, snapshots_[j++].end);
    const std::size_t size = sizeOf(var->type);
    const std::size_t begin = snapshots_[i].begin;
    const std::size_t source = plan_.variableOffsets[var->id] + begin * size;
    // The copy keeps the alignment of the original.
    const std::size_t at = allocateTemporary((end - begin) * size + source % 64) + source % 64;
    const Copies c =
        zipCopies(RunList::linear(at, end - begin, size), RunList::linear(source, end - begin, size), size);
    result_.before.insert(result_.before.end(), c.begin(), c.end());
    for (; i < j; ++i)
      plan_.relocations[snapshots_[i].relocation].target = at + (snapshots_[i].begin - begin) * size;
  }
}

void ComputeSetPlanner::finishCosts() {
  const ExchangeCost in = before_.finish();
  const ExchangeCost out = after_.finish();
  for (std::size_t i = 0; i < result_.calls.size(); ++i)
    chargeVertex(ordered_[i], result_.calls[i]);
  chargeTiles(in, out);
  chargeCompute(result_, {}, machine_, result_.cost);
  result_.cost.sync += machine_.computeSyncCycles();
  result_.cost.vertices = result_.calls.size();
  chargeExchange(in, "before");
  chargeExchange(out, "after");
}

void ComputeSetPlanner::chargeExchange(const ExchangeCost &exchange, const char *when) {
  if (!exchange.happens())
    return;
  chargeExchangeTo(result_.cost, exchange, machine_);
  result_.exchanges.push_back(recordOf(exchange, when));
  planner_.countExchange(exchange);
}

void ComputeSetPlanner::chargeVertex(unsigned vertex, VertexCall &call) {
  const Vertex &v = graph_.vertices[vertex];
  const VertexEstimate estimate = estimateVertex(graph_, v, machine_, plan_.codeFirst);
  call.elements = widestEdge(v);
  call.estimate = estimate.cycles;
  call.programs = v.hasEstimate ? v.estimate.cycles : 0;
  call.codeDecides = std::strcmp(estimate.source, "code") == 0;
  call.work = std::max<std::size_t>(call.work, estimate.cycles);
  if (call.type->run_counted && call.takeCost)
    countCode(v, call);
  planner_.countVertex(v, estimate.source);
}

// Vertices whose code costs the same share what one of them counts.
void ComputeSetPlanner::countCode(const Vertex &vertex, VertexCall &call) {
  const bool dependsOnData = (call.type->cost_flags & DACE_IPU_COST_DEPENDS_ON_DATA) != 0;
  result_.codeDecides = result_.codeDecides || call.codeDecides;
  call.code = result_.codeCosts.size();
  if (!dependsOnData)
    call.code = codeCosts_.emplace(costKey(vertex), call.code).first->second;
  if (call.code < result_.codeCosts.size())
    return;
  call.counts = true;
  call.countsEveryTime = dependsOnData && call.codeDecides;
  result_.codeCosts.push_back({dependsOnData});
}

// Notes, by tile, what is copied and the memory that exists only while this compute set runs.
void ComputeSetPlanner::chargeTiles(const ExchangeCost &in, const ExchangeCost &out) {
  StepCost &cost = result_.cost;
  for (unsigned tile = 0; tile < machine_.numTiles(); ++tile) {
    const std::uint64_t pre = gather_.cycles(tile), back = writeBack_.cycles(tile);
    if (pre + back > 0)
      result_.copyCycles.emplace_back(tile, pre + back);
    cost.rearrange = std::max(cost.rearrange, pre + back);
    cost.preArrange = std::max(cost.preArrange, pre);
    cost.writeBack = std::max(cost.writeBack, back);
    cost.bytesRearranged += gather_.bytes[tile] + writeBack_.bytes[tile];
    const std::uint64_t temporary =
        in.tiles[tile].received + out.tiles[tile].sent + gather_.bytes[tile] + writeBack_.bytes[tile];
    if (temporary > 0)
      result_.temporaries.emplace_back(tile, temporary);
  }
}

// Work is measured in elements and estimated cycles, of which a host runs through some thousands in a microsecond. To
// wake a thread, and to wait for it, takes tens of microseconds.
void ComputeSetPlanner::cutIntoChunks() {
  constexpr std::size_t workWorthThreads = 500000;
  constexpr std::size_t callOverhead = 50;
  std::size_t total = 0;
  for (VertexCall &c : result_.calls)
    total += c.work += callOverhead;
  result_.chunks = {0};
  const std::size_t threads = ThreadPool::instance().threads();
  const std::size_t share = threads == 1 || total < workWorthThreads ? total + 1 : total / (4 * threads) + 1;
  std::size_t work = 0;
  for (std::size_t i = 0; i < result_.calls.size(); ++i) {
    const bool isEnough = work >= share && result_.calls[i].tile != result_.calls[i - 1].tile;
    if (isEnough) {
      result_.chunks.push_back(result_.batches.size());
      work = 0;
    }
    addToBatch(i, isEnough);
    work += result_.calls[i].work;
  }
  result_.chunks.push_back(result_.batches.size());
}

void ComputeSetPlanner::addToBatch(std::size_t call, bool isNew) {
  const VertexCall &c = result_.calls[call];
  if (isNew || call == 0 || result_.calls[call - 1].type != c.type)
    result_.batches.push_back({call, call, false, false});
  VertexBatch &batch = result_.batches.back();
  batch.end = call + 1;
  batch.counts = batch.counts || c.counts;
  batch.countsEveryTime = batch.countsEveryTime || c.countsEveryTime;
}

std::size_t ComputeSetPlanner::allocateVertexMemory(std::size_t bytes, std::size_t align) {
  const std::size_t at = (plan_.vertexImage.size() + align - 1) / align * align;
  plan_.vertexImage.resize(at + bytes);
  return at;
}

std::size_t ComputeSetPlanner::allocateTemporary(std::size_t bytes) {
  const std::size_t at = temporary_;
  temporary_ = (at + bytes + 127) / 64 * 64; // one cache line of room behind, as behind variables
  return at;
}

void ComputeSetPlanner::setSpan(std::size_t at, std::size_t size) {
  const DaceIpuSpan span{nullptr, size};
  std::memcpy(plan_.vertexImage.data() + at, &span, sizeof(span));
}

std::size_t ComputeSetPlanner::relocate(std::size_t at, std::size_t target, Memory memory) {
  plan_.relocations.push_back({at + offsetof(DaceIpuSpan, data), target, memory});
  return plan_.relocations.size() - 1;
}

} // namespace dace_ipu_sim
