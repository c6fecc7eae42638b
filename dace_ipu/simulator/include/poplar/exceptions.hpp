// The exceptions of the library. Every one derives from poplar_error.
#ifndef poplar_exceptions_hpp
#define poplar_exceptions_hpp

#include <poplar/ProfileValue.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace poplar {

class DebugContext;

/// Base of all exceptions that Poplar throws.
struct poplar_error : std::runtime_error {
  std::string type;
  explicit poplar_error(const std::string &what) : std::runtime_error(what), type("poplar_error") {}
  explicit poplar_error(const char *what) : std::runtime_error(what), type("poplar_error") {}
  /// Would add a place in the program's source, which the simulator does not keep.
  void attachSourceLocation(const DebugContext &) {}

protected:
  poplar_error(const std::string &what, const char *typeName) : std::runtime_error(what), type(typeName) {}
};

#define POPLAR_ERROR(NAME, BASE)                                                  \
  struct NAME : BASE {                                                            \
    explicit NAME(const std::string &what) : BASE(what, #NAME) {}                 \
                                                                                  \
  protected:                                                                      \
    NAME(const std::string &what, const char *typeName) : BASE(what, typeName) {} \
  };

POPLAR_ERROR(graph_program_compilation_error, poplar_error)
POPLAR_ERROR(graph_object_creation_error, poplar_error)
POPLAR_ERROR(no_environment, poplar_error)
POPLAR_ERROR(control_program_error, poplar_error)
POPLAR_ERROR(type_error, poplar_error)
POPLAR_ERROR(graph_connection_error, poplar_error)
POPLAR_ERROR(graph_cycle_error, poplar_error)
POPLAR_ERROR(graph_recursion_error, poplar_error)
POPLAR_ERROR(graph_replication_error, poplar_error)
POPLAR_ERROR(profiling_disabled, poplar_error)
POPLAR_ERROR(missing_profile_data, poplar_error)
POPLAR_ERROR(missing_graph_profile, poplar_error)
POPLAR_ERROR(missing_perf_estimate, poplar_error)
POPLAR_ERROR(invalid_tile_mapping, poplar_error)
POPLAR_ERROR(tensor_creation_error, poplar_error)
POPLAR_ERROR(tensor_io_state_error, poplar_error)
POPLAR_ERROR(tensor_metadata_error, poplar_error)
POPLAR_ERROR(stream_connection_error, poplar_error)
POPLAR_ERROR(overflow_error, poplar_error)
POPLAR_ERROR(memory_elem_constraints_error, poplar_error)
POPLAR_ERROR(stream_memory_allocation_error, poplar_error)
POPLAR_ERROR(invalid_machine_model, poplar_error)
POPLAR_ERROR(invalid_option, poplar_error)
POPLAR_ERROR(file_load_error, poplar_error)
POPLAR_ERROR(parse_error, poplar_error)
POPLAR_ERROR(runtime_error, poplar_error)
POPLAR_ERROR(application_runtime_error, runtime_error)
POPLAR_ERROR(system_runtime_error, runtime_error)
POPLAR_ERROR(unrecoverable_runtime_error, system_runtime_error)
POPLAR_ERROR(unknown_runtime_error, system_runtime_error)
#undef POPLAR_ERROR

/// A codelet file that cannot be loaded: its name and why.
struct graph_object_load_error : poplar_error {
  graph_object_load_error(const std::string &file, const std::string &why)
      : poplar_error("could not load codelet file '" + file + "': " + why, "graph_object_load_error") {}
};

/// addVertex with a name that no codelet has.
struct unknown_vertex_type : poplar_error {
  explicit unknown_vertex_type(const std::string &what) : poplar_error(what, "unknown_vertex_type") {}
};

/// A field name that the vertex does not have.
struct unknown_field : poplar_error {
  explicit unknown_field(const std::string &what) : poplar_error(what, "unknown_field") {}
  unknown_field(const std::string &field, const std::string &vertex)
      : poplar_error("vertex '" + vertex + "' has no field '" + field + "'", "unknown_field") {}
};

/// An index or range outside the tensor.
struct index_error : poplar_error {
  explicit index_error(const std::string &what) : poplar_error(what, "index_error") {}
  index_error(const std::string &function, const std::string &index)
      : poplar_error(function + ": " + index, "index_error") {}
  index_error(const std::string &function, std::size_t index) : index_error(function, std::to_string(index)) {}
};

/// The size of a vector field was never given.
struct no_size_specified : poplar_error {
  explicit no_size_specified(const std::string &what) : poplar_error(what, "no_size_specified") {}
  no_size_specified(const std::string &field, const std::string &vertex)
      : poplar_error("no size specified for field '" + field + "' of vertex '" + vertex + "'", "no_size_specified") {}
};

/// The graph does not fit into the memory of some tile. `profile` holds the JSON profile of the plan.
struct graph_memory_allocation_error : poplar_error {
  ProfileValue graphProfile;
  std::string profilePath;
  explicit graph_memory_allocation_error(const std::string &what, const std::string &path = "")
      : poplar_error(what, "graph_memory_allocation_error"), profilePath(path) {}
};

/// A codelet module refers to something that does not exist.
struct link_error : poplar_error {
  std::string output;
  explicit link_error(const std::string &what, const std::string &linkerOutput = "")
      : poplar_error(what, "link_error"), output(linkerOutput) {}
};

/// A symbol that a tile's program lacks.
struct symbol_error : poplar_error {
  symbol_error(const std::string &name, unsigned tile)
      : poplar_error("undefined symbol " + name + " on tile " + std::to_string(tile), "symbol_error") {}
};

enum class RecoveryAction { IPU_RESET, LINK_RESET, PARTITION_RESET, FULL_RESET };

/// A failure of the system that a reset repairs. The simulator never throws it; programs catch it.
struct recoverable_runtime_error : system_runtime_error {
  recoverable_runtime_error(RecoveryAction action, const std::string &what)
      : system_runtime_error(what, "recoverable_runtime_error"), action_(action) {}
  RecoveryAction getRecoveryAction() const { return action_; }

private:
  RecoveryAction action_;
};

} // namespace poplar

#endif
