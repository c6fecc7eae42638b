// One slice.
#include "shapes.hpp"

#include <popops/DynamicSlice.hpp>

namespace popops {

using namespace poplar;
using slice::Call;
using slice::named;

namespace {

Tensor offsetsOf(const Call &call, const Tensor &offset) {
  if (offset.rank() == 2)
    call.fail("an offset for every tile is not supported yet; give one of shape {dims.size()}");
  if (offset.rank() != 1)
    call.fail("the offset has shape " + slice::text(offset.shape()) + ", not {dims.size()}");
  return call.offsets(offset.expand({0}));
}

} // namespace

Tensor createDynamicSliceOutput(Graph &graph, const Tensor &t, const Tensor &, const std::vector<std::size_t> &dims,
                                const std::vector<std::size_t> &sizes, const DebugContext &debugContext,
                                const OptionFlags &options) {
  const slice::Options checked(options);
  return createSliceTensor(graph, t, dims, sizes, 1, debugContext)[0];
}

void dynamicSliceWithOutput(Graph &graph, const Tensor &output, const Tensor &t, const Tensor &offset,
                            const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                            program::Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  Call call(named("dynamicSlice", debugContext), t.shape(), dims, sizes);
  call.setRemap(slice::Options(options).remap);
  call.checkSlices(t, output.expand({0}), 1);
  const slice::Job job = {call.table(t), call.slices(output.expand({0})), offsetsOf(call, offset)};
  if (dims.empty())
    prog.add(program::Copy(t, output, false, debugContext));
  else
    slice::read(graph, {job}, call.window(), prog, {debugContext, "dynamicSlice"});
}

Tensor dynamicSlice(Graph &graph, const Tensor &t, const Tensor &offset, const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes, program::Sequence &prog, const DebugContext &debugContext,
                    const OptionFlags &options) {
  const Call checked(named("dynamicSlice", debugContext), t.shape(), dims, sizes);
  const Tensor output = createDynamicSliceOutput(graph, t, offset, dims, sizes, debugContext, options);
  dynamicSliceWithOutput(graph, output, t, offset, dims, sizes, prog, debugContext, options);
  return output;
}

Graph::TileToTensorMapping getSliceMapping(Graph &graph, const Tensor &t, const std::vector<std::size_t> &dims,
                                           const std::vector<std::size_t> &sizes) {
  return graph.getTileMapping(createSliceTensor(graph, t, dims, sizes, 1, {"sliceMapping"})[0]);
}

void dynamicUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offset,
                   const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                   program::Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  Call call(named("dynamicUpdate", debugContext), t.shape(), dims, sizes);
  call.setRemap(slice::Options(options).remap);
  call.checkSlices(t, s.expand({0}), 1);
  const slice::Job job = {call.table(t), call.slices(s.expand({0})), offsetsOf(call, offset)};
  if (dims.empty())
    prog.add(program::Copy(s, t, false, debugContext));
  else
    slice::update(graph, {job}, call.window(), slice::Update::REPLACE, {}, prog, {debugContext, "dynamicUpdate"});
}

} // namespace popops
