#include "options.hpp"

#include <poplar/exceptions.hpp>

#include <set>
#include <string>

namespace poplin::internal {

using namespace poplar;

namespace {

// They choose between ways of doing the same, of which there is one here.
const std::set<std::string> withoutEffect = {
    "fullyConnectedPass", "inputRHSIsPreArranged",   "use128BitConvUnitLoad", "enableMultiStageReduce",
    "enableFastReduce",   "remapOutputTensor",       "planConstraints",       "pass",
    "gatherConvOutput",   "enableConvDithering",     "maxOutputMemoryProportion",
    "numIPUs",            "tilesPerIPU",             "startTileMultiplier",   "interIpuPartialsType",
    "disableTransformations", "insertTransformsCycleCountProgs", "enableSerialConvolutions"};

double proportion(const std::string &option, const std::string &value) {
  std::size_t used = 0;
  double result = -1;
  try {
    result = std::stod(value, &used);
  } catch (const std::exception &) {
  }
  if (used != value.size() || !(result >= 0))
    throw invalid_option(option + " is '" + value + "': it must be a number that is not negative");
  return result;
}

Type partialsType(const std::string &option, const std::string &value) {
  if (value == "float")
    return FLOAT;
  if (value == "half")
    return HALF;
  throw invalid_option(option + " is '" + value + "': it must be 'float' or 'half'");
}

} // namespace

Options parseOptions(const OptionFlags &flags) {
  Options options;
  for (const auto &flag : flags)
    if (flag.first == "availableMemoryProportion")
      options.availableMemoryProportion = proportion(flag.first, flag.second);
    else if (flag.first == "partialsType")
      options.partialsType = partialsType(flag.first, flag.second);
    else if (withoutEffect.count(flag.first) == 0)
      throw invalid_option("'" + flag.first + "' is no option of matrix products and convolutions");
  return options;
}

} // namespace poplin::internal
