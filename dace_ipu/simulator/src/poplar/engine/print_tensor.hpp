// The text of PrintTensor.
#pragma once

#include "../core/view.hpp"

#include <poplar/PrintTensor.hpp>
#include <poplar/Type.hpp>

#include <string>

namespace dace_ipu_sim {

/// `title: [1.0000000 1.5000000]`; inner dimensions on lines of their own, indented by two; long tensors are cut.
std::string formatTensor(const std::string &title, poplar::Type type, const Shape &shape, const char *data,
                         const poplar::PrintTensorFmt &format);

} // namespace dace_ipu_sim
