// What a reduction does with two values.
#ifndef popops_OperationDef_hpp
#define popops_OperationDef_hpp

namespace popops {

enum class Operation {
  ADD,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND, ///< BOOL only
  LOGICAL_OR,  ///< BOOL only
  SQUARE_ADD,  ///< adds the squares
  LOG_ADD      ///< log(exp(a) + exp(b))
};

} // namespace popops

#endif
