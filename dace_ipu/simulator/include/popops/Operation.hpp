// Operations of reductions as text.
#ifndef popops_Operation_hpp
#define popops_Operation_hpp

#include <popops/OperationDef.hpp>

#include <istream>
#include <ostream>

namespace popops {

/// The name in capitals. Reading any other text throws poputil::poplibs_error.
std::istream &operator>>(std::istream &is, Operation &op);
std::ostream &operator<<(std::ostream &os, const Operation &op);

} // namespace popops

#endif
