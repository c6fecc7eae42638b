// Descriptions of calls of library functions.
#include <poputil/DebugInfo.hpp>

namespace poputil {

using poplar::ProfileValue;

template <> ProfileValue toProfileValue(const bool &value) { return value; }
template <> ProfileValue toProfileValue(const unsigned char &value) { return unsigned(value); }
template <> ProfileValue toProfileValue(const int &value) { return value; }
template <> ProfileValue toProfileValue(const unsigned &value) { return value; }
template <> ProfileValue toProfileValue(const long &value) { return value; }
template <> ProfileValue toProfileValue(const unsigned long &value) { return value; }
template <> ProfileValue toProfileValue(const long long &value) { return static_cast<long>(value); }
template <> ProfileValue toProfileValue(const unsigned long long &value) { return value; }
template <> ProfileValue toProfileValue(const float &value) { return value; }
template <> ProfileValue toProfileValue(const double &value) { return value; }
template <> ProfileValue toProfileValue(const std::string &value) { return value; }

template <> ProfileValue toProfileValue(const poplar::ComputeSet &value) { return value.getId(); }

template <> ProfileValue toProfileValue(const poplar::OptionFlags &value) {
  ProfileValue::Map options;
  for (const auto &option : value)
    options[option.first] = option.second;
  return options;
}

template <> ProfileValue toProfileValue(const poplar::program::Copy &) { return "<poplar::program::Copy>"; }
template <> ProfileValue toProfileValue(const poplar::program::Sequence &) { return "<poplar::program::Sequence>"; }
template <> ProfileValue toProfileValue(const poplar::TensorCloneMethod &value) { return toString(value); }
template <> ProfileValue toProfileValue(const poplar::Type &value) { return value.toString(); }

template <> ProfileValue toProfileValue(const poplar::Tensor &value) {
  if (!value.valid())
    return "<poplar::Tensor>";
  std::string shape;
  for (std::size_t size : value.shape())
    shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  return ProfileValue::Map{{"shape", "[" + shape + "]"}, {"type", value.elementType().toString()}};
}

OpDebugInfo::OpDebugInfo(const poplar::DebugContext &debugContext, std::string api) : DebugInfo(debugContext, "poplibs") {
  setValue("api", api);
}

void OpDebugInfo::add(std::string name, const std::vector<ArgType> &values) {
  ProfileValue::Map described;
  for (const ArgType &value : values)
    described[value.n] = value.pv;
  add(name, described);
}

void OpDebugInfo::add(std::string name, ProfileValue value) { setValue(name, value); }

PoplibsOpDebugInfo::PoplibsOpDebugInfo(const poplar::DebugContext &debugContext, const std::vector<ArgType> &arguments,
                                       const std::string &api)
    : OpDebugInfo(debugContext, api) {
  add("args", arguments);
}

void PoplibsOpDebugInfo::addOutputs(const std::vector<ArgType> &outputs) { add("outputs", outputs); }
void PoplibsOpDebugInfo::addOutput(const poplar::Tensor &output) { addOutputs({{"output", toProfileValue(output)}}); }

} // namespace poputil
