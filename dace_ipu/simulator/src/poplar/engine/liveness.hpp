// When the programs need the contents of which variable.
#pragma once

#include "../core/graph_core.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace dace_ipu_sim {

/// From one leaf program to another, both included, in the order of the programs' text.
struct LiveRange {
  bool always = true;
  unsigned first = 0;
  unsigned last = 0;
};

/// Finds the live ranges of variables. A variable is always live if it has to keep its contents from one run to the next,
/// or may have to: constants, variables with initial values or host handles, those of several programs, those that are
/// read before all of their elements were written, and those that a conditional part writes for what follows. Others live
/// from their first write to their last use; a loop lengthens the range if one of them lies outside. The rules err on
/// the side of longer ranges. Takes time linear in programs and edges.
class Liveness {
public:
  explicit Liveness(const GraphCore &graph);
  void addProgram(const ProgramPtr &program);
  /// By variable id. Variables that no program uses are always live.
  std::vector<LiveRange> finish();

  /// Leaf programs in order; a position is an index into this.
  const std::vector<const ProgramNode *> &leaves() const { return leaves_; }

private:
  /// A part of a program that may run several times, or not at all.
  struct Scope {
    unsigned parent;
    unsigned depth;
    unsigned begin;
    unsigned end;
    bool conditional;
  };
  struct Use {
    bool seen = false;
    bool pinned = false;
    unsigned first = 0, last = 0;
    unsigned firstScope = 0;
    unsigned lastLoop = 0; // the outermost scope of a later use that does not contain the first
    std::size_t written = 0;
  };
  /// What one compute set reads and writes.
  struct Access {
    const Variable *var;
    std::size_t written;
    bool read;
  };

  void walk(const ProgramPtr &program);
  void walkIn(const ProgramPtr &program, bool conditional);
  void leaf(const ProgramNode &node);
  void read(const poplar::Tensor &t);
  void write(const poplar::Tensor &t);
  void execute(const ProgramNode &node);
  const std::vector<Access> &accessesOf(unsigned computeSet);
  void access(const Variable &var, std::size_t written, bool read);
  void leaveScopes(Use &use) const;
  void pinAll(const ProgramPtr &program);
  void pin(const poplar::Tensor &t);

  const GraphCore &graph_;
  std::vector<Use> uses_;
  std::vector<Scope> scopes_;
  std::unordered_map<unsigned, std::vector<Access>> computeSets_;
  std::unordered_set<const ProgramNode *> walked_, pinnedPrograms_;
  std::vector<const ProgramNode *> leaves_;
  unsigned scope_ = 0;
  unsigned programBegin_ = 0;
};

} // namespace dace_ipu_sim
