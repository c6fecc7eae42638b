#include <poputil/exceptions.hpp>
#include <popops/Operation.hpp>

#include <string>

namespace popops {

namespace {

const char *const names[] = {"ADD", "MUL", "MIN", "MAX", "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOG_ADD"};

} // namespace

std::istream &operator>>(std::istream &is, Operation &op) {
  std::string text;
  is >> text;
  for (int i = 0; i <= static_cast<int>(Operation::LOG_ADD); ++i)
    if (text == names[i]) {
      op = static_cast<Operation>(i);
      return is;
    }
  throw poputil::poplibs_error("unknown reduction operation '" + text + "'");
}

std::ostream &operator<<(std::ostream &os, const Operation &op) { return os << names[static_cast<int>(op)]; }

} // namespace popops
