// Control programs as trees of nodes. Nodes are shared and immutable once they have been added somewhere.
#pragma once

#include <poplar/PrintTensor.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dace_ipu_sim {

struct ProgramNode;
using ProgramPtr = std::shared_ptr<const ProgramNode>;

enum class ProgramKind {
  Sequence,        // children
  Execute,         // id: compute set; tensors: [result]
  Repeat,          // count, children[0]
  RepeatWhileTrue, // children: cond, body; tensors: predicate
  RepeatWhileFalse,
  If,             // children: true, false; tensors: predicate
  Switch,         // children: default (may be null), cases; values; tensors: control
  Copy,           // tensors: src, dst
  StreamToTensor, // id: stream; tensors: dst
  TensorToStream, // id: stream; tensors: src
  RemoteToTensor, // id: buffer; tensors: dst, [offset]
  TensorToRemote, // id: buffer; tensors: src, [offset]
  WriteUndef,     // tensors: t
  Sync,
  Call,             // id: function
  HostCall,         // id: host function; tensors: inputs, then outputs; count: number of inputs
  PrintTensor,      // text: title; tensors: t
  Abort,            // text; tensors: [debug tensor]
  AbortOnCondition, // text; tensors: predicate
  CycleStart,       // id: slot shared with CycleEnd
  CycleEnd,         // tensors: result
  CycleStamp,       // tensors: result
  CrossReplicaCopy, // tensors: src, dst; values: the replica that receives from each replica, or -1
  CodeCopy,         // id: function whose code moves
  GetFpControl,     // tensors: result
  SetFpControl,     // tensors: [value]; else values: bits to clear, bits to set
  Loop              // children[0]
};

struct ProgramNode {
  ProgramKind kind = ProgramKind::Sequence;
  std::string name;
  std::vector<ProgramPtr> children;
  std::vector<poplar::Tensor> tensors;
  std::vector<std::int32_t> values;
  unsigned id = 0;
  unsigned count = 0;
  std::string text;
  poplar::PrintTensorFmt format;
};

/// A word for messages and profiles: "Execute", "Copy", ...
const char *kindName(ProgramKind kind);

} // namespace dace_ipu_sim
