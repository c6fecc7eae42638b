// The exception of the poputil, popops, ... libraries.
#ifndef poputil_exceptions_hpp
#define poputil_exceptions_hpp

#include <stdexcept>
#include <string>

namespace poputil {

/// Arguments that a PopLibs function cannot work with. Not a poplar_error.
struct poplibs_error : std::runtime_error {
  std::string type;
  explicit poplibs_error(const std::string &what) : std::runtime_error(what), type("poplibs_error") {}
};

} // namespace poputil

#endif
