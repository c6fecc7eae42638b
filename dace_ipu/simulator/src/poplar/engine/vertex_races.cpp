// VertexCheck: whether the workers of a MultiVertex race.
#include "vertex_check.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace dace_ipu_sim {

namespace {

constexpr std::size_t wordBytes = 4; // what a tile stores at once, at least (Target::getAtomicStoreGranularity)

bool sameWord(const char *a, const char *b, std::size_t bytes) {
  if (bytes != wordBytes)
    return std::memcmp(a, b, bytes) == 0;
  std::uint32_t x, y;
  std::memcpy(&x, a, wordBytes);
  std::memcpy(&y, b, wordBytes);
  return x == y;
}

/// Copies those of the bytes [begin, end) that `worker` has changed to `all`, and notes who it was.
void merge(std::size_t begin, std::size_t end, const std::vector<char> &before, const std::vector<char> &after,
           unsigned worker, std::vector<char> &all, std::vector<unsigned char> &writer) {
  for (std::size_t i = begin; i < end; ++i)
    if (after[i] != before[i]) {
      all[i] = after[i];
      writer[i] = static_cast<unsigned char>(worker + 1);
    }
}

/// The worker that has changed bytes [begin, end), which this one changed too, to something else; or -1.
int clashIn(std::size_t begin, std::size_t end, const std::vector<char> &after, const std::vector<char> &all,
            const std::vector<unsigned char> &writer) {
  bool same = true;
  int other = -1;
  for (std::size_t i = begin; i < end; ++i) {
    same &= after[i] == all[i];
    if (writer[i] != 0)
      other = writer[i] - 1;
  }
  return same ? -1 : other;
}

} // namespace

VertexCheck::Apart VertexCheck::runApart(const std::vector<char> &scratch) {
  Apart apart{runOn(scratch, 0, 1, true), {}, {}, {}};
  if (call_->workers == 1)
    return apart;
  const Outcome first = std::move(apart.all);
  apart.all = {0, true, scratch, scratch, state_};
  apart.writer.resize(scratchBytes_);
  apart.stateWriter.resize(state_.size());
  addWorker(apart, first, 0);
  for (unsigned worker = 1; worker < call_->workers; ++worker)
    addWorker(apart, runOn(scratch, worker, worker + 1, true), worker);
  return apart;
}

void VertexCheck::addWorker(Apart &apart, const Outcome &one, unsigned worker) const {
  if (!one.signal)
    requireWritesInside(one); // what was written may have been the guard's value
  for (const Edge &e : edges_)
    for (std::size_t word = e.at; e.info->writable && word < e.at + e.bytes; word += wordBytes) {
      const std::size_t end = std::min(word + wordBytes, e.at + e.bytes);
      if (sameWord(&one.before[word], &one.after[word], end - word))
        continue;
      noteClash(apart, one, worker, e, word);
      merge(word, end, one.before, one.after, worker, apart.all.after, apart.writer);
    }
  for (std::size_t word = 0; word < state_.size(); word += wordBytes)
    noteStateClash(apart, one, worker, word);
  merge(0, state_.size(), state_, one.state, worker, apart.all.state, apart.stateWriter);
  apart.all.signal = apart.all.signal ? apart.all.signal : one.signal;
  apart.all.value &= one.value;
}

// A store of less than a word is a read and a write of the word.
void VertexCheck::noteClash(Apart &apart, const Outcome &one, unsigned worker, const Edge &edge,
                            std::size_t word) const {
  if (!apart.clash.empty())
    return;
  const std::size_t end = std::min(word + wordBytes, edge.at + edge.bytes);
  const int other = clashIn(word, end, one.after, apart.all.after, apart.writer);
  if (other < 0 || (edge.elementBytes < wordBytes && type_->abi->cost_flags & DACE_IPU_STORES_WHOLE_WORDS))
    return;
  const std::size_t first = (word - edge.at) / edge.elementBytes, last = (end - 1 - edge.at) / edge.elementBytes;
  const std::string who = "workers " + std::to_string(other) + " and " + std::to_string(worker) + " write ";
  if (first == last)
    apart.clash = "races: its " + who + "different values to element " + std::to_string(first) + " of " + nameOf(edge);
  else
    apart.clash = "races: its " + who + "into the 4 bytes of elements " + std::to_string(first) + " to " +
                  std::to_string(last) + " of " + nameOf(edge) + "; a store of less than 4 bytes is not atomic";
}

void VertexCheck::noteStateClash(Apart &apart, const Outcome &one, unsigned worker, std::size_t word) const {
  if (!apart.clash.empty())
    return;
  const std::size_t end = std::min(word + wordBytes, state_.size());
  if (sameWord(&one.state[word], &state_[word], end - word))
    return;
  const int other = clashIn(word, end, one.state, apart.all.state, apart.stateWriter);
  for (std::uint32_t f = 0; other >= 0 && f < type_->abi->num_fields; ++f) {
    const DaceIpuField &field = type_->abi->fields[f];
    if (field.offset < end && field.offset + field.size > word)
      apart.clash = "races: its workers " + std::to_string(other) + " and " + std::to_string(worker) +
                    " write different values to field '" + field.name + "'";
  }
}

void VertexCheck::blameOrder(const Outcome &plain, const Outcome &apart) const {
  const std::string why = " is another if its workers run at the same time: one reads what another writes";
  for (const Edge &e : edges_)
    for (std::size_t b = 0; e.info->writable && b < e.bytes; ++b)
      if (plain.after[e.at + b] != apart.after[e.at + b])
        fail("races: element " + std::to_string(b / e.elementBytes) + " of " + nameOf(e) + why);
  fail("races: a field or the result" + why);
}

} // namespace dace_ipu_sim
