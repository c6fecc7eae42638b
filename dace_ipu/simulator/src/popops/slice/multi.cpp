// Many slices at once.
#include "plan.hpp"
#include "shapes.hpp"

#include <poputil/exceptions.hpp>

namespace popops {

using namespace poplar;
using slice::Call;
using slice::named;

namespace {

std::vector<std::size_t> withoutFirst(const std::vector<std::size_t> &shape) {
  return shape.empty() ? shape : std::vector<std::size_t>(shape.begin() + 1, shape.end());
}

// The groups as leading dimension; a call without groups is a call with one.
struct Grouped {
  Tensor t, offsets;
  Grouped(const Call &call, const Tensor &tensor, const Tensor &offsetsOfAll) : t(tensor), offsets(offsetsOfAll) {
    if (offsets.rank() != 3 || offsets.dim(0) != t.dim(0) || t.dim(0) == 0)
      call.fail("offsets of shape " + slice::text(offsets.shape()) + " do not fit " + std::to_string(t.dim(0)) +
                " groups");
  }
};

void checkPlan(const Call &call, std::size_t groups, const SlicePlan &plan) {
  const SlicePlanInternal &p = plan.getImpl();
  if (!p.isNull() && p.groups != groups)
    call.fail("there are " + std::to_string(groups) + " groups, the plan is for " + std::to_string(p.groups));
}

Tensor readGroups(const std::string &function, Graph &graph, const Tensor &t, const Tensor &offsets,
                  const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes, program::Sequence &prog,
                  const SlicePlan &plan, const OptionFlags &options, const DebugContext &debugContext) {
  Call call(named(function, debugContext), withoutFirst(t.shape()), dims, sizes);
  call.setRemap(slice::Options(options).remap);
  const Grouped grouped(call, t, offsets);
  checkPlan(call, t.dim(0), plan);
  std::vector<slice::Job> jobs;
  std::vector<Tensor> results;
  for (std::size_t g = 0; g < t.dim(0); ++g) {
    const Tensor places = call.offsets(offsets[g]);
    const Tensor slices = createSliceTensor(graph, t[g], dims, sizes, places.dim(0), debugContext);
    jobs.push_back({call.table(t[g]), call.slices(slices), places});
    results.push_back(slices.expand({0}));
  }
  if (dims.empty())
    call.fail("there must be a dimension to slice");
  slice::read(graph, jobs, call.window(), prog, {debugContext, function});
  return concat(results);
}

void updateGroups(const std::string &function, slice::Update operation, Graph &graph, const Tensor &t, const Tensor &s,
                  const Tensor &offsets, const Tensor &scale, const std::vector<std::size_t> &dims,
                  const std::vector<std::size_t> &sizes, program::Sequence &prog, const SlicePlan &plan,
                  const OptionFlags &options, const DebugContext &debugContext) {
  Call call(named(function, debugContext), withoutFirst(t.shape()), dims, sizes);
  call.setRemap(slice::Options(options).remap);
  const Grouped grouped(call, t, offsets);
  checkPlan(call, t.dim(0), plan);
  if (dims.empty())
    call.fail("there must be a dimension to update");
  const Type type = t.elementType();
  if (operation != slice::Update::REPLACE && type != FLOAT && type != HALF && type != INT && type != UNSIGNED_INT)
    call.fail("is not supported for " + type.toString() + "; it takes float, half, int and unsigned int");
  if (scale.valid() && (scale.numElements() != 1 ||
                        (scale.elementType() != type && !(type == HALF && scale.elementType() == FLOAT))))
    call.fail("the scale must be one element of " + type.toString() + (type == HALF ? " or float" : "") + ", not " +
              scale.elementType().toString() + " " + slice::text(scale.shape()));
  if (s.rank() == 0 || s.dim(0) != t.dim(0))
    call.fail("slices of shape " + slice::text(s.shape()) + " do not fit " + std::to_string(t.dim(0)) + " groups");
  std::vector<slice::Job> jobs;
  for (std::size_t g = 0; g < t.dim(0); ++g) {
    const Tensor places = call.offsets(offsets[g]);
    call.checkSlices(t, s[g], places.dim(0));
    jobs.push_back({call.table(t[g]), call.slices(s[g]), places});
  }
  const Tensor factor = scale.valid() ? scale.flatten()[0] : scale;
  slice::update(graph, jobs, call.window(), operation, factor, prog, {debugContext, function});
}

} // namespace

Tensor multiSlice(Graph &graph, const Tensor &t, const Tensor &offsets, const std::vector<std::size_t> &dims,
                  const std::vector<std::size_t> &sizes, program::Sequence &prog, const SlicePlan &plan,
                  const OptionFlags &options, const DebugContext &debugContext) {
  return readGroups("multiSlice", graph, t.expand({0}), offsets.expand({0}), dims, sizes, prog, plan, options,
                    debugContext)[0];
}

Tensor groupedMultiSlice(Graph &graph, const Tensor &t, const Tensor &offsets, const std::vector<std::size_t> &dims,
                         const std::vector<std::size_t> &sizes, program::Sequence &prog, const SlicePlan &plan,
                         const OptionFlags &options, const DebugContext &debugContext) {
  return readGroups("groupedMultiSlice", graph, t, offsets, dims, sizes, prog, plan, options, debugContext);
}

Tensor multiSlice(Graph &graph, const Tensor &t, ArrayRef<unsigned> offsets, std::size_t dim, program::Sequence &prog,
                  const DebugContext &debugContext, const OptionFlags &optionFlags) {
  const slice::Options checked(optionFlags);
  const Call call(named("multiSlice", debugContext), t.shape(), {dim}, {0});
  std::vector<Tensor> slices;
  for (unsigned offset : offsets) {
    if (offset >= t.dim(static_cast<unsigned>(dim)))
      call.fail("offset " + std::to_string(offset) + " is outside dimension " + std::to_string(dim) + " of shape " +
                slice::text(t.shape()));
    slices.push_back(t.slice(offset, offset + 1, static_cast<unsigned>(dim)).expand({0}));
  }
  if (slices.empty())
    return createSliceTensor(graph, t, {dim}, {1}, 0, debugContext);
  const Tensor all = concat(slices);
  const Tensor result = graph.clone(all, {debugContext, "multiSlice"});
  prog.add(program::Copy(all, result, false, debugContext));
  return result;
}

void multiUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                 const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes, program::Sequence &prog,
                 const SlicePlan &plan, const OptionFlags &options, const DebugContext &debugContext) {
  updateGroups("multiUpdate", slice::Update::REPLACE, graph, t.expand({0}), s.expand({0}), offsets.expand({0}), {},
               dims, sizes, prog, plan, options, debugContext);
}

void groupedMultiUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                        const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                        program::Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                        const DebugContext &debugContext) {
  updateGroups("groupedMultiUpdate", slice::Update::REPLACE, graph, t, s, offsets, {}, dims, sizes, prog, plan, options,
               debugContext);
}

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets, const Tensor &scale,
                    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                    program::Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                    const DebugContext &debugContext) {
  updateGroups("multiUpdateAdd", slice::Update::ADD, graph, t.expand({0}), s.expand({0}), offsets.expand({0}), scale,
               dims, sizes, prog, plan, options, debugContext);
}

void groupedMultiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets, const Tensor &scale,
                           const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                           program::Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  updateGroups("groupedMultiUpdateAdd", slice::Update::ADD, graph, t, s, offsets, scale, dims, sizes, prog, plan,
               options, debugContext);
}

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s, ArrayRef<unsigned> offsets, const Tensor &scale,
                    std::size_t dim, program::Sequence &prog, const DebugContext &debugContext,
                    const OptionFlags &optionFlags) {
  const Tensor places = graph.addConstant(UNSIGNED_INT, {offsets.size(), 1}, offsets, {debugContext, "offsets"});
  graph.setTileMapping(places, 0);
  multiUpdateAdd(graph, t, s, places, scale, {dim}, {1}, prog, {}, optionFlags, debugContext);
}

void multiUpdateMax(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                    program::Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                    const DebugContext &debugContext) {
  updateGroups("multiUpdateMax", slice::Update::MAX, graph, t.expand({0}), s.expand({0}), offsets.expand({0}), {}, dims,
               sizes, prog, plan, options, debugContext);
}

void groupedMultiUpdateMax(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                           const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                           program::Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  updateGroups("groupedMultiUpdateMax", slice::Update::MAX, graph, t, s, offsets, {}, dims, sizes, prog, plan, options,
               debugContext);
}

void multiUpdateMul(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                    program::Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                    const DebugContext &debugContext) {
  updateGroups("multiUpdateMul", slice::Update::MUL, graph, t.expand({0}), s.expand({0}), offsets.expand({0}), {}, dims,
               sizes, prog, plan, options, debugContext);
}

void groupedMultiUpdateMul(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                           const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                           program::Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  updateGroups("groupedMultiUpdateMul", slice::Update::MUL, graph, t, s, offsets, {}, dims, sizes, prog, plan, options,
               debugContext);
}

} // namespace popops
