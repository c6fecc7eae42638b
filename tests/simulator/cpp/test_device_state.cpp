// Floating-point exceptions, code in remote memory, streams that are filled ahead.
#include "fixture.hpp"

#include <poplar/CSRFunctions.hpp>
#include <poplar/exceptions.hpp>

#include <limits>

using namespace poplar;
using namespace poplar::program;

namespace {

// quotient = dividend / divisor on many tiles, each with its own element.
struct Quotient : Fixture {
  static constexpr unsigned tiles = 8;
  ComputeSet cs;

  Quotient() : cs(graph.addComputeSet("divide")) {
    const Tensor a = spread("dividend", tiles, tiles), b = spread("divisor", tiles, tiles);
    const Tensor c = spread("quotient", tiles, tiles);
    for (unsigned t = 0; t < tiles; ++t)
      vertex(cs, "Divide", t, {{"a", a.slice(t, t + 1)}, {"b", b.slice(t, t + 1)}, {"out", c.slice(t, t + 1)}});
  }

  // Divides the dividend by the divisor on one tile and 1 by 1 on the others.
  void run(Engine &e, float dividend, float divisor, unsigned tile = 0, unsigned program = 0) {
    std::vector<float> a(tiles, 1.f), b(tiles, 1.f);
    a[tile] = dividend;
    b[tile] = divisor;
    e.writeTensor("dividend", a.data(), a.data() + tiles);
    e.writeTensor("divisor", b.data(), b.data() + tiles);
    e.run(program);
  }
};

constexpr float huge = std::numeric_limits<float>::max();

} // namespace

TEST(floating_point_exceptions_are_off_at_first) {
  Quotient q;
  q.prog.add(Execute(q.cs));
  Engine e = q.engine();
  q.run(e, 1, 0);
  CHECK_EQ(readFloats(e, "quotient", 8)[0], std::numeric_limits<float>::infinity());
  q.run(e, 0, 0);
  q.run(e, huge, 0.1f);
}

TEST(enabled_floating_point_exceptions_stop_the_program) {
  Quotient q;
  setFloatingPointBehaviour(q.graph, q.prog, {true, true, true, false, true}, "all");
  q.prog.add(Execute(q.cs));
  Engine e = q.engine();
  q.run(e, 1, 3); // inexact is no exception
  CHECK_THROWS(q.run(e, 1, 0, 5), application_runtime_error, "division by zero in vertex 'Divide' (number 5");
  CHECK_THROWS(q.run(e, 0, 0, 2), application_runtime_error, "invalid operation");
  CHECK_THROWS(q.run(e, huge, 0.1f), application_runtime_error, "overflow");
  q.run(e, 1, 2);
}

TEST(each_exception_is_enabled_by_itself_and_until_the_next_load) {
  Quotient q;
  Sequence on, off;
  setFloatingPointBehaviour(q.graph, on, {false, true, false, false, false});
  setStochasticRounding(q.graph, on, true); // leaves the other bits
  setFloatingPointBehaviour(q.graph, off, {false, false, false, false, false});
  Engine e(q.graph, {Execute(q.cs), on, off});
  e.load(q.device);
  q.run(e, 1, 0);
  e.run(1);
  q.run(e, 0, 0);
  CHECK_THROWS(q.run(e, 1, 0), application_runtime_error, "division by zero");
  e.run(2);
  q.run(e, 1, 0);
  e.run(1);
  e.load(q.device);
  q.run(e, 1, 0);
}

TEST(the_register_can_be_read_changed_and_restored) {
  Quotient q;
  Sequence modify, restore;
  setFloatingPointBehaviour(q.graph, modify, {true, false, false, false, false});
  const Tensor before = getAndModifyFloatingPointBehaviour(q.graph, modify, {true, false, false, false, false},
                                                           {false, true, false, false, false});
  q.graph.createHostRead("before", before);
  setFloatingPointBehaviour(q.graph, restore, before);
  Engine e(q.graph, {Execute(q.cs), modify, restore});
  e.load(q.device);
  e.run(1);
  unsigned value = 0;
  e.readTensor("before", &value, &value + 1);
  CHECK_EQ(value, q.graph.getTarget().makeFpIctlValue(true, false, false, false, false));
  q.run(e, 0, 0);
  CHECK_THROWS(q.run(e, 1, 0), application_runtime_error, "division by zero");
  e.run(2);
  q.run(e, 1, 0);
  CHECK_THROWS(q.run(e, 0, 0), application_runtime_error, "invalid operation");
}

TEST(code_can_wait_in_remote_memory) {
  Quotient q;
  const Function f = q.graph.addFunction(Execute(q.cs));
  const Function other = q.graph.addFunction(Sequence());
  const FunctionBuffer buffer = q.graph.addFunctionBuffer(f, FunctionBufferMappingType::REMOTE);
  CHECK_THROWS(Copy(buffer, other), graph_program_compilation_error, "another function");
  CHECK_THROWS(q.graph.addFunctionBuffer(Function(), FunctionBufferMappingType::REMOTE), poplar_error, "not of this");
  q.prog = Sequence{Copy(buffer, f), Call(f), Copy(f, buffer)};
  Engine e = q.engine();
  q.run(e, 6, 4);
  CHECK_EQ(readFloats(e, "quotient", 8)[0], 1.5f);
}

namespace {

// Delivers 1, 2, 3, ... and notes what it is asked.
struct Counting : StreamCallback {
  std::string &log;
  float next = 1;
  explicit Counting(std::string &log) : log(log) {}
  Result prefetch(void *p) noexcept override {
    log += 'p';
    if (next == 3) // every now and then there is nothing yet
      return next = 3.5f, Result::NotAvailable;
    *static_cast<float *>(p) = next++;
    return Result::Success;
  }
  void fetch(void *p) noexcept override {
    log += 'f';
    *static_cast<float *>(p) = next++;
  }
  void complete() noexcept override { log += 'c'; }
  void invalidatePrefetched() noexcept override { log += 'i'; }
};

std::string askedWith(const OptionFlags &options, std::vector<float> *values) {
  Fixture f;
  const Tensor t = f.variable("t", {});
  f.prog.add(Copy(f.graph.addHostToDeviceFIFO("in", FLOAT, 1), t));
  std::string log;
  Engine e(f.graph, f.prog, options);
  e.connectStreamToCallback("in", std::unique_ptr<Counting>(new Counting(log)));
  e.load(f.device);
  for (int i = 0; i < 3; ++i) {
    e.run();
    values->push_back(readFloats(e, "t", 1)[0]);
  }
  e.connectStreamToCallback("in", [](void *) {});
  return log;
}

} // namespace

TEST(streams_are_filled_ahead_if_their_buffers_are_separate) {
  std::vector<float> values;
  CHECK_EQ(askedWith({}, &values), std::string("fcfcfc"));
  CHECK(values == std::vector<float>({1, 2, 3}));
  values.clear();
  CHECK_EQ(askedWith({{"exchange.streamBufferOverlap", "none"}}, &values), std::string("fcpcpfcpi"));
  CHECK(values == std::vector<float>({1, 2, 3.5f}));
  values.clear();
  const OptionFlags off = {{"exchange.streamBufferOverlap", "none"}, {"exchange.enablePrefetch", "false"}};
  CHECK_EQ(askedWith(off, &values), std::string("fcfcfc"));
}
