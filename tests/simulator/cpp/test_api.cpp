// Parts of the API that few programs use: what they do, and what they refuse.
#include "fixture.hpp"

#include <poplar/CodeletFileType.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;

TEST(a_loop_ends_when_something_in_it_throws) {
  Fixture f;
  const Tensor counter = f.variable("n", {}, 0, INT), more = f.variable("more", {}, 0, BOOL);
  const ComputeSet cs = f.graph.addComputeSet("cs");
  f.vertex(cs, "Count", 0, {{"counter", counter}, {"more", more}, {"calls", 0}, {"limit", 5}});
  f.prog.add(Loop(Sequence({Execute(cs), If(more, Sequence(), Abort("enough"))}), "endless"));
  Engine e = f.engine();
  CHECK_THROWS(e.run(), application_runtime_error, "enough");
  int n = 0;
  e.readTensor("n", &n, &n + 1);
  CHECK_EQ(n, 5);
  CHECK_THROWS(Loop(Sequence(), "nothing"), control_program_error, "Loop 'nothing': an empty program");
}

TEST(a_switch_has_one_program_for_each_case) {
  Fixture f;
  const Tensor i = f.variable("i", {}, 0, INT);
  Switch s(i, {{1, Sequence()}, {2, Sequence()}}, "choice");
  CHECK_THROWS(s.add(2, Sequence()), control_program_error, "Switch 'choice': there are two programs for case 2");
  s.add(-3, Sequence());
  CHECK_THROWS(Switch(i, {{1, Sequence()}, {1, Sequence()}}), control_program_error, "two programs for case 1");
}

TEST(halves_given_as_bits) {
  Fixture f;
  const Tensor h = f.variable("h", {3}, 0, HALF), s = f.variable("s", {}, 0, HALF);
  f.graph.setInitialValueHalf(h, {0x3C00, 0x4000, 0xC000});
  f.graph.setInitialValueHalf(s, 0x3800);
  f.prog.add(Copy(s, h[0]));
  Engine e = f.engine();
  e.run();
  std::uint16_t bits[3];
  e.readTensor("h", bits, bits + 3);
  CHECK_EQ(bits[0], 0x3800);
  CHECK_EQ(bits[2], 0xC000);
  const VertexRef v = f.graph.addVertex(f.graph.addComputeSet("cs"), "AddTo");
  f.graph.connectHalf(v["amount"], 0x4000);
  CHECK_THROWS(f.graph.connectHalf(v["amount"], 0x4000), graph_connection_error, "twice");
  CHECK_THROWS(f.graph.setInitialValueHalf(h, {0x3C00, 0x4000}), poplar_error, "2 values given");
}

namespace {

std::string stored(const Graph &graph, const std::vector<Tensor> &tensors) {
  std::stringstream out;
  graph.serializeTensors(out, tensors, SerializationFormat::Binary);
  return out.str();
}

std::vector<Tensor> restored(Graph &graph, const std::string &text) {
  std::stringstream in(text);
  return graph.deserializeTensors(in, SerializationFormat::Binary);
}

} // namespace

TEST(tensors_go_into_a_file_and_come_back_on_the_same_tiles) {
  Fixture f, other;
  f.graph.addVariable(INT, {3}, "unused");
  const Tensor x = f.spread("x", 12, 4), y = f.variable("y", {2, 3}, 5);
  const Tensor c = f.graph.addConstant<float>(FLOAT, {2}, {1.5f, 2.5f}, "c");
  f.graph.setTileMapping(c, 1);
  const Tensor view = concat(x.slice(2, 8).reshape({2, 3}).reverse(1), y);
  const Tensor own = other.variable("own", {1});
  const std::vector<Tensor> back = restored(other.graph, stored(f.graph, {view, y.transpose(), c, own.slice(0, 0)}));
  CHECK_EQ(back.size(), 4u);
  CHECK_EQ(back[0].shape(), (std::vector<std::size_t>{4, 3}));
  CHECK_EQ(back[1].shape(), (std::vector<std::size_t>{3, 2}));
  CHECK_EQ(other.graph.getTileMapping(back[0]), f.graph.getTileMapping(view));
  CHECK(back[0].intersectsWith(back[1]));
  CHECK(!back[0].intersectsWith(own));
  CHECK_EQ(back[3].numElements(), 0u);
  float value = 0;
  CHECK(back[2][1].getConstantValue(&value));
  CHECK_EQ(value, 2.5f);
  // The new variables are variables of that graph like any other.
  other.graph.createHostWrite("view", back[0]);
  other.graph.createHostRead("transposed", back[1]);
  Engine e = other.engine();
  write(e, "view", iota(12));
  CHECK_EQ(readFloats(e, "transposed", 6), (std::vector<float>{6, 9, 7, 10, 8, 11}));
}

TEST(files_that_hold_no_tensors_are_refused) {
  Fixture f, small(2);
  const std::string text = stored(f.graph, {f.spread("x", 8, 8)});
  CHECK_THROWS(restored(f.graph, ""), parse_error, "deserializeTensors: the stream does not hold a tensor file");
  CHECK_THROWS(restored(f.graph, text.substr(0, text.size() - 1)), parse_error, "the tensor file is cut short");
  CHECK_THROWS(restored(small.graph, text), invalid_tile_mapping, "tile 2 does not exist");
  std::stringstream out;
  CHECK_THROWS(f.graph.serializeTensors(out, {}, SerializationFormat::JSON), poplar_error, "not supported yet");
  CHECK_THROWS(f.graph.serializeTensors(out, {Tensor()}, SerializationFormat::Binary), poplar_error, "not valid");
}

TEST(clones_keep_aliases_if_they_are_asked_to) {
  Fixture f;
  const Tensor row = f.spread("row", 6, 3), t = concat(row.reverse(0).expand({0}).broadcast(3, 0), row.expand({0}));
  const Tensor plain = f.graph.clone(t, "plain");
  CHECK(!plain.containsAliases());
  CHECK_EQ(f.graph.getTileMapping(plain), f.graph.getTileMapping(t));
  for (const auto method : {TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES,
                            TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES}) {
    const Tensor copy = f.graph.clone(HALF, t, "copy", method);
    CHECK_EQ(copy.shape(), t.shape());
    CHECK_EQ(copy.elementType(), HALF);
    CHECK(copy[0].intersectsWith(copy[2][5]));
    CHECK(copy[0][0].intersectsWith(copy[3][5]) && !copy[0][0].intersectsWith(copy[3][4]));
    CHECK(!copy.intersectsWith(t));
    CHECK_EQ(f.graph.getTileMapping(copy), f.graph.getTileMapping(t));
  }
  CHECK_EQ(f.graph.cloneN(row, 0).shape(), (std::vector<std::size_t>{0, 6}));
}

TEST(replicated_graphs_in_the_form_of_older_sdks) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  Fixture top(model.createDevice());
  Graph graph = top.graph.createReplicatedGraph(2);
  CHECK_EQ(graph.getReplicationFactor(), 2u);
  CHECK_EQ(graph.getTarget().getNumTiles(), 4u);
  const Tensor x = graph.addVariable(FLOAT, {2}, "x");
  graph.setTileMapping(x, 3);
  top.graph.createHostWrite("x", x);
  top.graph.createHostRead("x", x);
  Engine e = top.engine();
  write(e, "x", iota(4));
  CHECK_EQ(readFloats(e, "x", 4), iota(4));
  CHECK_THROWS(top.graph.getNonReplicatedTensor(x), graph_replication_error, "replicas of tensor 'x' (float {2})");
  CHECK_THROWS(top.graph.createReplicatedGraph(2), graph_replication_error, "not supported yet");
}

TEST(tiles_of_virtual_graphs_and_back) {
  Fixture f;
  Graph upper = f.graph.createVirtualGraph(4, 8);
  CHECK_EQ(upper.convertTileToTopLevelGraphTile(1), 5u);
  CHECK_EQ(upper.convertTopLevelGraphTileToTile(5), 1u);
  CHECK_EQ(upper.convertPhysicalTileToVirtualTile(0, 6), 2u);
  CHECK_THROWS(upper.convertTopLevelGraphTileToTile(3), invalid_tile_mapping, "tile 3 is not part");
  const Tensor x = upper.addVariable(FLOAT, {64}, VariableMappingMethod::LINEAR, "x");
  CHECK_EQ(upper.getTileMapping(x)[1], (std::vector<Interval>{Interval(32, 64)}));
  CHECK_EQ(f.graph.getTileMapping(x)[5], (std::vector<Interval>{Interval(32, 64)}));
}

TEST(streams_and_buffers_say_what_they_are) {
  Fixture f;
  const DataStream in = f.graph.addHostToDeviceFIFO("in", FLOAT, 4, ReplicatedStreamMode::BROADCAST);
  const DataStream out = f.graph.addDeviceToHostFIFO("out", INT, 2);
  CHECK(in.type() == DataStreamType::HostToDeviceFIFO && isHostToDevice(in.type()) && !isRemoteBuffer(in.type()));
  CHECK(out.type() == DataStreamType::DeviceToHostFIFO && isDeviceToHost(out.type()));
  CHECK(in.replicatedMode() == ReplicatedStreamMode::BROADCAST && in.replicationFactor() == 1);
  const RemoteBuffer b = f.graph.addRemoteBuffer("b", HALF, 8, 3, true, false);
  CHECK(b.isRearrangeOnHost() && !b.isOptimisedForMemory() && b.getRepeats() == 3);
  CHECK_EQ(getExtensionFromFileType(CodeletFileType::CppSource), ".cpp");
  CHECK_EQ(getLanguageOption(CodeletFileType::CSource), "c");
}

TEST(profile_values_add_up) {
  const ProfileValue rows = ProfileValue::Vector{ProfileValue::Vector{1, 2}, ProfileValue::Vector{3}};
  CHECK_EQ(rows.sum2DInt(), 6);
  CHECK_EQ(rows[0].sumUint(), 3u);
  CHECK_EQ(rows[0].toUintVector(), (std::vector<unsigned long>{1, 2}));
  const ProfileValue options = getAsProfileValue({{"a", "b"}});
  CHECK_EQ(options.getOrNull("a").asString(), "b");
  CHECK(options.getOrNull("z").type() == ProfileValue::Type::NUL);
  CHECK_EQ(options.size(), 1u);
}

TEST(options_of_an_engine_made_from_an_executable) {
  Fixture f;
  f.prog.add(Copy(f.variable("x", {2}), f.variable("y", {2})));
  const Executable executable = compileGraph(f.graph, {f.prog}, {{"debug.instrument", "true"}});
  Engine e(executable, {{"exchange.enablePrefetch", "false"}});
  CHECK_EQ(e.getEngineOptions().at("debug.instrument"), "true");
  CHECK_EQ(e.getEngineOptions().at("exchange.enablePrefetch"), "false");
  CHECK_THROWS(Engine(executable, {{"no.such", "option"}}), invalid_option, "no.such");
}

TEST(values_of_options_are_checked) {
  Fixture f;
  for (const char *key : {"debug.allowOutOfMemory", "debug.checkVertices", "exchange.enablePrefetch",
                          "autoReport.all", "debug.floatPointOpException"})
    CHECK_THROWS(f.engine({{key, "maybe"}}), invalid_option, "must be 'true' or 'false', not 'maybe'");
  CHECK_THROWS(f.engine({{"exchange.streamBufferOverlap", "all"}}), invalid_option, "'any', 'hostRearrangeOnly'");
  CHECK_THROWS(f.engine({{"profiler.exchangePairs", "-1"}}), invalid_option, "must be a number, not '-1'");
  CHECK_THROWS(Target::createIPUTarget("IPU-PODx"), invalid_machine_model, "unknown system 'IPU-PODx'");
  CHECK_THROWS(Target::createIPUTarget(0, "ipu2"), invalid_machine_model, "needs an IPU at least");
}

TEST(floating_point_exceptions_by_option) {
  Fixture f;
  const Tensor a = f.variable("a", {2}), b = f.variable("b", {2}), out = f.variable("out", {2});
  f.graph.setInitialValue(a, 1.0f);
  f.graph.setInitialValue(b, {2.0f, 0.0f});
  const ComputeSet cs = f.graph.addComputeSet("cs");
  f.vertex(cs, "Divide", 1, {{"a", a}, {"b", b}, {"out", out}});
  f.prog.add(Execute(cs));
  f.engine().run();
  CHECK_THROWS(f.engine({{"debug.floatPointOpException", "true"}}).run(), application_runtime_error,
               "floating-point exception: division by zero in vertex 'Divide'");
}

TEST(exceptions_are_made_as_programs_make_them) {
  CHECK_EQ(std::string(unknown_field("f", "V").what()), "vertex 'V' has no field 'f'");
  CHECK_EQ(std::string(index_error("slice", 7).what()), "slice: 7");
  const recoverable_runtime_error e(RecoveryAction::LINK_RESET, "reset the links");
  CHECK(e.getRecoveryAction() == RecoveryAction::LINK_RESET);
}
