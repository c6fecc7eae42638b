// Calls that cannot be right throw at once, with the type that Poplar has for them and the names of what was meant.
#include "fixture.hpp"

#include <poplar/CycleCount.hpp>

using namespace poplar;
using namespace poplar::program;

TEST(views_out_of_range) {
  Fixture f;
  const Tensor x = f.graph.addVariable(FLOAT, {4, 6}, "x"), s = f.graph.addVariable(FLOAT, {}, "s");
  CHECK_THROWS(s[0], index_error, "operator[]: dimension 0 is out of range for tensor 's'");
  CHECK_THROWS(x.index({4, 0}), index_error, "index 4 is out of range for tensor 'x' (float {4,6})");
  CHECK_THROWS(x.index({0, 0, 0}), index_error, "dimension 0 is out of range");
  CHECK_THROWS(x.broadcast(2, 2), index_error, "broadcast: dimension 2");
  CHECK_THROWS(x.subSample(2, 3), index_error, "subSample: dimension 3");
  CHECK_THROWS(x.subSample(0, 0), poplar_error, "the stride must be positive");
  CHECK_THROWS(x.upsample(2, 2, UpsampleMethod::REPEAT), index_error, "upsample: dimension 2");
  CHECK_THROWS(x.reverse(2), index_error, "reverse: dimension 2");
  CHECK_THROWS(x.expand({3}), index_error, "expand: dimension 3");
  CHECK_THROWS(x.squeeze({2}), index_error, "squeeze: dimension 2");
  CHECK_THROWS(x.dimRoll(2), index_error, "dimension 2 is out of range for tensor 'x'");
  CHECK_THROWS(x.dimShufflePartial({0}, {2}), index_error, "dimShufflePartial: dimension 2");
  CHECK_THROWS(x.flatten(1, 3), index_error, "flatten: [1,3)");
  CHECK_THROWS(x.flatten(2, 1), index_error, "flatten: [2,1)");
  CHECK_THROWS(x.reshapePartial(0, 3, {4}), index_error, "reshapePartial: [0,3)");
  CHECK_THROWS(x.reshapePartial(0, 1, {5}), poplar_error, "does not have the number of elements");
  CHECK_THROWS(x.slices({Interval(0, 9)}), index_error, "slice: [0,9)");
  CHECK_THROWS(concat(x, x, 2), index_error, "concat: dimension 2");
  CHECK_THROWS(concat(std::vector<Tensor>{}), poplar_error, "concat: no tensors");
}

TEST(tensors_that_were_never_made) {
  Fixture f;
  const Tensor nothing, x = f.variable("x", {2});
  const VertexRef v = f.graph.addVertex(f.graph.addComputeSet("cs"), "Sum");
  CHECK_THROWS(f.graph.setTileMapping(nothing, 0), invalid_tile_mapping, "the tensor is not valid");
  CHECK_THROWS(f.graph.getTileMapping(nothing), invalid_tile_mapping, "the tensor is not valid");
  CHECK_THROWS(f.graph.createHostRead("n", nothing), poplar_error, "createHostRead 'n': the tensor is not valid");
  CHECK_THROWS(f.graph.clone(nothing), poplar_error, "not valid");
  CHECK_THROWS(f.graph.connect(v["in"], nothing), poplar_error, "not valid");
  CHECK_THROWS(Copy(nothing, x), poplar_error, "Copy: the tensor is not valid");
  CHECK_THROWS(Copy(x, nothing), poplar_error, "Copy: the tensor is not valid");
  CHECK_THROWS((PrintTensor(nothing, "p")), poplar_error, "not valid");
  CHECK_THROWS((WriteUndef(nothing, "w")), poplar_error, "not valid");
  CHECK_THROWS((If(nothing, Sequence(), Sequence())), poplar_error, "If: the tensor is not valid");
}

TEST(predicates_and_results_of_the_wrong_kind) {
  Fixture f;
  const Tensor s = f.variable("s", {}), i = f.variable("i", {3}, 0, INT), b = f.variable("b", {}, 0, BOOL);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  CHECK_THROWS((Execute(cs, s)), control_program_error, "one element of type bool, not tensor 's' (float {})");
  CHECK_THROWS((If(s, Sequence(), Sequence())), control_program_error, "If: needs one element of type bool, int");
  CHECK_THROWS((RepeatWhileTrue(Sequence(), i, Sequence())), control_program_error, "not tensor 'i' (int {3})");
  CHECK_THROWS((RepeatWhileFalse(Sequence(), s, Sequence())), control_program_error, "RepeatWhileFalse: needs");
  CHECK_THROWS((Switch(b, DebugContext())), control_program_error, "Switch: needs one element of type int");
  CHECK_THROWS((AbortOnCondition(s, "m")), control_program_error, "AbortOnCondition: needs");
}

TEST(parts_of_other_graphs) {
  Fixture other;
  const Tensor foreign = other.variable("foreign", {4});
  {
    Fixture f;
    f.prog.add(Copy(foreign, f.variable("x", {4})));
    CHECK_THROWS(f.engine(), graph_connection_error, "variable 'foreign' belongs to another graph");
  }
  {
    Fixture f;
    f.prog.add(Execute(ComputeSet(99)));
    CHECK_THROWS(f.engine(), control_program_error, "the compute set is not of this graph");
  }
  {
    Fixture f;
    f.prog.add(Call(Function(7)));
    CHECK_THROWS(f.engine(), control_program_error, "the function is not of this graph");
  }
}

TEST(fields_that_do_not_exist_or_have_no_size) {
  Fixture f;
  const Tensor s = f.variable("s", {});
  const VertexRef v = f.graph.addVertex(f.graph.addComputeSet("cs"), "Sum");
  CHECK_THROWS(f.graph.connect(v["nothing"], s), unknown_field, "its fields are: in, sum");
  CHECK_THROWS(f.graph.connect(v["in"][0], s), graph_connection_error, "is not a list, so it has no element 0");
  CHECK_THROWS(f.graph.getFieldSize(v["in"]), no_size_specified, "no size specified for field 'in'");
  CHECK_THROWS(f.graph.getMaxFieldDim("Sum", "nothing", 0), unknown_field, "no field 'nothing'");
  CHECK_THROWS(f.graph.getMaxFieldDim("Nothing", "in", 0), unknown_vertex_type, "unknown vertex type 'Nothing'");
  CHECK_THROWS(f.graph.setTileMapping(VertexRef(), 0), poplar_error, "invalid vertex reference");
  CHECK_THROWS(f.graph.setPerfEstimate(VertexRef(), 3), poplar_error, "invalid vertex reference");
}

TEST(remote_buffers_that_do_not_fit) {
  Fixture f;
  const Tensor x = f.variable("x", {4, 6}), i = f.variable("i", {6}, 0, INT), offset = f.variable("o", {1}, 0, UNSIGNED_INT);
  const RemoteBuffer rb = f.graph.addRemoteBuffer("rb", FLOAT, 6, 2);
  CHECK_THROWS(Copy(rb, x), graph_program_compilation_error, "remote buffer 'rb' and tensor 'x' (float {4,6})");
  CHECK_THROWS(Copy(rb, x[0]), graph_program_compilation_error, "so the copy needs an offset");
  CHECK_THROWS((Copy(x[0], rb, x[0][0])), graph_program_compilation_error, "offsets must be unsigned int");
  CHECK_THROWS((Copy(rb, i, offset)), graph_program_compilation_error, "the buffer has element type float");
  CHECK_THROWS(f.graph.addRemoteBuffer("rb", FLOAT, 6), poplar_error, "already is one with handle 'rb'");
  CHECK_THROWS(f.graph.addRemoteBuffer("d", DOUBLE, 6), type_error, "remote buffer 'd': type 'double'");
  f.prog.add(Copy(rb, x[0], offset));
  Engine e = f.engine();
  const unsigned two = 2;
  float block[6];
  e.writeTensor("o", &two, &two + 1);
  CHECK_THROWS(e.run(), index_error, "remote buffer 'rb': repeat 2 of 2");
  CHECK_THROWS(e.copyToRemoteBuffer(block, "rb", 2), index_error, "remote buffer 'rb': repeat 2 of 2");
  CHECK_THROWS(e.copyFromRemoteBuffer("zz", block, 0), stream_connection_error, "no remote buffer with handle 'zz'");
  CHECK_THROWS(e.connectStreamToCallback("zz", [](void *) {}), stream_connection_error, "no stream with handle 'zz'");
}

TEST(host_functions_called_wrongly) {
  for (const bool tooFew : {false, true}) {
    Fixture f;
    const Tensor x = f.variable("x", {4}), i = f.variable("i", {3}, 0, INT);
    const HostFunction h = f.graph.addHostFunction("h", {{FLOAT, 4}}, {{INT, 4}});
    CHECK_THROWS(f.graph.addHostFunction("h", {}, {}), poplar_error, "already is one with handle 'h'");
    f.prog.add(tooFew ? Call(h, {}, {i}) : Call(h, {x}, {i}));
    CHECK_THROWS(f.engine(), control_program_error,
                 tooFew ? "host function 'h': wrong number of arguments" : "argument 1 is tensor 'i' (int {3})");
  }
}

TEST(machines_that_do_not_exist) {
  Fixture f;
  CHECK_THROWS(f.graph.createVirtualGraph(9), poplar_error, "createVirtualGraph: tile 8 of an IPU with 8 tiles");
  CHECK_THROWS(f.graph.createVirtualGraph(4, 3), poplar_error, "no tiles");
  CHECK_THROWS(f.graph.createVirtualGraph(std::vector<unsigned>{9}), poplar_error, "tile 9");
  Device small = Fixture::makeDevice(2);
  CHECK_THROWS(small.createVirtualDevice(3), invalid_machine_model, "3 tiles");
  IPUModel model;
  model.tilesPerIPU = 0;
  CHECK_THROWS(model.createDevice(), invalid_machine_model, "must be positive");
  CHECK_THROWS(Target::createIPUTarget(1, "ipu77"), invalid_machine_model, "unknown machine 'ipu77'");
  Sequence sequence;
  CHECK_THROWS(cycleCount(f.graph, sequence, 8), invalid_tile_mapping, "tile 8 does not exist");
}
