// Every mistake has its exception, and its text names what is wrong.
#include "fixture.hpp"

#include <poplar/DeviceManager.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;

TEST(unmapped_variables_constants_and_vertices) {
  {
    Fixture f;
    const Tensor x = f.graph.addVariable(FLOAT, {10}, "half mapped");
    f.graph.setTileMapping(x.slice(0, 4), 0);
    f.prog.add(WriteUndef(x));
    CHECK_THROWS(f.engine(), invalid_tile_mapping,
                 "variable 'half mapped' is used by a program, but element 4 of its 10");
  }
  {
    Fixture f;
    f.prog.add(Copy(f.graph.addConstant(FLOAT, {}, 1.0f, "one"), f.variable("x", {})));
    CHECK_THROWS(f.engine(), invalid_tile_mapping, "constant 'one'");
  }
  {
    Fixture f;
    const ComputeSet cs = f.graph.addComputeSet("sums");
    f.graph.addVertex(cs, "Sum", {{"in", f.variable("in", {4})}, {"sum", f.variable("sum", {})}});
    f.prog.add(Execute(cs));
    CHECK_THROWS(f.engine(), invalid_tile_mapping, "vertex 'Sum' (number 0 of compute set 'sums') has no tile mapping");
  }
}

TEST(unused_parts_of_the_graph_are_not_checked) {
  Fixture f;
  f.graph.addVariable(FLOAT, {10}, "unused");
  f.graph.addVertex(f.graph.addComputeSet("never run"), "Sum");
  Engine e = f.engine();
  e.run();
}

TEST(tiles_that_do_not_exist) {
  Fixture f(8);
  const Tensor x = f.graph.addVariable(FLOAT, {10}, "x");
  CHECK_THROWS(f.graph.setTileMapping(x, 8), invalid_tile_mapping, "tile 8 does not exist, the target has 8 tiles");
  CHECK_THROWS(f.graph.setTileMapping(x, {{{0, 11}}}), invalid_tile_mapping, "[0,11) out of range");
  const VertexRef v = f.graph.addVertex(f.graph.addComputeSet(), "Sum");
  CHECK_THROWS(f.graph.setTileMapping(v, 100), invalid_tile_mapping, "setTileMapping of Sum: tile 100");
}

TEST(indices_and_shapes) {
  Fixture f;
  const Tensor x = f.graph.addVariable(FLOAT, {4, 5}, "x");
  CHECK_THROWS(x[4], index_error, "operator[]: index 4 is out of range for tensor 'x' (float {4,5})");
  CHECK_THROWS(x.slice(2, 6, 1), index_error, "slice: [2,6) of dimension 1");
  CHECK_THROWS(x.slice(3, 2), index_error, "slice: [3,2)");
  CHECK_THROWS(x.slice(0, 1, 2), index_error, "dimension 2");
  CHECK_THROWS(x.dim(2), index_error, "dimension 2");
  CHECK_THROWS(x.reshape({3, 7}), poplar_error, "reshape: shape {3,7}");
  CHECK_THROWS(x.dimShuffle({0, 0}), poplar_error, "not a permutation");
  CHECK_THROWS(x.flatten().transpose(), poplar_error, "needs two dimensions");
  CHECK_THROWS(x.squeeze({0}), poplar_error, "does not have size 1");
  CHECK_THROWS(concat(x, f.graph.addVariable(INT, {4, 5})), poplar_error, "does not fit");
  CHECK_THROWS(concat(x, x.slice(0, 3, 1)), poplar_error, "does not fit");
  CHECK_THROWS(x.reinterpret(HALF), type_error, "differ in size");
  CHECK_THROWS(Tensor().flatten(), poplar_error, "not valid");
}

TEST(unknown_vertices_and_fields) {
  Fixture f;
  const ComputeSet cs = f.graph.addComputeSet();
  CHECK_THROWS(f.graph.addVertex(cs, "Summ"), unknown_vertex_type, "unknown vertex type 'Summ'; known are: AddTo,");
  CHECK_THROWS(f.graph.addVertex(cs, "Sum", {{"input", f.variable("x", {2})}}), unknown_field,
               "vertex 'Sum' has no field 'input'; its fields are: in, sum");
  CHECK_THROWS(f.graph.addVertex(ComputeSet(77), "Sum"), poplar_error, "not of this graph");
}

TEST(connections_of_wrong_type_or_rank) {
  Fixture f;
  const ComputeSet cs = f.graph.addComputeSet("cs");
  const VertexRef v = f.graph.addVertex(cs, "Sum");
  CHECK_THROWS(
      f.graph.connect(v["in"], f.variable("ints", {2}, 0, INT)), type_error,
      "field 'in' of vertex 'Sum' (number 0 of compute set 'cs') has element type 'float', but is connected to "
      "tensor 'ints' (int {2})");
  CHECK_THROWS(f.graph.connect(v["in"], f.variable("m", {2, 2})), graph_connection_error, "flatten it first");
  CHECK_THROWS(f.graph.connect(v["sum"], f.variable("two", {2})), graph_connection_error, "takes one element");
  const VertexRef rows = f.graph.addVertex(cs, "ScaleRows");
  CHECK_THROWS(f.graph.connect(rows["rows"], f.variable("x", {2})), graph_connection_error, "2 dimensions");
  const VertexRef count = f.graph.addVertex(cs, "Count");
  CHECK_THROWS(f.graph.connect(count["limit"], f.variable("i", {}, 0, INT)), graph_connection_error,
               "use setInitialValue");
  CHECK_THROWS(f.graph.setInitialValue(count["limit"], 3e10), overflow_error, "does not fit into type int");
  CHECK_THROWS(f.graph.connect(count["counter"], 1), graph_connection_error, "is an output");
  CHECK_THROWS(f.graph.setInitialValue(rows["table"], 1.0f), type_error, "is a vector");
}

TEST(connections_missing_or_twice) {
  Fixture f;
  const ComputeSet cs = f.graph.addComputeSet("cs");
  const VertexRef v = f.vertex(cs, "Sum", 3, {{"in", f.variable("x", {2})}});
  CHECK_THROWS(f.graph.connect(v["in"], f.variable("y", {2})), graph_connection_error, "connected or set twice");
  f.prog.add(Execute(cs));
  CHECK_THROWS(f.engine(), graph_connection_error,
               "field 'sum' of vertex 'Sum' (number 0 of compute set 'cs', tile 3) is not connected");
  f.graph.connect(v["sum"], f.variable("s", {}));
  f.vertex(cs, "Count", 0,
           {{"counter", f.variable("i", {}, 0, INT)}, {"more", f.variable("b", {}, 0, BOOL)}, {"calls", 0}});
  CHECK_THROWS(f.engine({{"debug.checkUninitialised", "true"}}), graph_connection_error,
               "field 'limit' of vertex 'Count' (number 1 of compute set 'cs', tile 0) has no initial value");
  f.engine({{"debug.checkUninitialised", "false"}}); // the field is zero: public programs leave some that they never read
}

TEST(programs_nested_too_deeply) {
  Fixture f;
  Program program = Copy(f.variable("x", {2}), f.variable("y", {2}));
  for (int depth = 0; depth < 999; ++depth)
    program = Sequence({program});
  f.prog = Sequence({program});
  f.engine().run();
  f.prog = Sequence({Sequence({program})});
  CHECK_THROWS(f.engine(), graph_program_compilation_error, "programs are nested more than 1000 deep");
}

TEST(missing_rows) {
  Fixture f;
  const ComputeSet cs = f.graph.addComputeSet("cs");
  const VertexRef v = f.vertex(cs, "ScaleRows", 0, {});
  f.graph.setInitialValue(v["table"], {1.0f});
  f.graph.connect(v["rows"][1], f.variable("x", {2}));
  CHECK_THROWS(f.graph.connect(v["rows"][1], f.variable("y", {2})), graph_connection_error,
               "element 1 of field 'rows'");
  f.prog.add(Execute(cs));
  CHECK_THROWS(f.engine(), graph_connection_error, "element 0 of field 'rows' of vertex 'ScaleRows'");
}

TEST(outputs_to_constants_and_aliases) {
  Fixture f;
  const VertexRef v = f.graph.addVertex(f.graph.addComputeSet("cs"), "AddTo");
  const Tensor one = f.graph.addConstant(FLOAT, {2}, 1.0f, "ones"), x = f.variable("x", {2});
  CHECK_THROWS(f.graph.connect(v["data"], one), graph_connection_error, "is connected to a constant: tensor 'ones'");
  CHECK_THROWS(f.graph.connect(v["data"], x.broadcast(2, 0)), graph_connection_error, "same element more than once");
  CHECK_THROWS(f.graph.connect(v["data"], concat(x, x)), graph_connection_error, "same element more than once");
  CHECK_THROWS(f.graph.createHostWrite("w", one), graph_connection_error, "constants");
  CHECK_THROWS(f.graph.setInitialValue(one, 1), poplar_error, "constants");
}

TEST(conflicting_writes) {
  const auto build = [](unsigned otherTile, std::size_t begin, std::size_t end, bool columns) {
    Fixture f;
    Tensor x = f.variable("x", {6});
    if (columns)
      x = f.variable("m", {6, 2}).transpose()[1];
    const Tensor one = f.graph.addConstant(FLOAT, {}, 1.0f);
    f.graph.setTileMapping(one, 0);
    const ComputeSet cs = f.graph.addComputeSet("cs");
    f.vertex(cs, "AddTo", 0, {{"data", x.slice(0, 3)}, {"amount", one}});
    f.vertex(cs, "AddTo", otherTile, {{"data", x.slice(begin, end)}, {"amount", one}});
    f.prog.add(Execute(cs));
    f.engine().run();
  };
  for (const bool columns : {false, true}) {
    build(1, 3, 6, columns);
    build(0, 0, 3, columns); // InOut edges of the same elements on one tile
    CHECK_THROWS(build(1, 0, 3, columns), graph_connection_error, "is written by two vertices of one compute set");
    CHECK_THROWS(build(1, 2, 6, columns), graph_connection_error, "field 'data' of vertex 'AddTo' (number 0");
  }
  CHECK_THROWS(build(0, 2, 6, false), graph_connection_error, "element 2 of variable 'x'");
}

TEST(outputs_of_the_same_element_conflict_on_one_tile_too) {
  Fixture f;
  const Tensor x = f.variable("x", {2}), s = f.variable("s", {});
  const ComputeSet cs = f.graph.addComputeSet("cs");
  f.vertex(cs, "Sum", 0, {{"in", x}, {"sum", s}});
  f.vertex(cs, "Sum", 0, {{"in", x}, {"sum", s}});
  f.prog.add(Execute(cs));
  CHECK_THROWS(f.engine(), graph_connection_error, "element 0 of variable 's'");
}

TEST(constants_and_types) {
  Fixture f;
  CHECK_THROWS(f.graph.addConstant<float>(FLOAT, {3}, {1.0f, 2.0f}, "c"), tensor_creation_error,
               "addConstant 'c': 2 values for 3 elements");
  CHECK_THROWS(f.graph.addConstant(UNSIGNED_CHAR, {}, 256), overflow_error, "value 256 does not fit");
  CHECK_THROWS(f.graph.addConstant(HALF, {}, 1e6f), overflow_error, "does not fit into type half");
  CHECK_THROWS(f.graph.addVariable(DOUBLE, {2}, "d"), type_error, "type 'double' does not exist on the IPU");
  CHECK_THROWS(f.graph.setInitialValue(f.variable("x", {3}), {1.0f}), poplar_error, "1 values given");
}

TEST(copies_that_do_not_fit) {
  Fixture f;
  const Tensor x = f.variable("x", {4}), y = f.variable("y", {5}), i = f.variable("i", {4}, 0, INT);
  CHECK_THROWS(Copy(x, y), graph_program_compilation_error, "different numbers of elements");
  CHECK_THROWS(Copy(x, i, "name"), graph_program_compilation_error,
               "Copy 'name' from tensor 'x' (float {4}) to tensor 'i' (int {4})");
  const DataStream in = f.graph.addHostToDeviceFIFO("in", FLOAT, 5);
  CHECK_THROWS(Copy(in, x), graph_program_compilation_error, "the stream has 5 elements");
  CHECK_THROWS(Copy(y, in), graph_program_compilation_error, "goes the other way");
  CHECK_THROWS(Copy(in, i), graph_program_compilation_error, "the stream has element type float");
  f.prog.add(Copy(x, x.slice(0, 1).broadcast(4, 0)));
  CHECK_THROWS(f.engine(), graph_connection_error, "same element twice");
}

TEST(handles_are_unique) {
  Fixture f;
  f.graph.addHostToDeviceFIFO("h", FLOAT, 5);
  CHECK_THROWS(f.graph.addDeviceToHostFIFO("h", FLOAT, 5), poplar_error, "already is one with handle 'h'");
  const Tensor x = f.variable("x", {4});
  CHECK_THROWS(f.graph.createHostRead("x", x), poplar_error, "createHostRead: there already is one with handle 'x'");
  CHECK_THROWS(f.graph.createHostWrite("x", x), poplar_error, "createHostWrite");
}

TEST(streams_at_run) {
  Fixture f;
  const Tensor x = f.variable("x", {4});
  f.prog.add(Copy(f.graph.addHostToDeviceFIFO("in", FLOAT, 4), x));
  Engine e = f.engine();
  float data[6];
  CHECK_THROWS(e.run(), stream_connection_error, "stream 'in' is used by the program, but is not connected");
  CHECK_THROWS(e.connectStream("nope", data), stream_connection_error, "no stream with handle 'nope'");
  CHECK_THROWS(e.connectStream("in", data, data + 3), stream_connection_error, "16 bytes at a time");
  CHECK_THROWS(e.connectStream("in", data, data + 6), stream_connection_error, "do not fit evenly");
  CHECK_THROWS(e.connectStream("in", nullptr), stream_connection_error, "null pointer");
}

TEST(engines_that_are_not_ready) {
  Fixture f;
  f.variable("x", {4});
  float data[4];
  Engine e(f.graph, f.prog);
  CHECK_THROWS(e.run(), control_program_error, "not loaded");
  CHECK_THROWS(e.readTensor("x", data, data + 4), tensor_io_state_error, "not loaded");
  e.load(f.device);
  CHECK_THROWS(e.run(1), control_program_error, "program 1 does not exist, the engine has 1");
  CHECK_THROWS(e.readTensor("y", data, data + 4), tensor_io_state_error, "no handle 'y'");
  CHECK_THROWS(e.readTensor("x", data, data + 3), index_error, "'x' has 16 bytes, the host buffer only 12");
  CHECK_THROWS(e.load(Fixture::makeDevice(5)), poplar_error, "another target");
}

TEST(options_must_be_known) {
  Fixture f;
  CHECK_THROWS(f.engine({{"debug.instrumnt", "true"}}), invalid_option, "unknown engine option 'debug.instrumnt'");
  CHECK_THROWS(f.engine({{"debug.checkUninitialised", "maybe"}}), invalid_option, "must be 'true' or 'false'");
  f.engine({{"debug.instrument", "true"}, {"target.saveArchive", "x.a"}});
  OptionFlags flags;
  readJSON(StringRef(R"({"a": "b", "c": 3, "d": true})"), flags);
  CHECK_EQ(flags.at("c") + flags.at("d"), "3true");
  CHECK_THROWS(readJSON(StringRef("{\"a\": }"), flags), parse_error, "position 6");
  CHECK_THROWS(flags.at("nothing"), invalid_option, "'nothing' is not set");
}

TEST(aborts) {
  Fixture f;
  const Tensor x = f.variable("x", {}, 0, INT);
  f.prog.add(AbortOnCondition(x, "too large"));
  f.prog.add(ErrorProgram("stop here", x));
  Engine e = f.engine();
  CHECK_THROWS(e.run(), application_runtime_error, "stop here\n0");
  int one = 1;
  e.writeTensor("x", &one, &one + 1);
  CHECK_THROWS(e.run(), application_runtime_error, "too large");
}

TEST(uninitialised_reads) {
  const OptionFlags on{{"debug.checkUninitialised", "true"}};
  Fixture f;
  const Tensor x = f.variable("x", {4}), s = f.variable("s", {});
  const ComputeSet cs = f.graph.addComputeSet("sums");
  f.vertex(cs, "Sum", 2, {{"in", x.slice(1, 3)}, {"sum", s}});
  f.prog.add(Execute(cs));
  f.prog.add(WriteUndef(x));
  Engine off = f.engine();
  off.run();
  Engine e = f.engine(on);
  CHECK_THROWS(
      e.run(), application_runtime_error,
      "elements [1,3) of variable 'x' were never written, but are read by field 'in' of vertex 'Sum' (number 0 "
      "of compute set 'sums', tile 2)");
  float value;
  CHECK_THROWS(e.readTensor("s", &value, &value + 1), application_runtime_error, "host read 's'");
  write(e, "x", iota(4));
  e.run();
  CHECK_EQ(readFloats(e, "s", 1)[0], 3.0f);
  CHECK_THROWS(e.run(), application_runtime_error, "never written"); // WriteUndef has forgotten it
}

// The condition writes the predicate before the loop reads it.
TEST(uninitialised_reads_and_loops) {
  Fixture f;
  const Tensor counter = f.variable("counter", {}, 0, INT), more = f.variable("more", {}, 1, BOOL);
  const ComputeSet cs = f.graph.addComputeSet("count");
  f.vertex(cs, "Count", 0, {{"counter", counter}, {"more", more}, {"calls", 0}, {"limit", 3}});
  f.prog.add(RepeatWhileTrue(Execute(cs), more, Sequence()));
  Engine good = f.engine({{"debug.checkUninitialised", "true"}});
  good.run();
  int n = 0;
  good.readTensor("counter", &n, &n + 1);
  CHECK_EQ(n, 3);
  f.prog = Sequence({RepeatWhileTrue(Sequence(), more, Execute(cs), "loop")});
  Engine bad = f.engine({{"debug.checkUninitialised", "true"}});
  CHECK_THROWS(bad.run(), application_runtime_error,
               "of variable 'more' were never written, but are read by RepeatWhileTrue 'loop'");
}

TEST(out_of_memory) {
  DeviceManager manager = DeviceManager::createDeviceManager();
  std::vector<Device> devices = manager.getDevices(TargetType::IPU, 1);
  CHECK(!devices.empty() && devices[0].attach());
  Graph graph(devices[0].getTarget());
  const Tensor big = graph.addVariable(FLOAT, {200000}, "big one"), small = graph.addVariable(FLOAT, {1000}, "small");
  graph.setTileMapping(big, 7);
  graph.setTileMapping(small, 7);
  const Sequence prog({WriteUndef(big), WriteUndef(small)});
  CHECK_THROWS(
      Engine(graph, prog), graph_memory_allocation_error,
      "Out of memory on tile 7: 807728 bytes used but tiles only have 638976 bytes of memory (1 of 1472 tiles are "
      "out of memory). 169856 bytes do not fit. Largest categories: variables 804000, stack 3168, controlCode 560. "
      "Largest variables: "
      "'big one' 800000, 'small' 4000.");
  Engine e(graph, prog, {{"debug.allowOutOfMemory", "true"}});
  e.load(devices[0]);
  e.run();
}

TEST(codelets_that_cannot_be_loaded) {
  Fixture f;
  CHECK_THROWS(f.graph.addCodelets("nowhere.gp"), graph_object_load_error, "'nowhere.gp': no such file");
  CHECK_THROWS(f.graph.addCodelets("nowhere.cpp"), graph_object_creation_error,
               "cannot open codelet file 'nowhere.cpp'");
  CHECK_THROWS(f.graph.addCodelets("codelets.txt"), graph_object_load_error, "says nothing about its type");
  CHECK_THROWS(f.graph.addCodelets("codelets.S"), graph_object_creation_error, "not preprocessed assembly");
  setenv("DACE_IPU_POPC", "/no/such/popc", 1);
  std::stringstream source("int x;");
  CHECK_THROWS(f.graph.addCodelets(source), graph_object_creation_error,
               "'/no/such/popc' was not found; set DACE_IPU_POPC");
  setenv("DACE_IPU_POPC", "false", 1);
  CHECK_THROWS(f.graph.addCodelets(source), graph_object_creation_error,
               "cannot compile codelet source text (false --cached");
  setenv("DACE_IPU_POPC", "'/nonexistent/a folder/popc' \"an argument\"", 1);
  CHECK_THROWS(f.graph.addCodelets(source), graph_object_creation_error,
               "the codelet compiler '/nonexistent/a folder/popc' was not found");
  setenv("DACE_IPU_POPC", "'/nonexistent", 1);
  CHECK_THROWS(f.graph.addCodelets(source), graph_object_creation_error, "unterminated quote");
  unsetenv("DACE_IPU_POPC");
}

TEST(devices) {
  const DeviceManager manager;
  const std::vector<Device> one = manager.getDevices(TargetType::IPU, 1), two = manager.getDevices(TargetType::IPU, 2);
  CHECK_EQ(one.size(), 4u);
  CHECK_EQ(two.size(), 2u);
  CHECK_EQ(two[0].getTarget().getNumTiles(), 2944u);
  CHECK_EQ(manager.getNumDevices(), 7u);
  CHECK_EQ(manager.getChildDeviceIds(5), (std::vector<unsigned>{2, 3}));
  CHECK(manager.getDevices(TargetType::IPU, 3).empty());
  CHECK(manager.getDevice(6).getTarget() == Target::createIPUTarget(4, "ipu2"));
  CHECK_THROWS(manager.getDevice(7), poplar_error, "no device with id 7");
  CHECK_THROWS(IPUModel("ipu9"), invalid_machine_model, "unknown machine 'ipu9'");
  CHECK_EQ(IPUModel("ipu1").createDevice().getTarget().getNumTiles(), 1216u);
}
