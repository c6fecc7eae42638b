// What is told about a call: values by name, and a path name for everything below it.
#include "../fixture.hpp"

#include <poplar/Program.hpp>
#include <poputil/DebugInfo.hpp>

using namespace poputil;

namespace {

struct Options {
  int depth;
};

} // namespace

namespace poputil {
template <> poplar::ProfileValue toProfileValue(const Options &options) { return options.depth; }
} // namespace poputil

TEST(values_are_described) {
  Fixture f;
  const poplar::Tensor t = f.variable("t", {2, 3}, 0, poplar::HALF);
  CHECK(toProfileValue(t).asMap().at("shape").asString() == "[2, 3]");
  CHECK(toProfileValue(t).asMap().at("type").asString() == "half");
  CHECK(toProfileValue(poplar::Tensor()).asString() == "<poplar::Tensor>");
  CHECK(toProfileValue(true).type() == poplar::ProfileValue::Type::BOOLEAN);
  CHECK(toProfileValue(poplar::INT).asString() == "int");
  CHECK(toProfileValue(poplar::OptionFlags{{"a", "b"}}).asMap().at("a").asString() == "b");
  CHECK(toProfileValue(Options{4}).asInt() == 4);
}

TEST(vectors_pairs_and_pointers_are_described) {
  const std::vector<bool> bits = {true, false};
  CHECK(!toProfileValue(bits).asMap().at("1").asBool());
  CHECK(toProfileValue(std::make_pair(1.5F, std::string("x"))).asMap().at("second").asString() == "x");
  const unsigned value = 7;
  const unsigned *pointer = &value, *none = nullptr;
  CHECK(toProfileValue(pointer).asInt() == 7);
  CHECK(toProfileValue(none).asString() == "<nullptr>");
}

TEST(arguments_are_named_as_written) {
  const int first = 1;
  const std::vector<unsigned> second = {2, 3};
  const std::vector<ArgType> one = DI_ARGS(first);
  const std::vector<ArgType> three = DI_ARGS(first, second, 1 + first);
  CHECK(one.size() == 1 && one[0].n == "first");
  CHECK(three.size() == 3 && three[1].n == "second" && three[1].pv.asMap().at("1").asInt() == 3);
  CHECK(three[2].n == "1 + first" && three[2].pv.asInt() == 2);
}

TEST(the_path_names_what_is_created_below) {
  Fixture f;
  const poplar::DebugContext context("layer");
  PoplibsOpDebugInfo info(context, DI_ARGS(f.graph.getTarget().getNumTiles()));
  const poplar::Tensor t = f.graph.addVariable(poplar::FLOAT, {1}, {info, "sum"});
  info.addOutput(t);
  info.addOutputs(DI_ARGS(t));
  CHECK(poplar::DebugContext(info, "sum").getPathName() == "layer/sum");
}
