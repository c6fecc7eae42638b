#include "vertex_check.hpp"
#include "../core/types.hpp"
#include "faults.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace dace_ipu_sim {

namespace {

constexpr char plainGuard = '\xA5';
constexpr char otherGuard = '\x5A';
constexpr std::size_t alignment = 64;

// As much as the edge itself, so that an index that is off by a factor of two is found too.
std::size_t guardBytes(std::size_t bytes) {
  const std::size_t wanted = std::min<std::size_t>(std::max<std::size_t>(bytes, 128), 4096);
  return (wanted + alignment - 1) / alignment * alignment;
}

template <typename T> void replaceBy(char *element, T value, T otherwise) {
  const bool same = std::memcmp(element, &value, sizeof(T)) == 0;
  std::memcpy(element, same ? &otherwise : &value, sizeof(T));
}

/// Another value. Small integers, as they may be indices; large floats, as they may be added to large ones.
void change(poplar::Type type, char *element, bool negative) {
  if (type == poplar::FLOAT)
    return negative ? replaceBy(element, -1e30f, 1e30f) : replaceBy(element, 1e30f, -1e30f);
  if (type == poplar::HALF) { // 30000 and -30000
    const std::uint16_t plus = 0x7753, minus = 0xF753;
    return negative ? replaceBy(element, minus, plus) : replaceBy(element, plus, minus);
  }
  if (type == poplar::BOOL)
    return replaceBy<std::uint8_t>(element, 1, 0);
  switch (sizeOf(type)) {
  case 1:
    return replaceBy<std::uint8_t>(element, 1, 2);
  case 2:
    return replaceBy<std::uint16_t>(element, 1, 2);
  case 4:
    return replaceBy<std::uint32_t>(element, 1, 2);
  default:
    return replaceBy<std::uint64_t>(element, 1, 2);
  }
}

/// Whether two memories differ where `mask`, with all of its bits turned round if `flip` is -1, has ones.
bool differ(const std::vector<char> &a, const std::vector<char> &b, const std::vector<char> &mask, char flip) {
  const char *const x = a.data(), *const y = b.data(), *const m = mask.data();
  char bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) // without branches: there is much of it
    bits = static_cast<char>(bits | ((x[i] ^ y[i]) & (m[i] ^ flip)));
  return bits != 0;
}

} // namespace

std::string describeCodelet(const GraphCore &graph, unsigned vertex) {
  const DaceIpuVertexType &abi = *graph.vertices[vertex].type->abi;
  const std::string place = abi.source_file ? abi.source_file : "";
  return describeVertex(graph, vertex) +
         (place.empty() ? "" : ", a codelet of " + place + ":" + std::to_string(abi.source_line));
}

void VertexCheck::fail(const std::string &what) const {
  throw poplar::application_runtime_error(describeCodelet(graph_, call_->vertex) + " " + what);
}

void VertexCheck::failAt(const Edge &edge, std::size_t at, const std::string &verb) const {
  const auto distance = static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(edge.at);
  const auto size = static_cast<std::ptrdiff_t>(edge.elementBytes);
  const std::ptrdiff_t element = distance >= 0 ? distance / size : -((size - 1 - distance) / size);
  const auto count = static_cast<std::ptrdiff_t>(edge.bytes / edge.elementBytes);
  const bool inside = element >= 0 && element < count;
  const std::string why = !inside ? ", which has " + std::to_string(count) + (count == 1 ? " element" : " elements")
                          : verb == "reads" ? ", which was never written"
                                            : ", which is an input";
  fail(verb + " element " + std::to_string(element) + " of " + nameOf(edge) + why);
}

std::string VertexCheck::nameOf(const Edge &edge) const {
  const std::string row = edge.info->row == npos ? "" : "row " + std::to_string(edge.info->row) + " of ";
  return row + "field '" + type_->abi->fields[edge.info->field].name + "'";
}

bool VertexCheck::run(std::size_t call, const RunWorker &run, std::vector<Untouched> &untouched) {
  call_ = &cs_.calls[call];
  run_ = &run;
  type_ = graph_.vertices[call_->vertex].type;
  state_.assign(state(), state() + type_->abi->size);
  collectEdges(call);
  placeEdges();
  const Outcome plain = runOn(scratchWith(plainGuard), 0, call_->workers, false);
  if (plain.signal)
    fail(faultText(plain.signal));
  requireWritesInside(plain);
  negative_ = false;
  const Outcome other = compare(plain);
  if (mayReadUnwritten()) { // a minimum or maximum shows only values of one sign
    negative_ = true;
    compare(plain);
  }
  noteUntouched(plain, other, untouched);
  finish(plain);
  return plain.value;
}

VertexCheck::Outcome VertexCheck::compare(const Outcome &plain) {
  std::vector<char> scratch = scratchWith(otherGuard);
  for (const Edge &e : edges_)
    for (const std::size_t element : e.unwritten)
      poison(scratch, e, element);
  Apart other = runApart(scratch);
  if (!other.all.signal)
    requireWritesInside(other.all); // what was written may have been the guard's value
  if (!other.clash.empty())
    fail(other.clash);
  if (!sameResults(plain, other.all))
    blameDifference(plain);
  return std::move(other.all);
}

bool VertexCheck::mayReadUnwritten() const {
  return std::any_of(edges_.begin(), edges_.end(), [&](const Edge &e) {
    return !e.unwritten.empty() && type_->abi->fields[e.info->field].direction != DACE_IPU_OUTPUT;
  });
}

void VertexCheck::collectEdges(std::size_t call) {
  edges_.clear();
  for (std::size_t i = cs_.checkedEdgesOf[call]; i < cs_.checkedEdgesOf[call + 1]; ++i) {
    const CheckedEdge &info = cs_.checkedEdges[i];
    DaceIpuSpan span;
    std::memcpy(&span, memory_ + info.at, sizeof(span));
    const std::size_t size = sizeOf(info.type);
    if (span.size == 0)
      continue;
    edges_.push_back({&info, static_cast<char *>(span.data), span.size * size, size, 0, {}});
    if (info.view)
      findUnwritten(edges_.back());
  }
  std::stable_sort(edges_.begin(), edges_.end(), [](const Edge &a, const Edge &b) { return a.home < b.home; });
}

void VertexCheck::findUnwritten(Edge &edge) const {
  std::size_t element = 0;
  forEachRun(*edge.info->view, [&](const Run &r) {
    const auto it = initialised_.find(r.var);
    for (std::size_t i = 0; i < r.count; ++i, ++element) {
      const std::size_t at = r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(i));
      if (it == initialised_.end() || !it->second.intersects(at, at + 1))
        edge.unwritten.push_back(element);
      else if (r.contiguous() && it->second.covers(at, r.offset + r.count))
        return void(element += r.count - i);
    }
  });
}

// Edges of the same memory share a copy, as they share it without the check; the others lie apart.
void VertexCheck::placeEdges() {
  writable_.clear();
  std::size_t end = 0;
  for (std::size_t first = 0; first < edges_.size();) {
    char *const home = edges_[first].home;
    char *homeEnd = home + edges_[first].bytes;
    std::size_t last = first + 1;
    for (; last < edges_.size() && edges_[last].home < homeEnd; ++last)
      homeEnd = std::max(homeEnd, edges_[last].home + edges_[last].bytes);
    const auto bytes = static_cast<std::size_t>(homeEnd - home);
    const std::size_t guard = guardBytes(bytes);
    // Aligned as the original is.
    const std::size_t at = (end + guard + alignment - 1) / alignment * alignment +
                           reinterpret_cast<std::uintptr_t>(home) % alignment;
    end = at + bytes + guard;
    writable_.resize(end, 0);
    for (; first < last; ++first) {
      Edge &e = edges_[first];
      e.at = at + static_cast<std::size_t>(e.home - home);
      if (e.info->writable)
        std::fill_n(writable_.begin() + static_cast<std::ptrdiff_t>(e.at), e.bytes, '\xFF');
    }
  }
  scratchBytes_ = end;
  constexpr std::size_t margin = std::size_t(64) << 20; // what a wild index may be off by and still be caught
  if (!arena_ || arena_->size() < end)
    arena_ = std::make_unique<Arena>(2 * end, margin);
}

char *VertexCheck::scratch() const {
  return arena_->data() + arena_->size() - (scratchBytes_ + alignment - 1) / alignment * alignment;
}

std::vector<char> VertexCheck::scratchWith(char guard) const {
  std::vector<char> scratch(scratchBytes_, guard);
  for (const Edge &e : edges_)
    std::copy_n(e.home, e.bytes, scratch.data() + e.at);
  return scratch;
}

void VertexCheck::poison(std::vector<char> &scratch, const Edge &edge, std::size_t element) const {
  const std::size_t offset = element * edge.elementBytes;
  char *const at = scratch.data() + edge.at + offset;
  if (std::memcmp(at, edge.home + offset, edge.elementBytes) == 0) // not yet, through another edge
    change(edge.info->type, at, negative_);
}

// Leaves the vertex's own memory as it was.
VertexCheck::Outcome VertexCheck::runOn(std::vector<char> content, unsigned firstWorker, unsigned lastWorker,
                                        bool isReplay) {
  char *const base = scratch();
  std::copy(content.begin(), content.end(), base);
  const auto setPointers = [&](bool toCopies) {
    for (const Edge &e : edges_) {
      char *const pointer = toCopies ? base + e.at : e.home;
      std::memcpy(memory_ + e.info->at + offsetof(DaceIpuSpan, data), &pointer, sizeof(pointer));
    }
  };
  Outcome o;
  o.value = true;
  const auto call = [&] {
    for (unsigned worker = firstWorker; worker < lastWorker; ++worker)
      o.value &= (*run_)(worker, isReplay);
  };
  setPointers(true);
  o.signal = catchFault(call);
  setPointers(false);
  char *const state = this->state();
  o.before = std::move(content);
  o.after.assign(base, base + scratchBytes_);
  o.state.assign(state, state + state_.size());
  std::copy(state_.begin(), state_.end(), state);
  return o;
}

void VertexCheck::blameDifference(const Outcome &plain) {
  if (!sameResults(plain, replay(scratchWith(plainGuard))))
    return; // it depends on something else, such as a static variable: nothing can be said
  const Apart apart = runApart(scratchWith(plainGuard));
  if (!sameResults(plain, apart.all))
    blameOrder(plain, apart.all);
  blameRead(plain);
}

void VertexCheck::requireWritesInside(const Outcome &o) const {
  if (!differ(o.after, o.before, writable_, '\xFF'))
    return;
  for (std::size_t i = 0;; ++i)
    if (o.after[i] != o.before[i] && !writable_[i])
      blameWrite(i);
}

void VertexCheck::blameWrite(std::size_t at) const { failAt(edgeAt(at), at, "writes"); }

// The edge of a byte of the scratch memory; of a guard zone, the edge that it guards.
const VertexCheck::Edge &VertexCheck::edgeAt(std::size_t at) const {
  const auto distance = [&](const Edge &e) {
    return at < e.at ? e.at - at : at >= e.at + e.bytes ? at - (e.at + e.bytes) + 1 : 0;
  };
  return *std::min_element(edges_.begin(), edges_.end(),
                           [&](const Edge &a, const Edge &b) { return distance(a) < distance(b); });
}

bool VertexCheck::sameResults(const Outcome &a, const Outcome &b) const {
  if (a.signal != b.signal || a.value != b.value || a.state != b.state)
    return false;
  return !differ(a.after, b.after, writable_, 0) || sameElements(a, b);
}

bool VertexCheck::isUntouched(const Edge &e, std::size_t element, const Outcome &o) {
  const std::size_t at = e.at + element * e.elementBytes;
  return std::memcmp(&o.before[at], &o.after[at], e.elementBytes) == 0;
}

// The same but for elements that held no value before, and were left alone in both.
bool VertexCheck::sameElements(const Outcome &a, const Outcome &b) const {
  std::vector<char> free(scratchBytes_);
  for (const Edge &e : edges_)
    for (const std::size_t element : e.unwritten) {
      const std::size_t at = e.at + element * e.elementBytes;
      if (isUntouched(e, element, a) && isUntouched(e, element, b))
        std::fill_n(free.begin() + static_cast<std::ptrdiff_t>(at), e.elementBytes, char(1));
    }
  for (std::size_t i = 0; i < scratchBytes_; ++i)
    if (writable_[i] && !free[i] && a.after[i] != b.after[i])
      return false;
  return true;
}

std::vector<VertexCheck::Suspect> VertexCheck::suspects() const {
  std::vector<Suspect> all;
  for (std::size_t i = 0; i < edges_.size(); ++i)
    for (const std::size_t element : edges_[i].unwritten)
      all.push_back({i, edges_[i].at + element * edges_[i].elementBytes});
  for (std::size_t at = 0; at < scratchBytes_; ++at)
    if (isOutside(edgeAt(at), at))
      all.push_back({static_cast<std::size_t>(&edgeAt(at) - edges_.data()), at});
  return all;
}

// Halves what differs from the first run until one element is left that makes the difference.
void VertexCheck::blameRead(const Outcome &plain) {
  const std::vector<Suspect> all = suspects();
  const auto differs = [&](std::size_t begin, std::size_t end) {
    std::vector<char> scratch = scratchWith(plainGuard);
    for (std::size_t i = begin; i < end; ++i) {
      const Edge &e = edges_[all[i].edge];
      if (isOutside(e, all[i].at))
        scratch[all[i].at] = otherGuard;
      else
        poison(scratch, e, (all[i].at - e.at) / e.elementBytes);
    }
    return !sameResults(plain, replay(std::move(scratch)));
  };
  std::size_t begin = 0, end = all.size();
  while (end - begin > 1) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (differs(begin, middle))
      end = middle;
    else if (differs(middle, end))
      begin = middle;
    else
      break;
  }
  failAt(edges_[all[begin].edge], all[begin].at, "reads");
}

// Only for outputs: what several vertices write, in turn, is an InOut.
void VertexCheck::noteUntouched(const Outcome &a, const Outcome &b, std::vector<Untouched> &untouched) const {
  for (const Edge &e : edges_) {
    if (e.unwritten.empty() || type_->abi->fields[e.info->field].direction != DACE_IPU_OUTPUT)
      continue;
    auto next = e.unwritten.begin();
    std::size_t first = 0; // of the run
    forEachRun(*e.info->view, [&](const Run &r) {
      for (; next != e.unwritten.end() && *next < first + r.count; ++next)
        if (isUntouched(e, *next, a) && isUntouched(e, *next, b))
          untouched.push_back(
              {r.var, r.offset + static_cast<std::size_t>(r.stride * static_cast<std::ptrdiff_t>(*next - first))});
      first += r.count;
    });
  }
}

void VertexCheck::finish(const Outcome &o) {
  std::copy(o.state.begin(), o.state.end(), state());
  for (const Edge &e : edges_) {
    std::memcpy(memory_ + e.info->at + offsetof(DaceIpuSpan, data), &e.home, sizeof(e.home)); // it was the copy's
    if (e.info->writable)
      std::copy_n(o.after.data() + e.at, e.bytes, e.home);
  }
}

} // namespace dace_ipu_sim
