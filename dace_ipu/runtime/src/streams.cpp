#include <dace_ipu/streams.hpp>

#include <stdexcept>
#include <utility>

namespace dace_ipu {

void Streams::copyIn(poplar::program::Sequence &sequence, const char *array, const poplar::Tensor &tensor) {
  if (tensor.numElements() != 0)
    sequence.add(poplar::program::Copy(get(array, tensor, true).stream, tensor));
}

void Streams::copyOut(poplar::program::Sequence &sequence, const char *array, const poplar::Tensor &tensor) {
  if (tensor.numElements() != 0)
    sequence.add(poplar::program::Copy(tensor, get(array, tensor, false).stream));
}

void Streams::keep(std::vector<std::string> variables) { kept_ = std::move(variables); }

const Stream &Streams::get(const char *array, const poplar::Tensor &tensor, bool toDevice) {
  for (const Stream &known : streams) {
    if (known.array == array && known.toDevice == toDevice) {
      if (known.count != tensor.numElements() || known.type != tensor.elementType())
        throw std::logic_error(std::string("the array '") + array + "' is copied with two sizes or types");
      return known;
    }
  }
  Stream fresh;
  fresh.handle = std::string(array) + (toDevice ? "_in" : "_out");
  fresh.array = array;
  fresh.toDevice = toDevice;
  fresh.type = tensor.elementType();
  fresh.typeSize = graph.getTarget().getTypeSize(fresh.type);
  fresh.count = tensor.numElements();
  fresh.stream = toDevice ? graph.addHostToDeviceFIFO(fresh.handle, fresh.type, fresh.count)
                          : graph.addDeviceToHostFIFO(fresh.handle, fresh.type, fresh.count);
  streams.push_back(fresh);
  return streams.back();
}

} // namespace dace_ipu
