#pragma once

#include <poplar/ProfileValue.hpp>

#include <string>

namespace dace_ipu_sim {

/// Reads JSON as `poplar::serializeToJSON` writes it. Throws pva::Error with the position of what it does not understand.
poplar::ProfileValue parseJson(const std::string &text);

} // namespace dace_ipu_sim
