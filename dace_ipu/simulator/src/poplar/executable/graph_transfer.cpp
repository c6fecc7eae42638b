#include "graph_transfer.hpp"
#include "../machine/compute_cost.hpp"
#include "../machine/machine.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

namespace dace_ipu_sim {

template <typename A> void transfer(A &archive, LinkConstraint &c) {
  transfer(archive, c.bitsPerSecond);
  transfer(archive, c.flows);
}

namespace {

// Numbers for objects that others share, in the order in which they are met; 0 is none.
template <typename Pointer> class Shared {
public:
  /// Writes the number of `p`. True if its content has to follow, or when reading: if it does.
  bool begin(ArchiveOut &archive, Pointer &p) {
    std::uint64_t id = 0;
    bool isNew = false;
    if (p) {
      const auto entry = ids_.emplace(p.get(), ids_.size() + 1);
      id = entry.first->second;
      isNew = entry.second;
    }
    transfer(archive, id);
    return isNew;
  }
  bool begin(ArchiveIn &archive, Pointer &p) {
    std::uint64_t id = 0;
    transfer(archive, id);
    const bool isNew = id == known_.size() + 1;
    if (isNew)
      known_.push_back(nullptr);
    else if (id > known_.size())
      throw poplar::parse_error("deserialize: the file is damaged");
    else
      p = id == 0 ? nullptr : known_[id - 1];
    at_ = id;
    return isNew;
  }
  std::uint64_t at() const { return at_; }
  void set(std::uint64_t id, const Pointer &p) { known_[id - 1] = p; }

private:
  std::unordered_map<const void *, std::uint64_t> ids_;
  std::vector<Pointer> known_;
  std::uint64_t at_ = 0;
};

template <typename A> class Transfer {
public:
  Transfer(A &archive, GraphCore &graph, const GraphExtent &extent)
      : archive_(archive), graph_(graph), extent_(extent) {}

  void graph() {
    transfer(archive_, graph_.replicas);
    all(extent_.variables, graph_.variables, [&](Variable &v) { variable(v); });
    modules();
    all(extent_.computeSets, graph_.computeSets, [&](ComputeSetRecord &cs) { transfer(archive_, cs.name); });
    all(extent_.vertices, graph_.vertices, [&](Vertex &v) { vertex(v); });
    all(extent_.initialValues, graph_.initialValues, [&](InitialValue &i) {
      tensor(i.tensor);
      transfer(archive_, i.bytes);
    });
    communication();
    all(extent_.functions, graph_.functions, [&](ProgramPtr &p) { program(p); });
    handles(extent_.hostReads, graph_.hostReads);
    handles(extent_.hostWrites, graph_.hostWrites);
    transfer(archive_, graph_.cycleCounters);
  }

  // Of the variables only those that the tensors need, which get new numbers.
  void tensors(std::vector<poplar::Tensor> &ts) {
    std::vector<Variable *> used;
    if constexpr (!A::reading)
      used = variablesOf(ts);
    transferSize(archive_, used);
    firstVariable_ = A::reading ? graph_.variables.size() : 0;
    for (Variable *v : used) {
      if constexpr (A::reading)
        v = &graph_.addVariable("", poplar::Type(), 0);
      const unsigned id = v->id;
      if constexpr (!A::reading)
        positions_.emplace(id, positions_.size());
      variable(*v);
      v->id = id;
    }
    transferSize(archive_, ts);
    for (poplar::Tensor &t : ts)
      tensor(t);
  }

  void program(ProgramPtr &p) {
    if (!programs_.begin(archive_, p))
      return;
    const std::uint64_t id = programs_.at();
    auto n = A::reading ? std::make_shared<ProgramNode>() : std::const_pointer_cast<ProgramNode>(p);
    transferAll(archive_, n->kind, n->name, n->values, n->id, n->count, n->text);
    transferSize(archive_, n->tensors);
    for (poplar::Tensor &t : n->tensors)
      tensor(t);
    auto &f = n->format;
    transferAll(archive_, f.summariseThreshold, f.edgeItems, f.maxLineWidth, f.digits, f.floatFormat, f.separator,
                f.openBracket, f.closeBracket);
    transferSize(archive_, n->children);
    for (ProgramPtr &child : n->children)
      program(child);
    if constexpr (A::reading)
      programs_.set(id, p = n);
  }

private:
  template <typename C, typename F> void all(std::size_t count, C &items, F &&f) {
    std::uint64_t n = count;
    transfer(archive_, n);
    for (std::uint64_t i = 0; i < n; ++i) {
      if constexpr (A::reading)
        items.emplace_back();
      f(items[i]);
    }
  }

  // In the order of the graph, so that metadata come before what they describe.
  std::vector<Variable *> variablesOf(const std::vector<poplar::Tensor> &ts) {
    std::set<unsigned> ids;
    const std::function<void(const Variable &)> note = [&](const Variable &v) {
      ids.insert(v.id);
      if (v.metadata)
        forEachVariable(*v.metadata, note);
    };
    for (const poplar::Tensor &t : ts)
      forEachVariable(*t.view(), note);
    std::vector<Variable *> used;
    for (const unsigned id : ids)
      used.push_back(&graph_.variables[id]);
    return used;
  }

  std::uint64_t positionOf(const Variable &v) const { return positions_.empty() ? v.id : positions_.at(v.id); }

  void type(poplar::Type &t) {
    poplar::Type::Id id = t.id();
    transfer(archive_, id);
    t = poplar::Type(id);
  }

  void variable(Variable &v) {
    transferAll(archive_, v.id, v.name, v.elements, v.isConstant, v.isInternal, v.isReplicaIndex, v.bytes);
    type(v.type);
    view(v.metadata);
    std::vector<Region> regions;
    if constexpr (!A::reading)
      regions = v.mapping.regions();
    transferSize(archive_, regions);
    for (Region &r : regions) {
      transferAll(archive_, r.begin, r.end, r.tile);
      if constexpr (A::reading)
        v.mapping.assign(r.begin, r.end, r.tile);
    }
  }

  // The modules of the vertices, in the order of their first use.
  void modules() {
    if constexpr (!A::reading)
      for (std::size_t i = 0; i < extent_.vertices; ++i) {
        const CodeletModule *m = graph_.vertices[i].module;
        if (moduleIds_.emplace(m, moduleIds_.size()).second)
          modules_.push_back(m);
      }
    transferSize(archive_, modules_);
    for (const CodeletModule *&m : modules_) {
      std::string content;
      if constexpr (!A::reading)
        content = contentOfModule(*m);
      transfer(archive_, content);
      if constexpr (A::reading)
        m = &loadCodeletContent(content);
    }
  }

  void vertex(Vertex &v) {
    std::uint32_t module = 0, typeIndex = 0;
    if constexpr (!A::reading) {
      module = static_cast<std::uint32_t>(moduleIds_.at(v.module));
      typeIndex = static_cast<std::uint32_t>(v.type - v.module->types.data());
    }
    transferAll(archive_, module, typeIndex, v.computeSet, v.tile);
    if constexpr (A::reading) {
      v.module = modules_.at(module);
      v.type = &v.module->types.at(typeIndex);
      graph_.computeSets.at(v.computeSet).vertices.push_back(static_cast<unsigned>(graph_.vertices.size() - 1));
    }
    estimate(v);
    transferSize(archive_, v.bindings);
    for (FieldBinding &b : v.bindings)
      binding(b);
  }

  // What an estimator of the program says is kept; the function itself cannot be.
  void estimate(Vertex &v) {
    bool has = v.hasEstimate;
    poplar::VertexPerfEstimate e = v.estimate;
    if constexpr (!A::reading)
      if (hasEstimator(graph_, v.type->name)) {
        e.cycles = estimateVertex(graph_, v, graph_.target.machine(), true).cycles;
        has = true;
      }
    transferAll(archive_, has, e.cycles, e.flops);
    if constexpr (A::reading) {
      v.hasEstimate = has;
      v.estimate = e;
    }
  }

  void binding(FieldBinding &b) {
    transferAll(archive_, b.kind, b.field, b.bytes);
    tensor(b.edge);
    transferSize(archive_, b.rows);
    for (poplar::Tensor &row : b.rows)
      tensor(row);
  }

  void tensor(poplar::Tensor &t) {
    poplar::Type element = t.elementType();
    ViewPtr v = t.view();
    type(element);
    view(v);
    if constexpr (A::reading)
      t = poplar::Tensor(element, v);
  }

  void view(ViewPtr &v) {
    if (!views_.begin(archive_, v))
      return;
    const std::uint64_t id = views_.at();
    auto n = A::reading ? std::make_shared<View>() : std::const_pointer_cast<View>(v);
    std::uint64_t var = n->var ? positionOf(*n->var) + 1 : 0;
    transferAll(archive_, n->kind, n->shape, n->elements, var, n->offset, n->split, n->axis, n->starts);
    if constexpr (A::reading)
      n->var = var == 0 ? nullptr : &graph_.variables.at(firstVariable_ + var - 1);
    transferSize(archive_, n->factors);
    for (Factor &f : n->factors)
      transferAll(archive_, f.count, f.stride);
    transferSize(archive_, n->parts);
    for (ViewPtr &part : n->parts)
      view(part);
    if constexpr (A::reading)
      views_.set(id, v = n);
  }

  void communication() {
    all(extent_.streams, graph_.streams, [&](StreamRecord &s) {
      transferAll(archive_, s.handle, s.elements, s.toDevice, s.broadcast);
      type(s.type);
    });
    all(extent_.remoteBuffers, graph_.remoteBuffers, [&](RemoteBufferRecord &b) {
      transferAll(archive_, b.handle, b.elements, b.repeats);
      type(b.type);
    });
    all(extent_.hostFunctions, graph_.hostFunctions, [&](HostFunctionRecord &f) {
      transfer(archive_, f.handle);
      for (auto *arguments : {&f.inputs, &f.outputs}) {
        transferSize(archive_, *arguments);
        for (poplar::HostFunctionArgument &a : *arguments) {
          type(std::get<0>(a));
          transfer(archive_, std::get<1>(a));
        }
      }
    });
  }

  void handles(const std::vector<std::string> &names, std::map<std::string, poplar::Tensor> &tensors) {
    std::vector<std::string> handles = names;
    transfer(archive_, handles);
    for (const std::string &handle : handles)
      tensor(tensors[handle]);
  }

  A &archive_;
  GraphCore &graph_;
  const GraphExtent &extent_;
  std::size_t firstVariable_ = 0;                          // of those that are read
  std::unordered_map<unsigned, std::uint64_t> positions_; // of the variables by id, if not all are written
  Shared<ViewPtr> views_;
  Shared<ProgramPtr> programs_;
  std::vector<const CodeletModule *> modules_;
  std::unordered_map<const CodeletModule *, std::size_t> moduleIds_;
};

template <typename A> void transferTarget(A &archive, poplar::Target &target) {
  Machine machine;
  if constexpr (!A::reading)
    machine = target.machine();
  forEachField(machine, [&](auto &field) { transfer(archive, field); });
  if constexpr (A::reading)
    target = poplar::Target(std::make_shared<const Machine>(machine));
}

template <typename A> void transferOptions(A &archive, poplar::OptionFlags &options) {
  std::vector<std::string> words;
  for (const auto &flag : options) {
    words.push_back(flag.first);
    words.push_back(flag.second);
  }
  transfer(archive, words);
  for (std::size_t i = 0; A::reading && i + 1 < words.size(); i += 2)
    options.set(words[i], words[i + 1]);
}

template <typename A> void transferWhole(A &archive, StoredExecutable &e) {
  poplar::Target target, device;
  if constexpr (!A::reading) {
    target = e.graph->target;
    device = e.graph->deviceTarget;
  }
  transferTarget(archive, target);
  transferTarget(archive, device);
  if constexpr (A::reading) {
    e.graph = std::make_shared<GraphCore>(target);
    e.graph->deviceTarget = device;
  }
  Transfer<A> parts(archive, *e.graph, e.extent);
  parts.graph();
  transferSize(archive, e.programs);
  for (ProgramPtr &p : e.programs)
    parts.program(p);
  transferOptions(archive, e.options);
}

} // namespace

namespace {

template <typename A> void transferAllTensors(A &archive, GraphCore &graph, std::vector<poplar::Tensor> &tensors) {
  const GraphExtent none;
  Transfer<A>(archive, graph, none).tensors(tensors);
}

} // namespace

void transferTensors(ArchiveOut &archive, GraphCore &graph, std::vector<poplar::Tensor> &tensors) {
  transferAllTensors(archive, graph, tensors);
}
void transferTensors(ArchiveIn &archive, GraphCore &graph, std::vector<poplar::Tensor> &tensors) {
  transferAllTensors(archive, graph, tensors);
}

void transferExecutable(ArchiveOut &archive, StoredExecutable &executable) { transferWhole(archive, executable); }
void transferExecutable(ArchiveIn &archive, StoredExecutable &executable) { transferWhole(archive, executable); }

} // namespace dace_ipu_sim
